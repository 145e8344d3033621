import Bytes
import HTTP

/// Moves the dates of a recorded response to the present.
enum RecordedDates {
    /// Fields of dates, in small letters.
    private static let names = ["date", "expires", "last-modified"]

    /// Seconds since 1970 at which a response was recorded: its own date, else the time of the exchange.
    /// - Parameter started: microseconds; 0 where it is unknown.
    static func recorded(_ fields: [(name: String, value: String)], started: Int64) -> Int64? {
        fields.first { $0.name.lowercased() == "date" }.flatMap { date($0.value) }
            ?? (started > 0 ? started / 1_000_000 : nil)
    }

    private static func date(_ text: String) -> Int64? { HTTPDate.parse(ContiguousArray(text.utf8).span) }

    /// Field lines with all dates moved by the same distance.
    static func moved(_ fields: [UInt8], by seconds: Int64) -> [UInt8] {
        var lines: [UInt8] = []
        for line in fields.split(separator: 0x0A) {
            let line = line.last == 0x0D ? line.dropLast() : line
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = String(decoding: line[..<colon].map { ByteSearch.lowercased($0) }, as: UTF8.self)
            let value = String(decoding: line[(colon + 1)...].drop { ByteSearch.isBlank($0) }, as: UTF8.self)
            if names.contains(name), let date = date(value) {
                lines += line[...colon] + [0x20]
                HTTPDate.append(date + seconds, to: &lines)
            } else if name == "set-cookie" {
                lines += line[...colon] + [0x20] + cookie(value, by: seconds).utf8
            } else {
                lines += line
            }
            lines += [0x0D, 0x0A]
        }
        return lines
    }

    /// A cookie that is deleted by a date of the past stays so.
    private static func cookie(_ text: String, by seconds: Int64) -> String {
        text.split(separator: ";", omittingEmptySubsequences: false).map { part in
            let trimmed = part.drop { $0 == " " }
            guard trimmed.lowercased().hasPrefix("expires="),
                let time = CalendarTime.parse(cookieDate: String(trimmed.dropFirst(8))), time > 86_400_000_000
            else { return String(part) }
            return " Expires=" + CalendarTime.cookieDate(time + seconds * 1_000_000)
        }.joined(separator: ";")
    }
}
