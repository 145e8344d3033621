import Admin
import Reactor

/// `serve --qr`: the way for a phone to the page where it chooses its profile.
struct PhoneCode {
    let text: String

    init(_ started: Started) {
        // Other machines do not reach loopback, and phones are in no network of containers.
        let isEverywhere = started.facts.pages.contains { $0.bytes.allSatisfy { $0 == 0 } }
        let listening =
            isEverywhere ? NetworkInterface.all().filter { !$0.isVirtual }.map(\.address) : started.facts.pages
        // A link-local address of IPv6 needs its interface, which URLs cannot name.
        let reachable = listening.filter { !$0.isLoopback && !($0.family == .ipv6 && $0.isLinkLocal) }
        guard let address = reachable.first(where: { !$0.isLinkLocal && $0.family == .ipv4 }) ?? reachable.first,
            let port = started.facts.pages.first?.port
        else {
            text =
                "  phones    none can reach this Shunt, so that no QR code is shown\n"
                + "            To let phones in: shunt serve --qr --host 0.0.0.0\n"
            return
        }
        let host = address.family == .ipv4 ? address.host : "[\(address.host)]"
        let url = "http://\(host):\(port)/"
        let code = QRCode(url)?.text(painted: Terminal.wantsColor(on: 2)) ?? ""
        text = code + "  phones    scan it, or open \(url), to choose a profile there and to trust the CA\n"
    }
}
