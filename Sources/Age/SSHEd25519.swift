import COpenSSL

/// `ssh-ed25519`, by its image on Curve25519.
package struct SSHEd25519Recipient: AgeRecipient {
    static let type = "ssh-ed25519"
    static let label = "age-encryption.org/v1/ssh-ed25519"

    /// The public key as SSH writes it.
    let wire: [UInt8]
    let point: [UInt8]

    init(wire: [UInt8], point edwards: [UInt8]) throws(AgeFailure) {
        self.wire = wire
        guard edwards.count == Primitives.keySize, let point = Self.montgomery(edwards) else {
            throw .key("the ssh-ed25519 key is not a valid one")
        }
        self.point = point
    }

    var fingerprint: String { SSHRecipients.fingerprint(wire) }

    package func wrap(_ fileKey: SecretBytes) throws(AgeFailure) -> [AgeStanza] {
        let own = SecretBytes.random(Primitives.keySize)
        let share = try Primitives.x25519Public(own)
        guard let shared = Primitives.x25519(own, point), let key = key(shared, share) else {
            throw .key("the ssh-ed25519 key is of low order")
        }
        return [
            AgeStanza(
                Self.type, [fingerprint, StrictBase64.text(share)], try Primitives.wrap(fileKey, under: key))
        ]
    }

    /// The key that wraps a file's key; it is bound to this SSH key by a second scalar.
    func key(_ shared: SecretBytes, _ share: [UInt8]) -> SecretBytes? {
        let tweak = Primitives.hkdf(SecretBytes([]), salt: wire, info: Self.label)
        let point = shared.withBytes { Array($0) }
        guard let tweaked = Primitives.x25519(tweak, point) else { return nil }
        return Primitives.hkdf(tweaked, salt: share + self.point, info: Self.label)
    }

    /// The u-coordinate (1 + y) / (1 - y) of a point of the Edwards curve (RFC 7748 4.1).
    private static func montgomery(_ edwards: [UInt8]) -> [UInt8]? {
        var bytes = edwards
        bytes[31] &= 0x7F
        let context = BN_CTX_new()
        let numbers = (0..<3).map { _ in BN_new() }
        defer {
            for number in numbers { BN_free(number) }
            BN_CTX_free(context)
        }
        let (prime, top, bottom) = (numbers[0], numbers[1], numbers[2])
        guard BN_set_word(prime, 1) == 1, BN_lshift(prime, prime, 255) == 1, BN_sub_word(prime, 19) == 1,
            BN_lebin2bn(bytes, 32, bottom) != nil, BN_cmp(bottom, prime) < 0, BN_copy(top, bottom) != nil,
            BN_add_word(top, 1) == 1, BN_set_negative(bottom, 1) == (), BN_add_word(bottom, 1) == 1,
            BN_nnmod(bottom, bottom, prime, context) == 1, BN_is_zero(bottom) == 0,
            BN_mod_inverse(bottom, bottom, prime, context) != nil,
            BN_mod_mul(top, top, bottom, prime, context) == 1
        else { return nil }
        var point = [UInt8](repeating: 0, count: 32)
        return BN_bn2lebinpad(top, &point, 32) == 32 ? point : nil
    }
}

/// The private key to ``SSHEd25519Recipient``.
package struct SSHEd25519Identity: AgeIdentity {
    private let scalar: SecretBytes
    private let recipient: SSHEd25519Recipient

    /// - Parameter seed: the secret of 32 bytes that the pair of keys is made of.
    init(_ recipient: SSHEd25519Recipient, seed: SecretBytes) throws(AgeFailure) {
        self.recipient = recipient
        scalar = SecretBytes(count: Primitives.keySize) { room in
            var digest = [UInt8](repeating: 0, count: 64)
            seed.withBytes { seed in
                _ = SHA512(seed.baseAddress?.assumingMemoryBound(to: UInt8.self), seed.count, &digest)
            }
            room.copyBytes(from: digest.prefix(Primitives.keySize))
            wipe(&digest)
        }
        guard try Primitives.x25519Public(scalar) == recipient.point else {
            throw .key("the ssh-ed25519 key's two halves do not belong together")
        }
    }

    package func unwrap(_ stanzas: [AgeStanza]) throws(AgeFailure) -> SecretBytes? {
        for stanza in stanzas.map(\.stanza) where stanza.type == SSHEd25519Recipient.type {
            guard stanza.arguments.count == 2,
                let share = StrictBase64.bytes(stanza.arguments[1].utf8), share.count == Primitives.keySize
            else { throw .header("a recipient “ssh-ed25519” has no share of 32 bytes") }
            guard stanza.arguments[0] == recipient.fingerprint else { continue }
            try FileKey.check(stanza)
            guard let shared = Primitives.x25519(scalar, share), let key = recipient.key(shared, share) else {
                throw .header("the share of a recipient “ssh-ed25519” is of low order")
            }
            if let fileKey = try FileKey.unwrap(stanza.body, under: key) { return fileKey }
        }
        return nil
    }
}
