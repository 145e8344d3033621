/// Answers requests in the program itself instead of sending them on, as the admin interface does.
public protocol Handler: Sendable {
    /// Called on a worker; may suspend. The body is complete, and no longer than 1 MiB.
    func answer(_ request: HandledRequest) async -> HandledAnswer
}

/// A request as a ``Handler`` sees it.
public struct HandledRequest: Sendable {
    public let method: String
    /// Path and query, as sent.
    public let target: String
    /// Host and port as the client named them.
    public let authority: String
    /// In the order they were sent, names as sent.
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]
    public let clientIsLoopback: Bool

    /// The first field of that name, compared without case.
    public func field(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// What a ``Handler`` answers.
public struct HandledAnswer: Sendable {
    public let status: Int
    public let fields: [(name: String, value: String)]
    public let body: [UInt8]

    /// - Parameter fields: without Content-Length and Connection, which are added.
    public init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
