import COpenSSL

/// Judges a chain that an origin has sent as a handshake would, without a connection.
public struct ChainTrial: Sendable {
    private let chain: [SeenCertificate]
    private let host: String

    /// - Parameter chain: as it was sent, the origin's own certificate first.
    public init(_ chain: [SeenCertificate], host: String) {
        self.chain = chain
        self.host = host
    }

    /// Whether the chain meets all of these requirements, apart from those about revocation.
    ///
    /// - Parameter unwritten: PEM texts of files that are not there yet.
    public func passes(
        _ requirements: [ChainRequirement], isStrict: Bool = false, unwritten: [String: String] = [:]
    ) -> Bool {
        withChain { chain, host in
            let evaluator = try? ChainEvaluator(requirements, isStrict: isStrict, unwritten: unwritten)
            return evaluator?.judge(chain, for: host)
        } ?? false
    }

    /// Everything that is wrong with the chain and its name under some anchors, where OpenSSL ends at the first fault.
    public func faults(_ anchors: ChainRequirement.Anchors, isStrict: Bool = false) -> [ChainFault] {
        let list = FaultList(isStrict: isStrict)
        _ = withChain { chain, host in
            let evaluator = try? ChainEvaluator([ChainRequirement(anchors: anchors)], isStrict: isStrict)
            return evaluator?.judge(
                chain, for: host,
                callback: { isGood, context in
                    guard let context else { return isGood }
                    if VerifyCallback.decide(isGood, context, isStrict: FaultList.of(context)?.isStrict == true) == 0 {
                        FaultList.of(context)?.add(context)
                    }
                    return 1
                }, data: Unmanaged.passUnretained(list).toOpaque())
        }
        return list.sorted
    }

    private func withChain(_ body: (OpaquePointer, HostName) -> Bool?) -> Bool? {
        defer { ERR_clear_error() }
        guard let name = HostName(host), !chain.isEmpty, let stack = shunt_X509_stack_new() else { return nil }
        defer { shunt_X509_stack_free(stack) }
        for certificate in chain {
            guard let found = try? PEM.certificates(in: Array(certificate.pem.utf8), from: "") else { return nil }
            for next in found { _ = shunt_X509_stack_push(stack, next) }
        }
        return body(stack, name)
    }
}

/// One thing that is wrong with a chain.
public struct ChainFault: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// The certificate is for another host.
        case name
        /// A certificate has expired or is not valid yet.
        case date
        /// The chain leads to no trusted authority.
        case anchor
        /// A rule of certificates is broken, or a key or a signature is too weak.
        case form
    }

    public let kind: Kind
    /// OpenSSL's words, and the certificate where it is not the origin's own.
    public let reason: String
    /// The fault is one of the origin's own certificate.
    public let isOwn: Bool
    fileprivate let rank: Int
}

/// Gathers faults while OpenSSL verifies on.
private final class FaultList {
    let isStrict: Bool
    private var faults: [ChainFault] = []

    init(isStrict: Bool) { self.isStrict = isStrict }

    static func of(_ context: OpaquePointer) -> FaultList? {
        X509_STORE_CTX_get_ex_data(context, 0).map { Unmanaged<FaultList>.fromOpaque($0).takeUnretainedValue() }
    }

    func add(_ context: OpaquePointer) {
        let code = X509_STORE_CTX_get_error(context)
        let depth = X509_STORE_CTX_get_error_depth(context)
        let kind = Self.kind(code)
        // One missing issuer has several consequences, of which OpenSSL tells the first that it meets.
        guard kind != .anchor || !faults.contains(where: { $0.kind == .anchor }) else { return }
        var reason = String(cString: X509_verify_cert_error_string(Int(code)))
        if depth > 0, kind != .anchor, let certificate = X509_STORE_CTX_get_current_cert(context) {
            reason += " (\(SeenCertificate(certificate).name))"
        }
        let fault = ChainFault(kind: kind, reason: reason, isOwn: depth == 0, rank: Self.rank(kind))
        if !faults.contains(fault) { faults.append(fault) }
    }

    /// What OpenSSL tells in a handshake comes first: it ends at the first fault, and builds the chain before all else.
    var sorted: [ChainFault] { faults.sorted { $0.rank < $1.rank } }

    private static func rank(_ kind: ChainFault.Kind) -> Int {
        switch kind {
        case .anchor: 0
        case .form: 1
        case .name: 2
        case .date: 3
        }
    }

    private static func kind(_ code: CInt) -> ChainFault.Kind {
        switch code {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .name
        case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID: .date
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED:
            .anchor
        default: .form
        }
    }
}
