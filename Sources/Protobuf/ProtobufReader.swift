import JSON

/// Reads the fields of a protobuf message without its schema (protobuf.dev, "Encoding").
public struct ProtobufReader {
    public enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case bytes(ArraySlice<UInt8>)
        case groupStart
        case groupEnd
        case fixed32(UInt32)
    }

    private let bytes: ArraySlice<UInt8>
    package private(set) var at: Int

    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        at = bytes.startIndex
    }

    public var isAtEnd: Bool { at == bytes.endIndex }

    /// The next field; nil at the end, and for invalid bytes.
    public mutating func next() -> (number: UInt64, value: Value)? {
        guard let tag = varint() else { return nil }
        let number = tag >> 3
        guard number >= 1, number < 1 << 29 else { return nil }
        switch tag & 7 {
        case 0: return varint().map { (number, .varint($0)) }
        case 1: return fixed(8).map { (number, .fixed64($0)) }
        case 2:
            guard let length = varint(), length <= UInt64(bytes.endIndex - at) else { return nil }
            let start = at
            at += Int(length)
            return (number, .bytes(bytes[start..<at]))
        case 3: return (number, .groupStart)
        case 4: return (number, .groupEnd)
        case 5: return fixed(4).map { (number, .fixed32(UInt32(truncatingIfNeeded: $0))) }
        default: return nil
        }
    }

    /// The bytes of the group whose start was the last field; nil where it has no end.
    mutating func group(_ number: UInt64) -> ArraySlice<UInt8>? {
        let start = at
        var open = [number]
        while true {
            let end = at
            guard let (number, value) = next() else { return nil }
            switch value {
            case .groupStart:
                guard open.count < NestingLimit.values else { return nil }
                open.append(number)
            case .groupEnd:
                guard open.popLast() == number else { return nil }
                if open.isEmpty { return bytes[start..<end] }
            default: break
            }
        }
    }

    mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 70, by: 7) {
            guard at < bytes.endIndex else { return nil }
            let byte = bytes[at]
            at += 1
            value |= shift < 64 ? UInt64(byte & 0x7F) << UInt64(shift) : 0
            if byte < 0x80 { return value }
        }
        return nil
    }

    mutating func fixed(_ count: Int) -> UInt64? {
        guard bytes.endIndex - at >= count else { return nil }
        let value = bytes[at..<at + count].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        at += count
        return value
    }

    /// Whether bytes are fields from the first to the last; what lies within them is not looked at.
    ///
    /// - Parameter isCut: the last field may be incomplete.
    public static func isMessage(_ bytes: ArraySlice<UInt8>, isCut: Bool = false) -> Bool {
        var reader = ProtobufReader(bytes)
        var groups: [UInt64] = []
        var count = 0
        while !reader.isAtEnd {
            guard let (number, value) = reader.next() else { return isCut && count > 0 }
            count += 1
            switch value {
            case .groupStart:
                guard groups.count < NestingLimit.values else { return false }
                groups.append(number)
            case .groupEnd: guard groups.popLast() == number else { return false }
            default: break
            }
        }
        return count > 0 && (groups.isEmpty || isCut)
    }
}
