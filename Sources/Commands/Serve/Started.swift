import Admin

/// What is known once everything listens; the start message and the ready file are made of it.
struct Started: Sendable {
    let facts: AdminFacts
    let port: UInt16
    let host: String
    /// The hosts at which other machines find it; none for loopback.
    let networkHosts: [String]
    /// Host and port.
    let admin: String
    let profile: String
}
