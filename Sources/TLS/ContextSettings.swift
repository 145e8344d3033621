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
            context, SHUNT_OP_NO_COMPRESSION | SHUNT_OP_IGNORE_UNEXPECTED_EOF)
        // Without NO_AUTO_CHAIN, OpenSSL searches its trust store for issuers in every handshake.
        _ = shunt_SSL_CTX_set_mode(
            context,
            SHUNT_MODE_PARTIAL_WRITE | SHUNT_MODE_MOVING_BUFFER | SHUNT_MODE_NO_AUTO_CHAIN)
        _ = shunt_SSL_CTX_set_read_ahead(context, 1)
        KeyLog.follow(context)
        return context
    }

    /// Restricts a client's context to a version and later ones, and to some cipher suites unless there are none.
    static func limit(_ context: OpaquePointer, _ oldest: TLSVersion, _ ciphers: [String]) throws(TLSFailure) {
        // Level 2: no SHA-1 in chains, no RSA keys below 2048 bits. OpenSSL speaks TLS 1.1 and older below level 1 only.
        let isOld = oldest == .tls10 || oldest == .tls11
        SSL_CTX_set_security_level(context, isOld ? 0 : 2)
        var minimum = oldest.number
        if !ciphers.isEmpty {
            let new = ciphers.filter { $0.hasPrefix("TLS_") }
            let old = ciphers.filter { !$0.hasPrefix("TLS_") }
            for name in ciphers {
                let isKnown =
                    name.hasPrefix("TLS_")
                    ? SSL_CTX_set_ciphersuites(context, name)
                    : SSL_CTX_set_cipher_list(context, name)
                guard isKnown == 1 else {
                    throw .configuration(
                        "“\(name)” is no cipher suite that OpenSSL offers (`openssl ciphers -s` lists them)")
                }
            }
            if !new.isEmpty { SSL_CTX_set_ciphersuites(context, new.joined(separator: ":")) }
            if !old.isEmpty { SSL_CTX_set_cipher_list(context, old.joined(separator: ":")) }
            if new.isEmpty {
                guard oldest != .tls13 else {
                    throw TLSFailure(
                        .configuration, "none of the ciphers \(old.joined(separator: ", ")) is one of TLS 1.3")
                }
                _ = shunt_SSL_CTX_set_max_proto_version(context, TLS1_2_VERSION)
            }
            if old.isEmpty { minimum = TLS1_3_VERSION }
        }
        _ = shunt_SSL_CTX_set_min_proto_version(context, minimum)
        ERR_clear_error()
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
