import Profiles
import Reactor
import TLS

/// A certificate that is not for the host of its origin, beside what else is wrong with it.
struct WrongName {
    private static let maxNames = 8

    let text: String

    /// nil if its name is right or does not count.
    init?(_ chain: [SeenCertificate], _ origin: OriginAddress) {
        guard let own = chain.first, !origin.trust.isUnverified, !own.isFor(origin.host) else { return nil }
        text =
            own.names.isEmpty
            ? "it has no subjectAltName, so that it is for no host"
            : "it is for \(Self.list(own)), not for \(origin.host)"
    }

    /// Its names, or the first of many.
    static func list(_ certificate: SeenCertificate) -> String {
        let more = certificate.names.count - maxNames
        return certificate.names.prefix(maxNames).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }

    /// How `openssl` names what the host is.
    static func kind(_ host: String) -> String { SocketAddress(literal: host, port: 0) == nil ? "DNS" : "IP" }
}
