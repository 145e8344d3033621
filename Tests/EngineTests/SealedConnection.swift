import COpenSSL
import TLS
import TestSupport

/// The server's end of TLS on a connection, whose script decides which bytes leave together.
final class SealedConnection {
    struct Failure: Error {}

    private let connection: RawConnection
    private let ssl: OpaquePointer
    private let received: OpaquePointer
    private let sealed: OpaquePointer

    /// Shakes hands; the tickets of TLS 1.3 are sent, too.
    ///
    /// - Parameter wantsCertificate: clients that show none are refused.
    init(_ connection: RawConnection, _ context: Context, wantsCertificate: Bool = false) throws {
        self.connection = connection
        guard let ssl = SSL_new(context.pointer), let received = BIO_new(BIO_s_mem()), let sealed = BIO_new(BIO_s_mem())
        else { throw Failure() }
        (self.ssl, self.received, self.sealed) = (ssl, received, sealed)
        SSL_set_bio(ssl, received, sealed)
        SSL_set_accept_state(ssl)
        if wantsCertificate { wantCertificate(orFail: true) }
        try shakeHands()
        try connection.send(take())
    }

    private func wantCertificate(orFail: Bool) {
        SSL_set_verify(ssl, SSL_VERIFY_PEER | (orFail ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0)) { _, _ in 1 }
    }

    private func shakeHands() throws {
        while true {
            let result = SSL_do_handshake(ssl)
            if result == 1 { return }
            guard SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else {
                try connection.send(take())
                throw Failure()
            }
            try receive()
        }
    }

    /// Asks for another handshake (TLS 1.2), in which the client shall show a certificate.
    ///
    /// - Parameter context: the certificate that the server shows from now on.
    /// - Returns: whether it has shown one.
    func renegotiate(showing context: Context? = nil) throws -> Bool {
        if let context { SSL_set_SSL_CTX(ssl, context.pointer) }
        wantCertificate(orFail: false)
        guard SSL_renegotiate(ssl) == 1, SSL_do_handshake(ssl) == 1 else { throw Failure() }
        var byte: UInt8 = 0
        while SSL_renegotiate_pending(ssl) == 1 || SSL_in_init(ssl) == 1 {
            let result = SSL_read(ssl, &byte, 1)
            guard result <= 0, SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { throw Failure() }
            if SSL_renegotiate_pending(ssl) == 1 || SSL_in_init(ssl) == 1 { try receive() }
        }
        try connection.send(take())
        return SSL_get0_peer_certificate(ssl) != nil
    }

    deinit { SSL_free(ssl) }

    /// What a context of OpenSSL's needs: a certificate that no authority has signed.
    final class Context: @unchecked Sendable {
        let pointer: OpaquePointer

        init(_ newest: ProtocolVersion) throws {
            guard let context = SSL_CTX_new(TLS_server_method()), let key = shunt_P256_generate(),
                let certificate = X509_new()
            else { throw Failure() }
            defer {
                EVP_PKEY_free(key)
                X509_free(certificate)
            }
            X509_gmtime_adj(X509_getm_notBefore(certificate), -3600)
            X509_gmtime_adj(X509_getm_notAfter(certificate), 3600)
            X509_set_pubkey(certificate, key)
            X509_sign(certificate, key, EVP_sha256())
            SSL_CTX_use_certificate(context, certificate)
            SSL_CTX_use_PrivateKey(context, key)
            _ = shunt_SSL_CTX_set_max_proto_version(context, newest == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION)
            pointer = context
        }

        deinit { SSL_CTX_free(pointer) }
    }

    /// Text in records of up to 16 KiB, to be sent in any pieces.
    func seal(_ text: String) throws -> [UInt8] {
        guard SSL_write(ssl, text, CInt(text.utf8.count)) > 0 else { throw Failure() }
        return take()
    }

    /// A close_notify.
    func sealEnd() -> [UInt8] {
        SSL_shutdown(ssl)
        return take()
    }

    /// A session ticket of TLS 1.3, outside the handshake.
    func sealTicket() throws -> [UInt8] {
        guard SSL_new_session_ticket(ssl) == 1, SSL_do_handshake(ssl) == 1 else { throw Failure() }
        return take()
    }

    /// A KeyUpdate of TLS 1.3, which asks for one in return.
    func sealKeyUpdate() throws -> [UInt8] {
        guard SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1, SSL_do_handshake(ssl) == 1 else { throw Failure() }
        return take()
    }

    /// All up to and with the empty line behind a head.
    func readHead() throws -> String {
        var text: [UInt8] = []
        while !text.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var byte: UInt8 = 0
            if SSL_read(ssl, &byte, 1) == 1 { text.append(byte) } else { try receive() }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// So many bytes.
    func read(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var byte: UInt8 = 0
            if SSL_read(ssl, &byte, 1) == 1 { bytes.append(byte) } else { try receive() }
        }
        return bytes
    }

    private func receive() throws {
        try connection.send(take())
        let bytes = try connection.readSome()
        guard !bytes.isEmpty, BIO_write(received, bytes, CInt(bytes.count)) == bytes.count else { throw Failure() }
    }

    private func take() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(BIO_ctrl_pending(sealed)))
        if !bytes.isEmpty { _ = BIO_read(sealed, &bytes, CInt(bytes.count)) }
        return bytes
    }
}
