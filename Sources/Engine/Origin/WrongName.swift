import Profiles
import Reactor
import TLS

/// A certificate that is not for the host of its origin, beside what else is wrong with it.
struct WrongName {
    private static let maxNames = 8

    let text: String
    let advice: String

    /// nil if its name is right or does not count.
    init?(_ chain: [SeenCertificate], _ origin: OriginAddress) {
        guard let own = chain.first, !origin.trust.isUnverified, !own.isFor(origin.host) else { return nil }
        let kind = SocketAddress(literal: origin.host, port: 0) == nil ? "DNS" : "IP"
        let anew = "make it anew with `-addext subjectAltName=\(kind):\(origin.host)`"
        guard !own.names.isEmpty else {
            text = "it has no subjectAltName, so that it is for no host"
            advice = "Its name is a fault of its own: \(anew)."
            return
        }
        let more = own.names.count - Self.maxNames
        let names = own.names.prefix(Self.maxNames).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        text = "it is for \(names), not for \(origin.host)"
        advice = "Its name is a fault of its own: put a name it is for into the route's origin, or \(anew)."
    }
}
