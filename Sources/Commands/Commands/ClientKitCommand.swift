import Admin
import Platform
import Profiles
import TLS

extension Command {
    static let clientKit = Command(
        name: "client-kit",
        summary: "Write code or configuration that lets debug builds of an app trust Shunt.",
        usage: "client-kit --for KIND [options]",
        details: [
            "Kinds: " + ClientKits.all.map { "\($0.name) (\($0.summary))" }.joined(separator: "; ") + ".",
            "The hosts are those that routes of the profile name, localhost, and the addresses at which other machines "
                + "find the running Shunt (`serve --host 0.0.0.0`). The output has an effect in debug "
                + "builds only (#if DEBUG, the source set debug, debug-overrides, assertions), or refers to a file of "
                + "this machine.",
        ],
        options: [
            .value("for", "KIND", repeatable: true, "What the app is made with; may be given several times."),
            .value("output", short: "o", "DIR", default: "standard output", "Write the files below this folder."),
            .value(
                "profile", "NAME", default: "the active one of the running Shunt, else as for serve",
                "The profile whose hosts are used."),
            .value("certs", "DIR", default: "that of the project or of this person", "The folder of the CA."),
            .running, .profiles,
        ],
        examples: [
            ("For an app with Alamofire and Kingfisher", "shunt client-kit --for alamofire --for kingfisher -o Shunt"),
            ("Node", "shunt client-kit --for node -o ."),
        ],
        run: ClientKitCommand.run)
}

/// What `shunt client-kit` does.
enum ClientKitCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let names = arguments.texts("for")
        let list = ClientKits.all.map(\.name).joined(separator: ", ")
        guard !names.isEmpty else { throw UsageError("--for is missing", advice: "Give one or several of: \(list).") }
        var kits: [ClientKit] = []
        for name in names {
            guard let kit = ClientKits.all.first(where: { $0.name == name }) else {
                throw UsageError(
                    "there is no kit “\(name)”", advice: Nearest.advice(name, in: ClientKits.all.map(\.name)))
            }
            kits.append(kit)
        }
        let facts = try facts(arguments)
        var files: [ClientFile] = []
        // Several kits share files.
        for file in kits.flatMap({ $0.files(facts) }) where !files.contains(where: { $0.path == file.path }) {
            files.append(file)
        }
        guard let folder = arguments.text("output") else {
            Terminal.out(files.count == 1 ? files[0].text : files.map { "--- \($0.path)\n\($0.text)" }.joined())
            return 0
        }
        for file in files {
            let path = Path.absolute(folder) + "/" + file.path
            try CommandFailure.of(advice: "Name another folder with -o DIR.") {
                try Files.makeDirectory(Path.directory(of: path))
                try Files.write(Array(file.text.utf8), to: path, mode: 0o644)
            }
            Terminal.out("wrote  \(Path.short(path))\n")
        }
        return 0
    }

    private static func facts(_ arguments: Arguments) throws -> ClientFacts {
        let project = try Project.find(arguments)
        let library = try project.load()
        let running = try? RunningShunt.find(arguments)
        let active = running.flatMap(RunningShunt.activeProfile)
        let name = try project.choose(arguments.text("profile") ?? active, from: library)
        guard let profile = library[name] else { throw CommandFailure.noProfile(name, in: library) }
        let folder = CACommand.folder(arguments)
        return try CommandFailure.of("the CA in \(folder.path) cannot be used") {
            if !folder.exists { _ = try folder.loadOrCreate() }
            let certificate = try CertificateFile(folder.certificate)
            let port = running?.port ?? ServeSettings.defaultPort
            let pages = running?.pages.first?.split(separator: ":").last.flatMap { UInt16($0) }
            let networkHosts = running?.networkHosts ?? []
            return ClientFacts(
                hosts: hosts(of: profile, networkHosts), networkHosts: networkHosts, port: port,
                pagesPort: pages ?? port + 2, profile: name,
                profiles: library.profiles.map { ($0.name, $0.kind.rawValue) },
                file: folder.certificate, pem: certificate.pem, der: certificate.der)
        }
    }

    /// Each once, in the order of the routes.
    private static func hosts(of profile: Profile, _ networkHosts: [String]) -> [String] {
        profile.routes.reduce(into: ["localhost"] + networkHosts) { hosts, route in
            let host: String
            switch route.pattern.host.scope {
            case .exact(let name): host = name
            case .below(let name): host = "*." + name
            case .loopback, .network, .any: return
            }
            if !hosts.contains(host) { hosts.append(host) }
        }
    }
}
