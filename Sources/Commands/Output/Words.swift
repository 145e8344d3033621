import Bytes
import Platform

/// Counts, times and lists as people read them.
enum Words {
    /// `1 route`, `2 routes`.
    static func count(_ number: some BinaryInteger, _ what: String) -> String {
        "\(number) \(what)\(number == 1 ? "" : "s")"
    }

    /// The first few.
    static func names(_ names: [String], atMost limit: Int = 5) -> String {
        names.prefix(limit).joined(separator: ", ") + (names.count > limit ? " and \(names.count - limit) more" : "")
    }

    /// `a, b or c`.
    static func choice(_ words: [String]) -> String {
        words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
    }

    /// The local time in so many seconds, `14:32:05`.
    static func clock(after seconds: Int) -> String {
        var moment: time_t = UntrustedNumber(time(nil)).plus(UntrustedNumber(seconds)).clamped()
        var parts = tm()
        guard localtime_r(&moment, &parts) != nil else { return "" }
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// How long ago a time was that another Shunt has named, in seconds since 1970; 0 for one to come.
    static func seconds(since time: some FixedWidthInteger) -> Int {
        max(0, UntrustedNumber(Platform.time(nil)).minus(UntrustedNumber(time)).clamped())
    }

    /// `now`, or `2 min 5 s ago`.
    static func ago(_ time: some FixedWidthInteger) -> String {
        let seconds = seconds(since: time)
        return seconds < 2 ? "now" : "\(span(seconds)) ago"
    }

    /// The two largest units: `2 h 5 min`.
    static func span(_ seconds: some BinaryInteger) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        case ..<86_400: "\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
        }
    }
}
