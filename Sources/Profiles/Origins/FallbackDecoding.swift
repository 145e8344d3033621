import JSON

private let millisecond: UInt64 = 1_000_000
private let longest: UInt64 = 600_000 * millisecond
private let largest = 8 << 20

/// The settings under `fallback` of a route with several origins.
func decodeFallback(_ fields: Fields) -> FallbackSettings {
    var settings = FallbackSettings()
    guard let value = fields["fallback"],
        let fallback = Fields(value, "the \"fallback\" of a route", keys: ProfileKeys.fallback, fields.reporter)
    else { return settings }
    for item in fallback.array("statuses", expected: "an array like [404, 501, 503]") {
        guard let status = item.number?.int64, (400...599).contains(status) else {
            let found = item.number?.text ?? item.kindName
            fallback.reporter.report(
                item.position, "\(found) among \"statuses\"", expected: "whole numbers from 400 to 599")
            continue
        }
        if !settings.statuses.contains(Int(status)) { settings.statuses.append(Int(status)) }
    }
    settings.timeout = time("timeout", 10 * millisecond...longest, "from 10ms to 10m, like \"2s\"", fallback)
    settings.remember =
        time("remember", 0...longest, "from 0s to 10m, like \"5s\"", fallback) ?? settings.remember
    if let value = fallback["hold"] {
        let size = value.number?.int64.flatMap { Int(exactly: $0) } ?? value.string.flatMap { Quantity.size($0) }
        if let size, (0...largest).contains(size) {
            settings.hold = size
        } else {
            fallback.reporter.report(
                value.position, "\"hold\" is \(spelling(value))", expected: "bytes from 0 to 8MB, like \"64kB\"")
        }
    }
    return settings
}

private func time(_ key: String, _ range: ClosedRange<UInt64>, _ expected: String, _ fields: Fields) -> UInt64? {
    guard let value = fields[key] else { return nil }
    if let time = value.string.flatMap({ Quantity.duration($0) }), range.contains(time) { return time }
    fields.reporter.report(
        value.position, "\"\(key)\" is \(spelling(value))", expected: "a time \(expected)",
        hint: value.number == nil ? nil : "a time is a text with its unit")
    return nil
}

/// A value as it stands in the file, for messages.
func spelling(_ value: JSONValue) -> String {
    value.number?.text ?? value.string.map { "\"\($0)\"" } ?? value.kindName
}
