import Admin
import Platform
import TLS

/// The folder of a development CA, and why it is that one.
struct AuthorityFolder: Sendable {
    enum Reason: String, Sendable {
        /// `--certs` names it.
        case named
        /// The project has a CA of its own.
        case project
        /// This person's, for all projects.
        case person
    }

    let path: String
    let reason: Reason

    var certificate: String { path + "/ca.pem" }
    var exists: Bool { Files.exists(certificate) }

    /// The command that makes this machine trust the CA.
    var trustCommand: String {
        "shunt trust install" + (reason == .named ? " --certs \(Path.quoted(Path.short(path)))" : "")
    }

    /// In the user's data folder; nil where there is none.
    static var ofPerson: AuthorityFolder? { UserFolder.data.map { AuthorityFolder(path: $0 + "/ca", reason: .person) } }

    /// - Parameter named: the value of `--certs`.
    init(_ project: Project, named: String? = nil) {
        let own = project.certificatesDirectory
        if let named {
            self = AuthorityFolder(path: named, reason: .named)
        } else if !Files.exists(own + "/ca-key.pem"), let person = Self.ofPerson {
            // A certificate without its key is no CA of this machine: a project may have that of a server there.
            self = person
        } else {
            self = AuthorityFolder(path: own, reason: .project)
        }
    }

    init(path: String, reason: Reason) { (self.path, self.reason) = (path, reason) }

    /// The CA, made as `settings` say if there is none.
    func loadOrCreate(
        _ settings: AuthoritySettings = AuthoritySettings()
    ) throws(TLSFailure) -> (authority: DevelopmentCA, created: Bool) {
        if reason == .person {
            do throws(FileFailure) {
                try Files.makeDirectory(Path.directory(of: path), mode: 0o700)
                try Files.makeDirectory(path, mode: 0o700)
            } catch {
                throw TLSFailure(
                    .system(error.code), "\(error) (XDG_DATA_HOME names another place, --certs DIR another folder)")
            }
            // Another program may have made it.
            chmod(path, 0o700)
        }
        let result = try DevelopmentCA.loadOrCreate(directory: path, settings)
        if result.created, reason != .person { _ = try? keepOutOfGit() }
        return result
    }

    /// Makes the folder ignore itself, unless it has rules of its own; false where it has.
    func keepOutOfGit() throws(FileFailure) -> Bool {
        let file = path + "/.gitignore"
        guard !Files.exists(file) else { return false }
        try Files.makeDirectory(path)
        try Files.write(Array("*\n!.gitignore\n!README.md\n".utf8), to: file, mode: 0o644)
        return true
    }
}

extension Option {
    static let onlyFor = Option.value(
        "only-for", "HOSTS", default: "any host",
        "Hosts that a new CA may sign for, joined by commas: names with all below them, and addresses.")
    static let keyKind = Option.choice(
        "key", ["ec", "rsa"], default: "ec", "The kind of keys of a new CA and its leaves; rsa is for old clients.")
}

extension AuthoritySettings {
    /// What `--only-for` and `--key` say.
    init(_ arguments: Arguments) throws {
        self.init()
        if let kind = arguments.text("key").flatMap(Key.init) { key = kind }
        guard let text = arguments.text("only-for") else { return }
        hosts = try UsageError.of("--only-for", advice: "For example --only-for '*.shop.test,localhost'.") {
            try PermittedHosts(text)
        }
    }
}
