import Platform

/// The host and port at which requests to an origin arrive, the same for all spellings that mean the same.
///
/// All of this machine is one host, `localhost`: 127.0.0.0/8, ::1, and the unspecified addresses, which connect to it.
/// An IPv4 address is one however it is spelled (`127.1`, `0x7f.0.0.1`, `2130706433`), and in IPv6
/// (mapped, translated or by 6to4).
/// The ports 80 and 443 of a host are one, for behind them is the same server with and without TLS.
struct OriginEndpoint: Hashable {
    let host: String
    let port: UInt16

    /// - Parameter host: in the spelling that profiles are normalised to.
    init(host: String, port: UInt16) {
        self.host = Self.canonical(host)
        self.port = Self.canonical(port)
    }

    static func canonical(_ port: UInt16) -> UInt16 { port == 80 ? 443 : port }

    private static func canonical(_ host: String) -> String {
        if isLoopback(host) { return "localhost" }
        if let address = IPv6Address(Array(host.utf8)) {
            let groups = address.groups
            if groups.dropLast().allSatisfy({ $0 == 0 }), groups[7] <= 1 { return "localhost" }
            let isMapped = groups[..<5].allSatisfy { $0 == 0 } && groups[5] == 0xFFFF
            // 2002::/16 leads to the IPv4 address behind these bits (6to4, RFC 3056).
            if groups[0] == 0x2002 { return canonical(UInt32(groups[1]) << 16 | UInt32(groups[2])) }
            // 64:ff9b::/96 leads to the IPv4 address in it (RFC 6052).
            let isTranslated = groups[..<6].elementsEqual([0x64, 0xFF9B, 0, 0, 0, 0])
            guard isMapped || isTranslated else { return host }
            return canonical(UInt32(groups[6]) << 16 | UInt32(groups[7]))
        }
        // The resolver reads numbers as inet_aton(3) does.
        var address = in_addr()
        guard inet_aton(host, &address) != 0 else { return host }
        return canonical(UInt32(bigEndian: address.s_addr))
    }

    private static func canonical(_ address: UInt32) -> String {
        if address >> 24 == 127 || address == 0 { return "localhost" }
        return [24, 16, 8, 0].map { String(address >> UInt32($0) & 0xFF) }.joined(separator: ".")
    }
}

extension OriginAddress {
    var endpoint: OriginEndpoint { OriginEndpoint(host: host, port: port) }
}

extension OriginURL {
    var endpoint: OriginEndpoint { OriginEndpoint(host: host, port: port) }
}
