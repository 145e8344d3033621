/// The path for which an attached machine responds, as a route of a profile spells it.
public struct AttachedPath: Sendable {
    package let pattern: PathPattern

    public init(_ text: String) throws(AttachTextFailure) {
        do throws(Refusal) { pattern = try PathPattern(parsing: text) } catch { throw AttachTextFailure(error) }
    }
}

extension OriginAddress {
    /// To where an attached machine sends requests on, which opens the connections itself.
    public static func attached(_ text: String) throws(AttachTextFailure) -> OriginAddress {
        do throws(Refusal) {
            return try OriginURL(parsing: text).address(.default(certificateAuthorities: []), expiry: nil)
        } catch {
            throw AttachTextFailure(error)
        }
    }

    /// The same without its path, for the machine itself: requests that reach it have the path already.
    public var withoutPath: String { "\(isTLS ? "https" : isHTTP2 ? "h2c" : "http")://\(authority)" }
}

/// Why a text is no path or no origin of an attached machine.
public struct AttachTextFailure: Error, Sendable {
    public let message: String
    public let advice: String?

    init(_ refusal: Refusal) {
        message = refusal.message
        advice = refusal.expected.map { "Expected \($0)\(refusal.hint.map { "; \($0)" } ?? "")." } ?? refusal.hint
    }
}
