import Bytes
import Patterns

/// Durations and times as filters take them, in microseconds.
enum FilterTime {
    private static let units: [(name: String, microseconds: Int64)] = [
        ("us", 1), ("ms", 1000), ("s", 1_000_000), ("m", 60_000_000), ("h", 3_600_000_000), ("d", 86_400_000_000),
    ]

    /// `500ms`, `1.5s`, `10m`; nil for anything else, and for what no log lives to see.
    static func duration(_ text: String) -> Int64? {
        let number = text.prefix { $0.decimalDigit != nil || $0 == "." }
        let unit = units.first { $0.name == text.dropFirst(number.count).lowercased() }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard let unit, parts.count <= 2, let whole = parts.first.flatMap({ Int64($0) }) else { return nil }
        let (product, overflows) = whole.multipliedReportingOverflow(by: unit.microseconds)
        guard !overflows else { return nil }
        guard parts.count == 2 else { return product }
        guard !parts[1].isEmpty else { return nil }
        var scale = unit.microseconds
        var rest: Int64 = 0
        for digit in parts[1].compactMap(\.decimalDigit) {
            rest += scale % 10 == 0 ? scale / 10 * Int64(digit) : scale * Int64(digit) / 10
            scale /= 10
        }
        let (sum, isTooLong) = product.addingReportingOverflow(rest)
        return isTooLong ? nil : sum
    }

    /// The time that was so long before.
    static func age(_ text: String, before now: Int64) -> Int64? {
        guard let duration = duration(text) else { return nil }
        let (time, overflows) = now.subtractingReportingOverflow(duration)
        return overflows ? nil : time
    }

    /// `2026-05-01T10:00:00Z`, with a fraction or another offset: microseconds since 1970 (RFC 3339 section 5.6).
    static func instant(_ text: String) -> Int64? {
        var rest = text.uppercased()[...]
        guard let year = digits(4, &rest), take("-", &rest), let month = digits(2, &rest), take("-", &rest),
            let day = digits(2, &rest), take("T", &rest), let hour = digits(2, &rest), take(":", &rest),
            let minute = digits(2, &rest), take(":", &rest), let second = digits(2, &rest),
            year > 0, hour < 24, minute < 60, second <= 60
        else { return nil }
        let date = CalendarDate(year: year, month: month, day: day)
        guard date.isValid else { return nil }
        var microseconds: Int64 = 0
        if take(".", &rest) {
            let fraction = rest.prefix { $0.decimalDigit != nil }
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(fraction.count)
            let six = (fraction.prefix(6) + String(repeating: "0", count: max(0, 6 - fraction.count)))
            microseconds = Int64(six) ?? 0
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        let seconds = date.daysSince1970 * 86400 + hour * 3600 + minute * 60 + second - offset
        return seconds * 1_000_000 + microseconds
    }

    /// Seconds east of UTC.
    private static func offset(_ rest: inout Substring) -> Int64? {
        if take("Z", &rest) { return 0 }
        let isWest = take("-", &rest)
        guard isWest || take("+", &rest), let hours = digits(2, &rest), take(":", &rest),
            let minutes = digits(2, &rest), hours < 24, minutes < 60
        else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }

    private static func digits(_ count: Int, _ rest: inout Substring) -> Int64? {
        let number = rest.prefix(count)
        guard number.count == count, number.allSatisfy({ $0.decimalDigit != nil }) else { return nil }
        rest = rest.dropFirst(count)
        return Int64(number)
    }

    private static func take(_ character: Character, _ rest: inout Substring) -> Bool {
        guard rest.first == character else { return false }
        rest = rest.dropFirst()
        return true
    }
}
