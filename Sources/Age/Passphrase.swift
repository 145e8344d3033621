/// A passphrase that a file is sealed under, and opened with.
package struct Passphrase: AgeRecipient, AgeIdentity {
    static let type = "scrypt"
    static let label = "age-encryption.org/v1/scrypt"
    /// As age has it: about a second, and 256 MiB of memory.
    package static let usualWorkFactor = 18
    /// More would let a file take all the memory of a machine.
    static let maxWorkFactor = 22
    static let saltSize = 16

    private let secret: SecretBytes
    private let workFactor: Int

    package init(_ secret: SecretBytes, workFactor: Int = usualWorkFactor) {
        self.secret = secret
        self.workFactor = workFactor
    }

    package var isAlone: Bool { true }

    package func wrap(_ fileKey: SecretBytes) throws(AgeFailure) -> [AgeStanza] {
        let salt = Primitives.random(Self.saltSize)
        let key = try key(salt, workFactor)
        return [
            AgeStanza(
                Self.type, [StrictBase64.text(salt), "\(workFactor)"], try Primitives.wrap(fileKey, under: key))
        ]
    }

    package func unwrap(_ stanzas: [AgeStanza]) throws(AgeFailure) -> SecretBytes? {
        guard let stanza = stanzas.map(\.stanza).first(where: { $0.type == Self.type }) else { return nil }
        guard stanza.arguments.count == 2, let salt = StrictBase64.bytes(stanza.arguments[0].utf8),
            salt.count == Self.saltSize
        else { throw .header("a recipient “scrypt” has no salt of 16 bytes") }
        let digits = stanza.arguments[1]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !digits.hasPrefix("0"), digits.utf8.count <= 2,
            let factor = Int(digits)
        else { throw .header("the work factor of a recipient “scrypt” is not a number") }
        guard factor <= Self.maxWorkFactor else {
            throw .header("the work factor \(factor) is too high; \(Self.maxWorkFactor) is the highest")
        }
        try FileKey.check(stanza)
        return try FileKey.unwrap(stanza.body, under: try key(salt, factor))
    }

    private func key(_ salt: [UInt8], _ factor: Int) throws(AgeFailure) -> SecretBytes {
        try Primitives.scrypt(secret, salt: Array(Self.label.utf8) + salt, workFactor: factor)
    }
}
