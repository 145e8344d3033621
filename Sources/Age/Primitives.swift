import COpenSSL

/// The calculations of age, each by OpenSSL.
enum Primitives {
    static let keySize = 32
    static let tagSize = 16

    /// HMAC-SHA-256 (RFC 2104).
    static func hmac(_ key: UnsafeRawBufferPointer, _ bytes: [UInt8], _ out: UnsafeMutableRawBufferPointer) {
        var count: CUnsignedInt = 0
        // A null pointer would stand for the key of the call before.
        let empty: [UInt8] = [0]
        empty.withUnsafeBytes { none in
            let start = key.isEmpty ? none.baseAddress : key.baseAddress
            _ = HMAC(
                EVP_sha256(), start, CInt(key.count), bytes, bytes.count,
                out.baseAddress?.assumingMemoryBound(to: UInt8.self), &count)
        }
    }

    /// HKDF-SHA-256 (RFC 5869), for one block of 32 bytes.
    static func hkdf(_ secret: SecretBytes, salt: [UInt8], info: String) -> SecretBytes {
        let extracted = SecretBytes(count: keySize) { room in
            secret.withBytes { secret in
                salt.withUnsafeBytes { salt in
                    var input = Array(secret)
                    hmac(salt, input, room)
                    wipe(&input)
                }
            }
        }
        return SecretBytes(count: keySize) { room in
            extracted.withBytes { hmac($0, Array(info.utf8) + [1], room) }
        }
    }

    /// X25519 (RFC 7748); nil if the point is of low order.
    static func x25519(_ scalar: SecretBytes, _ point: [UInt8]) -> SecretBytes? {
        let own = scalar.withBytes { scalar in
            EVP_PKEY_new_raw_private_key(
                EVP_PKEY_X25519, nil, scalar.baseAddress?.assumingMemoryBound(to: UInt8.self), scalar.count)
        }
        let other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, point, point.count)
        defer {
            EVP_PKEY_free(own)
            EVP_PKEY_free(other)
        }
        guard let own, let other, let context = EVP_PKEY_CTX_new(own, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var isRight = EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, other) == 1
        let shared = SecretBytes(count: keySize) { room in
            var count = room.count
            isRight =
                isRight
                && EVP_PKEY_derive(context, room.baseAddress?.assumingMemoryBound(to: UInt8.self), &count) == 1
                && count == keySize
        }
        let isZero = shared.withBytes { $0.allSatisfy { $0 == 0 } }
        ERR_clear_error()
        return isRight && !isZero ? shared : nil
    }

    /// The public key of a scalar.
    static func x25519Public(_ scalar: SecretBytes) throws(AgeFailure) -> [UInt8] {
        let own = scalar.withBytes { scalar in
            EVP_PKEY_new_raw_private_key(
                EVP_PKEY_X25519, nil, scalar.baseAddress?.assumingMemoryBound(to: UInt8.self), scalar.count)
        }
        defer { EVP_PKEY_free(own) }
        var point = [UInt8](repeating: 0, count: keySize)
        var count = point.count
        guard let own, EVP_PKEY_get_raw_public_key(own, &point, &count) == 1 else { throw .calculation("X25519") }
        return point
    }

    /// Seals one small secret under a key that is used once, so that the nonce is zero.
    static func wrap(_ secret: SecretBytes, under key: SecretBytes) throws(AgeFailure) -> [UInt8] {
        let cipher = try ChunkCipher(key, seals: true)
        var sealed = [UInt8](repeating: 0, count: secret.count + tagSize)
        let isDone = sealed.withUnsafeMutableBytes { room in
            secret.withBytes { cipher.seal($0, into: room, nonce: [UInt8](repeating: 0, count: 12)) }
        }
        guard isDone else { throw .calculation("ChaCha20-Poly1305") }
        return sealed
    }

    /// The way back; nil if the key is not the right one.
    static func unwrap(_ sealed: [UInt8], under key: SecretBytes) throws(AgeFailure) -> SecretBytes? {
        let cipher = try ChunkCipher(key, seals: false)
        var isRight = false
        let secret = SecretBytes(count: max(0, sealed.count - tagSize)) { room in
            isRight = sealed.withUnsafeBytes {
                cipher.open($0, into: room, nonce: [UInt8](repeating: 0, count: 12))
            }
        }
        return isRight ? secret : nil
    }

    /// scrypt (RFC 7914) with r = 8 and p = 1.
    static func scrypt(_ passphrase: SecretBytes, salt: [UInt8], workFactor: Int) throws(AgeFailure) -> SecretBytes {
        var isRight = false
        let cost = UInt64(1) << UInt64(workFactor)
        let key = SecretBytes(count: keySize) { room in
            isRight = passphrase.withBytes { passphrase in
                // OpenSSL takes a null pointer for "no passphrase" and only checks the figures then.
                passphrase.withMemoryRebound(to: CChar.self) { passphrase in
                    EVP_PBE_scrypt(
                        passphrase.baseAddress, passphrase.count, salt, salt.count, cost, 8, 1,
                        cost * 8 * 128 + (1 << 20), room.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        room.count) == 1
                }
            }
        }
        guard isRight else { throw .calculation("scrypt") }
        return key
    }

    static func random(_ count: Int) -> [UInt8] {
        SecretBytes.random(count).withBytes { Array($0) }
    }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(bytes, bytes.count, &digest)
        return digest
    }
}

