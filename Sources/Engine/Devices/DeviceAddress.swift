public import Reactor

/// A client address as a key: IPv4 and the same address mapped into IPv6 are one, and so are 127.0.0.1 and ::1.
struct DeviceAddress: Hashable {
    private let high: UInt64
    private let low: UInt64

    init(_ address: SocketAddress) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        switch address.family {
        case .ipv4:
            low = 0xffff
            for byte in address.bytes { low = low << 8 | UInt64(byte) }
        case .ipv6:
            for (index, byte) in address.bytes.enumerated() {
                if index < 8 { high = high << 8 | UInt64(byte) } else { low = low << 8 | UInt64(byte) }
            }
        }
        // Clients resolve `localhost` to either of the two.
        let isLoopback = high == 0 && low == 0xffff_7f00_0001
        self.high = high
        self.low = isLoopback ? 1 : low
    }

    /// Itself for IPv4 and for one link of IPv6, where all have the same first 64 bits; else these bits alone.
    var network: DeviceAddress {
        let isIPv4 = high == 0 && low >> 32 == 0xffff
        return isIPv4 || high >> 54 == 0x3fa ? self : DeviceAddress(high: high, low: 0)
    }

    private init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// 10/8, 172.16/12, 192.168/16 (RFC 1918), 169.254/16 (RFC 3927), fc00::/7 (RFC 4193) and fe80::/10 (RFC 4291).
    var isPrivate: Bool {
        guard high == 0, low >> 32 == 0xffff else { return high >> 57 == 0x7e || high >> 54 == 0x3fa }
        let four = low & 0xffff_ffff
        return four >> 24 == 10 || four >> 20 == 0xac1 || four >> 16 == 0xc0a8 || four >> 16 == 0xa9fe
    }
}

extension SocketAddress {
    /// Whether it belongs to a private network or to one link: RFC 1918, RFC 3927, RFC 4193, fe80::/10.
    public var isPrivate: Bool { DeviceAddress(self).isPrivate }

    /// The same address, IPv4 where it is one mapped into IPv6 (RFC 4291 section 2.5.5.2).
    public var unmapped: SocketAddress {
        guard family == .ipv6, bytes.count == 16, bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 255,
            bytes[11] == 255
        else { return self }
        return SocketAddress(family: .ipv4, bytes: Array(bytes[12...]), port: port)
    }
}
