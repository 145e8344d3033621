import Bytes

/// A value of `format` that can be checked.
enum SchemaFormat: String, Sendable {
    case dateTime = "date-time"
    case date, time, email, hostname, ipv4, ipv6, uri, uuid, byte
    case uriReference = "uri-reference"
    case jsonPointer = "json-pointer"

    func holds(_ text: String) -> Bool {
        switch self {
        case .dateTime:
            let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == "t" }
            return parts.count == 2 && Self.isDate(parts[0]) && Self.isTime(parts[1])
        case .date: return Self.isDate(text[...])
        case .time: return Self.isTime(text[...])
        case .email:
            guard let mark = text.lastIndex(of: "@") else { return false }
            let (name, host) = (text[..<mark], text[text.index(after: mark)...])
            let marks = Array("!#$%&'*+-/=?^_`{|}~.".utf8)
            return !name.isEmpty && !name.hasPrefix(".") && !name.hasSuffix(".") && !name.contains("..")
                && name.utf8.allSatisfy { Self.isLetterOrDigit($0) || marks.contains($0) } && Self.isHost(host)
        case .hostname: return Self.isHost(text[...])
        case .ipv4: return Self.isIPv4(text[...])
        case .ipv6: return Self.isIPv6(text)
        case .uri: return URIReference(text).scheme != nil && Self.isURIText(text)
        case .uriReference: return Self.isURIText(text)
        case .uuid:
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.utf8.allSatisfy(Self.isHex) }
        case .byte: return Base64Decoder.bytes(text) != nil
        case .jsonPointer:
            let parts = text.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
            return (text.isEmpty || text.hasPrefix("/")) && parts.allSatisfy { $0.hasPrefix("0") || $0.hasPrefix("1") }
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 }
    private static func isHex(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 }

    /// Exactly so many digits.
    private static func digits(_ text: Substring, _ count: Int) -> Int? {
        text.utf8.count == count && text.utf8.allSatisfy { $0 &- 0x30 < 10 } ? Int(text) : nil
    }

    private static func isDate(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let year = digits(parts[0], 4), let month = digits(parts[1], 2),
            let day = digits(parts[2], 2), (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let length = month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
        return (1...length).contains(day)
    }

    /// RFC 3339; the second 60 is one of leap, and only there at 23:59 UTC.
    private static func isTime(_ text: Substring) -> Bool {
        guard let mark = text.firstIndex(where: { "zZ+-".contains($0) }) else { return false }
        var offset = 0
        if text[mark] == "+" || text[mark] == "-" {
            let parts = text[text.index(after: mark)...].split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let hour = digits(parts[0], 2), let minute = digits(parts[1], 2), hour < 24,
                minute < 60
            else { return false }
            offset = (hour * 60 + minute) * (text[mark] == "-" ? -1 : 1)
        } else if text.index(after: mark) != text.endIndex {
            return false
        }
        let seconds = text[..<mark].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        if seconds.count == 2, seconds[1].isEmpty || !seconds[1].utf8.allSatisfy({ $0 &- 0x30 < 10 }) { return false }
        let parts = seconds[0].split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = digits(parts[0], 2), let minute = digits(parts[1], 2),
            let second = digits(parts[2], 2), hour < 24, minute < 60
        else { return false }
        if second < 60 { return true }
        return second == 60 && (hour * 60 + minute - offset + 2880) % 1440 == 1439
    }

    private static func isHost(_ text: Substring) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return !text.isEmpty && text.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2D }
                    && !label.hasPrefix("-") && !label.hasSuffix("-")
            }
    }

    private static func isIPv4(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { $0 &- 0x30 < 10 }
                    && (part == "0" || part.first != "0") && Int(part) ?? 256 < 256
            }
    }

    private static func isIPv6(_ text: String) -> Bool {
        var text = text
        var count = 0
        if text.contains("."), let colon = text.lastIndex(of: ":") {
            guard isIPv4(text[text.index(after: colon)...]) else { return false }
            // Its four numbers take the place of two groups.
            text = text[...colon] + "0:0"
        }
        let halves = text.split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return false }
        for half in halves where !half.isEmpty {
            let groups = half.split(separator: ":", omittingEmptySubsequences: false)
            guard groups.allSatisfy({ (1...4).contains($0.utf8.count) && $0.utf8.allSatisfy(isHex) }) else {
                return false
            }
            count += groups.count
        }
        return halves.count == 2 ? count < 8 : count == 8
    }

    private static func isURIText(_ text: String) -> Bool {
        let marks = Array("-._~:/?#[]@!$&'()*+,;=%".utf8)
        guard text.utf8.allSatisfy({ isLetterOrDigit($0) || marks.contains($0) }) else { return false }
        return text.split(separator: "%", omittingEmptySubsequences: false).dropFirst().allSatisfy {
            $0.utf8.prefix(2).count == 2 && $0.utf8.prefix(2).allSatisfy(isHex)
        }
    }
}
