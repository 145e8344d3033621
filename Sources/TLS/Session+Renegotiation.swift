import COpenSSL

/// Handshakes within a connection, which servers of TLS 1.2 ask for to see a client certificate (RFC 5246 7.4.1.1).
extension Session {
    /// An origin that asks for more is told that there will be none.
    private static let maxRenegotiations = 32

    /// Watches the handshakes of connections to origins; OpenSSL itself declines those that are not secure (RFC 5746).
    static func followRenegotiations(in context: OpaquePointer) {
        SSL_CTX_set_info_callback(context) { ssl, event, _ in
            guard event & (SSL_CB_HANDSHAKE_START | SSL_CB_HANDSHAKE_DONE) != 0, let session = Session.of(ssl),
                session.isEstablished
            else { return }
            session.didRenegotiate(isDone: event & SSL_CB_HANDSHAKE_DONE != 0)
        }
    }

    private func didRenegotiate(isDone: Bool) {
        let shown = SSL_get0_peer_certificate(ssl).map { SeenCertificate($0).fingerprint } ?? ""
        guard isDone else {
            shownBefore = shown
            // A resumed handshake would ask for no certificate.
            if let present = SSL_get_session(ssl) { SSL_CTX_remove_session(SSL_get_SSL_CTX(ssl), present) }
            renegotiations += 1
            if renegotiations == Self.maxRenegotiations { refuseRenegotiation() }
            return
        }
        // Another certificate would speak for what was verified, and perhaps checked for revocation, under the first.
        guard shown != shownBefore else { return }
        callbackFailure = TLSFailure(.protocolError, "the origin showed another certificate when it renegotiated")
        // Nothing that follows is read.
        SSL_set_shutdown(ssl, SSL_RECEIVED_SHUTDOWN)
    }

    /// Requests for another handshake are declined from now on (RFC 5246 7.2.2, no_renegotiation).
    func refuseRenegotiation() { SSL_set_options(ssl, SHUNT_OP_NO_RENEGOTIATION) }
}
