import COpenSSL

/// Settings that server and client contexts have in common.
enum ContextSettings {
    /// AES-128-GCM first: the fastest suite on hardware that supports it, and strong enough.
    private static let suites13 = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
    private static let suites12 =
        "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
        + "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"

    /// A new SSL_CTX for TLS 1.2 and 1.3, with the versions, suites and groups of Mozilla's intermediate profile.
    ///
    /// - Parameter extraSuites: further suites in TLS 1.2, for older origins.
    static func make(_ method: OpaquePointer?, extraSuites: String = "") throws(TLSFailure) -> OpaquePointer {
        ERR_clear_error()
        guard let context = SSL_CTX_new(method) else { throw .configuration("no TLS context could be made") }
        let isSet =
            shunt_SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1
            && SSL_CTX_set_ciphersuites(context, suites13) == 1
            && SSL_CTX_set_cipher_list(context, suites12 + extraSuites) == 1
            && shunt_SSL_CTX_set_groups(context, "X25519:P-256:P-384") == 1
        guard isSet else {
            SSL_CTX_free(context)
            throw .configuration("the TLS library lacks what is needed")
        }
        // A bare end of file is an outcome and no error here: `Session.read` tells it from close_notify.
        SSL_CTX_set_options(
            context, SHUNT_OP_NO_RENEGOTIATION | SHUNT_OP_NO_COMPRESSION | SHUNT_OP_IGNORE_UNEXPECTED_EOF)
        // Without NO_AUTO_CHAIN, OpenSSL searches its trust store for issuers in every handshake.
        _ = shunt_SSL_CTX_set_mode(
            context,
            SHUNT_MODE_PARTIAL_WRITE | SHUNT_MODE_MOVING_BUFFER | SHUNT_MODE_NO_AUTO_CHAIN)
        _ = shunt_SSL_CTX_set_read_ahead(context, 1)
        return context
    }

    /// ALPN's wire form: each name with its length before it.
    static func encode(alpn names: [String]) throws(TLSFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        for name in names {
            guard let count = UInt8(exactly: name.utf8.count), count > 0 else {
                throw TLSFailure(.configuration, "“\(name)” cannot be the name of an application protocol")
            }
            bytes.append(count)
            bytes.append(contentsOf: name.utf8)
        }
        return bytes
    }
}
