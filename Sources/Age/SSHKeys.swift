import Bytes

/// Public keys of SSH as recipients.
enum SSHRecipients {
    /// A line of `id_….pub`: type, Base64, and a comment.
    static func recipient(_ line: String) throws(AgeFailure) -> any AgeRecipient {
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        guard words.count >= 2, let wire = Base64Decoder.bytes(String(words[1])) else {
            throw .key("the SSH key is misspelt: “\(line.prefix(40))…”")
        }
        var reader = SSHWire(wire)
        guard let type = reader.text(), type == words[0] else {
            throw .key("the SSH key is not of the type that it begins with: “\(line.prefix(40))…”")
        }
        switch type {
        case SSHEd25519Recipient.type:
            guard let point = reader.string(), reader.isEmpty else { break }
            return try SSHEd25519Recipient(wire: wire, point: point)
        case SSHRSARecipient.type:
            guard let exponent = reader.string(), let modulus = reader.string(), reader.isEmpty else { break }
            return try SSHRSARecipient(wire: wire, exponent: exponent, modulus: modulus)
        default:
            throw .key("SSH keys of type \(type) are not supported; use ssh-ed25519 or ssh-rsa")
        }
        throw .key("the SSH key is cut: “\(line.prefix(40))…”")
    }

    /// The first four bytes of the key's digest.
    static func fingerprint(_ wire: [UInt8]) -> String {
        StrictBase64.text(Array(Primitives.sha256(wire).prefix(4)))
    }
}

/// Private keys in OpenSSH's format.
enum SSHIdentities {
    static let first = "-----BEGIN OPENSSH PRIVATE KEY-----"
    static let last = "-----END OPENSSH PRIVATE KEY-----"

    static func identity(_ text: String) throws(AgeFailure) -> any AgeIdentity {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let start = lines.firstIndex(where: { $0 == first }),
            let end = lines.firstIndex(where: { $0 == last }), start < end,
            var bytes = Base64Decoder.bytes(lines[(start + 1)..<end].joined())
        else { throw .key("the private key of SSH is cut or misspelt") }
        defer { wipe(&bytes) }
        let magic = Array("openssh-key-v1".utf8) + [0]
        guard bytes.starts(with: magic) else { throw .key("the private key is not in OpenSSH's format") }
        var reader = SSHWire(bytes.dropFirst(magic.count))
        guard let cipher = reader.text(), reader.text() != nil, reader.string() != nil, reader.number() == 1,
            let wire = reader.string(), var secret = reader.string()
        else { throw .key("the private key of SSH is cut") }
        defer { wipe(&secret) }
        guard cipher == "none" else {
            throw .key(
                "the private key of SSH is under a passphrase, which needs bcrypt, and OpenSSL has none; "
                    + "make a copy without one with `ssh-keygen -p`, or seal to an age key")
        }
        return try identity(wire, secret)
    }

    private static func identity(_ wire: [UInt8], _ secret: [UInt8]) throws(AgeFailure) -> any AgeIdentity {
        var (reader, known) = (SSHWire(secret), SSHWire(wire))
        guard let one = reader.number(), one == reader.number(), let type = reader.text(), known.text() == type else {
            throw .key("the private key of SSH is damaged")
        }
        switch type {
        case SSHEd25519Recipient.type:
            guard let point = known.string(), reader.string() == point, var pair = reader.string(), pair.count == 64
            else { break }
            defer { wipe(&pair) }
            return try SSHEd25519Identity(
                try SSHEd25519Recipient(wire: wire, point: point), seed: SecretBytes(pair.prefix(32)))
        case SSHRSARecipient.type:
            guard let modulus = reader.string(), let exponent = reader.string(), var secret = reader.string(),
                known.string() == exponent, known.string() == modulus
            else { break }
            defer { wipe(&secret) }
            return try SSHRSAIdentity(wire: wire, modulus: modulus, exponent: exponent, secret: secret)
        default:
            throw .key("SSH keys of type \(type) are not supported; use ssh-ed25519 or ssh-rsa")
        }
        throw .key("the private key of SSH is cut")
    }
}
