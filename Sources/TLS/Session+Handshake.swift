import COpenSSL

extension Session {
    /// Goes on with the handshake; `.bytes(0)` says that it is done and everything of it sent.
    public func handshake() throws(TLSFailure) -> SessionOutcome {
        if isEstablished { return try flush() }
        guard try flush() == .bytes(0) else { return .wantWrite }
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 {
            isEstablished = true
            // RFC 9113 9.2.1.
            if !isServer, alpn == "h2" { refuseRenegotiation() }
            return try flush()
        }
        let reason = SSL_get_error(ssl, result)
        if reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE {
            // The peer cannot go on before it has all of our flight.
            guard try flush() == .bytes(0) else { return .wantWrite }
            return reason == SSL_ERROR_WANT_READ ? .wantRead : .wantWrite
        }
        throw broken(handshakeFailure(reason))
    }

    private func handshakeFailure(_ reason: CInt) -> TLSFailure {
        let stack = ErrorStack.take()
        // The alert for the peer may still wait.
        wire.pointee.send()
        if let callbackFailure { return callbackFailure }
        if let code = stack.tlsReason {
            return isServer ? serverFailure(code, stack) : clientFailure(code, stack)
        }
        if let failure = systemFailure() { return failure }
        if wire.pointee.sawEnd {
            return TLSFailure(.truncated, "the \(peer) closed the connection during the TLS handshake\(distrustHint)")
        }
        return TLSFailure(
            .handshakeFailed,
            stack.entries.isEmpty ? "the TLS handshake failed (\(reason))" : "the TLS handshake failed: \(stack.text)")
    }

    private func clientFailure(_ code: Int, _ stack: ErrorStack) -> TLSFailure {
        if code == SSL_R_CERTIFICATE_VERIFY_FAILED {
            let seen = verification
            let chain = seen.chain.map(\.summary).joined(separator: " < ")
            let nameCodes = [X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH]
            let isName = nameCodes.contains { Int($0) == seen.code }
            return TLSFailure(
                .certificateRejected(isName ? .name : .chain, reason: seen.reason, chain: seen.chain),
                "the origin's certificate was rejected: \(seen.reason)" + (chain.isEmpty ? "" : " (seen: \(chain))"))
        }
        if code == Int(SSL_R_UNSUPPORTED_PROTOCOL) || code == Int(SSL_R_TLSV1_ALERT_PROTOCOL_VERSION) {
            let oldest = (context as? ClientContext)?.oldest ?? .tls12
            return TLSFailure(
                .oldProtocol, "the origin speaks only versions of TLS that are older than \(oldest.rawValue)")
        }
        if Self.foreign.contains(code) {
            return TLSFailure(
                .notTLS, "the origin responded without TLS, perhaps in plain HTTP (OpenSSL: \(stack.text))")
        }
        return commonFailure(code, stack)
    }

    private func serverFailure(_ code: Int, _ stack: ErrorStack) -> TLSFailure {
        if code == SSL_R_HTTP_REQUEST || code == SSL_R_HTTPS_PROXY_REQUEST {
            return TLSFailure(.notTLS, "the client spoke plain http to a TLS port (OpenSSL: \(stack.text))")
        }
        if Self.foreign.contains(code) {
            return TLSFailure(.notTLS, "what the client sent is not TLS (OpenSSL: \(stack.text))")
        }
        return commonFailure(code, stack)
    }

    /// OpenSSL's reasons for an invalid first record.
    private static let foreign = [
        Int(SSL_R_WRONG_VERSION_NUMBER), Int(SSL_R_HTTP_REQUEST), Int(SSL_R_HTTPS_PROXY_REQUEST),
        Int(SSL_R_PACKET_LENGTH_TOO_LONG),
    ]
}

extension Session {
    /// The other end: a client or an origin.
    var peer: String { isServer ? "client" : "origin" }

    func broken(_ failure: TLSFailure) -> TLSFailure {
        isBroken = true
        return failure
    }

    func systemFailure() -> TLSFailure? {
        let error = wire.pointee.receiveError != 0 ? wire.pointee.receiveError : wire.pointee.sendError
        return error == 0 ? nil : .system(error, "the connection to the \(peer) broke", note: distrustHint)
    }

    /// For a client that has left after it had seen the certificate: some say nothing.
    private var distrustHint: String {
        let state = SSL_get_state(ssl)
        let sawCertificate =
            isServer && !isEstablished && !wasResumed && state != TLS_ST_BEFORE && state != TLS_ST_SR_CLNT_HELLO
        return sawCertificate ? trustQuestion : ""
    }

    private var trustQuestion: String {
        (context as? ServerContext).map { ": does it trust \($0.issuerText)?" } ?? ""
    }

    /// Alerts about a certificate (RFC 8446 6.2): curl, Python and Node send unknown_ca, Chromium and Java
    /// certificate_unknown, Go bad_certificate.
    private static let distrust: Set<CInt> = [
        SSL_AD_BAD_CERTIFICATE, SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA,
    ]
    /// Further ones that an origin may send where it wants another certificate of its client, or one at all.
    private static let demand: Set<CInt> = [
        SSL_AD_CERTIFICATE_REQUIRED, SSL_AD_HANDSHAKE_FAILURE, SSL_AD_UNSUPPORTED_CERTIFICATE,
        SSL_AD_CERTIFICATE_REVOKED, SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_ACCESS_DENIED,
    ]

    /// A failure of the protocol itself, or the peer's alert.
    func commonFailure(_ code: Int, _ stack: ErrorStack) -> TLSFailure {
        if code > Int(SSL_AD_REASON_OFFSET), code <= Int(SSL_AD_REASON_OFFSET) + 255 {
            let number = CInt(code) - SSL_AD_REASON_OFFSET
            // OpenSSL 3.0 has no words for it.
            let isRequired = number == SSL_AD_CERTIFICATE_REQUIRED
            let alert = isRequired ? "certificate required" : String(cString: SSL_alert_desc_string_long(number))
            let isDistrust = Self.distrust.contains(number)
            let said = "the TLS alert “\(alert)”"
            let showsCertificate = (context as? ClientContext)?.hasIdentity == true
            if !isServer, lacksCertificate || showsCertificate, isDistrust || Self.demand.contains(number) {
                let wish = lacksCertificate ? "wants a client certificate" : "refused the client certificate"
                certificateComplaint = "\(wish) (\(said))"
                return TLSFailure(.clientCertificate, "the origin \(wish) (\(said))")
            }
            return TLSFailure(
                .peerAlert(alert),
                "the \(peer) refused with \(said)\(isServer && isDistrust ? trustQuestion : "") (OpenSSL: \(stack.text))"
            )
        }
        return TLSFailure(
            isEstablished ? .protocolError : .handshakeFailed,
            isEstablished
                ? "the \(peer) broke the TLS protocol: \(stack.text)"
                : "the TLS handshake with the \(peer) failed: \(stack.text)")
    }
}
