public import Filter
public import Store

/// Goes along with what is written to a store: exchanges that come, and those that end.
public final class TrafficFollower {
    /// Called when another file has taken the store's place.
    public var whenMoved: (TrafficReader) -> Void = { _ in }
    private let path: String
    private let filter: TrafficFilter
    private var reader: TrafficReader
    private var version: Int64?
    /// The newest one that was looked at.
    public private(set) var last: Int64
    /// Those that ran when they were looked at; each is looked at again when it has ended.
    private var running: Set<Int64> = []

    /// Exchanges beyond this number are reported only when they begin.
    private static let maxRunning = 10_000

    /// Follows a store that is there.
    ///
    /// - Parameter after: up to this number all counts as looked at; with nil, all that is there.
    public init(_ path: String, _ filter: TrafficFilter, after: Int64? = nil) throws(StoreFailure) {
        (self.path, self.filter) = (path, filter)
        reader = try TrafficReader(path)
        // It goes on from row to row.
        try reader.keepLittle()
        let newest = try reader.newest() ?? 0
        // A number from another store says nothing.
        last = after.map { min($0, newest) } ?? newest
        try noteRunning(upTo: last, after: 0)
    }

    /// The follower knows already that this one has ended.
    public func forget(_ id: Int64) { running.remove(id) }

    /// Gives what is new since the last time: those that have ended meanwhile, and those that have come.
    ///
    /// - Parameter visit: false ends it; `isNew` says that this one is given for the first time.
    public func look(_ visit: (_ summary: TrafficSummary, _ isNew: Bool) -> Bool) throws(StoreFailure) {
        guard let news = try news() else { return }
        for id in news.ended {
            // Where it cannot be read now, it is looked at again.
            let summary = try news.search.exchange(id)
            running.remove(id)
            if let summary, !visit(summary, false) { return }
        }
        if news.newest > last {
            try news.search.each(.oldestFirst(after: last)) { summary in
                guard summary.id <= news.newest, visit(summary, true) else { return false }
                // Where the rest cannot be read now, this one is not given again.
                last = summary.id
                return true
            }
        }
        (last, version) = (news.newest, news.version)
    }

    /// The same as numbers, some hundreds together; those that have ended meanwhile come first.
    ///
    /// - Parameter visit: returns how many of them are done; the others come again, in a later call.
    public func lookAtNumbers(_ visit: (_ ids: [Int64]) -> Int) throws(StoreFailure) {
        guard let news = try news() else { return }
        var ended: [Int64] = []
        for id in news.ended where try news.search.exchange(id) != nil { ended.append(id) }
        let done = ended.isEmpty ? 0 : visit(ended)
        guard done == ended.count else { return running.subtract(ended.prefix(done)) }
        running.subtract(news.ended)
        var next: TrafficSearch.Order? = news.newest > last ? .oldestFirst(after: last) : nil
        while let order = next {
            let part = try news.search.numbers(order)
            let ids = part.found.filter { $0 <= news.newest }
            let done = ids.isEmpty ? 0 : visit(ids)
            if done > 0 { last = ids[done - 1] }
            guard done == ids.count else { return }
            next = ids.count < part.found.count ? nil : part.next
        }
        (last, version) = (news.newest, news.version)
    }

    private struct News {
        let search: TrafficSearch
        /// Those that ran, and have ended meanwhile.
        let ended: [Int64]
        let newest: Int64
        let version: Int64
    }

    /// Exchanges that came or ended since the last call; nil if nothing was written since.
    private func news() throws(StoreFailure) -> News? {
        let current = try reader.version()
        guard current != version else {
            try followFile()
            return nil
        }
        // Where it cannot be looked at now, it is to be looked at the next time.
        version = nil
        let ended = try endedMeanwhile().sorted()
        let newest = max(last, try reader.newest() ?? 0)
        // Before the list, so that none can end unseen between the two.
        if newest > last { try noteRunning(upTo: newest, after: last) }
        return News(search: TrafficSearch(reader, filter), ended: ended, newest: newest, version: current)
    }

    /// Passes over all but the newest ones, if there are more to be looked at.
    ///
    /// - Returns: the number of skipped exchanges, with those that the filter does not select.
    public func skip(keeping limit: Int64) throws(StoreFailure) -> Int64 {
        let newest = try reader.newest() ?? 0
        guard newest - last > limit else { return 0 }
        let end = newest - limit
        let count = try reader.count(
            where: StoreCondition("exchange.id > ? AND exchange.id <= ?", [.integer(last), .integer(end)]))
        last = end
        return count
    }

    /// Another file may have taken the place of this one.
    private func followFile() throws(StoreFailure) {
        guard reader.hasMoved, let anew = try? TrafficReader(path) else { return }
        // Numbers go on in a new file of the same Shunt, and begin anew with another one.
        reader = anew
        whenMoved(anew)
        (version, running) = (nil, [])
        if try anew.newest() ?? 0 < last { last = 0 }
    }

    /// Those of ``running`` that have ended, or are not there any more.
    ///
    /// Without those behind ``last``, which were noted and not given yet: they come with what is new.
    private func endedMeanwhile() throws(StoreFailure) -> Set<Int64> {
        var ended = running.filter { $0 <= last }
        guard !ended.isEmpty else { return [] }
        for id in try Self.identities(reader, after: 0) { ended.remove(id) }
        return ended
    }

    private func noteRunning(upTo newest: Int64, after last: Int64) throws(StoreFailure) {
        for id in try Self.identities(reader, after: last) where id <= newest && running.count < Self.maxRunning {
            running.insert(id)
        }
    }

    private static func identities(_ reader: TrafficReader, after last: Int64) throws(StoreFailure) -> [Int64] {
        var found: [Int64] = []
        var after = last
        while found.count < maxRunning {
            let page = try reader.page(where: StoreCondition("ended = 0"), after: after, limit: 256)
            found += page.map(\.id)
            guard page.count == 256, let end = page.last?.id else { break }
            after = end
        }
        return found
    }
}
