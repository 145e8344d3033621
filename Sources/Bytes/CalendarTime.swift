/// Points in time as ISO 8601 and cookies write them; all in microseconds since 1970, UTC.
public enum CalendarTime {
    private static let day: Int64 = 86_400_000_000

    /// Such as `2026-11-21T20:30:58.123Z`: with milliseconds, or with microseconds where there are any.
    public static func text(_ time: Int64) -> String {
        text(time, places: time.dividedFloor(by: 1000) * 1000 == time ? 3 : 6)
    }

    /// With milliseconds, never more.
    public static func text(milliseconds time: Int64) -> String { text(time, places: 3) }

    /// Digits are put where they belong: texts of each part would be a dozen of allocations for each line of a log.
    private static func text(_ time: Int64, places: Int) -> String {
        let days = time.dividedFloor(by: day)
        // The first day of all begins before the least number.
        let rest = time &- days &* day
        let date = CalendarDate(daysSince1970: days)
        let year = date.year.padded(to: 4)
        return String(unsafeUninitializedCapacity: year.utf8.count + 24) { room in
            var at = 0
            func put(_ number: Int64, _ width: Int, _ end: Unicode.Scalar) {
                var left = number
                for place in (at..<at + width).reversed() {
                    room[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: left % 10)
                    left /= 10
                }
                room[at + width] = UInt8(ascii: end)
                at += width + 1
            }
            for byte in year.utf8 {
                room[at] = byte
                at += 1
            }
            room[at] = UInt8(ascii: "-")
            at += 1
            put(date.month, 2, "-")
            put(date.day, 2, "T")
            put(rest / 3_600_000_000, 2, ":")
            put(rest / 60_000_000 % 60, 2, ":")
            put(rest / 1_000_000 % 60, 2, ".")
            put(rest % 1_000_000 / (places == 3 ? 1000 : 1), places, "Z")
            return at
        }
    }

    /// Reads ISO 8601 with date and time; without a zone it is UTC.
    public static func parse(_ text: String) -> Int64? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
            let date = scanner.number(2), scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let hour = scanner.number(2), scanner.skip(":"), let minute = scanner.number(2)
        else { return nil }
        var second: Int64 = 0
        if scanner.skip(":") {
            guard let number = scanner.number(2) else { return nil }
            second = number
        }
        let fraction = scanner.skip(".") || scanner.skip(",") ? scanner.microseconds() : 0
        guard let fraction, let zone = scanner.zone(), scanner.isAtEnd else { return nil }
        guard let time = time(year, month, date, hour, minute, second) else { return nil }
        return time + fraction - zone * 60_000_000
    }

    /// The date of a cookie's `Expires` (RFC 6265 5.1.1).
    public static func parse(cookieDate text: String) -> Int64? {
        var clock: [Int64]?
        var (date, month, year): (Int64?, Int64?, Int64?)
        for token in text.utf8.split(whereSeparator: { !isPart($0) }) {
            let word = String(decoding: token.map(ByteSearch.lowercased), as: UTF8.self)
            let parts = word.split(separator: ":")
            if clock == nil, parts.count == 3 {
                clock = parts.compactMap { $0.utf8.count <= 2 ? Int64($0) : nil }
            } else if date == nil, word.utf8.count <= 2, let number = Int64(word) {
                date = number
            } else if month == nil, let index = months.firstIndex(where: { word.hasPrefix($0) }) {
                month = Int64(index) + 1
            } else if year == nil, word.utf8.count == 2 || word.utf8.count == 4, let number = Int64(word) {
                year = number > 99 ? number : number + (number < 70 ? 2000 : 1900)
            }
        }
        guard let clock, clock.count == 3, let date, let month, let year, year >= 1601 else { return nil }
        return time(year, month, date, clock[0], clock[1], clock[2])
    }

    /// As an HTTP date has it (RFC 9110 5.6.7), whole seconds.
    public static func cookieDate(_ time: Int64) -> String {
        let days = time.dividedFloor(by: day)
        let date = CalendarDate(daysSince1970: days)
        let name = months[Int(date.month) - 1]
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days - days.dividedFloor(by: 7) * 7)]
        return "\(weekday), \(date.day.padded(to: 2)) \(name.prefix(1).uppercased())\(name.dropFirst()) "
            + "\(date.year.padded(to: 4)) \(CalendarDate.time(ofDay: (time - days * day) / 1_000_000)) GMT"
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func isPart(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || byte == UInt8(ascii: ":") || (byte | 0x20) &- 0x61 < 26
    }

    private static func time(
        _ year: Int64, _ month: Int64, _ date: Int64, _ hour: Int64, _ minute: Int64, _ second: Int64
    ) -> Int64? {
        guard (1...12).contains(month), (1...31).contains(date), (0...24).contains(hour), (0...59).contains(minute),
            (0...60).contains(second)
        else { return nil }
        return CalendarDate(year: year, month: month, day: date).daysSince1970 * day
            + ((hour * 60 + minute) * 60 + second) * 1_000_000
    }
}

/// Reads a text from left to right.
private struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number(_ digits: Int) -> Int64? {
        let word = rest.prefix(digits)
        guard word.count == digits, word.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        rest = rest.dropFirst(digits)
        return word.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// The digits behind the point, in any precision.
    mutating func microseconds() -> Int64? {
        let digits = rest.prefix { $0 &- 0x30 < 10 }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        let six = digits.prefix(6)
        var value = six.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
        for _ in six.count..<6 { value *= 10 }
        return value
    }

    /// Minutes east of UTC.
    mutating func zone() -> Int64? {
        if isAtEnd || skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
        guard let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = isAtEnd ? 0 : number(2) else { return nil }
        return sign * (hours * 60 + minutes)
    }
}
