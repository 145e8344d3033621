/// How a new development CA is made.
public struct AuthoritySettings: Sendable {
    /// The kind of its key, and of the key of its leaves.
    public enum Key: String, Sendable, CaseIterable {
        /// P-256.
        case ec
        /// 2048 bits, for clients that know no elliptic curves.
        case rsa
    }

    public var key: Key
    /// nil for any host.
    public var hosts: PermittedHosts?

    public init(key: Key = .ec, hosts: PermittedHosts? = nil) {
        self.key = key
        self.hosts = hosts
    }
}

/// The hosts that an authority may sign certificates for (RFC 5280, 4.2.1.10).
public struct PermittedHosts: Sendable {
    private let names: [String]
    private let addresses: [String]

    /// - Parameter list: joined by commas: names, which include all names below them, as `*.shop.test` does; and
    ///   addresses. `localhost` includes the addresses of loopback.
    public init(_ list: String) throws(TLSFailure) {
        var (names, addresses): ([String], [String]) = ([], [])
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            var word = part.drop { $0 == " " }
            while word.last == " " { word.removeLast() }
            let text = word.hasPrefix("*.") ? word.dropFirst(2) : word
            guard let host = HostName(String(text)), !(host.isAddress && text != word) else {
                throw TLSFailure(
                    .configuration, "“\(part)” is neither a host name, such as *.shop.test, nor an IP address")
            }
            if host.isAddress { addresses.append(host.text) } else { names.append(host.text) }
            if host.text == "localhost" { addresses += ["127.0.0.1", "::1"] }
        }
        guard !names.isEmpty else {
            throw TLSFailure(.configuration, "“\(list)” has no host name: add localhost, say")
        }
        (self.names, self.addresses) = (names, addresses)
    }

    /// In OpenSSL's syntax; a kind of address of which none is permitted is excluded, since a constraint of names alone
    /// leaves addresses free.
    var constraints: String {
        let isSix = addresses.map { $0.utf8.contains(UInt8(ascii: ":")) }
        var parts = names.map { "permitted;DNS:\($0)" }
        for (address, isSix) in zip(addresses, isSix) {
            let mask = isSix ? "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" : "255.255.255.255"
            parts.append("permitted;IP:\(address)/\(mask)")
        }
        if !isSix.contains(false) { parts.append("excluded;IP:0.0.0.0/0.0.0.0") }
        if !isSix.contains(true) { parts.append("excluded;IP:::/::") }
        return parts.joined(separator: ",")
    }
}
