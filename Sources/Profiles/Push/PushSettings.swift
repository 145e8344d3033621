public import JSON
public import Push

/// Where push notifications go.
public enum PushEnvironment: String, Sendable, CaseIterable {
    /// A stand-in for APNs.
    case mock
    case sandbox, production
}

/// Push notifications: to APNs, or to a stand-in for it.
public struct PushSettings: Sendable {
    public let environment: PushEnvironment
    public let rules: PushRules
    /// Makes Shunt's own provider tokens; nil where those of clients pass.
    public let signer: PushSigner?
}

extension PushSettings: LocalSettings {
    public static var key: String { "push" }

    public var summary: String {
        let topics = rules.topics.isEmpty ? "any topic" : rules.topics.joined(separator: ", ")
        guard environment == .mock else {
            let token = signer.map { "tokens of the key \($0.keyID), team \($0.teamID)" } ?? "the client's own tokens"
            return "push: APNs, \(environment.rawValue), \(topics), \(token)"
        }
        let checked = rules.tokens.key == nil ? "" : ", signatures are checked"
        return "push: a stand-in for APNs, \(topics)\(checked)"
    }

    public func writeMembers(to writer: inout JSONWriter) {
        writer.object("push") {
            $0.member("environment", environment.rawValue)
            $0.member("topics", rules.topics)
            $0.member("keyID", signer?.keyID ?? rules.tokens.keyID)
            $0.member("teamID", signer?.teamID ?? rules.tokens.teamID)
            if environment == .mock {
                $0.member("checksSignatures", rules.tokens.key != nil)
            } else {
                $0.member("makesTokens", signer != nil)
            }
        }
    }
}

extension PushSettings: LocalSettingsDecoding {
    static var noun: String { "\"push\"" }

    static let routeKeys = [
        Key<DecodedRoute>.own(
            key, "an object like { \"environment\": \"mock\" }", Schema.object("push"),
            "Push notifications: they are sent to APNs, or to a stand-in with all rules that Apple documents.",
            see: "push.md", beside: .only(key))
    ]

    static var originHint: String? { "\"push\" has an \"origin\" of its own, for tests" }

    /// The gateway to APNs is an origin, with what origins have: trust, guards, connections.
    static func precedesOrigin(_ route: Fields) -> Bool {
        guard route["origin"] == nil, let environment = route["push"]?["environment"]?.string else { return false }
        return environment != PushEnvironment.mock.rawValue && PushEnvironment(rawValue: environment) != nil
    }

    static func impliedOrigin(_ route: Fields) -> OriginURL? {
        if let value = route["push"]?["origin"] {
            guard let text = value.string else {
                return route.refuse(
                    value, "\"origin\" is \(value.kindName)", expected: "a URL like h2c://localhost:3000")
            }
            return route.reporter.attempt(value.position) { () throws(Refusal) in try OriginURL(parsing: text) }
        }
        let isProduction = route["push"]?["environment"]?.string == PushEnvironment.production.rawValue
        return try? OriginURL(parsing: "https://" + (isProduction ? PushHost.production : PushHost.sandbox))
    }

    static func decode(_ route: Fields) -> PushSettings? { decodePush(route) }
}
