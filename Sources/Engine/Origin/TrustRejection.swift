public import Profiles
public import TLS

/// What was wrong with an origin's certificate, as far as it is known.
public struct TrustRejection: Sendable {
    /// The host and port of the origin, and the policy that it is judged by.
    let origin: OriginAddress
    /// The certificates that it has sent, its own first.
    let chain: [SeenCertificate]
    /// The first fault that was found.
    let kind: TLSFailure.Rejection
    /// The same, as OpenSSL or the policy words it.
    let reason: String
    /// Everything that is wrong with the chain by the policy, apart from pins and revocation.
    let faults: [ChainFault]
    /// A rule may leave checks out.
    let mayBeUnverified: Bool

    public init(
        origin: OriginAddress, chain: [SeenCertificate], kind: TLSFailure.Rejection, reason: String,
        mayBeUnverified: Bool
    ) {
        self.kind = kind
        self.origin = origin
        self.chain = chain
        self.reason = reason
        self.mayBeUnverified = mayBeUnverified
        let requirements = origin.trust.requirements
        let checksHost = requirements.contains { $0.checksHost }
        guard let main = requirements.first(where: { $0.checksHost }) ?? requirements.first(where: { $0.checksChain })
        else {
            faults = []
            return
        }
        faults = ChainTrial(chain, host: origin.host).faults(main.anchors, isStrict: origin.trust.connection.isStrict)
            .filter { checksHost || $0.kind != .name }
    }

    /// All that is wrong, with what OpenSSL or the policy ended at first.
    var reasons: String {
        let wrong = WrongName(chain, origin)
        let isName = kind == .name
        // OpenSSL does not say which certificate it is.
        let first = faults.first { $0.kind != .name && ($0.reason == reason || $0.reason.hasPrefix(reason + " (")) }
        var all = [first?.reason ?? reason]
        if isName, let wrong { all[0] += ": \(wrong.text)" }
        all += faults.filter { $0.kind != .name && $0 != first }.map(\.reason)
        if !isName, let wrong { all.append(wrong.text) }
        return all.joined(separator: ", and ")
    }

    /// Whether the chain would pass under another policy of the same origin.
    ///
    /// - Parameter file: a file of the policy that is not there yet, with its certificate.
    func passes(_ policy: TrustPolicy, _ file: (path: String, certificate: SeenCertificate)) -> Bool {
        ChainTrial(chain, host: origin.host).passes(
            policy.requirements, isStrict: policy.connection.isStrict, unwritten: [file.path: file.certificate.pem])
    }
}
