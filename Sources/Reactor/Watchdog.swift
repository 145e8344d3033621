import Platform
import Synchronization

// In debug builds, and so in tests, the loop names each job that takes it for too long; release builds have none of it.

extension Waiter {
    /// Names what the task does from now on, also after each of its waits.
    #if DEBUG
    public func note(_ activity: @autoclosure () -> String) {
        self.activity = activity()
        core.activity = self.activity
    }
    #else
    @inlinable @inline(__always)
    public func note(_ activity: @autoclosure () -> String) {}
    #endif

    /// The task goes on after a wait.
    @inline(__always)
    func resumeActivity() {
        #if DEBUG
        core.activity = activity
        #endif
    }
}

extension LoopCore {
    /// Runs a job.
    @inline(__always)
    func watched(_ job: () -> Void) {
        #if DEBUG
        activity = Watchdog.unnamed
        let start = Watchdog.threadTime()
        job()
        Watchdog.judge(Watchdog.threadTime() - start, activity)
        #else
        job()
        #endif
    }
}

#if DEBUG
/// Notes the jobs that held a loop for more than 20 ms.
///
/// It measures the processor time of the loop's thread: a busy machine takes time from a job without its fault.
public enum Watchdog {
    /// A job that held a loop.
    public struct Hold: Sendable {
        /// What ``Waiter/note(_:)`` said last: a responder and a route, or another phase.
        public let activity: String
        public let milliseconds: UInt64
    }

    static let unnamed = "a task without a name"
    private static let limit: UInt64 = 20_000_000
    private static let maxKept = 256
    private static let kept = Mutex<[Hold]>([])

    /// The latest jobs of this process that held a loop.
    public static var holds: [Hold] { kept.withLock { $0 } }

    static func threadTime() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    @inline(__always)
    static func judge(_ time: UInt64, _ activity: String) {
        if time > limit { report(Hold(activity: activity, milliseconds: time / 1_000_000)) }
    }

    /// Keeps it, and appends a line to the file that `SHUNT_WATCHDOG` names.
    @inline(never)
    private static func report(_ hold: Hold) {
        kept.withLock { kept in
            if kept.count == maxKept { kept.removeFirst() }
            kept.append(hold)
        }
        guard let path = getenv("SHUNT_WATCHDOG") else { return }
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let line = Array("\(hold.milliseconds) ms: \(hold.activity)\n".utf8)
        _ = write(file, line, line.count)
        close(file)
    }
}
#endif
