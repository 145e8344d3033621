/// A range of addresses in CIDR notation (RFC 4632), such as `10.0.0.0/8` or `fd00::/8`.
package struct NetworkRange: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes, zero behind the prefix.
    let bytes: [UInt8]
    /// Bits that all its addresses have in common.
    let prefix: Int
    /// The first address as text.
    private let text: String

    /// Reads an address without brackets and the number behind its slash.
    init(address: Substring, prefix: Substring) throws(Refusal) {
        let name = try normalizedHost(address)
        guard let bytes = addressBytes(name) else {
            throw Refusal(message: "\"\(address)\" is no address", expected: "a range like 10.0.0.0/8 or fd00::/8")
        }
        guard prefix.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let bits = Int(prefix),
            bits <= bytes.count * 8
        else {
            throw Refusal(
                message: "\"/\(prefix)\" behind the address \(address)", expected: "a number up to \(bytes.count * 8)")
        }
        let first = Self.masked(bytes, bits)
        guard first == bytes else {
            throw Refusal(
                message: "the range \(address)/\(bits) does not begin with its address",
                expected: "an address whose last \(bytes.count * 8 - bits) bits are zero",
                hint: "write \(Self.text(first))/\(bits)")
        }
        self.bytes = bytes
        self.prefix = bits
        text = name
    }

    /// Reads a range such as `10.0.0.0/8`; nil for other texts.
    package init?(_ text: String) {
        guard let slash = text.firstIndex(of: "/") else { return nil }
        do throws(Refusal) { try self.init(address: text[..<slash], prefix: text[text.index(after: slash)...]) } catch {
            return nil
        }
    }

    package var description: String { "\(text)/\(prefix)" }

    /// The first and the last address.
    var ends: [String] {
        var last = bytes
        for bit in prefix..<(bytes.count * 8) { last[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        return [text, Self.text(last)]
    }

    /// Whether a normalised host is an address in the range; an IPv4 address that is mapped into IPv6 counts as such.
    package func contains(_ host: String) -> Bool {
        guard var address = addressBytes(host) else { return false }
        if bytes.count == 4, address.count == 16,
            address.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255])
        {
            address = Array(address.suffix(4))
        }
        return address.count == bytes.count && Self.masked(address, prefix) == bytes
    }

    private static func masked(_ bytes: [UInt8], _ prefix: Int) -> [UInt8] {
        bytes.indices.map { at in
            let bits = min(max(prefix - at * 8, 0), 8)
            return bytes[at] & (bits == 0 ? 0 : 0xFF << UInt8(8 - bits))
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }
        return IPv6Address(groups.joined(separator: ":").utf8)?.text ?? ""
    }
}

/// The bytes of a normalised host that is an address; nil for a name.
private func addressBytes(_ host: String) -> [UInt8]? {
    if let bytes = parseIPv4(host.utf8) { return bytes }
    return IPv6Address(host.utf8)?.groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
}
