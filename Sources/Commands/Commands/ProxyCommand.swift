import Admin
import JSON
import Platform
import TLS

extension Command {
    static let proxy = Command(
        name: "proxy",
        summary: "Use a running Shunt as a proxy, for apps whose base URL cannot be changed.",
        usage: "proxy env|pac [options]",
        details: [
            "`env` prints variables for a shell: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, and those that let curl, git, "
                + "Python, node and Java trust Shunt's CA beside the system's roots. `pac` prints the URL of a proxy "
                + "auto-configuration file for browsers, which sends only the hosts of the active profile to Shunt.",
            "In sh: eval \"$(shunt proxy env)\"; in fish: shunt proxy env --shell fish | source.",
            "Connections to hosts that routes name are intercepted, all others are tunnels; docs/proxy.md has the "
                + "rules.",
        ],
        options: [
            .choice("shell", ["sh", "fish"], default: "sh", "The shell that reads the variables.").of("env"),
            .running, .profiles, .json,
        ],
        actions: [Action("env"), Action("pac")],
        examples: [
            ("For this shell, within eval \"$(…)\"", "shunt proxy env"),
            ("For the --proxy-pac-url of Chromium", "shunt proxy pac"),
        ],
        run: ProxyCommand.run)
}

/// What `shunt proxy` does.
enum ProxyCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let isFish = arguments.text("shell") == "fish"
        let record = try RunningShunt.find(arguments)
        guard let url = record.urls.last(where: { $0.hasPrefix("http://") }) else {
            throw CommandFailure("the Shunt on port \(record.port) has no http:// URL")
        }
        if arguments.operands[0] == "pac" {
            let script = url + "/__shunt/proxy.pac"
            return CommandResult(script + "\n", members: { $0.member("url", script) }).show(arguments)
        }
        let variables = try ProxyVariables(url: url, record).list
        let lines = variables.map { name, value in
            isFish ? "set -gx \(name) \(Path.quoted(value))\n" : "export \(name)=\(Path.quoted(value))\n"
        }
        return CommandResult(
            lines.joined(), members: { for (name, value) in variables { $0.member(name, value) } }
        ).show(arguments)
    }
}

/// The variables by which programs use a running Shunt as their proxy.
struct ProxyVariables {
    let list: [(name: String, value: String)]

    init(url: String, _ record: AdminRecord) throws {
        let exceptions = "localhost,127.0.0.1,::1"
        var list: [(name: String, value: String)] = []
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] { list += [(name, url), (name.lowercased(), url)] }
        list += [("NO_PROXY", exceptions), ("no_proxy", exceptions)]
        // Node 24 and later read the proxy's variables only if asked.
        list.append(("NODE_USE_ENV_PROXY", "1"))
        var java = ["-Dhttp.proxyHost=localhost", "-Dhttp.proxyPort=\(record.port)"]
        java += ["-Dhttps.proxyHost=localhost", "-Dhttps.proxyPort=\(record.port)"]
        if let files = try Self.trustFiles(record) {
            for name in RunVariables.bundles { list.append((name, files.bundle)) }
            java += RunVariables.javaOptions(trusting: files.java)
        }
        list.append(("JAVA_TOOL_OPTIONS", java.joined(separator: " ")))
        self.list = list
    }

    /// Writes the roots that programs trust, Shunt's CA among them; nil where Shunt has a certificate of its own.
    private static func trustFiles(_ record: AdminRecord) throws -> (bundle: String, java: String)? {
        guard let authority = record.authority, let pem = try? Files.read(authority) else { return nil }
        let folder = AdminFile(profilesDirectory: record.profilesDirectory).directory
        let (bundle, java) = (folder + "/trust-\(record.port).pem", folder + "/trust-\(record.port).jks")
        let trust = TrustBundle(
            authority: String(decoding: pem, as: UTF8.self), files: [TrustBundle.systemFile].compactMap { $0 })
        try Files.write(trust.pem, to: bundle, mode: 0o600)
        if let store = trust.javaKeyStore(at: Int64(time(nil))) { try Files.write(store, to: java, mode: 0o600) }
        return (bundle, java)
    }
}
