import COpenSSL
import Platform

/// A host as it may stand in a certificate: lower-case DNS name, or an IP address.
///
/// Names are ASCII (letters, digits, hyphen, and the underscore that container networks use): callers encode other
/// names first. This makes it safe to put them into OpenSSL's comma-separated configuration syntax.
struct HostName: Hashable, Sendable {
    let text: String
    let isAddress: Bool

    init?(_ host: String) {
        var text = host.utf8.elementsEqual(host.lowercased().utf8) ? host : host.lowercased()
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        if Self.isAddress(text.prefix { $0 != "%" }) {
            // A zone (fe80::1%en0) is local to this machine and never part of a certificate.
            self.text = String(text.prefix { $0 != "%" })
            isAddress = true
            return
        }
        if text.hasSuffix(".") { text.removeLast() }
        // RFC 1035: 255 octets on the wire leave 253 as text.
        guard !text.isEmpty, text.utf8.count <= 253 else { return nil }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(Self.isNameByte) }) else { return nil }
        guard labels.allSatisfy({ $0.first != UInt8(ascii: "-") && $0.last != UInt8(ascii: "-") }) else { return nil }
        // A name that ends in a number would be read as an address by others (WHATWG URL, "ends in a number").
        guard let last = labels.last, !last.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        self.text = text
        isAddress = false
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isAddress(_ text: Substring) -> Bool {
        guard !text.utf8.contains(0) else { return false }
        var room = in6_addr()
        let address = String(text)
        return inet_pton(AF_INET, address, &room) == 1 || inet_pton(AF_INET6, address, &room) == 1
    }

    /// The address this machine's end of a connection has, as text; nil for loopback and other families.
    static func local(of descriptor: CInt) -> HostName? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address: String? = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard getsockname(descriptor, address, &length) == 0 else { return nil }
                var text = [CChar](repeating: 0, count: 64)
                guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                    return nil
                }
                return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
            }
        }
        guard var address else { return nil }
        // IPv4 through a socket of both families.
        if address.hasPrefix("::ffff:") { address.removeFirst(7) }
        guard let name = HostName(address), name.isAddress else { return nil }
        return name.text.hasPrefix("127.") || name.text == "::1" ? nil : name
    }

    /// Lets a certificate be verified for this host.
    func expect(in parameters: OpaquePointer?) -> Bool {
        if isAddress { return X509_VERIFY_PARAM_set1_ip_asc(parameters, text) == 1 }
        // The common name does not count (RFC 9110 4.3.4), not even where there is no subjectAltName.
        X509_VERIFY_PARAM_set_hostflags(
            parameters, CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        return X509_VERIFY_PARAM_set1_host(parameters, text, 0) == 1
    }
}
