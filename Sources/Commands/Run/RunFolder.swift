import Platform
import Reactor
import TLS

/// The folder of one run, for this user alone: certificates for the command, and the traffic; removed at the end.
struct RunFolder: Sendable {
    /// Absolute.
    let path: String

    var authority: String { path + "/ca.pem" }
    var bundle: String { path + "/bundle.pem" }
    var javaTrustStore: String { path + "/trust.jks" }
    var store: String { path + "/traffic.db" }

    init() throws(FileFailure) { path = try Files.makeTemporaryDirectory(named: "shunt-run") }

    /// Writes the authority alone, and together with the roots that the command trusts anyway.
    func write(_ authority: DevelopmentCA, environment: ProcessEnvironment) throws(FileFailure) {
        let pem = authority.certificatePEM
        // Roots that a user has named for one program count as well: that program would not find them any more.
        let named = RunVariables.bundles.compactMap { environment[$0] }
        let bundle = TrustBundle(authority: pem, files: [TrustBundle.systemFile].compactMap { $0 } + named)
        try Files.write(Array(pem.utf8), to: self.authority, mode: 0o600)
        try Files.write(bundle.pem, to: self.bundle, mode: 0o600)
        if let store = bundle.javaKeyStore(at: Int64(time(nil))) {
            try Files.write(store, to: javaTrustStore, mode: 0o600)
        }
    }

    func remove() { Files.remove(path) }
}
