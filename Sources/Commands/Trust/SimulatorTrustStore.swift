import JSON
import Platform
import TLS

/// The iOS simulators that are booted.
struct SimulatorTrustStore: TrustStore {
    let name = "simulator"

    func places(_ context: TrustContext) -> [any TrustPlace] {
        guard context.root == nil, ToolCommand.isThere("xcrun") else { return [] }
        let list = ToolCommand("xcrun", "simctl", "list", "devices", "booted", "--json").run(hidesErrors: true)
        let runtimes = (try? JSONReader.read(list.output))?["devices"]?.object ?? []
        return runtimes.flatMap { $0.value.array ?? [] }.compactMap { device in
            guard let id = device["udid"]?.string, id.utf8.allSatisfy(Self.isOfIdentifier) else { return nil }
            return SimulatorTrustPlace(id: id, label: "\(device["name"]?.string ?? "simulator") (\(id))")
        }
    }

    /// It becomes an argument, which must not begin with a dash or be anything else than it seems.
    private static func isOfIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

private struct SimulatorTrustPlace: TrustPlace {
    let id: String
    let label: String

    /// `simctl` removes all or nothing.
    var warning: String? { "everything else in this simulator's keychain goes, too" }

    /// `simctl` does not list certificates.
    func trusts(_ certificate: CertificateFile) -> Bool? { nil }

    func install(_ certificate: CertificateFile) -> [ToolCommand] {
        [ToolCommand("xcrun", "simctl", "keychain", id, "add-root-cert", certificate.path)]
    }

    func uninstall(_ certificate: CertificateFile) -> [ToolCommand] {
        [ToolCommand("xcrun", "simctl", "keychain", id, "reset")]
    }
}
