import JSON

/// How many requests a route takes within a time.
public struct RateLimit: Hashable, Sendable {
    /// Whose requests are counted together.
    public enum Counted: Hashable, Sendable {
        case client, session, everyone
        /// Those with one value of a field, by its lower-case name.
        case field(String)
    }

    /// The fields that say what is left.
    public enum Fields: String, Hashable, Sendable, CaseIterable {
        case plain = "RateLimit"
        /// With the time of the next window in seconds since 1970.
        case prefixed = "X-RateLimit"
        case none
    }

    /// The form of `Retry-After`.
    public enum RetryAfter: String, Hashable, Sendable, CaseIterable {
        case seconds, date, none
    }

    /// Requests in a window.
    public var limit = 60
    /// Nanoseconds, from the first request on.
    public var window: UInt64 = 60_000_000_000
    public var counted = Counted.client
    public var fields = Fields.plain
    public var retryAfter = RetryAfter.seconds

    init() {}
}

extension RateLimit.Counted {
    private static let words: [(word: String, counted: RateLimit.Counted)] = [
        ("client", .client), ("session", .session), ("all", .everyone),
    ]

    static let kind = ValueKind<RateLimit.Counted>(
        expected: #""client", "session", "all" or a field like "Authorization""#, schema: Schema.fullText,
        parse: { value in
            guard let text = value.string, isToken(text) else { return nil }
            return words.first { $0.word == text }?.counted ?? .field(text.lowercased())
        },
        text: { "\"\($0.text)\"" }, write: { $1.value($0.text) })

    private var text: String {
        if case .field(let name) = self { return name }
        return Self.words.first { $0.counted == self }?.word ?? ""
    }
}
