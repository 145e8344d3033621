extension ExchangeColumns.Kind {
    /// The type, which says how many bytes a value has.
    var sql: String {
        switch self {
        case .large: "bigint"
        case .medium: "integer"
        case .small: "smallint"
        case .text: "text COLLATE \"C\""
        case .bytes: "bytea"
        }
    }
}

/// Rows in the binary format of COPY, which PostgreSQL reads without parsing.
struct CopyBuffer {
    private static let signature: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

    private(set) var bytes: [UInt8] = signature
    private(set) var isEmpty = true

    /// Begins a row; its values follow.
    mutating func begin(_ columns: Int) {
        isEmpty = false
        append(Int16(truncatingIfNeeded: columns))
    }

    /// Ends the last row; what may be sent then.
    mutating func finish() { append(Int16(-1)) }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4 << 20)
        bytes += Self.signature
        isEmpty = true
    }

    mutating func null() { append(Int32(-1)) }

    /// A number, as close to it as the column's type allows.
    @inline(__always)
    mutating func add(_ number: Int64, _ column: ExchangeColumns.Kind) {
        switch column {
        case .medium:
            append(Int32(4))
            append(Int32(clamping: number))
        case .small:
            append(Int32(2))
            append(Int16(clamping: number))
        default:
            append(Int32(8))
            append(number)
        }
    }

    @inline(__always)
    mutating func add(_ value: UnsafeRawBufferPointer) {
        append(Int32(truncatingIfNeeded: value.count))
        bytes.append(contentsOf: value)
    }

    /// Bytes that are meant as text; PostgreSQL takes UTF-8 alone, and no NUL.
    mutating func add(text: UnsafeRawBufferPointer) {
        guard Self.needsRepair(text) else { return add(text) }
        let repaired = Self.repaired(text)
        repaired.withUnsafeBytes { add($0) }
    }

    /// An array of byte strings.
    mutating func add(_ values: [[UInt8]]) {
        guard !values.isEmpty else { return null() }
        let size = values.reduce(20) { $0 + 4 + $1.count }
        append(Int32(truncatingIfNeeded: size))
        Self.append(values, to: &bytes)
    }

    /// The binary form of `bytea[]`.
    static func array(_ values: [[UInt8]]) -> [UInt8] {
        var out: [UInt8] = []
        append(values, to: &out)
        return out
    }

    private static func append(_ values: [[UInt8]], to out: inout [UInt8]) {
        // One dimension, no NULL, the type bytea, and the index of the first element.
        for number in [1, 0, 17, Int32(truncatingIfNeeded: values.count), 1] { append(number, to: &out) }
        for value in values {
            append(Int32(truncatingIfNeeded: value.count), to: &out)
            out += value
        }
    }

    @inline(__always)
    private mutating func append(_ number: some FixedWidthInteger) { Self.append(number, to: &bytes) }

    @inline(__always)
    private static func append(_ number: some FixedWidthInteger, to out: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { out.append(contentsOf: $0) }
    }

    private static func needsRepair(_ text: UnsafeRawBufferPointer) -> Bool {
        var isPlain = true
        for byte in text where byte == 0 || byte >= 0x80 {
            guard byte != 0 else { return true }
            isPlain = false
        }
        return !isPlain && String(validating: text, as: UTF8.self) == nil
    }

    /// What is no UTF-8 becomes U+FFFD, as readers of any store see it; a NUL becomes its picture, U+2400.
    static func repaired(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        String(decoding: text, as: UTF8.self).utf8.flatMap { $0 == 0 ? Array("\u{2400}".utf8) : [$0] }
    }
}
