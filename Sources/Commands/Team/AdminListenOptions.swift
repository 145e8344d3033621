import Admin
import Engine
import Platform
import Reactor
import TLS

/// How `serve` lets other machines reach the admin interface.
struct AdminListenOptions: Sendable {
    /// nil for this machine alone.
    var address: SocketAddress?
    /// The names that clients use.
    var hosts: [String] = []
    /// A certificate of its own; nil for the one that clients of the proxy see.
    var certificate: (file: String, key: String)?
    var admitsOwner = false

    static let options: [Option] = [
        Option.value(
            "admin-listen", "ADDR:PORT",
            "Let other machines reach the admin interface here, by HTTPS and with the tokens of `shunt token new`."),
        .value(
            "admin-host", "NAME[:PORT]", repeatable: true, default: "the address of --admin-listen",
            "A name by which other machines reach it; requests for other names are refused. May be given several "
                + "times."
        ).needing("admin-listen"),
        .value(
            "admin-cert", "FILE",
            "The certificate of --admin-listen (PEM, with its chain); otherwise it is that for clients."
        ).needing("admin-listen", "admin-key"),
        .value("admin-key", "FILE", "The private key of --admin-cert (PEM).").needing("admin-cert"),
        .flag("admin-owner", "Also accept the owner's token of .shunt/PORT.json there.").needing("admin-listen"),
    ].map { $0.under("A gateway of several people") }

    static func read(_ arguments: Arguments) throws -> AdminListenOptions {
        var options = AdminListenOptions()
        guard let text = arguments.text("admin-listen") else { return options }
        let colon = text.lastIndex(of: ":")
        let port = colon.flatMap { UInt16(text[text.index(after: $0)...]) }
        let host = colon.map { String(text[..<$0]) } ?? ""
        guard let port, let address = ListenAddress.read(host, port: port), host.contains(":") == host.hasPrefix("[")
        else {
            throw UsageError(
                "--admin-listen “\(text)” is no address with a port",
                advice: "Write one such as 192.168.1.5:4885, 0.0.0.0:4885 or [::]:4885.")
        }
        options.address = address
        options.hosts = arguments.texts("admin-host")
        for name in options.hosts where AdminAddress(url: "https://\(name)") == nil || name.contains("/") {
            throw UsageError("--admin-host “\(name)” is no host name", advice: "Write gateway.example, or with :PORT.")
        }
        if options.hosts.isEmpty {
            guard !address.bytes.allSatisfy({ $0 == 0 }) else {
                throw UsageError(
                    "--admin-listen \(text) is every address of this machine, and --admin-host says by which name it is reached",
                    advice: "Add --admin-host NAME: requests for other names are refused, as those of rebound names.")
            }
            options.hosts = [host == "localhost" ? "127.0.0.1" : host]
        }
        if let file = arguments.text("admin-cert"), let key = arguments.text("admin-key") {
            options.certificate = (Path.absolute(file), Path.absolute(key))
        }
        options.admitsOwner = arguments.has("admin-owner")
        return options
    }

    /// Starts to listen where other machines are to reach it; fails without a token, with which alone they may.
    ///
    /// - Returns: the URL; nil where it is for this machine alone.
    func start(_ admin: AdminServer, _ users: Users, _ identities: Identities) async throws -> String? {
        guard let address else { return nil }
        if let problem = users.problem {
            throw CommandFailure("--admin-listen needs the tokens of users: \(problem)", advice: "Make them anew.")
        }
        guard !users.isEmpty || admitsOwner else {
            throw CommandFailure(
                "--admin-listen lets users in by their tokens, and there is none",
                advice: "Make one first, such as `shunt token new ada --may use,logs`.")
        }
        let own = try CommandFailure.of("the certificate of --admin-cert cannot be used") {
            try certificate.map { .own(try Identity.load(certificateFile: $0.file, keyFile: $0.key)) } ?? identities
        }
        do throws(ProxyError) {
            return try await admin.listen(
                RemoteAdminSettings(address: address, identities: own, hosts: hosts, admitsOwner: admitsOwner))
        } catch {
            throw CommandFailure(error, option: "--admin-listen")
        }
    }
}
