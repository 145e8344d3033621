/// The data types of SSH (RFC 4251 5), read from front to back.
struct SSHWire {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

    var isEmpty: Bool { rest.isEmpty }
    var remaining: [UInt8] { Array(rest) }

    mutating func number() -> UInt32? {
        guard rest.count >= 4 else { return nil }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func string() -> [UInt8]? {
        guard let count = number(), rest.count >= Int(count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    mutating func text() -> String? { string().map { String(decoding: $0, as: UTF8.self) } }

    static func string(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let count = UInt32(bytes.count)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + bytes
    }
}
