import Bytes

/// Domains that do not exist on the public internet, each with all below it.
///
/// Special use by RFC 6761, 6762 (with its appendix G), 8375 and 9476, `internal` as reserved by ICANN, and what
/// routers and companies use beside them.
private let reserved = [
    "localhost", "test", "example", "example.com", "example.net", "example.org", "invalid", "local", "internal", "alt",
    "home.arpa", "lan", "home", "corp", "intranet", "private", "localdomain",
]

extension HostPattern {
    /// Whether some matching host may be public, or a name that anyone could register.
    var isPublic: Bool {
        switch scope {
        case .exact(let host): isPublicHost(host)
        // `*.com` is no host with a single label.
        case .below(let parent): isPublicHost("a." + parent)
        case .loopback: false
        // No range of special use is larger than fc00::/7 or an IPv4 /8, and none that is smaller has a public middle.
        case .network(let range):
            range.prefix < (range.bytes.count == 4 ? 8 : 7) || range.ends.contains(where: isPublicHost)
        case .any: true
        }
    }
}

/// Whether a normalised host is neither of special use nor an address of a network of one's own.
package func isPublicHost(_ host: String) -> Bool {
    if let address = IPv6Address(host.utf8) { return isPublic(address.groups) }
    if let address = parseIPv4(host.utf8) { return isPublic(address) }
    let labels = host.split(separator: ".")
    // Systems read `134744072` and `8.8.2056` as addresses.
    if let last = labels.last?.utf8, isNumber(last) { return true }
    if labels.count < 2 { return false }
    return !reserved.contains { host == $0 || host.hasSuffix("." + $0) }
}

private func isNumber(_ label: Substring.UTF8View) -> Bool {
    let isHexadecimal = label.starts(with: "0x".utf8)
    return label.dropFirst(isHexadecimal ? 2 : 0).allSatisfy {
        (ByteSearch.hexDigit($0) ?? 16) < (isHexadecimal ? 16 : 10)
    }
}

private func isPublic(_ address: [UInt8]) -> Bool {
    switch (address[0], address[1], address[2]) {
    // 0.0.0.0 leads to this machine.
    case (0, 0, 0): address[3] != 0
    case (10, _, _), (127, _, _): false
    case (100, 64...127, _): false
    case (169, 254, _): false
    case (172, 16...31, _), (192, 168, _): false
    case (192, 0, 2), (198, 51, 100), (203, 0, 113): false
    default: true
    }
}

private func isPublic(_ groups: [UInt16]) -> Bool {
    if groups[..<6] == [0, 0, 0, 0, 0, 0xFFFF] {
        return isPublic([groups[6] >> 8, groups[6] & 0xFF, groups[7] >> 8, groups[7] & 0xFF].map { UInt8($0) })
    }
    if groups[..<7].allSatisfy({ $0 == 0 }) { return groups[7] > 1 }
    // Unique local, link-local, documentation (RFC 3849 and 9637).
    return
        !(groups[0] & 0xFE00 == 0xFC00 || groups[0] & 0xFFC0 == 0xFE80
        || (groups[0] == 0x2001 && groups[1] == 0x0DB8) || (groups[0] == 0x3FFF && groups[1] < 0x1000))
}
