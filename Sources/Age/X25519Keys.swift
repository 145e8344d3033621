/// A native recipient of age: `age1…`.
package struct X25519Recipient: AgeRecipient {
    static let type = "X25519"
    static let label = "age-encryption.org/v1/X25519"
    static let name = "age"

    let point: [UInt8]

    package var text: String { Bech32.text(Self.name, point) }

    init(point: [UInt8]) { self.point = point }

    package init(_ text: String) throws(AgeFailure) {
        guard text.hasPrefix("age1"), let (name, bytes) = Bech32.bytes(text) else {
            throw .key("a recipient of age is misspelt: “\(text.prefix(80))”; copy it again")
        }
        guard name == Self.name, bytes.count == Primitives.keySize else {
            throw .key(
                "recipients of this kind are not supported: “\(text.prefix(24))…”; use an X25519 one (age1…), "
                    + "ssh-ed25519 or ssh-rsa")
        }
        point = bytes
    }

    package func wrap(_ fileKey: SecretBytes) throws(AgeFailure) -> [AgeStanza] {
        let own = SecretBytes.random(Primitives.keySize)
        let share = try Primitives.x25519Public(own)
        guard let shared = Primitives.x25519(own, point) else { throw .key("a recipient of age is of low order") }
        let key = Primitives.hkdf(shared, salt: share + point, info: Self.label)
        return [AgeStanza(Self.type, [StrictBase64.text(share)], try Primitives.wrap(fileKey, under: key))]
    }
}

/// A native identity of age: `AGE-SECRET-KEY-1…`.
package struct X25519Identity: AgeIdentity {
    static let name = "age-secret-key-"

    private let scalar: SecretBytes
    package let recipient: X25519Recipient

    private init(_ scalar: SecretBytes) throws(AgeFailure) {
        self.scalar = scalar
        recipient = X25519Recipient(point: try Primitives.x25519Public(scalar))
    }

    package static func generate() throws(AgeFailure) -> X25519Identity {
        try X25519Identity(SecretBytes.random(Primitives.keySize))
    }

    package init(_ text: String) throws(AgeFailure) {
        guard text.hasPrefix("AGE-SECRET-KEY-1"), let (name, bytes) = Bech32.bytes(text), name == Self.name,
            bytes.count == Primitives.keySize
        else { throw .key("an identity of age is misspelt; it begins with AGE-SECRET-KEY-1") }
        var copy = bytes
        defer { wipe(&copy) }
        try self.init(SecretBytes(copy))
    }

    /// The secret itself, for a file that only its owner reads.
    package var secretText: String { scalar.withBytes { Bech32.text(Self.name, Array($0)).uppercased() } }

    package func unwrap(_ stanzas: [AgeStanza]) throws(AgeFailure) -> SecretBytes? {
        for stanza in stanzas.map(\.stanza) where stanza.type == X25519Recipient.type {
            guard stanza.arguments.count == 1,
                let share = StrictBase64.bytes(stanza.arguments[0].utf8), share.count == Primitives.keySize
            else { throw .header("a recipient “X25519” has no share of 32 bytes") }
            try FileKey.check(stanza)
            guard let shared = Primitives.x25519(scalar, share) else {
                throw .header("the share of a recipient “X25519” is of low order")
            }
            let key = Primitives.hkdf(shared, salt: share + recipient.point, info: X25519Recipient.label)
            if let fileKey = try FileKey.unwrap(stanza.body, under: key) { return fileKey }
        }
        return nil
    }
}
