import Synchronization

/// Makes the provider tokens of one key and team, and renews them in time.
///
/// Shared by all threads.
public final class PushSigner: Sendable {
    /// Seconds after which a token is renewed: APNs takes one for an hour.
    static let renewal: Int64 = 3000
    /// Seconds by which a clock may be set back before a token counts as one of the future.
    private static let leeway: Int64 = 60

    public let key: ProviderKey
    public let keyID: String
    public let teamID: String
    private let present = Mutex<(text: String, issuedAt: Int64)?>(nil)

    public init(key: ProviderKey, keyID: String, teamID: String) {
        (self.key, self.keyID, self.teamID) = (key, keyID, teamID)
    }

    /// The token that counts now; nil if the key cannot sign.
    /// - Parameter now: seconds since 1970.
    public func token(now: Int64) -> String? {
        present.withLock { present in
            if let known = present, now < known.issuedAt + Self.renewal, now >= known.issuedAt - Self.leeway {
                return known.text
            }
            guard let text = ProviderToken.text(signedBy: key, keyID: keyID, teamID: teamID, at: now) else {
                return nil
            }
            present = (text, now)
            return text
        }
    }
}

/// The signers of a process: a reload of profiles must not lead to a new token, which APNs takes every 20 minutes alone.
public final class PushSigners: Sendable {
    private let known = Mutex<[String: PushSigner]>([:])

    public init() {}

    /// The signer with the same key, identifier and team that there is, else this one.
    public func shared(_ signer: PushSigner) -> PushSigner {
        guard let open = signer.key.pem(isPrivate: false) else { return signer }
        let name = "\(signer.teamID) \(signer.keyID) \(String(decoding: open, as: UTF8.self))"
        return known.withLock { known in
            if let there = known[name] { return there }
            known[name] = signer
            return signer
        }
    }
}
