/// Additions to and exceptions from the names that are secret by default.
///
/// Names are compared without case; a `*` at either end stands for anything.
public struct RedactionRules: Sendable, Equatable {
    /// Names of fields, parameters and members whose values are secrets, too.
    public var names: [String]

    /// Names of header and trailer fields whose values are secrets, too.
    public var fields: [String]

    /// Names of parameters of URLs, forms and multipart bodies whose values are secrets, too.
    public var parameters: [String]

    /// Members of JSON whose values are secrets, too: a name, or several with dots between.
    ///
    /// `card.number` is each `number` directly in a `card`, or in the objects of an array that is one, at any depth.
    public var members: [String]

    /// Names of fields, parameters and members whose values stay as they are; they go before all else.
    public var kept: [String]

    /// Whether a JSON Web Token keeps its header and claims (RFC 7519) and loses only its signature.
    ///
    /// It then reads `header.claims.<redacted:name:digest>`, both parts in base64url still, and claims with secret
    /// names are replaced. Encrypted tokens and those longer than 64 KiB are replaced as a whole.
    public var keepJWTClaims: Bool

    public init(
        names: [String] = [], fields: [String] = [], parameters: [String] = [], members: [String] = [],
        kept: [String] = [], keepJWTClaims: Bool = false
    ) {
        (self.names, self.fields, self.parameters, self.members) = (names, fields, parameters, members)
        (self.kept, self.keepJWTClaims) = (kept, keepJWTClaims)
    }

    /// The rules of both.
    public func merging(_ other: RedactionRules) -> RedactionRules {
        RedactionRules(
            names: names + other.names, fields: fields + other.fields, parameters: parameters + other.parameters,
            members: members + other.members, kept: kept + other.kept,
            keepJWTClaims: keepJWTClaims || other.keepJWTClaims)
    }
}
