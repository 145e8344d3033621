import Engine

/// A request of a route, and what its response has.
package struct AdminForm: Sendable {
    /// Its name in the description of the interface.
    package let name: String
    /// What it does, in Markdown; the first sentence is its title.
    package let meaning: String
    /// The member of the body that chooses this form; nil for the usual one.
    package let mark: String?
    /// The table of the body; nil for requests without one.
    package let body: Shape?
    /// The table of the query.
    package let table: Shape?
    /// The table of the response; nil where it is none of the tables.
    package let reply: Shape?
    /// Why it may be refused, beside what every request may be refused for.
    package let statuses: [Int]
    /// - Parameter others: members that other forms of the route have.
    let response: @Sendable (AdminHandler, AdminCall, _ others: [String]) async throws -> HandledResponse

    init<Body, Reply>(
        _ request: AdminEndpoint<Body, Reply>,
        responding response: @escaping @Sendable (AdminHandler, Record<Body>, AdminCall) async throws -> HandledResponse
    ) {
        (name, meaning, mark) = (request.name, request.meaning, request.mark)
        let isPost = request.hasBody
        body = isPost ? Record<Body>.shape : nil
        table = isPost ? nil : Record<Body>.shape
        reply = Reply.self == API.Written.self ? nil : Record<Reply>.shape
        statuses = request.statuses
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
        (name, meaning, mark) = (request.name, request.meaning, nil)
        (body, table, self.reply) = (Record<Body>.shape, nil, Record<Reply>.shape)
        statuses = request.statuses
        response = { handler, call, _ in .json(200, try await reply(handler, call).bytes) }
    }

    init<Body, Reply>(
        _ request: AdminEndpoint<Body, Reply>,
        _ reply: @escaping @Sendable (AdminHandler, Record<Body>, AdminCall) async throws -> Record<Reply>
    ) {
        self.init(request, responding: { .json(200, try await reply($0, $1, $2).bytes) })
    }

    /// The names of the body's members.
    package var members: [String] { Self.names(body) }
    /// The allowed query parameters.
    package var query: [String] { Self.names(table) }

    private static func names(_ table: Shape?) -> [String] {
        guard case .object(_, let members)? = table else { return [] }
        return members.map(\.name)
    }
}
