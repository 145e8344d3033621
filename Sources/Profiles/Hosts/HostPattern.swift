import Bytes

/// Which hosts a route or a trust rule is for.
package struct HostPattern: Hashable, Sendable, CustomStringConvertible {
    package enum Scope: Hashable, Sendable {
        /// One host, normalised.
        case exact(String)
        /// One or more labels below this host.
        case below(String)
        /// `@loopback`: localhost, `*.localhost`, 127.0.0.0/8 and ::1.
        case loopback
        /// Hosts that are addresses in this range.
        case network(NetworkRange)
        /// Every host, and none.
        case any
    }

    package let scope: Scope
    /// The port the authority must have; nil takes any.
    package let port: UInt16?

    static let any = HostPattern(scope: .any, port: nil)
    private static let forms = "a host (api.shop.test), `*.shop.test` or `*`, with or without a port"

    init(scope: Scope, port: UInt16?) { (self.scope, self.port) = (scope, port) }

    /// Reads a host pattern of a profile; `@loopback` and ranges of addresses are for trust rules only.
    init(parsing text: String, allowsLoopback: Bool) throws(Refusal) {
        if let scheme = text.range(of: "://") {
            throw Refusal(
                message: "the host \"\(text)\" has a scheme", expected: Self.forms,
                hint: "write \"\(text[scheme.upperBound...].prefix { $0 != "/" })\"")
        }
        if allowsLoopback, let (range, port) = try Self.network(text) {
            (scope, self.port) = (.network(range), port)
            return
        }
        if !allowsLoopback, Self.looksLikeNetwork(text) {
            throw Refusal(
                message: "the host \"\(text)\" is a network of addresses", expected: Self.forms,
                hint: "networks are for trust rules only, since clients name one host in each request")
        }
        if let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) {
            throw Refusal(
                message: "the host \"\(text)\" has a path", expected: Self.forms,
                hint: allowsLoopback
                    ? "trust goes by host alone: write \"\(text[..<slash])\""
                    : "write \"\(text[..<slash])\", and \"\(text[slash...])\" under \"path\"")
        }
        let (host, port) = try splitAuthority(text)
        self.port = port
        if host == "*" {
            scope = .any
        } else if host.hasPrefix("@") {
            guard host == "@loopback" else {
                throw Refusal(
                    message: "unknown group \"\(host)\"", expected: Self.forms,
                    hint: allowsLoopback ? "the one group is @loopback" : nil)
            }
            guard allowsLoopback else {
                throw Refusal(
                    message: "@loopback in a route", expected: Self.forms, hint: "@loopback is for trust rules only")
            }
            scope = .loopback
        } else if host.hasPrefix("*.") {
            let parent = String(host.dropFirst(2))
            if parent.contains("*") { throw Self.misplacedStar(text) }
            let name = try normalizedHost(parent)
            // `*.0.0.1` would look like a domain and match addresses.
            let top = name.split(separator: ".").last ?? ""
            if name.contains(":") || top.utf8.allSatisfy({ ByteSearch.hexDigit($0) ?? 16 < 10 }) {
                throw Refusal(message: "\"\(text)\" puts `*` before an address", expected: Self.forms)
            }
            scope = .below(name)
        } else {
            if host.utf8.contains(UInt8(ascii: "*")) { throw Self.misplacedStar(text) }
            scope = .exact(try normalizedHost(host))
        }
    }

    /// `10.0.0.0/8`, `fd00::/8` or `[fd00::]/8`, with or without a port; nil for what has no address before a slash.
    private static func network(_ text: String) throws(Refusal) -> (NetworkRange, port: UInt16?)? {
        guard let slash = text.firstIndex(of: "/") else { return nil }
        var address = text[..<slash]
        if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
        guard parseIPv4(address.utf8) != nil || IPv6Address(address.utf8) != nil else { return nil }
        let parts = text[text.index(after: slash)...].split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let range = try NetworkRange(address: address, prefix: parts[0])
        return (range, parts.count == 1 ? nil : try parsePort(parts[1]))
    }

    /// An address, a slash and a number.
    private static func looksLikeNetwork(_ text: String) -> Bool {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return false }
        var address = text[..<slash]
        if address.hasPrefix("["), address.hasSuffix("]") { address = address.dropFirst().dropLast() }
        return UInt8(text[text.index(after: slash)...]) != nil
            && (parseIPv4(address.utf8) != nil || IPv6Address(address.utf8) != nil)
    }

    private static func misplacedStar(_ text: String) -> Refusal {
        Refusal(message: "`*` in \"\(text)\" is not a whole first label", expected: forms)
    }

    package var description: String {
        let name =
            switch scope {
            case .exact(let host): port != nil && host.contains(":") ? "[\(host)]" : host
            case .below(let host): "*.\(host)"
            case .loopback: "@loopback"
            case .network(let range): "\(range)"
            case .any: "*"
            }
        return port.map { "\(name):\($0)" } ?? name
    }

    func covers(host: String) -> Bool {
        switch scope {
        case .exact(let name): host == name
        case .below(let name): host.hasSuffix("." + name) && host.utf8.count > name.utf8.count + 1
        case .loopback: isLoopback(host)
        case .network(let range): range.contains(host)
        case .any: true
        }
    }

    func covers(host: String, port other: UInt16?) -> Bool { covers(host: host) && (port == nil || port == other) }

    /// Larger is more specific: exact, then the longer wildcard or the smaller range, `@loopback`, larger ranges around
    /// it, `*`; a port breaks the tie.
    ///
    /// Every wildcard that meets `@loopback` lies within it, so it ranks below them all.
    var rank: (Int, Int, Int) {
        let withPort = port == nil ? 0 : 1
        return switch scope {
        case .exact: (3, 0, withPort)
        case .below(let host): (2, host.utf8.count, withPort)
        // An IPv4 range may also lie in one of IPv6, as addresses that are mapped.
        case .network(let range):
            isAroundLoopback(range)
                ? (0, range.prefix + 1, withPort)
                : (2, range.prefix + (range.bytes.count == 4 ? 96 : 0), withPort)
        case .loopback: (1, 0, withPort)
        case .any: (0, 0, withPort)
        }
    }
}

/// Whether a range has all addresses of `@loopback` in one family, and more.
private func isAroundLoopback(_ range: NetworkRange) -> Bool {
    range.bytes.count == 4
        ? range.prefix < 8 && range.contains("127.0.0.1") : range.prefix < 128 && range.contains("::1")
}

extension String {
    /// The first place of a text; Foundation has it, the standard library does not.
    package func range(of text: String) -> Range<String.Index>? {
        // By bytes: each route of a profile is searched, and characters take twenty times as long.
        let sought = text.utf8
        var at = utf8.startIndex
        while let start = utf8[at...].firstIndex(where: { $0 == sought.first }) {
            if utf8[start...].starts(with: sought) { return start..<utf8.index(start, offsetBy: sought.count) }
            at = utf8.index(after: start)
        }
        return nil
    }
}