/// ChaCha20-Poly1305 (RFC 8439) under one key, for chunks one after the other; confined to its owner.
final class ChunkCipher {
    private let context: OpaquePointer

    init(_ key: SecretBytes, seals: Bool) throws(AgeFailure) {
        guard let context = EVP_CIPHER_CTX_new() else { throw .calculation("ChaCha20-Poly1305") }
        self.context = context
        let code = key.withBytes { key in
            EVP_CipherInit_ex(
                context, EVP_chacha20_poly1305(), nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil,
                seals ? 1 : 0)
        }
        guard code == 1 else { throw .calculation("ChaCha20-Poly1305") }
    }

    // OpenSSL overwrites the key in it.
    deinit { EVP_CIPHER_CTX_free(context) }

    /// Writes the sealed bytes and the tag behind them.
    func seal(_ plain: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, nonce: [UInt8]) -> Bool {
        guard run(plain, into: room, nonce: nonce), let start = room.baseAddress else { return false }
        var count: CInt = 0
        return EVP_CipherFinal_ex(context, (start + plain.count).assumingMemoryBound(to: UInt8.self), &count) == 1
            && EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, CInt(Primitives.tagSize), start + plain.count) == 1
    }

    /// Writes the opened bytes; false, and zeros, if the tag does not fit.
    func open(_ sealed: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, nonce: [UInt8]) -> Bool {
        let count = sealed.count - Primitives.tagSize
        guard count >= 0, room.count >= count, let start = sealed.baseAddress else { return false }
        var none: CInt = 0
        var last: UInt8 = 0
        let isRight =
            run(UnsafeRawBufferPointer(start: start, count: count), into: room, nonce: nonce)
            && EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, CInt(Primitives.tagSize),
                UnsafeMutableRawPointer(mutating: start + count))
                == 1
            && EVP_CipherFinal_ex(context, &last, &none) == 1
        if !isRight {
            OPENSSL_cleanse(room.baseAddress, room.count)
            ERR_clear_error()
        }
        return isRight
    }

    private func run(
        _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, nonce: [UInt8]
    ) -> Bool {
        guard EVP_CipherInit_ex(context, nil, nil, nil, nonce, -1) == 1 else { return false }
        guard !input.isEmpty else { return true }
        var count: CInt = 0
        return EVP_CipherUpdate(
            context, room.baseAddress?.assumingMemoryBound(to: UInt8.self), &count,
            input.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(input.count)) == 1
            && Int(count) == input.count
    }
}
