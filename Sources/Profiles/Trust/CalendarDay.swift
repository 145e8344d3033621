import Bytes
private import Platform

/// A day of the Gregorian calendar in UTC.
struct CalendarDay: Hashable, Comparable, CustomStringConvertible {
    private static let seconds: Int64 = 86_400

    /// Days since 1970-01-01.
    let number: Int64

    private init(number: Int64) { self.number = number }

    /// The day that a second since 1970 lies in.
    init(second: Int64) { number = second.dividedFloor(by: Self.seconds) }

    /// Reads a full-date of RFC 3339, such as `2026-12-31`; nil for a day that does not exist.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], let year = Int64(parts[0]), let month = Int64(parts[1]),
            let day = Int64(parts[2]), year >= 0, (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        self.init(number: CalendarDate(year: year, month: month, day: day).daysSince1970)
        // 30 February and `+026` read as something else.
        guard description == text else { return nil }
    }

    static func today() -> CalendarDay { CalendarDay(second: Int64(time(nil))) }

    func adding(days: Int64) -> CalendarDay { CalendarDay(number: number + days) }

    /// The first second since 1970 that is no longer of this day.
    var end: Int64 { (number + 1) * Self.seconds }

    static func < (left: CalendarDay, right: CalendarDay) -> Bool { left.number < right.number }

    var description: String { CalendarDate(daysSince1970: number).text }
}
