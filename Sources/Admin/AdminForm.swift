import Engine

/// A request of a route, and what its response has.
package struct AdminForm: Sendable {
    /// The member of the body that chooses this form; nil for the usual one.
    let mark: String?
    /// The table of the body; nil for requests without one.
    package let body: Shape?
    /// The table of the query.
    package let table: Shape?
    /// The table of the response; nil where it is none of the tables.
    package let reply: Shape?
    package let query: [String]
    /// - Parameter others: members that other forms of the route have.
    let response: @Sendable (AdminHandler, AdminCall, _ others: [String]) async throws -> HandledResponse

    init<Body, Reply>(
        _ request: AdminEndpoint<Body, Reply>,
        responding response: @escaping @Sendable (AdminHandler, Record<Body>, AdminCall) async throws -> HandledResponse
    ) {
        mark = request.mark
        let isPost = request.method == "POST"
        body = isPost ? Record<Body>.shape : nil
        table = isPost ? nil : Record<Body>.shape
        reply = Record<Reply>.shape
        query = isPost ? [] : Body.list.map(\.name)
        self.response = { handler, call, others in
            let body = try isPost ? Record<Body>(body: call.request.body, others: others) : Record(query: call.query)
            return try await response(handler, body, call)
        }
    }

    /// One whose body is read elsewhere, since it is more than its table says.
    init<Body, Reply>(
        reading request: AdminEndpoint<Body, Reply>,
        _ reply: @escaping @Sendable (AdminHandler, AdminCall) async throws -> Record<Reply>
    ) {
        (mark, body, table, self.reply, query) = (nil, Record<Body>.shape, nil, Record<Reply>.shape, [])
        response = { handler, call, _ in .json(200, try await reply(handler, call).bytes) }
    }

    init<Body, Reply>(
        _ request: AdminEndpoint<Body, Reply>,
        _ reply: @escaping @Sendable (AdminHandler, Record<Body>, AdminCall) async throws -> Record<Reply>
    ) {
        self.init(request, responding: { .json(200, try await reply($0, $1, $2).bytes) })
    }

    init(query: [String], _ response: @escaping @Sendable (AdminHandler, AdminCall) async throws -> HandledResponse) {
        (mark, body, table, reply) = (nil, nil, nil, nil)
        self.query = query
        self.response = { handler, call, _ in try await response(handler, call) }
    }

    /// The names of the body's members.
    package var members: [String] {
        guard case .object(_, let members)? = body else { return [] }
        return members.map(\.name)
    }
}
