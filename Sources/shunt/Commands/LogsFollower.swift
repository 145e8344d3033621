import Traffic

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Goes on listing what is written to a store.
final class LogsFollower {
    private let path: String
    private let filter: TrafficFilter
    private let list: LogsList
    private var reader: TrafficReader
    /// The newest one that was looked at.
    private(set) var last: Int64 = 0
    /// Those that ran when they were looked at; each is looked at again when it has ended.
    private var running: Set<Int64> = []

    /// Others than these are listed when they begin only.
    private static let mostRunning = 10_000
    /// Milliseconds.
    private static let interval: CInt = 100

    /// - Parameter list: what is listed from now on; all that is there already counts as looked at.
    init(_ path: String, _ reader: TrafficReader, _ filter: TrafficFilter, _ list: LogsList) throws(StoreFailure) {
        (self.path, self.reader, self.filter, self.list) = (path, reader, filter, list)
        last = try reader.newest() ?? 0
        try noteRunning(upTo: last, after: 0)
        list.whenEnded = { [weak self] id in _ = self?.running.remove(id) }
    }

    /// Goes on until Ctrl-C, which ends the process with 0, or until nobody reads any more.
    func run() throws(StoreFailure) {
        Self.endOnInterrupt()
        list.stream.flush()
        var version: Int64?
        while !list.stream.isClosed {
            let current = try reader.version()
            if current != version {
                version = current
                try look()
                list.stream.flush()
            } else if reader.hasMoved, let anew = try? TrafficReader(path) {
                // Numbers go on in a new file of the same Shunt, and begin anew with another one.
                reader = anew
                list.restart(anew)
                (version, running) = (nil, [])
                if try anew.newest() ?? 0 < last { last = 0 }
            }
            list.stream.pause(Self.interval)
        }
    }

    private static func endOnInterrupt() {
        signal(SIGINT) { _ in _exit(0) }
        // Whoever started this may have kept it from us.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    private func look() throws(StoreFailure) {
        let search = TrafficSearch(reader, filter)
        list.addMessages()
        if let failure = list.failure { throw failure }
        for id in try endedMeanwhile().sorted() {
            running.remove(id)
            if let summary = try search.exchange(id), !list.add(summary) { return }
        }
        let newest = try reader.newest() ?? 0
        guard newest > last else { return }
        // Before the list, so that none can end unseen between the two.
        try noteRunning(upTo: newest, after: last)
        try search.each(.oldestFirst(after: last)) { $0.id <= newest && list.add($0) }
        last = newest
    }

    /// Those of ``running`` that have ended, or are not there any more.
    private func endedMeanwhile() throws(StoreFailure) -> Set<Int64> {
        guard !running.isEmpty else { return [] }
        var ended = running
        for id in try Self.identities(reader, after: 0) { ended.remove(id) }
        return ended
    }

    private func noteRunning(upTo newest: Int64, after last: Int64) throws(StoreFailure) {
        for id in try Self.identities(reader, after: last) where id <= newest && running.count < Self.mostRunning {
            running.insert(id)
        }
    }

    private static func identities(_ reader: TrafficReader, after last: Int64) throws(StoreFailure) -> [Int64] {
        var found: [Int64] = []
        var after = last
        while found.count < mostRunning {
            let page = try reader.page(where: StoreCondition("ended = 0"), after: after, limit: 256)
            found += page.map(\.id)
            guard page.count == 256, let end = page.last?.id else { break }
            after = end
        }
        return found
    }
}
