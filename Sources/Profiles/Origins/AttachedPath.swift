/// The path for which an attached machine responds, as a route of a profile spells it.
public struct AttachedPath: Sendable {
    package let pattern: PathPattern

    public init(_ text: String) throws(Refusal) { pattern = try PathPattern(parsing: text) }
}

extension OriginAddress {
    /// To where an attached machine sends requests on, which opens the connections itself.
    public static func attached(_ text: String) throws(Refusal) -> OriginAddress {
        try OriginURL(parsing: text).address(.default(certificateAuthorities: []), expiry: nil)
    }

    /// The same without its path, for the machine itself: requests that reach it have the path already.
    public var withoutPath: String { "\(isTLS ? "https" : isHTTP2 ? "h2c" : "http")://\(authority)" }
}
