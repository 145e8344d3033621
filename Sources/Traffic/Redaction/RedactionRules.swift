/// What is a secret beyond what Shunt takes for one by itself.
public struct RedactionRules: Sendable, Equatable {
    /// Names of fields, parameters and members whose values are secrets, too.
    ///
    /// Whole names, whatever their case; a `*` at either end stands for anything.
    public var names: [String]

    /// Whether a JSON Web Token keeps its header and claims (RFC 7519) and loses only its signature.
    ///
    /// It then reads `header.claims.<redacted:name:digest>`, both parts in base64url still, and claims with secret
    /// names are replaced. Encrypted tokens and those longer than 64 KiB are replaced as a whole.
    public var keepJWTClaims: Bool

    public init(names: [String] = [], keepJWTClaims: Bool = false) {
        self.names = names
        self.keepJWTClaims = keepJWTClaims
    }
}
