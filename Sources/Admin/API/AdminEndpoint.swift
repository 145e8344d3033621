/// A request to the admin interface: what it takes, and what a response with status 200 has.
package struct AdminEndpoint<Body: Members, Reply: Members>: Sendable {
    /// Its name in the description of the interface.
    package let name: String
    package let method: String
    package private(set) var path: String
    /// Why it may be refused, beside what every request may be refused for.
    package let statuses: [Int]
    /// The member of the body that distinguishes it from other requests of the same path.
    package let mark: String?
    /// How long clients wait.
    package let seconds: Int
    /// What it does, in Markdown; the first sentence is its title.
    package let meaning: String

    init(
        _ name: String, _ method: String, _ path: String, or statuses: Int..., with mark: String? = nil,
        seconds: Int = 5, does meaning: String
    ) {
        (self.name, self.method, self.path, self.statuses) = (name, method, path, statuses)
        (self.mark, self.seconds, self.meaning) = (mark, seconds, meaning)
    }

    /// Its table is that of a body, and not that of a query.
    package var hasBody: Bool { method == "POST" }

    /// The same for the object of this identifier, which the path has in braces.
    package func of(_ id: some CustomStringConvertible) -> AdminEndpoint {
        var endpoint = self
        endpoint.path = path.replacing("{id}", with: "\(id)")
        return endpoint
    }
}

/// What the segment in braces of paths is.
package struct PathSegment: Sendable {
    package let prefix: String
    package let meaning: String
    /// What it looks like; nil for numbers from 1.
    package let pattern: String?
}

/// The admin interface as data: its objects, member by member, and its requests.
package enum API {
    /// No members: a request without a body, or without a query.
    package final class Nothing: Members {}

    package static let segments = [
        PathSegment(prefix: "/v1/traffic/", meaning: "The number of an exchange.", pattern: nil),
        PathSegment(prefix: "/v1/held/", meaning: "The number of a held exchange.", pattern: nil),
        PathSegment(prefix: "/v1/attach/", meaning: "The number of an attachment of the caller's.", pattern: nil),
        PathSegment(prefix: "/v1/sessions/", meaning: "The identifier of a session.", pattern: "^[0-9][0-9a-f]{15}$"),
    ]

    /// A response that is made of no table.
    package final class Written: Members {}
}
