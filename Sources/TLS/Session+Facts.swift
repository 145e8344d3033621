import COpenSSL

/// Facts of a connection; valid once the handshake is done.
extension Session {
    /// The name the client asked for (SNI).
    public var serverName: String? {
        SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
    }

    /// The protocol version, as in "TLSv1.3".
    public var version: String { String(cString: SSL_get_version(ssl)) }

    /// The cipher suite, as in "TLS_AES_128_GCM_SHA256".
    public var cipher: String {
        SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? ""
    }

    public var wasResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// The application protocol both ends agreed on.
    public var alpn: String? {
        var name: UnsafePointer<UInt8>?
        var count: CUnsignedInt = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        guard let name, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    /// Bytes already taken from the socket wait in the session: read before suspending on the socket.
    public var hasPendingPlaintext: Bool {
        // A close_notify right behind data is consumed with it, and no further event may report it.
        SSL_has_pending(ssl) == 1 || deferredFailure != nil || SSL_get_shutdown(ssl) & SSL_RECEIVED_SHUTDOWN != 0
    }

    /// The peer has sent bytes that were not read: plaintext, whole records, its end, or a part of a record.
    ///
    /// Whole records may hold no plaintext, as those with session tickets do: a read tells.
    public var hasPendingInput: Bool {
        // A record of which only the head has come is not counted as pending by OpenSSL.
        hasPendingPlaintext || SSL_rstate_string(ssl).map { $0[1] == CChar(UInt8(ascii: "B")) } == true
    }

    /// Encrypted bytes wait for the socket: see ``flush()``.
    public var hasPendingOutput: Bool { wire.pointee.waiting > 0 }

    /// How many encrypted bytes wait for the socket.
    public var pendingOutputCount: Int { wire.pointee.waiting }

    /// The protocol version, and the subject of the certificate that a client had to show, also where its session was
    /// resumed: "TLSv1.3, certificate of CN=build-7".
    public var clientFacts: String {
        guard wantsCertificate, let certificate = SSL_get0_peer_certificate(ssl) else { return version }
        let name = text { shunt_X509_NAME_print($0, X509_get_subject_name(certificate)) >= 0 }
        return "\(version), certificate of \(name)"
    }

    /// How the peer's certificate was judged, computed at each call.
    public var verification: Verification { Verification(ssl) }

    /// The chain as the peer sent it, each certificate as PEM text.
    public var chainPEM: [String] {
        let chain = SSL_get_peer_cert_chain(ssl)
        return (0..<shunt_X509_stack_count(chain)).compactMap { index in
            shunt_X509_stack_at(chain, index).map { next in text { PEM_write_bio_X509($0, next) == 1 } }
        }
    }
}
