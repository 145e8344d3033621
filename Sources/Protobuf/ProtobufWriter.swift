/// Writes messages of Protocol Buffers, field by field; empty values are written, too.
public struct ProtobufWriter {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public mutating func varint(_ field: UInt64, _ value: UInt64) {
        append(field << 3)
        append(value)
    }

    public mutating func fixed64(_ field: UInt64, _ value: UInt64) {
        append(field << 3 | 1)
        append(fixed64: value)
    }

    public mutating func fixed32(_ field: UInt64, _ value: UInt32) {
        append(field << 3 | 5)
        append(fixed32: value)
    }

    public mutating func text(_ field: UInt64, _ value: String) { data(field, value.utf8) }

    public mutating func data(_ field: UInt64, _ value: some Collection<UInt8>) {
        length(field, value.count)
        bytes.append(contentsOf: value)
    }

    /// What stands in front of that many bytes, which follow.
    mutating func length(_ field: UInt64, _ count: Int) {
        append(field << 3 | 2)
        append(UInt64(count))
    }

    /// Numbers in one field.
    mutating func packed(_ field: UInt64, _ values: [Int64]) {
        message(field) { for value in values { $0.append(UInt64(bitPattern: value)) } }
    }

    /// A number of 16 bytes or of 8, the first byte first.
    public mutating func number(_ field: UInt64, _ words: UInt64...) {
        append(field << 3 | 2)
        append(UInt64(words.count * 8))
        for word in words { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
    }

    /// A message within this one.
    public mutating func message<Failure>(
        _ field: UInt64, _ body: (inout ProtobufWriter) throws(Failure) -> Void
    ) throws(Failure) {
        append(field << 3 | 2)
        let start = bytes.count
        try body(&self)
        // Its length stands before it, in as many bytes as it takes.
        var length = ProtobufWriter()
        length.append(UInt64(bytes.count - start))
        bytes.insert(contentsOf: length.bytes, at: start)
    }

    /// A message within this one, between two marks in place of its length.
    mutating func group<Failure>(
        _ field: UInt64, _ body: (inout ProtobufWriter) throws(Failure) -> Void
    ) throws(Failure) {
        append(field << 3 | 3)
        try body(&self)
        append(field << 3 | 4)
    }

    /// A number without its field, as in packed lists.
    mutating func append(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func append(fixed64 value: UInt64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(fixed32 value: UInt32) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
