/// A public key, or a passphrase, that a file is sealed to.
package protocol AgeRecipient: Sendable {
    func wrap(_ fileKey: SecretBytes) throws(AgeFailure) -> [AgeStanza]
    /// A file that is sealed to it has no other recipient.
    var isAlone: Bool { get }
}

extension AgeRecipient {
    package var isAlone: Bool { false }
}

/// A private key, or a passphrase, that opens files.
package protocol AgeIdentity: Sendable {
    /// The key of the file; nil if none of the stanzas is for this identity.
    func unwrap(_ stanzas: [AgeStanza]) throws(AgeFailure) -> SecretBytes?
}

/// A ``Stanza``, for other modules without its parts.
package struct AgeStanza: Sendable {
    let stanza: Stanza

    init(_ type: String, _ arguments: [String], _ body: [UInt8]) {
        stanza = Stanza(type: type, arguments: arguments, body: body)
    }

    init(_ stanza: Stanza) { self.stanza = stanza }
}

/// The key of a file, 16 bytes.
enum FileKey {
    static let size = 16
    static let wrappedSize = size + Primitives.tagSize

    static func unwrap(_ body: [UInt8], under key: SecretBytes) throws(AgeFailure) -> SecretBytes? {
        try Primitives.unwrap(body, under: key)
    }

    /// Throws where the body cannot be the wrapped key of a file, so that nothing else is decrypted.
    static func check(_ stanza: Stanza) throws(AgeFailure) {
        guard stanza.body.count == wrappedSize else {
            throw .header("the body of a recipient “\(stanza.type)” has not \(wrappedSize) bytes")
        }
    }
}
