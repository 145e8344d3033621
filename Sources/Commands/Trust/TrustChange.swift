import Admin
import Platform
import TLS

/// What became of one certificate at one place.
struct TrustOutcome: Sendable {
    enum State: String, Sendable {
        case trusted
        case absent
        /// The place cannot be asked, and nothing was installed there.
        case unknown
        case failed
    }

    let store: String
    let place: String
    let certificate: String
    let state: State
    /// What was done, or why nothing was.
    let note: String
    /// Those that were run, or would be.
    let commands: [String]
}

/// Installs, removes or looks up CAs at all places, each for itself.
struct TrustChange {
    enum Wish: String { case install, uninstall, status }

    let wish: Wish
    let isDry: Bool
    /// The present CA stays: it is not among the certificates.
    var keepsPresent = false
    let installed: InstalledPlaces

    /// The state of all places; one that fails does not keep the others from their turn.
    func apply(
        _ certificates: [CertificateFile], _ stores: [any TrustStore], _ context: TrustContext
    ) -> [TrustOutcome] {
        stores.flatMap { store in
            store.places(context).flatMap { place in
                certificates.map { apply($0, store, place) }
            }
        }
    }

    private func apply(_ certificate: CertificateFile, _ store: any TrustStore, _ place: any TrustPlace)
        -> TrustOutcome
    {
        func outcome(_ state: TrustOutcome.State, _ note: String, _ commands: [ToolCommand] = []) -> TrustOutcome {
            TrustOutcome(
                store: store.name, place: place.label, certificate: certificate.commonName, state: state, note: note,
                commands: commands.map(\.text))
        }
        if let obstacle = place.obstacle { return outcome(wish == .status ? .unknown : .failed, obstacle) }
        let answer = place.trusts(certificate)
        let isTrusted = answer ?? installed.has(place, certificate)
        switch wish {
        case .status:
            let state: TrustOutcome.State = isTrusted ? .trusted : answer == nil ? .unknown : .absent
            return outcome(state, answer == nil ? "as far as Shunt has installed it; this place cannot be asked" : "")
        case .install where isTrusted: return outcome(.trusted, "was trusted already")
        case .uninstall where isTrusted && keepsPresent && place.warning != nil:
            return outcome(.trusted, "stays: it could only be removed together with the present CA")
        // Parts of an interrupted change may be there although the CA does not count.
        case .uninstall where !isTrusted && answer == nil: return outcome(.absent, "was not installed")
        case .uninstall where !isTrusted && !place.hasTraces(certificate): return outcome(.absent, "was not there")
        default: break
        }
        let commands = wish == .install ? place.install(certificate) : place.uninstall(certificate)
        guard !isDry else { return outcome(isTrusted ? .trusted : .absent, "would be changed", commands) }
        for command in commands {
            let result = command.run()
            guard result.status == 0 else { return outcome(.failed, "\(command.words[0]): \(result.reason)", commands) }
        }
        if let now = place.trusts(certificate), now != (wish == .install) {
            return outcome(.failed, wish == .install ? "it is not trusted even so" : "it is still there", commands)
        }
        if answer == nil {
            do throws(FileFailure) { try installed.set(place, certificate, wish == .install) } catch {
                return outcome(.failed, "\(error)", commands)
            }
        }
        return wish == .install
            ? outcome(.trusted, "is trusted now", commands)
            : outcome(.absent, "is removed" + (place.warning.map { "; \($0)" } ?? ""), commands)
    }
}
