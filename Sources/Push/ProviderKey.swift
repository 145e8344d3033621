import COpenSSL

/// A key of P-256, as Apple hands it out (`AuthKey_ABC123DEFG.p8`), or the public half alone.
///
/// OpenSSL counts its references with atomic operations, and signing and checking leave it as it is.
public final class ProviderKey: @unchecked Sendable {
    private let key: OpaquePointer
    /// It can sign, and not only check.
    public let isPrivate: Bool

    private init(_ key: OpaquePointer, isPrivate: Bool) { (self.key, self.isPrivate) = (key, isPrivate) }

    deinit { EVP_PKEY_free(key) }

    /// Reads PEM; nil for what is no key of P-256.
    public static func read(pem: [UInt8]) -> ProviderKey? {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let bio = BIO_new_mem_buf(pem, CInt(clamping: pem.count)) else { return nil }
        defer { BIO_free(bio) }
        // No passphrase is asked for on the terminal.
        let refuse: @convention(c) (UnsafeMutablePointer<CChar>?, CInt, CInt, UnsafeMutableRawPointer?) -> CInt = {
            _, _, _, _ in 0
        }
        if let key = PEM_read_bio_PrivateKey(bio, nil, refuse, nil) { return checked(key, isPrivate: true) }
        guard let again = BIO_new_mem_buf(pem, CInt(clamping: pem.count)) else { return nil }
        defer { BIO_free(again) }
        guard let key = PEM_read_bio_PUBKEY(again, nil, refuse, nil) else { return nil }
        return checked(key, isPrivate: false)
    }

    private static func checked(_ key: OpaquePointer, isPrivate: Bool) -> ProviderKey? {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1,
            name.prefix(count).map({ UInt8(bitPattern: $0) }).elementsEqual("prime256v1".utf8)
        else {
            EVP_PKEY_free(key)
            return nil
        }
        return ProviderKey(key, isPrivate: isPrivate)
    }

    /// A new key.
    public static func generate() -> ProviderKey? {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { return nil }
        return ProviderKey(key, isPrivate: true)
    }

    /// As PEM, the private half or the public one.
    public func pem(isPrivate: Bool) -> [UInt8]? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        let isWritten =
            isPrivate
            ? PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) : PEM_write_bio_PUBKEY(bio, key)
        var start: UnsafeMutablePointer<CChar>?
        let count = shunt_BIO_mem_data(bio, &start)
        guard isWritten == 1, let start, count > 0 else { return nil }
        return UnsafeRawBufferPointer(start: start, count: count).map { $0 }
    }

    /// An ES256 signature (RFC 7518 3.4): both numbers, 32 bytes each.
    public func sign(_ bytes: [UInt8]) -> [UInt8]? {
        guard isPrivate, let context = EVP_MD_CTX_new() else { return nil }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var der = [UInt8](repeating: 0, count: 128)
        var count = der.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &der, &count, bytes, bytes.count) == 1
        else { return nil }
        return der.withUnsafeBufferPointer { der in
            var at = der.baseAddress
            guard let signature = d2i_ECDSA_SIG(nil, &at, count) else { return nil }
            defer { ECDSA_SIG_free(signature) }
            var both = [UInt8](repeating: 0, count: 64)
            let isWhole = both.withUnsafeMutableBufferPointer { both in
                guard let start = both.baseAddress else { return false }
                return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
            }
            return isWhole ? both : nil
        }
    }

    /// Whether this key has signed the bytes.
    public func verifies(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        guard signature.count == 64, let pair = ECDSA_SIG_new() else { return false }
        defer {
            ECDSA_SIG_free(pair)
            ERR_clear_error()
        }
        let r = BN_bin2bn(signature, 32, nil)
        let s = signature.withUnsafeBufferPointer { $0.baseAddress.flatMap { BN_bin2bn($0 + 32, 32, nil) } }
        guard ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return false
        }
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(pair, &der)
        defer { CRYPTO_free(der, nil, 0) }
        guard count > 0, let der, let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, der, Int(count), bytes, bytes.count) == 1
    }
}
