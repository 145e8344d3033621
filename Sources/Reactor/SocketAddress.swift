import Platform

/// An IPv4 or IPv6 address with its port.
public struct SocketAddress: Sendable, Hashable {
    public enum Family: Sendable { case ipv4, ipv6 }

    public let family: Family
    /// 4 or 16 bytes, in network order.
    public let bytes: [UInt8]
    public let port: UInt16
    /// The interface of a link-local IPv6 address, or 0.
    public let scope: UInt32

    public init(family: Family, bytes: [UInt8], port: UInt16, scope: UInt32 = 0) {
        self.family = family
        self.bytes = bytes
        self.port = port
        self.scope = scope
    }

    /// Reads an address literal, IPv6 without brackets; nil for other texts, such as names.
    ///
    /// A link-local address may name its interface (RFC 4007 section 11), as in `fe80::1%en0`.
    public init?(literal: String, port: UInt16) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, literal, &four) == 1 {
            self.init(family: .ipv4, bytes: withUnsafeBytes(of: &four) { Array($0) }, port: port)
        } else if inet_pton(AF_INET6, literal, &six) == 1 {
            self.init(family: .ipv6, bytes: withUnsafeBytes(of: &six) { Array($0) }, port: port)
        } else if let mark = literal.lastIndex(of: "%"),
            let address = SocketAddress(literal: String(literal[..<mark]), port: port), address.isLinkLocal,
            address.family == .ipv6, case let scope = if_nametoindex(String(literal[literal.index(after: mark)...])),
            scope != 0
        {
            self.init(family: .ipv6, bytes: address.bytes, port: port, scope: scope)
        } else {
            return nil
        }
    }

    public static func loopback(_ family: Family, port: UInt16) -> SocketAddress {
        switch family {
        case .ipv4: SocketAddress(family: .ipv4, bytes: [127, 0, 0, 1], port: port)
        case .ipv6: SocketAddress(family: .ipv6, bytes: [UInt8](repeating: 0, count: 15) + [1], port: port)
        }
    }

    /// Whether it is a loopback address: 127.0.0.0/8, ::1 or ::ffff:127.0.0.0/104.
    public var isLoopback: Bool {
        switch family {
        case .ipv4: bytes.first == 127
        case .ipv6:
            bytes == Self.loopback(.ipv6, port: 0).bytes
                || (bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255 && bytes[12] == 127)
        }
    }

    /// Whether it holds in one network alone: 169.254.0.0/16, which a machine gives itself, or fe80::/10.
    public var isLinkLocal: Bool {
        family == .ipv4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// The address alone, as people write it.
    public var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let made = bytes.withUnsafeBytes {
            inet_ntop(family == .ipv4 ? AF_INET : AF_INET6, $0.baseAddress, &text, socklen_t(text.count))
        }
        return made == nil ? "?" : String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    var domain: CInt { family == .ipv4 ? AF_INET : AF_INET6 }

    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        switch family {
        case .ipv4:
            var address = sockaddr_in()
            #if canImport(Darwin)
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
            #endif
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
            return Self.asSockaddr(&address, body)
        case .ipv6:
            var address = sockaddr_in6()
            #if canImport(Darwin)
            address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
            #endif
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
            return Self.asSockaddr(&address, body)
        }
    }

    private static func asSockaddr<A, R>(_ address: inout A, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<A>.size)) }
        }
    }

    /// Reads what the system filled in; nil for families other than IPv4 and IPv6.
    init?(_ pointer: UnsafePointer<sockaddr>) {
        switch CInt(pointer.pointee.sa_family) {
        case AF_INET:
            var address = UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in.self)
            self.init(
                family: .ipv4, bytes: withUnsafeBytes(of: &address.sin_addr) { Array($0) },
                port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            var address = UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in6.self)
            self.init(
                kernel: withUnsafeBytes(of: &address.sin6_addr) { Array($0) },
                port: UInt16(bigEndian: address.sin6_port), scope: address.sin6_scope_id)
        default: return nil
        }
    }

    /// An IPv6 address as a system tells it: some of BSD's descent have the interface of a link-local one in bytes that
    /// are 0 otherwise, where getifaddrs(3) lists it.
    package init(kernel bytes: [UInt8], port: UInt16, scope: UInt32) {
        let plain = SocketAddress(family: .ipv6, bytes: bytes, port: port, scope: scope)
        let inner = UInt32(bytes[2]) << 8 | UInt32(bytes[3])
        guard plain.isLinkLocal, inner != 0 else {
            self = plain
            return
        }
        self.init(
            family: .ipv6, bytes: bytes[..<2] + [0, 0] + bytes[4...], port: port, scope: scope == 0 ? inner : scope)
    }

    /// The address that `call` (getsockname, getpeername) returns for a socket.
    static func read(
        _ descriptor: CInt, _ call: (CInt, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt
    ) -> SocketAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, &length) == 0 ? SocketAddress(UnsafePointer($0)) : nil
            }
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    public var description: String { family == .ipv4 ? "\(host):\(port)" : "[\(host)\(zone)]:\(port)" }

    private var zone: String {
        guard scope != 0 else { return "" }
        var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(scope, &name) != nil else { return "%\(scope)" }
        return "%" + String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
