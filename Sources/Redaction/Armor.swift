import Bytes

/// What stands between `-----BEGIN …-----` and `-----END` (RFC 7468).
enum Armor {
    enum Begin {
        case none
        case incomplete
        case found(isSecret: Bool, next: Int)
    }

    private static let longestLabel = 64

    /// The label behind five dashes and `BEGIN`.
    static func begin(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Begin {
        var index = start
        while index < end, bytes[index] == UInt8(ascii: "-") { index &+= 1 }
        if index == end, index &- start <= longestLabel { return .incomplete }
        guard index &- start >= 5 else { return .none }
        let word: StaticString = "begin "
        for offset in 0..<word.utf8CodeUnitCount {
            guard index &+ offset < end else { return .incomplete }
            guard bytes[index &+ offset] | 0x20 == word.utf8Start[offset] else { return .none }
        }
        let label = index &+ word.utf8CodeUnitCount
        index = label
        while index < end, bytes[index] != UInt8(ascii: "-") {
            guard index &- label < longestLabel, bytes[index] >= 0x20, bytes[index] != UInt8(ascii: "\"") else {
                return .none
            }
            index &+= 1
        }
        let next = index
        while index < end, bytes[index] == UInt8(ascii: "-") {
            index &+= 1
            guard index &- next == 5 else { continue }
            let text = bytes.extracting(label..<next)
            let isSecret = (0..<max(0, text.count &- 10)).contains {
                text.extracting($0..<$0 &+ 11).spells("private key")
            }
            return .found(isSecret: isSecret, next: index)
        }
        return index < end ? .none : .incomplete
    }

    /// The end of the content: two dashes, or a quote or mark that ends the text around it, without its backslashes.
    static func end(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end {
            switch bytes[index] {
            case let byte where byte.isOne(of: "\"'<&"):
                while index > start, bytes[index &- 1] == UInt8(ascii: "\\") { index &-= 1 }
                return index
            case UInt8(ascii: "-") where index &+ 1 < end && bytes[index &+ 1] == UInt8(ascii: "-"): return index
            default: index &+= 1
            }
        }
        return end
    }

    static func hasDigit(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        range.contains { bytes[$0] &- 0x30 < 10 }
    }
}
