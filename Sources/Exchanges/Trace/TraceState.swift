import Bytes

/// The field `tracestate` of W3C Trace Context, with what tracing systems add to a trace.
public enum TraceState: Equatable, Sendable {
    /// The fields may go on as they came.
    case whole
    /// They are too long: this goes on in their place.
    case shortened([UInt8])
    /// They are faulty, and none of them goes on; the trace itself does (W3C Trace Context 3.3.1).
    case faulty

    private static let maxMembers = 32
    private static let maxLength = 512
    /// Members that are longer leave first (W3C Trace Context 3.3.1.5).
    private static let longMember = 128

    /// Judges the values of all fields of one request, in their order.
    ///
    /// More than 32 members are an error; more than 512 bytes are shortened by whole members.
    public static func judge(_ bytes: Span<UInt8>, _ values: some Sequence<Range<Int>>) -> TraceState {
        var members: [Range<Int>] = []
        var isLong = false
        var length = 0
        for value in values {
            length += value.count + (length > 0 ? 1 : 0)
            var start = value.lowerBound
            while start <= value.upperBound {
                var end = start
                while end < value.upperBound, bytes[end] != UInt8(ascii: ",") { end += 1 }
                let member = trimmed(bytes, start..<end)
                if !member.isEmpty {
                    guard isMember(bytes, member), members.count < maxMembers else { return .faulty }
                    // The newest is the first one; a second one of the same key makes the list faulty.
                    guard !members.contains(where: { hasSameKey(bytes, $0, member) }) else { return .faulty }
                    members.append(member)
                }
                start = end + 1
            }
        }
        isLong = length > maxLength
        return isLong ? .shortened(shortened(bytes, members)) : .whole
    }

    private static func shortened(_ bytes: Span<UInt8>, _ members: [Range<Int>]) -> [UInt8] {
        var members = members
        func length() -> Int { members.reduce(0) { $0 + $1.count } + max(0, members.count - 1) }
        while length() > maxLength, let long = members.lastIndex(where: { $0.count > longMember }) {
            members.remove(at: long)
        }
        while length() > maxLength { members.removeLast() }
        var out: [UInt8] = []
        for member in members {
            if !out.isEmpty { out.append(UInt8(ascii: ",")) }
            for index in member { out.append(bytes[index]) }
        }
        return out
    }

    private static func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while start < end, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return start..<end
    }

    private static func equals(_ bytes: Span<UInt8>, _ member: Range<Int>) -> Int? {
        member.first { bytes[$0] == UInt8(ascii: "=") }
    }

    private static func hasSameKey(_ bytes: Span<UInt8>, _ one: Range<Int>, _ other: Range<Int>) -> Bool {
        guard let end = equals(bytes, one) else { return false }
        let count = end - one.lowerBound
        guard count < other.count, bytes[other.lowerBound + count] == UInt8(ascii: "=") else { return false }
        return (0..<count).allSatisfy { bytes[one.lowerBound + $0] == bytes[other.lowerBound + $0] }
    }

    /// A key, which may name a tenant before an `@`, and a value of up to 256 printable bytes (3.3.1.3).
    private static func isMember(_ bytes: Span<UInt8>, _ member: Range<Int>) -> Bool {
        guard let mark = equals(bytes, member) else { return false }
        let key = member.lowerBound..<mark
        let value = mark + 1..<member.upperBound
        guard !value.isEmpty, value.count <= 256,
            value.allSatisfy({ (0x20...0x7E).contains(bytes[$0]) && bytes[$0] != UInt8(ascii: "=") })
        else { return false }
        guard let at = key.first(where: { bytes[$0] == UInt8(ascii: "@") }) else {
            return isName(bytes, key, max: 256, startsWithLetter: true)
        }
        return isName(bytes, key.lowerBound..<at, max: 241, startsWithLetter: false)
            && isName(bytes, at + 1..<key.upperBound, max: 14, startsWithLetter: true)
    }

    private static func isName(
        _ bytes: Span<UInt8>, _ range: Range<Int>, max: Int, startsWithLetter: Bool
    ) -> Bool {
        guard let first = range.first, range.count <= max else { return false }
        guard bytes[first] &- 0x61 < 26 || !startsWithLetter && bytes[first] &- 0x30 < 10 else { return false }
        return range.allSatisfy {
            switch bytes[$0] {
            case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }
}
