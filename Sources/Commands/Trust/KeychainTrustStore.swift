import Platform
import TLS

/// The login keychain of macOS: Safari, Chrome and URLSession.
struct KeychainTrustStore: TrustStore {
    let name = "keychain"

    func places(_ context: TrustContext) -> [any TrustPlace] {
        guard context.root == nil, let home = context.home, ToolCommand.isThere("security") else { return [] }
        return [KeychainTrustPlace(label: home + "/Library/Keychains/login.keychain-db")]
    }
}

private struct KeychainTrustPlace: TrustPlace {
    let label: String

    func trusts(_ certificate: CertificateFile) -> Bool? {
        ToolCommand("security", "dump-trust-settings").run(hidesErrors: true).output.split(separator: "\n")
            .contains { $0.hasPrefix("Cert ") && $0.hasSuffix(": " + certificate.commonName) }
    }

    func install(_ certificate: CertificateFile) -> [ToolCommand] {
        [ToolCommand("security", "add-trusted-cert", "-r", "trustRoot", "-k", label, certificate.path)]
    }

    func uninstall(_ certificate: CertificateFile) -> [ToolCommand] {
        [
            ToolCommand("security", "remove-trusted-cert", certificate.path),
            ToolCommand("security", "delete-certificate", "-Z", certificate.summary.fingerprint.uppercased(), label),
        ]
    }
}
