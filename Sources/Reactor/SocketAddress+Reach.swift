extension SocketAddress {
    /// Whether it lies in the public Internet, as far as its number says: not on this machine, in its networks, or set
    /// aside for another use (RFC 6890).
    ///
    /// Addresses of IPv6 that carry one of IPv4 count as that one.
    public var isPublic: Bool {
        let address = carried
        return switch address.family {
        case .ipv4: Self.isPublic(address.bytes[...])
        case .ipv6: Self.isPublicSix(address.bytes)
        }
    }

    private static func isPublic(_ bytes: ArraySlice<UInt8>) -> Bool {
        let address = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return !closed.contains { address >> (32 - $0.length) == $0.prefix >> (32 - $0.length) }
    }

    /// Those of IANA's special-purpose registry, multicast and the reserved rest.
    private static let closed: [(prefix: UInt32, length: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
        (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16),
        (0xC612_0000, 15), (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
    ]

    /// The address of IPv4 that one of IPv6 stands for: mapped (RFC 4291 2.5.5.2), translated (RFC 6052) or by 6to4
    /// (RFC 3056); all others as they are.
    public var carried: SocketAddress {
        guard family == .ipv6, bytes.count == 16 else { return self }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        if groups[..<6].elementsEqual([0, 0, 0, 0, 0, 0xFFFF])
            || groups[..<6].elementsEqual([0x64, 0xFF9B, 0, 0, 0, 0])
        {
            return SocketAddress(family: .ipv4, bytes: Array(bytes[12...]), port: port)
        }
        if groups[0] == 0x2002 { return SocketAddress(family: .ipv4, bytes: Array(bytes[2..<6]), port: port) }
        return self
    }

    private static func isPublicSix(_ bytes: [UInt8]) -> Bool {
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        // Global unicast, without protocol assignments such as Teredo, and without documentation.
        guard groups[0] & 0xE000 == 0x2000 else { return false }
        let isAssigned = groups[0] == 0x2001 && groups[1] < 0x200
        let isDocumentation = groups[0] == 0x2001 && groups[1] == 0xDB8 || groups[0] == 0x3FFF && groups[1] < 0x1000
        return !isAssigned && !isDocumentation
    }
}
