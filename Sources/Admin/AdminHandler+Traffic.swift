import Engine
import Filter
import Inspection
import JSON
import Store

// Recorded traffic as lists and numbers.
extension AdminHandler {
    func listTraffic(_ query: Record<API.TrafficPage>) async throws -> HandledResponse {
        let (filter, limit) = (try TrafficFilter(query: query.filter), query.limit)
        let cursor = try TrafficCursor(query)
        let body = try await desk().read { reader in
            let page = try TrafficSearch(reader, filter).page(cursor.order, limit: limit)
            return JSONWriter.object { object in
                object.objects("exchanges", page) { $1.write(to: &$0) }
                object.member("next", page.count == limit ? page.last.map { cursor.text(behind: $0.id) } : nil)
            }
        }
        return .json(200, body)
    }

    func removeTraffic(_ query: Record<API.TrafficOf>, _ call: AdminCall) async throws -> Record<API.RemovedTraffic> {
        let isEverything = query.filter == nil
        let filter = try TrafficFilter(query: query.filter)
        let desk = try desk()
        let path = desk.path
        call.note.add(target: query.filter ?? "everything")
        try writeAhead(call)
        let (removed, isErased) = try await desk.ask {
            let removed = isEverything ? try TrafficEraser.removeAll(path) : try TrafficEraser(path).remove(filter)
            return (removed, try TrafficEraser.obstacle(path, within: 1000) == nil)
        }
        return Record {
            $0.removed = Int(removed)
            $0.isErased = isErased
        }
    }

    /// The number of the newest exchange; those that had ended before the request are in the store then.
    func newestTraffic() async throws -> Record<API.NewestTraffic> {
        let newest = try await desk().read { reader in try reader.newest() }
        return Record { $0.newest = newest.map { Int(clamping: $0) } }
    }

    func countTraffic(_ query: Record<API.TrafficGroups>) async throws -> HandledResponse {
        let (filter, grouping, limit) = (try TrafficFilter(query: query.filter), query.by, query.limit)
        let body = try await desk().read { reader in
            let statistics = try TrafficSearch(reader, filter).statistics(by: grouping, limit: limit)
            return JSONWriter.object { statistics.write(by: grouping, storeBytes: reader.fileSize(), to: &$0) }
        }
        return .json(200, body)
    }

    /// When the exchanges that a filter wants began.
    func showTimeline(_ query: Record<API.TimelineOf>) async throws -> Record<API.Timeline> {
        let (filter, limit) = (try TrafficFilter(query: query.filter), query.steps)
        let timeline = try await desk().read { reader in
            try TrafficSearch(reader, filter).timeline(limit: limit)
        }
        return Record {
            let (start, steps) = timeline.all.map { ($0.start, $0.steps) } ?? (nil, [])
            $0.start = start.map { Int(clamping: $0) }
            $0.length = Int(clamping: timeline.length)
            $0.counts = steps.map { Int(clamping: $0.count) }
            $0.failed = steps.map { Int(clamping: $0.failed) }
        }
    }

    func showExchange(_ query: Record<API.ExchangeOf>, _ call: AdminCall) async throws -> HandledResponse {
        let (id, after, hasBodies) = (try call.identity(), query.after.map(Int64.init), query.bodies)
        let body = try await desk().read { reader -> [UInt8]? in
            guard let record = try reader.record(id) else { return nil }
            var writer = JSONWriter()
            try writer.object { object in
                try reader.write(
                    record, messages: TrafficReader.MessagePage(after: after ?? -1), hasBodies: hasBodies, to: &object)
            }
            return writer.bytes
        }
        guard let body else { throw AdminRefusal.noExchange(id) }
        return .json(200, body)
    }
}

/// Where a page of exchanges begins, as opaque text.
struct TrafficCursor {
    private let isOldestFirst: Bool
    private let last: Int64?

    init(_ query: Record<API.TrafficPage>) throws {
        isOldestFirst = query.order == .oldest
        guard let text = query.cursor else {
            last = nil
            return
        }
        guard let mark = text.first, let last = Int64(text.dropFirst()), last > 0 else {
            throw AdminRefusal(400, "invalid cursor", advice: "Send the `next` of the page before.")
        }
        guard mark == Self.mark(isOldestFirst) else {
            throw AdminRefusal(
                400, "the cursor is of another order", advice: "Send the same filter and order with each page.")
        }
        self.last = last
    }

    var order: TrafficSearch.Order { isOldestFirst ? .oldestFirst(after: last ?? 0) : .newestFirst(before: last) }

    func text(behind id: Int64) -> String { "\(Self.mark(isOldestFirst))\(id)" }

    private static func mark(_ isOldestFirst: Bool) -> Character { isOldestFirst ? "o" : "n" }
}
