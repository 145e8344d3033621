import TLS

/// What Shunt shows to clients, and where it comes from.
struct ServerCertificates: Sendable {
    enum Source: Sendable {
        /// The CA, and whether it was made just now.
        case development(AuthorityFolder, isNew: Bool)
        case own(file: String)
    }

    let identities: Identities
    let source: Source

    init(_ choice: ServeSettings.Certificates, _ project: Project) throws {
        do throws(TLSFailure) {
            switch choice {
            case .development(let directory):
                let folder = AuthorityFolder(project, named: directory)
                let (authority, created) = try folder.loadOrCreate()
                identities = .development(authority)
                source = .development(folder, isNew: created)
            case .own(let certificate, let key):
                identities = .own(try Identity.load(certificateFile: certificate, keyFile: key))
                source = .own(file: certificate)
            }
        } catch {
            throw CommandFailure("the certificates towards clients cannot be used: \(error.message)")
        }
    }

    /// The certificate of the CA; nil where a certificate of the user's own is shown.
    var authority: String? { if case .development(let folder, _) = source { folder.certificate } else { nil } }
}
