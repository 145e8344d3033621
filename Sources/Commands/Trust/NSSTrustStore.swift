import Platform
import TLS

/// The databases of Firefox and Chromium, with those of snaps and flatpaks.
struct NSSTrustStore: TrustStore {
    let name = "nss"

    /// Below the home folder; `*` stands for each folder there.
    private static let folders = [
        ".pki/nssdb", "snap/chromium/current/.pki/nssdb", ".var/app/org.chromium.Chromium/.pki/nssdb",
        ".var/app/com.google.Chrome/.pki/nssdb", ".mozilla/firefox/*", "snap/firefox/common/.mozilla/firefox/*",
        ".var/app/org.mozilla.firefox/.mozilla/firefox/*", "Library/Application Support/Firefox/Profiles/*",
    ]

    func places(_ context: TrustContext) -> [any TrustPlace] {
        guard context.root == nil, let home = context.home else { return [] }
        return Self.folders.flatMap { expanded(home + "/" + $0) }
            .filter { Files.isRegular($0 + "/cert9.db") }.map { NSSTrustPlace(label: $0) }
    }

    private func expanded(_ pattern: String) -> [String] {
        guard pattern.hasSuffix("/*") else { return [pattern] }
        let folder = String(pattern.dropLast(2))
        return ((try? Files.names(in: folder)) ?? []).map { "\(folder)/\($0)" }
    }
}

private struct NSSTrustPlace: TrustPlace {
    let label: String

    var obstacle: String? {
        ToolCommand.isThere("certutil")
            ? nil : "certutil is not in PATH: install libnss3-tools (Debian), nss-tools (Fedora) or nss (Homebrew)"
    }

    private var database: String { "sql:" + label }

    func trusts(_ certificate: CertificateFile) -> Bool? {
        guard hasTraces(certificate) else { return false }
        // The flags stand behind the name; C is a CA for servers.
        let lines = ToolCommand("certutil", "-L", "-d", database).run(hidesErrors: true).output.split(separator: "\n")
        return lines.contains { line in
            let flags = line.split(separator: " ").last?.prefix { $0 != "," }
            return line.hasPrefix(certificate.commonName) && flags?.contains("C") == true
        }
    }

    func hasTraces(_ certificate: CertificateFile) -> Bool {
        let list = ToolCommand("certutil", "-L", "-d", database, "-n", certificate.commonName, "-a")
        return certificate.isIn(list.run(hidesErrors: true).output)
    }

    func install(_ certificate: CertificateFile) -> [ToolCommand] {
        [
            ToolCommand(
                "certutil", "-A", "-d", database, "-t", "C,,", "-n", certificate.commonName, "-i", certificate.path)
        ]
    }

    func uninstall(_ certificate: CertificateFile) -> [ToolCommand] {
        [ToolCommand("certutil", "-D", "-d", database, "-n", certificate.commonName)]
    }
}
