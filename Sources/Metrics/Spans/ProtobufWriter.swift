/// Writes messages of Protocol Buffers, field by field; empty values are written, too.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func varint(_ field: UInt64, _ value: UInt64) {
        append(field << 3)
        append(value)
    }

    mutating func fixed64(_ field: UInt64, _ value: UInt64) {
        append(field << 3 | 1)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func fixed32(_ field: UInt64, _ value: UInt32) {
        append(field << 3 | 5)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func text(_ field: UInt64, _ value: String) {
        append(field << 3 | 2)
        append(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// A number of 16 bytes or of 8, the first byte first.
    mutating func number(_ field: UInt64, _ words: UInt64...) {
        append(field << 3 | 2)
        append(UInt64(words.count * 8))
        for word in words { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
    }

    /// A message within this one.
    mutating func message(_ field: UInt64, _ body: (inout ProtobufWriter) -> Void) {
        append(field << 3 | 2)
        let start = bytes.count
        body(&self)
        // Its length stands before it, in as many bytes as it takes.
        var length = ProtobufWriter()
        length.append(UInt64(bytes.count - start))
        bytes.insert(contentsOf: length.bytes, at: start)
    }

    private mutating func append(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}

/// Reads messages of Protocol Buffers, field by field, and stops at the first fault.
struct ProtobufReader {
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() -> (field: UInt64, value: Value)? {
        guard let key = varint() else { return nil }
        switch key & 7 {
        case 0: return varint().map { (key >> 3, .number($0)) }
        case 1: return take(8).map { (key >> 3, .bytes($0)) }
        case 2: return varint().flatMap { take($0) }.map { (key >> 3, .bytes($0)) }
        case 5: return take(4).map { (key >> 3, .bytes($0)) }
        default: return nil
        }
    }

    private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    private mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        return nil
    }
}
