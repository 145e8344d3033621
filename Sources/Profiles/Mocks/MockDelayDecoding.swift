import JSON

private let longest: UInt64 = 600_000_000_000

/// What a mock or one of its responses has under `delay`; nil without it, or after a report.
func decodeDelay(_ fields: Fields, _ key: String = "delay") -> MockDelay? {
    guard let value = fields[key] else { return nil }
    let items = value.array ?? [value]
    let times = items.compactMap { $0.string.flatMap { Quantity.duration($0) } }.filter { $0 <= longest }
    guard times.count == items.count, let first = times.first, let last = times.last, times.count <= 2, first <= last
    else {
        return fields.refuse(
            value, "\"\(key)\" is \(value.array == nil ? spelling(value) : "no range of times")",
            expected: MockDelay.expected)
    }
    return MockDelay(min: first, max: last)
}

extension MockDelay {
    static let expected = "a time up to 10m like \"300ms\", or the shortest and the longest like [\"100ms\", \"2s\"]"
}
