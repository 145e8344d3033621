/// A mock's body with places that are filled from the request, read once.
public struct MockTemplate: Hashable, Sendable {
    public enum Part: Hashable, Sendable {
        case text([UInt8])
        case value(TemplateValue, TemplateForm)
    }

    public let parts: [Part]

    /// The request's body has to be read.
    public var needsBody: Bool {
        parts.contains { part in
            if case .value(let value, _) = part, case .body = value.source { true } else { false }
        }
    }
}

/// How a value is written where it stands.
public enum TemplateForm: Hashable, Sendable {
    case plain
    /// Within the quotes of a JSON string.
    case jsonText
    /// As a JSON value of its own.
    case json
    case html

    /// What fits a media type.
    static func of(type: String) -> TemplateForm {
        let name = type.prefix { $0 != ";" && $0 != " " }.lowercased()
        if name == "application/json" || name.hasSuffix("+json") { return .jsonText }
        return name == "text/html" || name.hasSuffix("xml") ? .html : .plain
    }
}

/// What stands between `{{` and `}}`.
public struct TemplateValue: Hashable, Sendable {
    public enum Source: Hashable, Sendable {
        case method, host, url
        /// A segment of the path, counted from 0.
        case path(segment: Int)
        case query(String)
        case header(String)
        case cookie(String)
        /// Names and indices that lead to a member; none for all of the JSON body.
        case body([String])
        /// An argument of a bridge's call, or a member of one.
        case argument([String])
        /// The client's message to which one of a WebSocket replies, or a member of it.
        case message([String])
        /// Seconds are added to now.
        case now(TimeForm, offset: Int64)
        case uuid
        case counter
        case random(Int64, Int64)
    }

    public enum TimeForm: String, Hashable, Sendable, CaseIterable {
        /// `2027-01-31T12:00:00.000Z`, `2027-01-31`, seconds and milliseconds since 1970, and as in `Date` fields.
        case iso, date, unix, unixms, http
    }

    public let source: Source
    /// What stands there where the request has no such thing.
    public let fallback: String
}
