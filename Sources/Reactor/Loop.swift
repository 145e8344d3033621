import Platform
import Synchronization

/// One thread with its poller, on which an actor and all its tasks run.
///
/// It is the actor's executor. Its tasks must wait in a ``Waiter``: a continuation is resumed on the global pool first,
/// which costs two futex calls and a wake-up. A task executor preference would avoid those, but take a lock of the
/// runtime at every suspension.
///
/// Work on responses runs before new requests: with fewer exchanges under way, their memory is still in the caches when
/// their responses come.
public final class Loop: SerialExecutor {
    /// Batches of jobs, each enqueued by the one before, after which sockets are polled again.
    private static let maxBatches = 8
    /// Jobs for new requests after which responses get their turn.
    private static let maxBegun = 32

    private struct Inbox: ~Copyable {
        var jobs: [UnownedJob] = []
        var posts: [@Sendable (LoopCore) -> Void] = []
        var isStopped = false
    }

    private let inbox = Mutex(Inbox())
    private let hasMail = Atomic<Bool>(false)
    /// The loop's thread; set before the first job runs.
    private let thread = Atomic<UInt>(0)
    // Touched on the loop's own thread alone, which is what makes it safe without a lock.
    private nonisolated(unsafe) let confined: LoopCore

    /// Makes a loop and starts its thread, which lives until ``stop()``.
    /// - Parameters:
    ///   - name: shown by tools such as top(1); 15 bytes at most count.
    ///   - clock: tells the time that deadlines are compared with. One that jumps ahead has to wake the loop, by a post.
    public init(
        name: String, clock: @escaping @Sendable () -> Instant = { .now() }
    ) throws(SystemError) {
        confined = try LoopCore(clock)
        confined.loop = self
        try Self.startThread(name: name) { self.run() }
    }

    /// The state of the loop's thread.
    ///
    /// On that thread only.
    public var core: LoopCore {
        precondition(isCurrent, "the loop's core was touched from a foreign thread")
        return confined
    }

    /// Whether the caller runs on the loop's thread.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == Self.currentThread }

    private static var currentThread: UInt { threadIdentity() }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            confined.jobs.append(job)
        } else {
            mail { $0.jobs.append(job) }
        }
    }

    /// Runs `body` on the loop's thread, soon.
    ///
    /// From any thread; ignored after ``stop()``.
    public func post(_ body: @escaping @Sendable (LoopCore) -> Void) {
        mail { $0.posts.append(body) }
    }

    /// Ends the thread after the jobs that are already enqueued.
    public func stop() {
        mail { $0.isStopped = true }
    }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    public func checkIsolated() { precondition(isCurrent) }

    private func mail(_ body: (inout Inbox) -> Void) {
        inbox.withLock { body(&$0) }
        if !hasMail.exchange(true, ordering: .acquiringAndReleasing) { confined.wake() }
    }

    private func run() {
        thread.store(Self.currentThread, ordering: .relaxed)
        let serial = asUnownedSerialExecutor()
        var batch: [UnownedJob] = []
        batch.reserveCapacity(256)
        var isStopped = false
        /// Runs the jobs that there are, and those that they lead to; returns how many.
        func runJobs() -> Int {
            var count = 0
            for _ in 0..<Self.maxBatches where !confined.jobs.isEmpty {
                swap(&batch, &confined.jobs)
                for job in batch { confined.watched { job.runSynchronously(on: serial) } }
                count += batch.count
                batch.removeAll(keepingCapacity: true)
            }
            return count
        }
        while true {
            // Resumes the tasks of all responses first, so that responses to one client share a write.
            _ = runJobs()
            // One socket after the other, so that the memory of each stays in the caches.
            var begun = 0
            while begun < Self.maxBegun, confined.wakeNext() { begun += runJobs() }
            if isStopped && confined.jobs.isEmpty && !confined.hasUnreportedInput { return }
            confined.turn(hasWork: !confined.jobs.isEmpty || isStopped)
            if hasMail.exchange(false, ordering: .acquiringAndReleasing) {
                var posts: [@Sendable (LoopCore) -> Void] = []
                inbox.withLock {
                    confined.jobs.append(contentsOf: $0.jobs)
                    $0.jobs.removeAll(keepingCapacity: true)
                    swap(&posts, &$0.posts)
                    isStopped = $0.isStopped
                }
                for post in posts { confined.watched { post(confined) } }
            }
        }
    }
}

/// The calling thread as a number; unique among the threads that live.
private func threadIdentity() -> UInt {
    #if canImport(Glibc)
    return UInt(pthread_self())
    #else
    return UInt(bitPattern: pthread_self())
    #endif
}
