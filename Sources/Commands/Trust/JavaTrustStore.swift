import Platform
import TLS

/// The roots of each Java: that of JAVA_HOME, else all that are installed.
struct JavaTrustStore: TrustStore {
    let name = "java"

    func places(_ context: TrustContext) -> [any TrustPlace] {
        guard context.root == nil else { return [] }
        var homes: [String] = []
        if let home = Terminal.variable("JAVA_HOME"), !home.isEmpty {
            homes = [home]
        } else {
            for (folder, rest) in [("/usr/lib/jvm", ""), ("/Library/Java/JavaVirtualMachines", "/Contents/Home")] {
                homes += ((try? Files.names(in: folder)) ?? []).map { "\(folder)/\($0)\(rest)" }
            }
        }
        // Several names may lead to one Java, and several Javas to one file.
        var seen: Set<String> = []
        return homes.compactMap { home in
            guard let store = Self.store(of: home), seen.insert(store).inserted else { return nil }
            return JavaTrustPlace(label: store, keytool: home + "/bin/keytool")
        }
    }

    private static func store(of home: String) -> String? {
        Path.resolved(home + "/lib/security/cacerts") ?? Path.resolved(home + "/jre/lib/security/cacerts")
    }
}

private struct JavaTrustPlace: TrustPlace {
    let label: String
    let keytool: String

    var obstacle: String? { ToolCommand.isThere(keytool) ? nil : "\(keytool) is not there" }

    func trusts(_ certificate: CertificateFile) -> Bool? {
        certificate.isIn(command(["-exportcert", "-rfc"], certificate).run(hidesErrors: true).output)
    }

    func install(_ certificate: CertificateFile) -> [ToolCommand] {
        [command(["-importcert", "-noprompt", "-file", certificate.path], certificate).writing(label)]
    }

    func uninstall(_ certificate: CertificateFile) -> [ToolCommand] {
        [command(["-delete"], certificate).writing(label)]
    }

    private func command(_ words: [String], _ certificate: CertificateFile) -> ToolCommand {
        ToolCommand(
            words: [keytool] + words + [
                "-alias", certificate.storeName, "-keystore", label, "-storepass", TrustBundle.javaPassword,
            ])
    }
}
