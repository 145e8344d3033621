import Exchanges
import Platform

/// The URL of an exchange as an archive has it: absolute, so that every tool can read it.
///
/// Many tools refuse a whole archive for one URL that they cannot read, and Shunt also records requests that have none:
/// a first line that could not be read, a handshake that failed, `OPTIONS *`.
enum ArchiveURL {
    /// Stands for an address that cannot be read (RFC 6761 6.4).
    static let unreadable = "http://unreadable.invalid/"

    /// - Parameter url: the parts of the exchange's URL.
    static func text(_ exchange: Exchange, _ url: URLText?) -> String {
        // The encoding of international letters is not checked, since an origin of that name was asked.
        let isKnown = exchange.origin != nil || !hasEncodedLetters(exchange.url)
        if isKnown, isReadable(exchange.url, url) { return exchange.url }
        // `OPTIONS *` asks the host itself, which is in front of the asterisk.
        let host = String(exchange.url.dropLast())
        return exchange.url.last == "*" && isReadable(host, URLText(host)) ? host + "/" : unreadable
    }

    /// Whether readers of different strictness take it for the same absolute URL with a host.
    ///
    /// That is decided by scheme and authority: what may stand behind these, all of them take.
    static func isReadable(_ text: String, _ url: URLText?) -> Bool {
        guard let url, ["http", "https", "ws", "wss"].contains(url.scheme) else { return false }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
        // Readers disagree about user and password, and about a backslash, which ends the authority for browsers.
        let authority = Array(text.utf8.dropFirst(url.scheme.utf8.count + 3).prefix { !"/?#".utf8.contains($0) })
        guard authority.elementsEqual(url.authority.utf8) else { return false }
        var rest = authority[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")), isIPv6(url.host) else { return false }
            rest = rest[(end + 1)...]
        } else {
            guard isName(url.host) else { return false }
            rest = rest.dropFirst(url.host.utf8.count)
        }
        return rest.isEmpty || rest.first == UInt8(ascii: ":") && isPort(rest.dropFirst())
    }

    /// Whether there is `xn--` (RFC 3490 5), in small letters.
    private static func hasEncodedLetters(_ text: String) -> Bool {
        text.utf8.indices.contains { text.utf8[$0] == UInt8(ascii: "x") && text.utf8[$0...].starts(with: "xn--".utf8) }
    }

    private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        guard !digits.isEmpty else { return true }
        guard digits.count <= 5, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return false }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } <= 65_535
    }

    /// Letters, digits, hyphens and underscores in labels, or an IPv4 address.
    private static func isName(_ host: String) -> Bool {
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for (index, label) in labels.enumerated() {
            // One dot may end a name.
            if label.isEmpty && (index == 0 || index != labels.count - 1) { return false }
            for byte in label where byte &- 0x30 >= 10 && (byte | 0x20) &- 0x61 >= 26 && byte != 0x2D && byte != 0x5F {
                return false
            }
        }
        // Browsers take a name whose last label is a number for an IPv4 address, and refuse invalid ones.
        guard let last = labels.last(where: { !$0.isEmpty }), last.first.map({ $0 &- 0x30 < 10 }) == true else {
            return true
        }
        let isNumber =
            last.allSatisfy { $0 &- 0x30 < 10 } || last.starts(with: "0x".utf8) || last.starts(with: "0X".utf8)
        return !isNumber || isAddress(AF_INET, host)
    }

    private static func isIPv6(_ host: String) -> Bool { isAddress(AF_INET6, host) }

    private static func isAddress(_ family: CInt, _ text: String) -> Bool {
        var room = in6_addr()
        return inet_pton(family, text, &room) == 1
    }
}
