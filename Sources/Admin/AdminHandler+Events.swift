import Engine
import Filter
import Inspection
import Store

extension AdminHandler {
    /// Sends exchanges as they come, as server-sent events (HTML standard 9.2).
    func followTraffic(_ query: Record<API.TrafficEventsOf>, _ call: AdminCall) async throws -> HandledResponse {
        let (filter, form) = (try TrafficFilter(query: query.filter), query.form)
        let last = try Self.lastEvent(call.request)
        let desk = try desk()
        let (path, breakpoints) = (desk.path, proxy.breakpoints)
        // From this moment on, not from the start of the thread.
        let start = try await desk.read { reader in
            let newest = try reader.newest() ?? 0
            return last ?? newest
        }
        let stream = try desk.stream(isEndless: true) { _, stream in
            var events = TrafficEvents(
                try TrafficFollower(path, filter, after: start), form, stream, held: { breakpoints?.revision ?? 0 })
            try events.run()
        }
        return .stream(stream, type: "text/event-stream")
    }

    private static func lastEvent(_ request: HandledRequest) throws -> Int64? {
        guard let text = request.field("Last-Event-ID"), !text.isEmpty else { return nil }
        guard let last = Int64(text), last >= 0 else {
            throw AdminRefusal(400, "Last-Event-ID is “\(text)”", advice: "Send the `id` of the last event.")
        }
        return last
    }
}
