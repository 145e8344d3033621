import COpenSSL

/// Judges chains by several requirements, in the place of OpenSSL's single verification.
///
/// Pins are compared with the chain that OpenSSL has built and verified, never with the certificates as they were sent:
/// an origin can send any certificate, also those that did not sign its own. Each pair of anchors and host is verified
/// once, however many requirements ask for it.
///
/// Sendable because the stores are locked inside OpenSSL; everything else is immutable.
final class ChainEvaluator: @unchecked Sendable {
    private struct Requirement {
        let checksChain: Bool
        let checksHost: Bool
        /// Of ``stores``.
        let store: Int
        let pins: Pins?
    }

    /// Security level 2 of OpenSSL: no SHA-1, no RSA keys below 2048 bits.
    private static let authLevel: CInt = 2

    private let requirements: [Requirement]
    private let stores: [OpaquePointer]
    /// The requirement whose chain is the connection's, and by which its result reads.
    private let main: Int
    private let isStrict: Bool

    /// - Parameters:
    ///   - requirements: at least one.
    ///   - isStrict: nothing is forgiven below a trust anchor.
    ///   - unwritten: PEM texts of files that are not there yet.
    init(
        _ requirements: [ChainRequirement], isStrict: Bool, unwritten: [String: String] = [:]
    ) throws(TLSFailure) {
        self.isStrict = isStrict
        var anchors: [ChainRequirement.Anchors] = []
        var own: [Requirement] = []
        for requirement in requirements {
            if !anchors.contains(requirement.anchors) { anchors.append(requirement.anchors) }
            own.append(
                Requirement(
                    checksChain: requirement.checksChain, checksHost: requirement.checksHost,
                    store: anchors.firstIndex(of: requirement.anchors) ?? 0,
                    pins: try requirement.pins.map { (pins) throws(TLSFailure) in try Pins(pins, unwritten) }))
        }
        var stores: [OpaquePointer] = []
        do throws(TLSFailure) {
            for anchors in anchors { stores.append(try Self.store(anchors, unwritten)) }
        } catch {
            for store in stores { X509_STORE_free(store) }
            throw error
        }
        self.requirements = own
        self.stores = stores
        main = own.firstIndex { $0.checksHost } ?? own.firstIndex { $0.checksChain } ?? 0
    }

    deinit { for store in stores { X509_STORE_free(store) } }

    /// Lets it judge all handshakes of a context, which must keep it.
    func use(in context: OpaquePointer) {
        SSL_CTX_set_cert_verify_callback(
            context,
            { context, evaluator in
                guard let context, let evaluator else { return 0 }
                return Unmanaged<ChainEvaluator>.fromOpaque(evaluator).takeUnretainedValue().judge(context)
            }, Unmanaged.passUnretained(self).toOpaque())
        // OpenSSL makes the first of all verifications with the context's own store.
        SSL_CTX_set1_cert_store(context, stores[requirements[main].store])
    }

    private static func store(
        _ anchors: ChainRequirement.Anchors, _ unwritten: [String: String]
    ) throws(TLSFailure) -> OpaquePointer {
        guard let store = X509_STORE_new() else { throw .configuration("no store of authorities could be made") }
        do throws(TLSFailure) {
            switch anchors {
            case .system(let extra): try SystemAuthorities.use(inStore: store, extra: extra, unwritten)
            case .only(let files): try SystemAuthorities.add(files, to: store, unwritten)
            }
        } catch {
            X509_STORE_free(store)
            throw error
        }
        return store
    }

    /// One verification, kept until the handshake's judgement is over.
    private struct Check {
        let store: Int
        let checksHost: Bool
        let code: CInt
        /// X509_STORE_CTX with the chain.
        let context: OpaquePointer

        /// A check with the host, if it passed, is also one without.
        func meets(_ store: Int, _ checksHost: Bool) -> Bool {
            self.store == store && (self.checksHost == checksHost || self.checksHost && code == X509_V_OK)
        }
    }

