import Admin
import Platform
import TLS

/// What Shunt shows to clients, and where it comes from.
struct ServerCertificates: Sendable {
    enum Source: Sendable {
        /// The CA's certificate file, and whether it was made just now.
        case development(certificate: String, isNew: Bool)
        case own(file: String)
    }

    let identities: Identities
    let source: Source

    init(_ choice: ServeSettings.Certificates, _ project: Project) throws(CommandFailure) {
        do throws(TLSFailure) {
            switch choice {
            case .development(let directory):
                let folder = directory ?? project.certificatesDirectory
                let (authority, created) = try DevelopmentCA.loadOrCreate(directory: folder)
                if created { _ = try? Self.keepOutOfGit(folder) }
                identities = .development(authority)
                source = .development(certificate: folder + "/ca.pem", isNew: created)
            case .own(let certificate, let key):
                identities = .own(try Identity.load(certificateFile: certificate, keyFile: key))
                source = .own(file: certificate)
            }
        } catch {
            throw .failed("the certificates towards clients cannot be used: \(error.message)")
        }
    }

    /// Makes a folder ignore itself, unless it has rules of its own; false where it has.
    static func keepOutOfGit(_ folder: String) throws(FileFailure) -> Bool {
        let file = folder + "/.gitignore"
        guard !Files.exists(file) else { return false }
        try Files.write(Array("*\n!.gitignore\n!README.md\n".utf8), to: file, mode: 0o644)
        return true
    }
}
