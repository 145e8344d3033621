/// What went wrong in a TLS conversation or in its preparation, with OpenSSL's own words in the message.
public struct TLSFailure: Error, Sendable, CustomStringConvertible {
    public enum Kind: Sendable {
        /// The handshake broke for a reason no other case names.
        case handshakeFailed
        /// The peer's certificate was not accepted: why, the same in words, and the chain as it was sent.
        case certificateRejected(Rejection, reason: String, chain: [SeenCertificate])
        /// The peer ended the handshake with this alert, by its name in OpenSSL's words ("unknown CA").
        case peerAlert(String)
        /// The origin refused because of the certificate that was shown to it, or that was not.
        case clientCertificate
        /// The peer speaks only versions of TLS that are older than those that are accepted.
        case oldProtocol
        /// The peer does not speak TLS; mostly it speaks plain HTTP.
        case notTLS
        /// The peer broke the protocol after the handshake.
        case protocolError
        /// The connection ended in the middle of the handshake.
        case truncated
        /// A system call failed with this error number.
        case system(CInt)
        /// A file, a key or a name cannot be used.
        case configuration
    }

    /// Why a certificate was not accepted.
    public enum Rejection: Sendable {
        /// It is for another host.
        case name
        /// Nothing in the chain is pinned.
        case pin
        /// Its authority has withdrawn it.
        case revoked
        /// Whether it was withdrawn could not be found out.
        case unknownRevocation
        /// It demands an OCSP response in the handshake, and there was none.
        case noStaple
        /// The chain breaks a rule, or leads to no trusted authority.
        case chain
    }

    public let kind: Kind
    public let message: String

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    public var description: String { message }

    /// A failure of preparation, with OpenSSL's messages.
    static func configuration(_ message: String) -> TLSFailure {
        let stack = ErrorStack.take()
        return TLSFailure(.configuration, stack.entries.isEmpty ? message : "\(message): \(stack.text)")
    }

    /// A system call that failed; give the error number as it was right after the call.
    static func system(_ number: CInt, _ what: String, note: String = "") -> TLSFailure {
        TLSFailure(.system(number), "\(what): \(errorText(number))\(note)")
    }
}
