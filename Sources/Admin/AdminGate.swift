import Engine

/// Admits programs of this machine that know the token, and refuses web pages.
///
/// A page that the user's browser shows can send requests to loopback. It is recognised by its `Origin`, by the host
/// that it used (DNS rebinding), and it does not know the token. The inspector's own page is admitted by its login.
struct AdminGate: Sendable {
    let token: AdminToken
    let port: UInt16
    /// nil without an inspector.
    let inspector: InspectorLogin?

    /// Throws unless the request comes from this machine, under a name of the interface, and from no other page.
    func admitPlace(of request: HandledRequest) throws(AdminRefusal) {
        guard request.clientIsLoopback else {
            throw AdminRefusal(403, "the admin interface responds to this machine only")
        }
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        guard hosts.contains(request.authority.lowercased()) else {
            throw AdminRefusal(
                403, "the admin interface is not reached as “\(request.authority)”", advice: "Use \(hosts[0]).")
        }
        for field in request.fields where field.name.lowercased() == "origin" {
            guard hosts.contains(where: { "http://\($0)" == field.value.lowercased() }) else {
                throw AdminRefusal(403, "pages of “\(field.value)” may not use the admin interface")
            }
        }
    }

    /// Throws unless the request has the token, or comes from the inspector's page.
    func admit(_ request: HandledRequest) throws(AdminRefusal) {
        if let inspector, inspector.admits(request, port) { return }
        guard token.isCarried(by: request.field("Authorization")) else {
            throw AdminRefusal(
                401, "the admin interface needs its token",
                advice: "Send `Authorization: Bearer TOKEN`; the token stands in .shunt/PORT.json beside the profiles.",
                fields: [("WWW-Authenticate", "Bearer realm=\"shunt\"")])
        }
    }

    /// Throws unless the body is said to be JSON: forms of web pages cannot have that type.
    func admitBody(of request: HandledRequest) throws(AdminRefusal) {
        let type = request.field("Content-Type").flatMap { $0.split(separator: ";").first } ?? ""
        guard type.lowercased().filter({ $0 != " " && $0 != "\t" }) == "application/json" else {
            throw AdminRefusal(
                415, "the body is of type “\(type)”", advice: "Send it with `Content-Type: application/json`.")
        }
    }
}
