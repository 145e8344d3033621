import Platform
import TLS

/// A kind of place where programs look up the CAs that they trust; all of them stand in ``TrustStores/all``.
protocol TrustStore: Sendable {
    /// For `--store`.
    var name: String { get }

    /// Those of this machine, for this user; none where the system or program is not there.
    func places(_ context: TrustContext) -> [any TrustPlace]
}

/// One database, folder, keychain or device that trusts a CA or does not.
protocol TrustPlace {
    /// In words, and the same from call to call.
    var label: String { get }
    /// Why nothing can be done there, and the way out; nil if it can.
    var obstacle: String? { get }
    /// What uninstalling does to others; nil for nothing.
    var warning: String? { get }

    /// nil where the place cannot be asked.
    func trusts(_ certificate: CertificateFile) -> Bool?
    /// Whether something of it is there although it does not count.
    func hasTraces(_ certificate: CertificateFile) -> Bool
    func install(_ certificate: CertificateFile) -> [ToolCommand]
    func uninstall(_ certificate: CertificateFile) -> [ToolCommand]
}

extension TrustPlace {
    var obstacle: String? { nil }
    var warning: String? { nil }
    func hasTraces(_ certificate: CertificateFile) -> Bool { false }
}

/// Where stores are looked for.
struct TrustContext: Sendable {
    /// The root of a file system that is prepared for another machine, such as an image; nil for this machine's.
    var root: String?
    /// The user's.
    var home: String?
}

enum TrustStores {
    static let all: [any TrustStore] = [
        SystemTrustStore(), NSSTrustStore(), JavaTrustStore(), KeychainTrustStore(), SimulatorTrustStore(),
        AndroidTrustStore(),
    ]
}

extension CertificateFile {
    /// A name for stores: the same CA always has the same, and no two have one.
    var storeName: String { "shunt-" + summary.fingerprint.prefix(16) }

    /// Its name for people, without `CN=`.
    var commonName: String { summary.subject.hasPrefix("CN=") ? String(summary.subject.dropFirst(3)) : storeName }

    /// Whether a text has this certificate among its PEM blocks, however their lines are broken.
    func isIn(_ text: String) -> Bool { TrustBundle(authority: text, files: []).contains(der) }
}