    /// Judges a chain without a connection; true if every requirement is met.
    ///
    /// - Parameters:
    ///   - callback: called by OpenSSL in the place of the usual one, with `data` as the application's.
    func judge(
        _ chain: OpaquePointer, for host: HostName,
        callback: (@convention(c) (CInt, OpaquePointer?) -> CInt)? = nil, data: UnsafeMutableRawPointer? = nil
    ) -> Bool {
        guard let context = X509_STORE_CTX_new(),
            X509_STORE_CTX_init(
                context, stores[requirements[main].store], shunt_X509_stack_at(chain, 0), chain) == 1
        else { return false }
        defer { X509_STORE_CTX_free(context) }
        X509_STORE_CTX_set_default(context, "ssl_server")
        X509_STORE_CTX_set_verify_cb(context, callback ?? VerifyCallback.judging(isStrict: isStrict))
        X509_STORE_CTX_set_ex_data(context, 0, data)
        let parameters = X509_STORE_CTX_get0_param(context)
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_X509_STRICT))
        return host.expect(in: parameters) && judge(context) == 1
    }

    /// The result of OpenSSL's callback: 1 if every requirement is met.
    private func judge(_ context: OpaquePointer) -> CInt {
        var checks: [Check] = []
        defer {
            for check in checks where check.context != context { X509_STORE_CTX_free(check.context) }
        }
        // In full, also where less is asked: log and inspector tell what would have been wrong.
        let full = Check(
            store: requirements[main].store, checksHost: true, code: Self.verify(context), context: context)
        checks.append(full)
        for requirement in requirements {
            guard requirement.checksChain else {
                if let pins = requirement.pins, !Self.leadsToPin(context, pins) { return refuse(context, pins) }
                continue
            }
            let check: Check
            if let known = checks.first(where: { $0.meets(requirement.store, requirement.checksHost) }) {
                check = known
            } else {
                guard let made = verify(context, requirement) else { return 0 }
                checks.append(made)
                check = made
            }
            guard check.code == X509_V_OK else {
                X509_STORE_CTX_set_error(context, check.code)
                return 0
            }
            if let pins = requirement.pins, !Self.chain(check.context).contains(where: pins.contains) {
                return refuse(context, pins)
            }
        }
        let isVerified = requirements.contains { $0.checksHost }
        X509_STORE_CTX_set_error(context, isVerified ? X509_V_OK : full.code)
        return 1
    }

    private static func verify(_ context: OpaquePointer) -> CInt {
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), authLevel)
        if X509_verify_cert(context) == 1 { return X509_V_OK }
        let code = X509_STORE_CTX_get_error(context)
        return code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code
    }

    /// A verification beside the connection's own one, with other anchors or without the host.
    private func verify(_ context: OpaquePointer, _ requirement: Requirement) -> Check? {
        guard let other = X509_STORE_CTX_new(),
            X509_STORE_CTX_init(
                other, stores[requirement.store], X509_STORE_CTX_get0_cert(context),
                X509_STORE_CTX_get0_untrusted(context)) == 1
        else { return nil }
        X509_STORE_CTX_set_default(other, "ssl_server")
        X509_STORE_CTX_set_verify_cb(other, VerifyCallback.judging(isStrict: isStrict))
        let connection = SSL_get_ex_data_X509_STORE_CTX_idx()
        X509_STORE_CTX_set_ex_data(other, connection, X509_STORE_CTX_get_ex_data(context, connection))
        let parameters = X509_STORE_CTX_get0_param(other)
        X509_VERIFY_PARAM_set1(parameters, X509_STORE_CTX_get0_param(context))
        if !requirement.checksHost {
            X509_VERIFY_PARAM_set1_host(parameters, nil, 0)
            X509_VERIFY_PARAM_set1_ip(parameters, nil, 0)
        }
        return Check(
            store: requirement.store, checksHost: requirement.checksHost, code: Self.verify(other), context: other)
    }

    /// Whether the certificate is pinned, or signed by a pinned one, directly or through authorities.
    ///
    /// For pins that stand alone: dates, anchors and names do not count, signatures do. Without them an origin could
    /// send a pinned certificate beside one of its own.
    private static func leadsToPin(_ context: OpaquePointer, _ pins: Pins) -> Bool {
        // It speaks for itself, whatever its chain is.
        if let own = X509_STORE_CTX_get0_cert(context), pins.contains(own) { return true }
        let sent = X509_STORE_CTX_get0_untrusted(context)
        guard let store = X509_STORE_new() else { return false }
        defer { X509_STORE_free(store) }
        var hasPin = false
        for index in 0..<shunt_X509_stack_count(sent) {
            guard let certificate = shunt_X509_stack_at(sent, index), pins.contains(certificate) else { continue }
            X509_STORE_add_cert(store, certificate)
            hasPin = true
        }
        guard hasPin, let own = X509_STORE_CTX_new() else { return false }
        defer { X509_STORE_CTX_free(own) }
        guard X509_STORE_CTX_init(own, store, X509_STORE_CTX_get0_cert(context), sent) == 1 else { return false }
        let parameters = X509_STORE_CTX_get0_param(own)
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME))
        let isLed = verify(own) == X509_V_OK
        ERR_clear_error()
        return isLed
    }

    private static func chain(_ context: OpaquePointer) -> [OpaquePointer] {
        let stack = X509_STORE_CTX_get0_chain(context)
        return (0..<shunt_X509_stack_count(stack)).compactMap { shunt_X509_stack_at(stack, $0) }
    }

    /// Says that no pin was met, with the pins that would have been.
    private func refuse(_ context: OpaquePointer, _ pins: Pins) -> CInt {
        let sent = X509_STORE_CTX_get0_untrusted(context)
        let chain = (0..<shunt_X509_stack_count(sent)).compactMap { shunt_X509_stack_at(sent, $0) }
            .map { SeenCertificate($0) }
        let reason = "no pinned \(pins.what) is in the chain"
        let code = X509_V_ERR_APPLICATION_VERIFICATION
        Session.of(context: context)?.callbackFailure = TLSFailure(
            .certificateRejected(.pin, reason: reason, chain: chain),
            "the origin's certificate was rejected: \(reason) (seen: "
                + chain.map { "\($0.summary), \($0.pin)" }.joined(separator: " < ") + ")")
        X509_STORE_CTX_set_error(context, code)
        return 0
    }
}
