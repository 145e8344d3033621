import Engine
import Filter
import JSON

/// A request as the handler of a route sees it.
struct AdminCall {
    let request: HandledRequest
    /// The value of the path's segment in braces.
    let segment: String
    let route: AdminRoute
    let caller: Caller
    let gate: AdminGate
    /// What the audit trail says about it.
    let note: AuditNote
    let query: FormBody

    init(
        _ request: HandledRequest, _ route: AdminRoute, segment: String, _ caller: Caller, _ gate: AdminGate,
        _ note: AuditNote
    ) throws(AdminRefusal) {
        (self.request, self.route, self.caller, self.gate) = (request, route, caller, gate)
        (self.note, self.segment) = (note, segment)
        query = FormBody(target: request.target)
        var seen: Set<String> = []
        for name in query.names {
            guard route.query.contains(name) else {
                let known = route.query.isEmpty ? "none" : route.query.joined(separator: ", ")
                throw AdminRefusal(400, "unknown query parameter “\(name)”", advice: "It may have \(known).")
            }
            guard seen.insert(name).inserted else { throw AdminRefusal(400, "the query has “\(name)” twice") }
        }
    }

    /// The number of the exchange that the path names.
    func identity() throws(AdminRefusal) -> Int64 {
        guard let id = Int64(segment), id > 0 else { throw AdminRefusal(404, "“\(segment)” is no exchange's number") }
        return id
    }
}

extension TrafficFilter {
    /// The filter of a query; all exchanges without one.
    init(query text: String?) throws(AdminRefusal) {
        do throws(FilterFailure) { self = try TrafficFilter(text ?? "") } catch {
            throw AdminRefusal(
                400, "the filter is wrong: \(error.message)", advice: "Expected \(error.expected).",
                column: error.column)
        }
    }
}
