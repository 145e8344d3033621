import Bytes

/// Follows JSON that comes in pieces, to know in which member a name stands.
///
/// In broken JSON its state may be wrong until the next line. Objects within an array stand in the array's own member.
struct MemberTracker {
    private static let deepest = 64
    private static let longestName = 512

    private struct Level {
        /// The member whose value this is; nil at the top, or if its name is too long.
        var name: [UInt8]?
        /// An item of an array, which counts as the array itself.
        var isItem: Bool
    }

    /// Objects and arrays that are open, the outermost first; of too many the innermost are kept.
    private var levels: [Level] = []
    private var isInString = false
    private var isEscaped = false
    /// The string that is being read or was read last.
    private var text: [UInt8] = []
    /// A name and its colon were read.
    private var hasName = false

    mutating func read(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        for index in range {
            let byte = bytes[index]
            if isInString { readString(byte) } else { readStructure(byte) }
        }
    }

    /// A value was read by another reader.
    ///
    /// - Parameter isInString: the quote that ends it, or ends the string that it stands in, is still to come.
    mutating func passValue(isInString: Bool) { (self.isInString, isEscaped, hasName) = (isInString, false, false) }

    /// Whether the next value is directly in members of these names, the innermost last.
    func isInside(_ names: ArraySlice<NamePattern>) -> Bool {
        var rest = names
        for level in levels.reversed() where !level.isItem {
            guard let name = rest.popLast() else { return true }
            guard let own = level.name, own.withSpan({ name.matches($0) }) else { return false }
        }
        return rest.isEmpty
    }

    private mutating func readString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") || byte == 0x0A {
            isInString = false
            return
        }
        if text.count <= Self.longestName { text.append(byte) }
    }

    private mutating func readStructure(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            text.removeAll(keepingCapacity: true)
        case UInt8(ascii: ":"): hasName = true
        case UInt8(ascii: ","): hasName = false
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if levels.count >= Self.deepest { levels.removeFirst() }
            levels.append(Level(name: hasName ? ownName : nil, isItem: !hasName && !levels.isEmpty))
            hasName = false
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            _ = levels.popLast()
            hasName = false
        default: break
        }
    }

    /// nil for a name that is too long.
    private var ownName: [UInt8]? {
        guard text.count <= Self.longestName else { return nil }
        return text.withSpan { TextEncoding.string($0, 0..<text.count) }
    }
}
