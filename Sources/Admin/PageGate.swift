import Engine
import Reactor

/// Who may use the pages: clients of this machine and of private networks; and who may change something there: the
/// pages themselves.
///
/// A page that is shown from elsewhere, or in a frame, can make a browser send requests here; it gives itself away by
/// `Sec-Fetch-Site` (https://www.w3.org/TR/fetch-metadata/) or, where browsers do not send that, by `Origin`.
enum PageGate {
    static func admit(_ request: HandledRequest) throws(PageRefusal) {
        guard let client = request.client, client.isLoopback || client.isPrivate else {
            throw PageRefusal(403, "Shunt shows this to its own machine and to private networks only.")
        }
    }

    /// Throws unless the content is a form that one of the pages sent because somebody pressed a button.
    static func admitChange(_ request: HandledRequest) throws(PageRefusal) {
        let type = request.field("Content-Type").flatMap { $0.split(separator: ";").first } ?? ""
        guard type.lowercased().filter({ $0 != " " && $0 != "\t" }) == "application/x-www-form-urlencoded" else {
            throw PageRefusal(415, "Shunt expects a form here (application/x-www-form-urlencoded).")
        }
        guard comesFromPage(request) else {
            throw PageRefusal(403, "Shunt takes this from its own page only: open /__shunt/ and use the buttons there.")
        }
    }

    private static func comesFromPage(_ request: HandledRequest) -> Bool {
        if let site = request.field("Sec-Fetch-Site") {
            // Scripts of proxied pages have the same origin, but they do not navigate; a hidden frame has another
            // destination.
            return site == "same-origin" && request.field("Sec-Fetch-Mode") ?? "navigate" == "navigate"
                && request.field("Sec-Fetch-Dest") ?? "document" == "document"
        }
        guard let origin = request.field("Origin")?.lowercased() else { return false }
        for (scheme, port) in [("http", 80), ("https", 443)] where origin.hasPrefix(scheme + "://") {
            return withPort(origin.dropFirst(scheme.utf8.count + 3), port)
                == withPort(request.authority.lowercased()[...], request.isSecure ? 443 : 80)
        }
        return false
    }

    /// An authority with the port that it means when it names none.
    private static func withPort(_ authority: Substring, _ port: Int) -> String {
        let behindAddress = authority.lastIndex(of: "]") ?? authority.startIndex
        return authority[behindAddress...].contains(":") ? String(authority) : "\(authority):\(port)"
    }
}

/// Why a page is not shown, or does not do what was asked; in words for whoever holds the device.
struct PageRefusal: Error {
    let status: Int
    let message: String
    let fields: [(name: String, value: String)]

    init(_ status: Int, _ message: String, fields: [(name: String, value: String)] = []) {
        self.status = status
        self.message = message
        self.fields = fields
    }
}
