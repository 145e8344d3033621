import Platform
import Synchronization

/// Tells of files that are made, written, replaced, moved or removed, as the system says it: inotify(7), kqueue(2).
///
/// A thread of its own waits, so that nothing runs while nothing changes. Thread-safe.
public final class FileNotices: Sendable {
    struct State {
        /// What the system watches, by its own numbers.
        var watched: Set<Watched> = []
        /// The system does not tell of every change.
        var isSilent = false
        var hasEnded = false
    }

    /// Milliseconds after which an element comes without a notice where the system does not tell of all changes, as with
    /// network mounts.
    private static let shortPause: CInt = 500
    /// Microseconds after a first notice; programs change several files at a time.
    private static let settling: UInt32 = 20_000

    /// An element at the start, after changes, several of which may be one, and after a pause without any.
    public let changes: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation
    /// -1 where the system has no descriptor left: then there are no notices.
    let queue: CInt
    private let pause: CInt
    /// A byte wakes the thread.
    private let wake: (read: CInt, write: CInt)
    let state = Mutex(State())

    /// - Parameter pause: milliseconds after which an element comes without a notice, for a file that is written and never
    ///   closed; -1 for never.
    public init(pause: CInt = 30_000) {
        self.pause = pause
        (changes, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        queue = Self.open()
        wake = (try? SystemCall.makePair()) ?? (-1, -1)
        feed.yield()
        do throws(SystemError) {
            try Loop.startThread(name: "files") { [self] in run() }
        } catch {
            // Nothing can be told; the system has no thread for anything else either.
            feed.finish()
        }
    }

    /// Watches what the paths name: folders with their files, and files.
    ///
    /// What is watched for the first time counts as changed, so that no change before is missed. What is missing is seen
    /// when it appears.
    /// - Parameter often: an element twice a second, for what is no matter of files.
    public func watch(_ paths: [String], often: Bool = false) {
        let isNew = state.withLock { state in
            guard !state.hasEnded else { return false }
            let (count, wasSilent) = (state.watched.count, state.isSilent)
            state.isSilent = queue < 0 || often
            for path in paths where !(add(path, &state.watched) && Self.isToldOf(path)) { state.isSilent = true }
            if state.isSilent, !wasSilent { nudge() }
            return state.watched.count > count
        }
        if isNew { feed.yield() }
    }

    /// Ends `changes`.
    public func end() {
        state.withLock { state in
            if !state.hasEnded { nudge() }
            state.hasEnded = true
        }
        feed.finish()
    }

    /// Wakes the thread, which closes the descriptors once it sees the end: under the lock, while that has not come.
    private func nudge() { _ = "!".withCString { write(wake.write, $0, 1) } }

    private func run() {
        while true {
            let (hasEnded, isSilent) = state.withLock { ($0.hasEnded, $0.isSilent) }
            if hasEnded { break }
            // The system passes over descriptors below 0.
            var places = [
                pollfd(fd: queue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&places, 2, isSilent ? Self.shortPause : pause)
            if places[1].revents != 0 { drainWake() }
            if places[0].revents != 0 {
                usleep(Self.settling)
                drain()
            }
            if count <= 0 || places[0].revents != 0 { feed.yield() }
        }
        close()
        for descriptor in [queue, wake.read, wake.write] where descriptor >= 0 { SystemCall.close(descriptor) }
    }

    private func drainWake() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { room in
            while SystemCall.receive(wake.read, room) > 0 {}
        }
    }
}
