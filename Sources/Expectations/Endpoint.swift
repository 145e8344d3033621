import Exchanges
import Profiles

/// A method and a URL without what differs from request to request: query, numbers and identifiers, and a port of
/// loopback.
struct Endpoint: Hashable, Sendable {
    let method: String
    /// Scheme and authority, such as `https://api.shop.test`.
    let authority: String
    /// It had a port, or had none, that differs from run to run.
    private let isLoopback: Bool
    /// The path's segments; nil for an identifier.
    let segments: [String?]

    /// nil for what is no URL of visible ASCII.
    init?(_ exchange: Exchange) {
        let url = exchange.url.prefix { $0 != "?" && $0 != "#" }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }),
            let scheme = String(url).range(of: "://")
        else { return nil }
        let rest = url[scheme.upperBound...]
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        method = exchange.method
        let host = parts.first ?? ""
        isLoopback = ["localhost", "127.0.0.1", "[::1]"].contains { host == $0 || host.hasPrefix($0 + ":") }
        let name = isLoopback && !host.hasPrefix("[") ? host.prefix { $0 != ":" } : isLoopback ? "[::1]" : host
        authority = String(url[..<scheme.upperBound]) + String(name)
        segments = parts.dropFirst().map { Self.isIdentifier($0) ? nil : String($0) }
    }

    /// Digits alone, UUIDs, and long texts with digits in them.
    private static func isIdentifier(_ segment: Substring) -> Bool {
        let digits = segment.count { $0.isNumber }
        if segment.isEmpty || digits == 0 { return false }
        return digits == segment.count || segment.count >= 16 && digits > 2
            || segment.count > 7 && segment.allSatisfy { $0.isHexDigit || $0 == "-" }
    }

    /// `GET https://api.shop.test/v1/orders/{id}`.
    var text: String { "\(method) \(authority)" + segments.map { "/" + ($0 ?? "{id}") }.joined() }

    /// A traffic filter that selects its exchanges.
    var filter: String {
        let path = segments.map { "/" + ($0.map(Self.escaped) ?? "[^/?]+") }.joined()
        let port = isLoopback ? "(:[0-9]+)?" : ""
        return #"~m ^\#(method)$ & ~u "^\#(Self.escaped(authority))\#(port)\#(path)(\?|$)""#
    }

    private static func escaped(_ text: String) -> String {
        text.map { ".+*?()[]{}|^$\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    var changesSomething: Bool { !["GET", "HEAD", "OPTIONS"].contains(method) }
}
