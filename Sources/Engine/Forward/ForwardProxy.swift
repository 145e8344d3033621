import Bytes
public import Profiles
import Reactor
import TLS

/// How a proxy serves clients that have it as their proxy, beside those that have it as their base URL.
///
/// Without one, CONNECT, SOCKS and requests for other hosts are refused.
public struct ForwardProxy: Sendable {
    /// Hosts that are intercepted beside those that routes name.
    public var intercepted: [ClientHostPattern] = []
    /// What clients must send in `Proxy-Authorization`, or by SOCKS; nil lets them in without.
    public var credentials: ProxyCredentials?

    public init() {}

    func intercepts(_ target: ForwardTarget) -> Bool {
        intercepted.contains { $0.covers(host: target.host, port: target.port) }
    }
}

/// A user and a password, compared in the same time wherever they differ.
public struct ProxyCredentials: Sendable {
    private let digest: [UInt8]?

    public init(user: String, password: String) { digest = Self.digest(Array("\(user):\(password)".utf8)) }

    /// - Parameter text: `user:password`.
    func equal(_ text: [UInt8]) -> Bool {
        guard let digest, let other = Self.digest(text) else { return false }
        return digest.isSameSecret(as: other)
    }

    /// Whether a field is `Basic` with them (RFC 7617).
    func areCarried(by field: String) -> Bool {
        let parts = field.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "basic", let text = Base64Decoder.bytes(String(parts[1]))
        else {
            return false
        }
        return equal(text)
    }

    /// Digests have one length: a comparison of the texts would tell how long the password is.
    private static func digest(_ text: [UInt8]) -> [UInt8]? { sha256(text.span) }
}

/// The host and port that a client wants to be connected to.
struct ForwardTarget: Equatable {
    /// Normalised.
    let host: String
    let port: UInt16

    var authority: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
