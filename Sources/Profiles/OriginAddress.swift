/// Where a route's requests go, and how the certificate there is judged.
public struct OriginAddress: Hashable, Sendable {
    public let isTLS: Bool
    /// In its normal form; IPv6 without brackets.
    public let host: String
    public let port: UInt16
    /// Put before each request's path; without a slash at its end, so empty for none.
    public let basePath: String
    public let trust: TrustPolicy

    /// Host and port as a Host field names them: the scheme's own port is left out.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isTLS ? 443 : 80) ? name : "\(name):\(port)"
    }

    func trusting(_ policy: TrustPolicy) -> OriginAddress {
        OriginAddress(isTLS: isTLS, host: host, port: port, basePath: basePath, trust: policy)
    }
}

extension OriginAddress: CustomStringConvertible {
    public var description: String { (isTLS ? "https://" : "http://") + authority + basePath }
}

extension OriginAddress {
    /// Reads a URL of scheme http or https with host, port and base path, nothing else.
    init(reading text: String) throws(PatternError) {
        guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else {
            let guess = text.contains("://") ? String(text.drop { $0 != "/" }.dropFirst(2)) : text
            throw PatternError(
                "the origin \"\(text)\" is no http or https URL", "a URL such as \"https://\(guess)\"")
        }
        let rest = text.dropFirst(scheme.count)
        guard !rest.contains("?"), !rest.contains("#") else {
            throw PatternError(
                "the origin \"\(text)\" has a query or fragment", "scheme, host, port and base path only")
        }
        var authority = String(rest.prefix { $0 != "/" })
        guard !authority.contains("@") else {
            throw PatternError(
                "the origin \"\(text)\" has a user name", "a URL without one; send an Authorization field instead")
        }
        var port: UInt16 = scheme == "https://" ? 443 : 80
        let bracket = authority.lastIndex(of: "]")
        if let colon = authority.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
            guard let number = UInt16(authority[authority.index(after: colon)...]), number > 0 else {
                throw PatternError("the origin \"\(text)\" has no port after its colon", "a number from 1 to 65535")
            }
            port = number
            authority = String(authority[..<colon])
        }
        guard let host = HostName.normalised(authority) else {
            throw PatternError("the origin \"\(text)\" has no valid host", "a host name or an IP address")
        }
        var path = String(decoding: PathName.normalised(Array(rest.drop { $0 != "/" }.utf8)), as: UTF8.self)
        while path.hasSuffix("/") { path.removeLast() }
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw PatternError("the origin \"\(text)\" has a path with characters no URL may have", "percent-escapes")
        }
        self.init(
            isTLS: scheme == "https://", host: host, port: port, basePath: path,
            trust: .default(certificateAuthorities: []))
    }
}
