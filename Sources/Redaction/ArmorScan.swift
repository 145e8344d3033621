import Bytes

/// Reads what stands between `-----BEGIN …-----` and `-----END` (RFC 7468), in pieces: a private key is replaced, other
/// content is kept without being searched.
struct ArmorScan {
    enum Begin {
        case none
        case incomplete
        case found(label: Range<Int>, next: Int)
    }

    private static let longestLabel = 64

    let isSecret: Bool
    private(set) var isOver = false
    private var value: SecretValue
    /// Backslashes that may belong to a quote.
    private var backslashes = 0
    private var dashes = 0

    init(label: Span<UInt8>, core: RedactionCore) {
        isSecret = (0..<max(0, label.count - 10)).contains { label.extracting($0..<$0 + 11).spells("private key") }
        value = SecretValue(name: Array("private-key".utf8), core: core)
    }

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
            if index &- next == 5 { return .found(label: label..<next, next: index) }
        }
        return index < end ? .none : .incomplete
    }

    /// Reads on; returns the place behind it.
    mutating func read(_ bytes: Span<UInt8>, from start: Int, to end: Int, into out: inout [UInt8]) -> Int {
        for index in start..<end {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: "&"):
                finish(into: &out)
                return index
            case UInt8(ascii: "\\"):
                backslashes += 1
                flushDashes(into: &out)
            case UInt8(ascii: "-"):
                flushBackslashes(into: &out)
                dashes += 1
                // The caller writes the end line.
                if dashes == 2 {
                    finish(into: &out)
                    return index &+ 1
                }
            default:
                flushBackslashes(into: &out)
                flushDashes(into: &out)
                add(byte, into: &out)
            }
        }
        return end
    }

    mutating func finish(into out: inout [UInt8]) {
        if isSecret { value.finish(.plain, into: &out) }
        for _ in 0..<backslashes { out.append(UInt8(ascii: "\\")) }
        for _ in 0..<dashes { out.append(UInt8(ascii: "-")) }
        (backslashes, dashes, isOver) = (0, 0, true)
    }

    private mutating func add(_ byte: UInt8, into out: inout [UInt8]) {
        if isSecret { value.append(byte) } else { out.append(byte) }
    }

    private mutating func flushBackslashes(into out: inout [UInt8]) {
        for _ in 0..<backslashes { add(UInt8(ascii: "\\"), into: &out) }
        backslashes = 0
    }

    private mutating func flushDashes(into out: inout [UInt8]) {
        for _ in 0..<dashes { add(UInt8(ascii: "-"), into: &out) }
        dashes = 0
    }
}
