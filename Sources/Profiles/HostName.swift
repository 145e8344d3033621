#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Host names in one form: small letters, ASCII, no trailing dot, IPv6 without brackets and as short as it goes.
enum HostName {
    /// Nil for what no host can be called.
    static func normalised(_ text: String) -> String? {
        var host = text.lowercased()
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            return ipv6(String(host.dropFirst().dropLast()))
        }
        if host.contains(":") { return ipv6(host) }
        if host.hasSuffix(".") { host.removeLast() }
        // RFC 3490 section 3.1: other full stops separate labels too.
        let labels = host.split(omittingEmptySubsequences: false) { ".\u{3002}\u{FF0E}\u{FF61}".contains($0) }
        var encoded: [String] = []
        for label in labels {
            guard let ascii = Punycode.label(label), !ascii.isEmpty, ascii.utf8.count <= 63,
                ascii.utf8.allSatisfy(isNameByte)
            else { return nil }
            encoded.append(ascii)
        }
        let joined = encoded.joined(separator: ".")
        return joined.utf8.count <= 253 ? joined : nil
    }

    /// `_` is no host name byte by RFC 952, but many internal names have it.
    static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x5f
    }

    private static func ipv6(_ text: String) -> String? {
        var address = in6_addr()
        guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
        var out = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &out, socklen_t(out.count)) != nil else { return nil }
        return String(decoding: out.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// This very machine: localhost and below, 127.0.0.0/8, ::1.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
