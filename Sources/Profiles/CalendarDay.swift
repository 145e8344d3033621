private import Platform

/// A day of the Gregorian calendar in UTC.
struct CalendarDay: Hashable, Comparable, CustomStringConvertible {
    private static let seconds: Int64 = 86_400

    /// Days since 1970-01-01.
    let number: Int64

    private init(number: Int64) { self.number = number }

    /// The day that a second since 1970 lies in.
    init(second: Int64) {
        number = (second - (second % Self.seconds + Self.seconds) % Self.seconds) / Self.seconds
    }

    /// Reads a full-date of RFC 3339, such as `2026-12-31`; nil for a day that no calendar has.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], let year = Int64(parts[0]), let month = Int64(parts[1]),
            let day = Int64(parts[2]), year >= 0, (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        // The year begins in March, so that the leap day is its last.
        let (shifted, months) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let ofEra = shifted - era * 400
        let ofYear = (153 * months + 2) / 5 + day - 1
        self.init(number: era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468)
        // 30 February and `+026` read as something else.
        guard description == text else { return nil }
    }

    static func today() -> CalendarDay { CalendarDay(second: Int64(time(nil))) }

    func adding(days: Int64) -> CalendarDay { CalendarDay(number: number + days) }

    /// The first second since 1970 that is no longer of this day.
    var end: Int64 { (number + 1) * Self.seconds }

    static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }

    var description: String {
        let days = number + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let ofEra = days - era * 146_097
        let years = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * years + years / 4 - years / 100)
        let months = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * months + 2) / 5 + 1
        let month = months < 10 ? months + 3 : months - 9
        let year = years + era * 400 + (month <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    private func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
