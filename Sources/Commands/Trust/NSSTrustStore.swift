import Platform
import TLS

/// The databases of Firefox and Chromium, with those of snaps and flatpaks.
struct NSSTrustStore: TrustStore {
    let name = "nss"

    /// Below the home folder; `*` stands for each folder there: an application, or a profile of Firefox.
    private static let folders = [
        ".pki/nssdb", ".local/share/pki/nssdb", "snap/*/current/.pki/nssdb", ".var/app/*/.pki/nssdb",
        ".var/app/*/data/pki/nssdb", ".mozilla/firefox/*", "snap/*/common/.mozilla/firefox/*",
        "snap/*/common/.config/mozilla/firefox/*", "snap/*/current/.config/mozilla/firefox/*",
        ".var/app/*/.mozilla/firefox/*", ".var/app/*/config/mozilla/firefox/*",
        "Library/Application Support/Firefox/Profiles/*",
    ]
    /// Firefox 147 and later make new profiles here, below the folder of settings (XDG).
    private static let newFirefox = "mozilla/firefox/*"

    func places(_ context: TrustContext) -> [any TrustPlace] {
        guard context.root == nil, let home = context.home else { return [] }
        let named = Terminal.variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let patterns = Self.folders.map { "\(home)/\($0)" } + ["\(named ?? home + "/.config")/\(Self.newFirefox)"]
        return patterns.flatMap { expanded($0) }
            .filter { Files.isRegular($0 + "/cert9.db") }.map { NSSTrustPlace(label: $0) }
    }

    private func expanded(_ pattern: String) -> [String] {
        var found = [""]
        for part in pattern.split(separator: "/") {
            found = found.flatMap { folder in
                let names = part == "*" ? ((try? Files.names(in: folder)) ?? []) : [String(part)]
                return names.map { "\(folder)/\($0)" }
            }
        }
        return found
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
