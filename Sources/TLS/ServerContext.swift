import COpenSSL
import Platform

/// Where a server's certificates come from.
public enum Identities: Sendable {
    /// A certificate per host asked for, made when it is first needed.
    case development(DevelopmentCA)
    /// One certificate for everything.
    case own(Identity)
}

/// The protocol versions spoken.
public enum ProtocolVersion: Sendable, CaseIterable {
    case tls12, tls13
}

/// The context of all connections of clients, on every worker.
///
/// Sendable because SSL_CTX is counted and locked inside OpenSSL and is not changed after `init`; everything else is
/// immutable. One context for all workers lets a ticket given by one be taken by another.
public final class ServerContext: @unchecked Sendable {
    let pointer: OpaquePointer
    private let identities: Identities
    private let protocols: [UInt8]
    let tickets: TicketKeys
    /// Clients without a certificate are refused.
    public let wantsCertificates: Bool

    /// - Parameters:
    ///   - alpn: application protocols to agree to, the preferred one first; none for no negotiation.
    ///   - newest: the newest protocol version to speak, to see how a client does with an older one.
    ///   - clientAuthorities: a PEM file; clients must show a certificate of one of these authorities. nil asks for none.
    ///   - clock: seconds, by which ticket keys are renewed; nil for the system's.
    public init(
        identities: Identities, alpn: [String] = ["http/1.1"], newest: ProtocolVersion = .tls13,
        clientAuthorities: String? = nil, clock: (@Sendable () -> Int64)? = nil
    ) throws(TLSFailure) {
        self.identities = identities
        tickets = TicketKeys(clock: clock ?? { Int64(time(nil)) })
        wantsCertificates = clientAuthorities != nil
        protocols = try ContextSettings.encode(alpn: alpn)
        pointer = try ContextSettings.make(TLS_server_method())
        // From here on `deinit` frees the pointer, also where this throws.
        SSL_CTX_set_options(
            pointer, SHUNT_OP_NO_RENEGOTIATION | SHUNT_OP_SERVER_PREFERENCE | SHUNT_OP_PRIORITIZE_CHACHA)
        _ = shunt_SSL_CTX_set_max_proto_version(pointer, newest == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION)
        // Tickets carry the session; a cache would only add a lock and memory.
        _ = shunt_SSL_CTX_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        SSL_CTX_set_num_tickets(pointer, 1)
        SSL_CTX_set_timeout(pointer, Int(2 * TicketKeys.period))
        _ = shunt_SSL_CTX_set_ticket_callback(pointer, useTicketKey)
        SSL_CTX_set_session_id_context(pointer, "shunt", 5)
        let own = Unmanaged.passUnretained(self).toOpaque()
        switch identities {
        case .own(let identity): try identity.use(inContext: pointer)
        case .development: SSL_CTX_set_cert_cb(pointer, chooseCertificate, own)
        }
        _ = shunt_SSL_CTX_set_servername_callback(pointer, judgeServerName)
        if !protocols.isEmpty { SSL_CTX_set_alpn_select_cb(pointer, chooseProtocol, own) }
        if let clientAuthorities { try require(clientAuthorities) }
    }

    /// Lets in clients of these authorities alone.
    private func require(_ file: String) throws(TLSFailure) {
        ERR_clear_error()
        guard let names = SSL_load_client_CA_file(file), SSL_CTX_load_verify_file(pointer, file) == 1 else {
            throw .configuration("no certificate authority could be read from \(file)")
        }
        // The names help clients to choose among their certificates; the context owns them from here on.
        SSL_CTX_set_client_CA_list(pointer, names)
        SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, VerifyCallback.judgeStrictly)
        X509_VERIFY_PARAM_set_flags(
            SSL_CTX_get0_param(pointer), UInt(X509_V_FLAG_X509_STRICT | X509_V_FLAG_PARTIAL_CHAIN))
        SSL_CTX_set_security_level(pointer, 2)
    }

    deinit { SSL_CTX_free(pointer) }

    /// What a client that breaks off a handshake may not trust.
    var issuerText: String {
        if case .development = identities { "the development CA" } else { "the CA of Shunt's certificate" }
    }

    fileprivate func identity(for ssl: OpaquePointer, _ session: Session) throws(TLSFailure) -> Identity {
        switch identities {
        case .own(let identity): identity
        case .development(let authority):
            if let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) {
                try authority.identity(for: String(cString: name))
            } else {
                try authority.identity(forConnection: session.descriptor)
            }
        }
    }

    fileprivate func select(
        _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>, _ count: UnsafeMutablePointer<UInt8>,
        from offered: UnsafePointer<UInt8>, _ length: CUnsignedInt
    ) -> CInt {
        var chosen: UnsafeMutablePointer<UInt8>?
        let length = CUnsignedInt(length)
        let result = protocols.withUnsafeBufferPointer {
            SSL_select_next_proto(&chosen, count, $0.baseAddress, CUnsignedInt($0.count), offered, length)
        }
        // RFC 7301, 3.2: no common protocol ends the handshake. Going on would meet, say, HTTP/2 unprepared.
        guard result == OPENSSL_NPN_NEGOTIATED, let chosen else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        // It points into either list; ours lives as long as this context.
        out.pointee = UnsafePointer(chosen)
        return SSL_TLSEXT_ERR_OK
    }
}

private func chooseCertificate(_ ssl: OpaquePointer?, _ context: UnsafeMutableRawPointer?) -> CInt {
    guard let ssl, let context, let session = Session.of(ssl) else { return 0 }
    let server = Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
    do throws(TLSFailure) {
        try server.identity(for: ssl, session).use(in: ssl)
        return 1
    } catch {
        session.callbackFailure = error
        return 0
    }
}

/// Accepts the name, so that a ticket belongs to it, or refuses an invalid host.
private func judgeServerName(
    _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<CInt>?, _: UnsafeMutableRawPointer?
) -> CInt {
    guard let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else { return SSL_TLSEXT_ERR_NOACK }
    if HostName(String(cString: name)) != nil { return SSL_TLSEXT_ERR_OK }
    alert?.pointee = SSL_AD_UNRECOGNIZED_NAME
    Session.of(ssl)?.callbackFailure = TLSFailure(
        .handshakeFailed, "the client asked for “\(escaped(name))”, which is no host name")
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

private func chooseProtocol(
    _: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ count: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ length: CUnsignedInt, _ context: UnsafeMutableRawPointer?
) -> CInt {
    guard let out, let count, let offered, let context else { return SSL_TLSEXT_ERR_NOACK }
    let server = Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
    return server.select(out, count, from: offered, length)
}

/// A peer's bytes, made harmless for a message.
private func escaped(_ name: UnsafePointer<CChar>) -> String {
    String(
        String(cString: name).unicodeScalars.prefix(80).map {
            $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0)
        })
}
