import Engine
import Profiles
import Reactor

/// Admits clients of this machine and of private networks to the pages, and changes only from the pages themselves.
///
/// The pages have a port of their own, and with it an origin of their own: the scripts of other pages, those behind
/// Shunt included, cannot read them, and their requests have another `Origin`. Cookies do not distinguish them, since
/// they belong to a host with all its ports.
struct PageGate {
    /// The port of the pages.
    let port: UInt16

    func admit(_ request: HandledRequest) throws(PageRefusal) {
        try Self.admitClient(request)
        // A request that names another port has another origin, even if it arrives here (by `Alt-Svc`, say).
        guard request.port == port else {
            throw PageRefusal(
                421, "Shunt's own pages are at port \(port), and this asks for “\(request.authority)”.",
                isElsewhere: true)
        }
    }

    /// Pages of an unknown host that resolves to this machine (DNS rebinding) would share this origin.
    static func admitHost(of request: HandledRequest, _ library: ProfileLibrary) throws(PageRefusal) {
        guard library.isKnown(host: request.host) else {
            throw PageRefusal(
                421,
                "Shunt does not know itself as “\(request.host)”: open this by the address of Shunt's machine, or name the "
                    + "host in a route.", isElsewhere: true)
        }
    }

    static func admitClient(_ request: HandledRequest) throws(PageRefusal) {
        guard let client = request.client, client.isLoopback || client.isPrivate else {
            throw PageRefusal(403, "Shunt shows this to its own machine and to private networks only.")
        }
    }

    /// Throws unless the body is a form that one of the pages sent by a button.
    static func admitChange(_ request: HandledRequest) throws(PageRefusal) {
        let type = request.field("Content-Type").flatMap { $0.split(separator: ";").first } ?? ""
        guard type.lowercased().filter({ $0 != " " && $0 != "\t" }) == "application/x-www-form-urlencoded" else {
            throw PageRefusal(415, "Shunt expects a form here (application/x-www-form-urlencoded).")
        }
        guard hasOwnOrigin(request), isNavigation(request) else {
            throw PageRefusal(403, "Shunt takes this from its own page only: open it and use the buttons there.")
        }
    }

    /// Browsers name the `Origin` with every POST.
    private static func hasOwnOrigin(_ request: HandledRequest) -> Bool {
        let origins = request.fields.filter { $0.name.lowercased() == "origin" }
        guard origins.count == 1, let origin = origins.first?.value.lowercased() else { return false }
        // A development CA's address is one origin over TLS and another one without it.
        let scheme = request.isSecure ? "https://" : "http://"
        guard origin.hasPrefix(scheme) else { return false }
        let named = HandledRequest(
            method: "", target: "", authority: String(origin.dropFirst(scheme.utf8.count)), fields: [], body: [],
            client: nil, isSecure: request.isSecure)
        return named.host == request.host.lowercased() && named.port == request.port
    }

    /// If browsers send Fetch Metadata (https://www.w3.org/TR/fetch-metadata/), it must describe a page's form in a
    /// window.
    private static func isNavigation(_ request: HandledRequest) -> Bool {
        for (name, value) in [
            ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"),
        ] {
            let sent = request.fields.filter { $0.name.lowercased() == name.lowercased() }
            guard sent.allSatisfy({ $0.value == value }) else { return false }
        }
        return true
    }
}

/// Why a page is not shown or a change is refused, in words for the device's user.
struct PageRefusal: Error {
    let status: Int
    let message: String
    let fields: [(name: String, value: String)]
    /// A link to the pages would lead to another host.
    let isElsewhere: Bool

    init(_ status: Int, _ message: String, fields: [(name: String, value: String)] = [], isElsewhere: Bool = false) {
        (self.status, self.message, self.fields, self.isElsewhere) = (status, message, fields, isElsewhere)
    }
}
