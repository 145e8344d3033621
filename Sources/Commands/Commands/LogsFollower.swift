import Filter
import Inspection
import Platform
import Store

/// Goes on listing what is written to a store.
final class LogsFollower {
    private let follower: TrafficFollower
    private let list: LogsList
    /// The server was away when it was asked last.
    private var isAway = false

    /// Milliseconds.
    private static let (interval, retrial): (CInt, CInt) = (100, 1000)

    /// - Parameter list: what is listed from now on; all that is there already counts as looked at.
    init(_ path: String, _ filter: TrafficFilter, _ list: LogsList) throws(StoreFailure) {
        self.list = list
        let follower = try TrafficFollower(path, filter)
        self.follower = follower
        list.whenEnded = { [weak follower] in follower?.forget($0) }
        follower.whenMoved = { [weak list] in list?.restart($0) }
    }

    /// The newest one that counts as looked at.
    var last: Int64 { follower.last }

    /// Goes on until Ctrl-C, which ends the process with 0, or until the reader closes the pipe.
    func run() throws(StoreFailure) {
        Self.endOnInterrupt()
        list.stream.flush()
        while !list.stream.isClosed {
            list.addMessages()
            if let failure = list.failure { throw failure }
            try look()
            list.stream.flush()
            list.stream.pause(Self.interval)
        }
    }

    /// Goes on when a server that was away is back.
    private func look() throws(StoreFailure) {
        do throws(StoreFailure) {
            try follower.look { (summary, _) in list.add(summary) }
            if isAway { Terminal.error("the server is back\n") }
            isAway = false
        } catch {
            guard error.kind == .away else { throw error }
            if !isAway { Terminal.error("\(error); exchanges until then are listed when the server is back\n") }
            isAway = true
            list.stream.pause(Self.retrial)
        }
    }

    private static func endOnInterrupt() {
        signal(SIGINT) { _ in _exit(0) }
        // The parent process may have blocked it.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
