import Bytes

/// What APNs knows of one connection: the token that its provider uses, and since when.
///
/// Confined to the thread of its connection.
public final class ProviderSession {
    fileprivate(set) var authorization = ""
    fileprivate(set) var token: ProviderToken?
    /// When the token came, in seconds since 1970.
    fileprivate var since: Int64 = 0

    /// Among the connections that ``PushHabits`` follow; 0 before.
    var number: UInt64 = 0
    /// The client's address, once it was asked for.
    var client: String?
    /// Notifications whose token was good.
    var pushes = 0
    /// ``PushHabits`` know its present token.
    var isTokenNoted = false

    public init() {}
}

/// What APNs asks of provider tokens.
public struct ProviderTokenRules: Sendable {
    /// Seconds that a clock may be behind the one that issued a token.
    private static let leeway: Int64 = 300

    /// The key by which signatures are checked; nil checks the form alone.
    public let key: ProviderKey?
    /// nil takes any.
    public let keyID: String?
    public let teamID: String?

    public init(key: ProviderKey? = nil, keyID: String? = nil, teamID: String? = nil) {
        (self.key, self.keyID, self.teamID) = (key, keyID, teamID)
    }

    /// - Parameter now: seconds since 1970.
    /// - Throws: the reason why APNs refuses it.
    public func check(_ authorization: String?, in session: ProviderSession, now: Int64) throws(PushReason) {
        guard let authorization else { throw .missingProviderToken }
        if session.token == nil || authorization != session.authorization {
            guard let text = ProviderToken.text(inAuthorization: authorization) else { throw .missingProviderToken }
            guard let token = ProviderToken(text), isRight(token) else { throw .invalidProviderToken }
            if let known = session.token {
                // A connection belongs to one team (Apple: "Establishing a token-based connection to APNs").
                guard known.teamID == token.teamID else { throw .invalidProviderToken }
                guard now - session.since >= ProviderToken.minAge || now < session.since else {
                    throw .tooManyProviderTokenUpdates
                }
            }
            try checkAge(token, now)
            (session.authorization, session.token, session.since) = (authorization, token, now)
            session.isTokenNoted = false
        } else if let token = session.token {
            try checkAge(token, now)
        }
    }

    private func isRight(_ token: ProviderToken) -> Bool {
        guard token.algorithm == "ES256", ProviderToken.isIdentifier(token.keyID),
            ProviderToken.isIdentifier(token.teamID), token.signature.count == 64
        else { return false }
        if let keyID, keyID != token.keyID { return false }
        if let teamID, teamID != token.teamID { return false }
        return key.map { token.isSigned(by: $0) } ?? true
    }

    private func checkAge(_ token: ProviderToken, _ now: Int64) throws(PushReason) {
        let age = UntrustedNumber(now).minus(token.issuedAt)
        guard age >= UntrustedNumber(-Self.leeway) else { throw .invalidProviderToken }
        guard age <= UntrustedNumber(ProviderToken.maxAge) else { throw .expiredProviderToken }
    }
}
