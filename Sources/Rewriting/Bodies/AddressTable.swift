/// What is looked for in a body, and what it becomes: an ``AddressMap`` seen by one client.
struct AddressTable {
    /// One origin.
    struct Entry {
        /// As URLs spell it: lower case, an IPv6 address in brackets.
        let host: [UInt8]
        let port: UInt16
        /// The port is 80 or 443, which goes without saying.
        let isOnDefaultPort: Bool
        let basePath: [UInt8]
        /// What clients have in place of host and port.
        let authority: [UInt8]
    }

    let entries: [Entry]
    /// The client's own scheme is https.
    let isSecure: Bool
    /// One bit for each ASCII byte that a host begins with.
    private let low: UInt64
    private let high: UInt64
    /// No address with all that is removed and the bytes that decide about it is longer.
    let longest: Int

    init(map: AddressMap, authority: [UInt8], client: ClientName) {
        isSecure = client.isSecure
        var entries: [Entry] = []
        if let own = Entry(map.own, authority: authority) { entries.append(own) }
        let label = authority.prefix(max(client.labelLength, 0))
        let port = Self.port(of: authority)
        for (host, origin) in map.others where !host.isEmpty && !host.utf8.contains(0x2A) {
            let entry = Entry(origin, authority: label + Entry.bracketed(host) + port)
            if let entry { entries.append(entry) }
        }
        self.entries = entries
        var bits: (low: UInt64, high: UInt64) = (0, 0)
        var longest = 0
        for entry in entries {
            let byte = entry.host[0]
            if byte < 64 { bits.low |= 1 &<< UInt64(byte) } else { bits.high |= 1 &<< UInt64(byte & 63) }
            // Each byte of a path may be a `\u002F`; scheme, slashes, port and the bytes behind are few.
            longest = max(longest, entry.host.count + 6 * entry.basePath.count + 128)
        }
        (low, high) = bits
        self.longest = longest
    }

    /// Whether a host may begin with this byte.
    @inline(__always)
    func mayBegin(with byte: UInt8) -> Bool {
        let byte = small(byte)
        return byte < 0x80 && ((byte < 64 ? low : high) &>> UInt64(byte & 63)) & 1 == 1
    }

    /// The `:port` at the end of an authority, or nothing.
    private static func port(of authority: [UInt8]) -> ArraySlice<UInt8> {
        guard let colon = authority.lastIndex(of: 0x3A), !authority[colon...].contains(0x5D) else { return [] }
        return authority[colon...]
    }
}

extension AddressTable.Entry {
    /// nil for an origin that no URL can name.
    fileprivate init?(_ origin: OriginName, authority: [UInt8]) {
        guard let first = origin.host.utf8.first, first < 0x80 else { return nil }
        host = Self.bracketed(origin.host)
        port = origin.port
        isOnDefaultPort = origin.port == (origin.isTLS ? 443 : 80)
        basePath = Array(origin.basePath.utf8)
        self.authority = authority
    }

    fileprivate static func bracketed(_ host: String) -> [UInt8] {
        let bytes = host.utf8.map(small)
        return bytes.contains(0x3A) && bytes.first != 0x5B ? [0x5B] + bytes + [0x5D] : bytes
    }
}
