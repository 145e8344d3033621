import COpenSSL

/// `ssh-rsa`, by RSAES-OAEP with SHA-256.
package struct SSHRSARecipient: AgeRecipient {
    static let type = "ssh-rsa"
    static let label = "age-encryption.org/v1/ssh-rsa"
    static let minBits = 2048

    let wire: [UInt8]
    private let key: RSAKey

    init(wire: [UInt8], exponent: [UInt8], modulus: [UInt8]) throws(AgeFailure) {
        self.wire = wire
        key = try RSAKey(modulus: modulus, exponent: exponent, secret: nil)
        guard key.bits >= Self.minBits else {
            throw .key("the ssh-rsa key has \(key.bits) bits; at least \(Self.minBits) are needed")
        }
    }

    package func wrap(_ fileKey: SecretBytes) throws(AgeFailure) -> [AgeStanza] {
        guard let body = fileKey.withBytes({ key.run($0, opens: false) }) else { throw .calculation("RSA-OAEP") }
        return [AgeStanza(Self.type, [SSHRecipients.fingerprint(wire)], body)]
    }
}

/// The private key to ``SSHRSARecipient``.
package struct SSHRSAIdentity: AgeIdentity {
    private let recipient: SSHRSARecipient
    private let key: RSAKey

    init(wire: [UInt8], modulus: [UInt8], exponent: [UInt8], secret: [UInt8]) throws(AgeFailure) {
        recipient = try SSHRSARecipient(wire: wire, exponent: exponent, modulus: modulus)
        key = try RSAKey(modulus: modulus, exponent: exponent, secret: secret)
    }

    package func unwrap(_ stanzas: [AgeStanza]) throws(AgeFailure) -> SecretBytes? {
        for stanza in stanzas.map(\.stanza) where stanza.type == SSHRSARecipient.type {
            guard stanza.arguments.count == 1 else { throw .header("a recipient “ssh-rsa” has not one argument") }
            guard stanza.arguments[0] == SSHRecipients.fingerprint(recipient.wire) else { continue }
            guard var bytes = stanza.body.withUnsafeBytes({ key.run($0, opens: true) }) else { continue }
            defer { wipe(&bytes) }
            guard bytes.count == FileKey.size else { throw .header("a recipient “ssh-rsa” wraps no key of a file") }
            return SecretBytes(bytes)
        }
        return nil
    }
}

/// A key of OpenSSL's, public or private.
///
/// Sendable because it is not changed after `init`, and OpenSSL locks what operations on one key share.
private final class RSAKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// - Parameter secret: the private exponent.
    init(modulus: [UInt8], exponent: [UInt8], secret: [UInt8]?) throws(AgeFailure) {
        let key = shunt_RSA_key(
            modulus, CInt(modulus.count), exponent, CInt(exponent.count), secret, CInt(secret?.count ?? 0))
        guard let key else { throw .key("the ssh-rsa key is not a valid one") }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    var bits: Int { Int(EVP_PKEY_get_bits(key)) }

    /// Seals or opens a few bytes; nil if that fails.
    func run(_ bytes: UnsafeRawBufferPointer, opens: Bool) -> [UInt8]? {
        guard let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        let label = Array(SSHRSARecipient.label.utf8)
        guard (opens ? EVP_PKEY_decrypt_init(context) : EVP_PKEY_encrypt_init(context)) == 1,
            shunt_RSA_use_oaep(context, label, CInt(label.count)) == 1
        else { return nil }
        var out = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
        var count = out.count
        let input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let code =
            opens
            ? EVP_PKEY_decrypt(context, &out, &count, input, bytes.count)
            : EVP_PKEY_encrypt(context, &out, &count, input, bytes.count)
        return code == 1 ? Array(out.prefix(count)) : nil
    }
}
