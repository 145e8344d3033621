import JSON

/// How the last good responses of a route's origins are kept, for when an origin cannot be reached.
public struct OfflineSettings: Hashable, Sendable {
    /// Bytes of all that is kept together.
    public var maxSize = 64 << 20
    /// Nanoseconds from a request on, after which the kept response is sent instead of waiting for the origin; nil to
    /// wait as long as without it.
    public var slowerThan: UInt64?

    public init() {}

    /// A response longer than that is not kept, so that one alone does not replace all others.
    public var maxResponse: Int { maxSize / 4 }
}

/// What a profile or a route says under `offline`.
enum OfflineSource {
    case off
    case serveLast(OfflineSettings)

    var settings: OfflineSettings? { if case .serveLast(let settings) = self { settings } else { nil } }
}

/// What stands under `offline`; nil without the key, and after a report.
func decodeOffline(_ fields: Fields, of what: String) -> OfflineSource? {
    guard let value = fields["offline"] else { return nil }
    if value.bool == false { return .off }
    var settings = OfflineSettings()
    if let text = value.string {
        if text == "serve-last" { return .serveLast(settings) }
        return fields.refuse(
            value, "\"offline\" is \"\(text)\"", expected: OfflineSettings.expected,
            hint: didYouMean(text, among: ["serve-last"]))
    }
    return OfflineSettings.keys.read("offline", of: fields, "the \"offline\" of \(what)", into: &settings)
        .map { _ in .serveLast(settings) }
}
