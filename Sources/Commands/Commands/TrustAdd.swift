import Engine
import Platform
import Profiles
import TLS

extension TrustCommand {
    static func add(_ arguments: Arguments) async throws -> CInt {
        let look = try await TrustLook(arguments)
        guard let sight = look.sight, let leaf = sight.chain.first else {
            let failure = look.seen.failure
            throw CommandFailure(failure?.message ?? "\(look.url) showed no certificate", advice: failure?.advice)
        }
        guard leaf.isFor(look.host.host) else {
            throw CommandFailure(
                "the certificate of \(look.url) is not for \(look.host.host)",
                advice: leaf.names.isEmpty ? nil : "It is for \(leaf.names.joined(separator: ", ")).")
        }
        Terminal.error(TrustText.text(leaf, 1))
        guard arguments.has("yes") || isConfirmed(look) else { throw CommandFailure("nothing was changed") }
        let rule =
            "{ \"policy\": \"pinnedCertificates\", \"certificates\": [\"../ca/\(TrustFix.fileName(look.address))\"], "
            + "\"acceptSelfSignedCertificates\": true }"
        for path in try look.write(rule, certificate: 0) { Terminal.out("wrote  \(Path.short(path))\n") }
        return 0
    }

    private static func isConfirmed(_ look: TrustLook) -> Bool {
        Terminal.isTerminal(0)
            && Terminal.isConfirmed(
                "Trust this certificate for \(look.host.authority) from now on, in profile \(look.profile.name)? Compare "
                    + "the SHA-256 with the owner's first.")
    }
}
