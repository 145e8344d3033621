/// A day of the Gregorian calendar in UTC.
public struct CalendarDate: Sendable, Hashable {
    public let year: Int64
    public let month: Int64
    public let day: Int64

    /// Any numbers; see ``isValid``.
    public init(year: Int64, month: Int64, day: Int64) { (self.year, self.month, self.day) = (year, month, day) }

    /// The day that is so many days behind 1970-01-01, or before it.
    public init(daysSince1970 days: Int64) {
        let shifted = days + 719_468
        let era = shifted.dividedFloor(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    /// Years begin in March here, so that a leap day is the last of its year; 31 February is 3 or 2 March.
    public var daysSince1970: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted.dividedFloor(by: 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The calendar has this day.
    public var isValid: Bool {
        (1...12).contains(month) && day > 0 && CalendarDate(daysSince1970: daysSince1970) == self
    }

    /// `2026-12-31`.
    public var text: String { "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))" }

    /// `20:30:58` for seconds since midnight.
    public static func time(ofDay seconds: Int64) -> String {
        [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }.joined(separator: ":")
    }
}

extension Int64 {
    /// In decimal digits, with zeros in front up to a width.
    public func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }

    /// Towards minus infinity, as calendars count.
    public func dividedFloor(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
