import Platform
import TLS

/// The folder of the system's own CAs: Debian and Ubuntu, Fedora, Arch, openSUSE.
struct SystemTrustStore: TrustStore {
    let name = "system"

    /// Where a file is put, and what makes it count.
    struct Layout: Sendable {
        let folder: String
        let suffix: String
        let update: [String]
        /// After a file was removed.
        let refresh: [String]
        /// What programs read.
        let bundle: String
    }

    static let layouts = [
        Layout(
            folder: "/usr/local/share/ca-certificates", suffix: ".crt", update: ["update-ca-certificates"],
            refresh: ["update-ca-certificates", "--fresh"], bundle: "/etc/ssl/certs/ca-certificates.crt"),
        Layout(
            folder: "/etc/pki/ca-trust/source/anchors", suffix: ".pem", update: ["update-ca-trust", "extract"],
            refresh: ["update-ca-trust", "extract"], bundle: "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"),
        Layout(
            folder: "/etc/ca-certificates/trust-source/anchors", suffix: ".crt", update: ["update-ca-trust"],
            refresh: ["update-ca-trust"], bundle: "/etc/ca-certificates/extracted/tls-ca-bundle.pem"),
        Layout(
            folder: "/etc/pki/trust/anchors", suffix: ".pem", update: ["update-ca-certificates"],
            refresh: ["update-ca-certificates"], bundle: "/var/lib/ca-certificates/ca-bundle.pem"),
    ]

    func places(_ context: TrustContext) -> [any TrustPlace] {
        let root = context.root ?? ""
        return Self.layouts.filter { Files.isDirectory(root + $0.folder) }
            .map { SystemTrustPlace(layout: $0, root: context.root) }
    }
}

private struct SystemTrustPlace: TrustPlace {
    let layout: SystemTrustStore.Layout
    let root: String?

    var label: String { (root ?? "") + layout.folder }

    var obstacle: String? {
        let tool = layout.update[0]
        guard root == nil, !ToolCommand.isThere(tool) else { return nil }
        return "\(tool) is not in PATH: install the package ca-certificates, or run it by its path"
    }

    private func file(_ certificate: CertificateFile) -> String { "\(label)/\(certificate.storeName)\(layout.suffix)" }

    func trusts(_ certificate: CertificateFile) -> Bool? {
        guard Files.exists(file(certificate)) else { return false }
        let bundle = (try? Files.read((root ?? "") + layout.bundle)) ?? []
        return certificate.isIn(String(decoding: bundle, as: UTF8.self))
    }

    func hasTraces(_ certificate: CertificateFile) -> Bool { Files.exists(file(certificate)) }

    func install(_ certificate: CertificateFile) -> [ToolCommand] {
        let file = file(certificate)
        return [
            ToolCommand("cp", certificate.path, file).writing(file),
            // The system's programs run as other users.
            ToolCommand("chmod", "644", file).writing(label),
            command(layout.update),
        ]
    }

    func uninstall(_ certificate: CertificateFile) -> [ToolCommand] {
        [ToolCommand("rm", "-f", file(certificate)).writing(label), command(layout.refresh)]
    }

    private func command(_ words: [String]) -> ToolCommand {
        ToolCommand(words: (root.map { ["chroot", $0] } ?? []) + words).writing(label)
    }
}
