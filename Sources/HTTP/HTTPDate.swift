import Bytes

/// Dates of fields (RFC 9110 5.6.7), in seconds since 1970.
public enum HTTPDate {
    private static let names: StaticString = "ThuFriSatSunMonTueWed"
    private static let months: StaticString = "JanFebMarAprMayJunJulAugSepOctNovDec"

    /// The years that have four digits: 0 to 9999.
    private static let writable: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Appends `Sun, 06 Nov 1994 08:49:37 GMT`; for a time that no date can name, the nearest that one can.
    public static func append(_ second: Int64, to out: inout [UInt8]) {
        let second = UntrustedNumber(second).clamped(to: writable)
        let day = second.dividedFloor(by: 86_400)
        let time = second - day * 86_400
        let date = CalendarDate(daysSince1970: day)
        appendName(names, Int(day - day.dividedFloor(by: 7) * 7), to: &out)
        out.append(UInt8(ascii: ","))
        out.append(UInt8(ascii: " "))
        appendTwo(date.day, to: &out)
        out.append(UInt8(ascii: " "))
        appendName(months, Int(date.month - 1), to: &out)
        out.append(UInt8(ascii: " "))
        appendTwo(date.year / 100, to: &out)
        appendTwo(date.year % 100, to: &out)
        out.append(UInt8(ascii: " "))
        appendTwo(time / 3600, to: &out)
        out.append(UInt8(ascii: ":"))
        appendTwo(time / 60 % 60, to: &out)
        out.append(UInt8(ascii: ":"))
        appendTwo(time % 60, to: &out)
        out.append(contentsOf: " GMT".utf8)
    }

    private static func appendName(_ names: StaticString, _ index: Int, to out: inout [UInt8]) {
        for offset in 0..<3 { out.append(names.utf8Start[3 * index + offset]) }
    }

    private static func appendTwo(_ number: Int64, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10 % 10))
        out.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// Reads any of the three forms; nil for what is no date.
    public static func parse(_ bytes: Span<UInt8>) -> Int64? {
        var words: [[UInt8]] = [[]]
        for at in bytes.indices {
            let byte = bytes[at]
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "-") {
                if words.last?.isEmpty == false { words.append([]) }
            } else {
                words[words.count - 1].append(byte)
            }
        }
        let parts = words.filter { !$0.isEmpty }
        switch parts.count {
        // Sun Nov  6 08:49:37 1994
        case 5: return second(day: parts[2], month: parts[1], year: parts[4], time: parts[3])
        // Sun, 06 Nov 1994 08:49:37 GMT, or Sunday, 06-Nov-94 08:49:37 GMT
        case 6 where parts[5] == Array("GMT".utf8):
            return second(day: parts[1], month: parts[2], year: parts[3], time: parts[4])
        default: return nil
        }
    }

    private static func second(day: [UInt8], month: [UInt8], year: [UInt8], time: [UInt8]) -> Int64? {
        guard let day = number(day, 1...2), let month = (0..<12).first(where: { isMonth($0, month) }),
            var year = number(year, 2...4), time.count == 8, time[2] == UInt8(ascii: ":"),
            time[5] == UInt8(ascii: ":"), let hour = number(Array(time[0..<2]), 2...2),
            let minute = number(Array(time[3..<5]), 2...2), let second = number(Array(time[6..<8]), 2...2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        // Two digits mean what is nearer to today.
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        let date = CalendarDate(year: year, month: Int64(month) + 1, day: day)
        guard date.isValid else { return nil }
        return date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func isMonth(_ index: Int, _ word: [UInt8]) -> Bool {
        word.count == 3 && (0..<3).allSatisfy { word[$0] == months.utf8Start[3 * index + $0] }
    }

    private static func number(_ digits: [UInt8], _ width: ClosedRange<Int>) -> Int64? {
        guard width.contains(digits.count), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
