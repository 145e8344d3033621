import Bytes
import JSON

/// Finds a secret's name that follows the value.
enum FollowingName {
    /// A body's limit in the store by default; longer values are replaced, since nothing behind them is looked for.
    private static let longest = 1 << 20
    /// The same for an object or an array, which stays.
    private static let longestStructure = 65_536
    private static let longestName = 64
    /// The same for two lines.
    private static let longestLines = 1024

    /// In the same object: `{"value":"x","name":"password"}`; the value begins at `start`.
    static func secret(
        _ bytes: Span<UInt8>, from start: Int, ofStructure: Bool, _ core: RedactionCore, _ isOpen: inout Bool
    ) -> SecretValue? {
        var (index, depth, hasStructure, isNamed) = (start, 0, false, false)
        var last = 0..<0
        while index < bytes.count {
            let limit = start &+ (hasStructure ? longestStructure : longest)
            if index >= limit { return hasStructure ? nil : SecretValue("value", core: core) }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                let end = StringEnd.of(0x22, bytes, from: index &+ 1, to: min(bytes.count, limit))
                last = min(index &+ 1, end)..<end
                index = end
                guard depth == 0, isNamed, end < bytes.count, end < limit else { break }
                isNamed = false
                let name = NamedValue.lastSegment(
                    bytes.extracting(last.prefix(longestName + 1)).withUnsafeBytes { Array($0) })
                if name.count <= longestName, core.names.contains(name, in: .member) {
                    return SecretValue(name: name, core: core)
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard ofStructure, depth < NestingLimit.bodies else { return nil }
                (depth, hasStructure) = (depth &+ 1, true)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return nil }
                depth &-= 1
            case UInt8(ascii: ":") where depth == 0:
                isNamed = core.names.role(bytes.extracting(last)) == .label
                // The next one is looked at separately.
                if core.names.role(bytes.extracting(last)) == .value { return nil }
            default: break
            }
            index &+= 1
        }
        isOpen = true
        return nil
    }

    /// In the next line, as in a list of YAML: `value: x`, then `name: PASSWORD`; the value begins at `start`.
    static func line(
        _ bytes: Span<UInt8>, from start: Int, _ core: RedactionCore, _ isOpen: inout Bool
    ) -> SecretValue? {
        let limit = min(bytes.count, start &+ longestLines)
        let first = ByteSearch.byte(0x0A, in: bytes, from: start, to: limit)
        let end = first < limit ? ByteSearch.byte(0x0A, in: bytes, from: first &+ 1, to: limit) : limit
        if end == bytes.count { isOpen = true }
        guard first < limit, !bytes.trimmed(start..<first).isEmpty else { return nil }
        let colon = ByteSearch.byte(UInt8(ascii: ":"), in: bytes, from: first &+ 1, to: end)
        guard colon < end else { return nil }
        let label = bytes.extracting(unquoted(bytes, first &+ 1..<colon))
        let name = bytes.extracting(unquoted(bytes, colon &+ 1..<end))
        guard label.spells("name") || label.spells("key"), name.count <= longestName,
            core.names.contains(name, in: .member)
        else { return nil }
        return SecretValue(name: name, core: core)
    }

    private static func unquoted(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start].isOne(of: " \t\r\"'") { start &+= 1 }
        while end > start, bytes[end &- 1].isOne(of: " \t\r\"'") { end &-= 1 }
        return start..<end
    }
}
