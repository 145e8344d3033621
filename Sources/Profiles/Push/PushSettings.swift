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
    /// The same as the profile spells it.
    let text: String
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

    public var fingerprint: String { text }

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

    static let routeKeys = [key]

    static var originHint: String? { "\"push\" has an \"origin\" of its own, for tests" }

    /// The gateway to APNs is an origin, with what origins have: trust, guards, connections.
    static func precedesOrigin(_ route: Fields) -> Bool {
        guard route["origin"] == nil, let environment = route["push"]?["environment"]?.string else { return false }
        return environment != PushEnvironment.mock.rawValue && PushEnvironment(rawValue: environment) != nil
    }

    static func impliedOrigin(_ route: Fields) -> OriginURL? {
        if let value = route["push"]?["origin"] {
            guard let text = value.string else {
                route.reporter.report(
                    value.position, "\"origin\" is \(value.kindName)", expected: "a URL like h2c://localhost:3000")
                return nil
            }
            return route.reporter.attempt(value.position) { () throws(Refusal) in try OriginURL(parsing: text) }
        }
        let isProduction = route["push"]?["environment"]?.string == PushEnvironment.production.rawValue
        return try? OriginURL(parsing: "https://" + (isProduction ? PushHost.production : PushHost.sandbox))
    }

    static var schema: String {
        #"""
        "push": {
          "description": "Push notifications: they are sent to APNs, or to a stand-in with all rules that Apple documents.",
          "type": "object",
          "additionalProperties": false,
          "required": ["environment"],
          "properties": {
            "environment": { "description": "sandbox and production are APNs, and mock is a stand-in for it; production needs a profile of that kind.", "enum": ["mock", "sandbox", "production"] },
            "origin": { "description": "Another server in place of APNs, for tests.", "type": "string", "minLength": 1 },
            "topics": { "description": "Identifiers of the apps to which notifications may be sent; any without this key.", "type": "array", "items": { "type": "string", "minLength": 1 } },
            "key": { "description": "A file with the key of provider tokens in PEM, relative to this profile: AuthKey_….p8, with which Shunt makes tokens for APNs and which only you may read; for mock, signatures are checked with it, and it may be the public key.", "type": "string", "minLength": 1 },
            "keyID": { "description": "The kid of provider tokens.", "type": "string", "pattern": "^[A-Z0-9]{10}$" },
            "teamID": { "description": "The iss of provider tokens.", "type": "string", "pattern": "^[A-Z0-9]{10}$" },
            "unregistered": { "description": "Device tokens that get 410 Unregistered: an array, or an object with the timestamp of each in milliseconds since 1970.", "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "object", "additionalProperties": { "type": "integer" } }] },
            "expired": { "description": "Device tokens that get 410 ExpiredToken, in the same forms.", "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "object", "additionalProperties": { "type": "integer" } }] },
            "badTokens": { "description": "Device tokens that get 400 BadDeviceToken, as those of the other environment do.", "type": "array", "items": { "type": "string" } },
            "topicsOfTokens": { "description": "Device tokens that belong to one topic: the others get 400 DeviceTokenNotForTopic.", "type": "object", "additionalProperties": { "type": "string" } },
            "channels": { "description": "Channels for broadcasts; any without this key.", "type": "array", "items": { "type": "string" } },
            "throttle": { "description": "How many notifications a device gets in a number of seconds before 429 TooManyRequests.", "type": "object", "additionalProperties": false, "required": ["requests", "seconds"], "properties": { "requests": { "type": "integer", "minimum": 1 }, "seconds": { "type": "integer", "minimum": 1 } } }
          }
        }
        """#
    }

    static func decode(_ route: Fields) -> PushSettings? {
        guard let value = route["push"] else { return nil }
        return PushDecoder(value, route.reporter)?.decode()
    }
}
