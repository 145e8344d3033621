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

private let millisecond: UInt64 = 1_000_000
private let times = 10 * millisecond...600_000 * millisecond
private let sizes = 64 << 10...1 << 30

/// What stands under `offline`; nil without the key, and after a report.
func decodeOffline(_ fields: Fields, of what: String) -> OfflineSource? {
    guard let value = fields["offline"] else { return nil }
    let expected = "\"serve-last\", an object like { \"slowerThan\": \"2s\" }, or false"
    if value.bool == false { return .off }
    if let text = value.string {
        if text == "serve-last" { return .serveLast(OfflineSettings()) }
        fields.reporter.report(
            value.position, "\"offline\" is \"\(text)\"", expected: expected,
            hint: didYouMean(text, among: ["serve-last"]))
        return nil
    }
    guard value.object != nil else {
        fields.wrongKind("offline", value, expected)
        return nil
    }
    guard let figures = Fields(value, "the \"offline\" of \(what)", keys: ProfileKeys.offline, fields.reporter) else {
        return nil
    }
    var settings = OfflineSettings()
    if let value = figures["slowerThan"] {
        if let time = value.string.flatMap({ Quantity.duration($0) }), times.contains(time) {
            settings.slowerThan = time
        } else {
            figures.reporter.report(
                value.position, "\"slowerThan\" is \(spelling(value))",
                expected: "a time from 10ms to 10m, like \"2s\"",
                hint: value.number == nil ? nil : "a time is a text with its unit")
        }
    }
    if let value = figures["maxSize"] {
        let size = value.number?.int64.flatMap { Int(exactly: $0) } ?? value.string.flatMap { Quantity.size($0) }
        if let size, sizes.contains(size) {
            settings.maxSize = size
        } else {
            figures.reporter.report(
                value.position, "\"maxSize\" is \(spelling(value))", expected: "bytes from 64kB to 1GB, like \"64MB\"")
        }
    }
    return .serveLast(settings)
}

extension OfflineSettings {
    /// Bytes, and milliseconds.
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("maxSize", maxSize)
        writer.member("slowerThan", slowerThan.map { Int($0 / millisecond) })
    }
}
