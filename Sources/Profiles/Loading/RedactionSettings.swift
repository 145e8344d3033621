/// What a profile says of secrets in recorded traffic, beyond what Shunt takes for one by itself.
///
/// Names count whatever their case; a `*` at either end stands for anything.
public struct RedactionSettings: Hashable, Sendable {
    /// Header and trailer fields that are secrets.
    public var fields: [String] = []
    /// Parameters of URLs and forms that are secrets.
    public var parameters: [String] = []
    /// Members of JSON that are secrets: a name, or several with dots between.
    public var json: [String] = []
    /// Fields, parameters and members that stay as they are.
    public var keep: [String] = []
    /// Whether JSON Web Tokens keep their claims; nil leaves it to what is extended.
    public var jwtClaims: Bool?

    public init() {}

    public var isEmpty: Bool { self == RedactionSettings() }

    /// These settings with those of what is extended below them.
    ///
    /// What is named here as a secret is one, even if it is kept below.
    func over(_ lower: RedactionSettings) -> RedactionSettings {
        var all = self
        let secrets = (fields + parameters + json).map { $0.lowercased() }
        all.fields = Self.union(fields, lower.fields)
        all.parameters = Self.union(parameters, lower.parameters)
        all.json = Self.union(json, lower.json)
        all.keep = Self.union(keep, lower.keep.filter { !secrets.contains($0.lowercased()) })
        all.jwtClaims = jwtClaims ?? lower.jwtClaims
        return all
    }

    private static func union(_ one: [String], _ other: [String]) -> [String] {
        one + other.filter { !one.contains($0) }
    }
}
