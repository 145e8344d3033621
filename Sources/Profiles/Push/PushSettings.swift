public import JSON
public import Push

/// Push notifications: a stand-in for APNs.
public struct PushSettings: Sendable {
    public let rules: PushRules
    /// The same as the profile spells it.
    let text: String
}

extension PushSettings: LocalSettings {
    public static var key: String { "push" }

    public var summary: String {
        let topics = rules.topics.isEmpty ? "any topic" : rules.topics.joined(separator: ", ")
        let checked = rules.tokens.key == nil ? "" : ", signatures are checked"
        return "push: a stand-in for APNs, \(topics)\(checked)"
    }

    public var fingerprint: String { text }

    public func writeMembers(to writer: inout JSONWriter) {
        writer.object("push") {
            $0.member("environment", "mock")
            $0.member("topics", rules.topics)
            $0.member("keyID", rules.tokens.keyID)
            $0.member("teamID", rules.tokens.teamID)
            $0.member("checksSignatures", rules.tokens.key != nil)
        }
    }
}

extension PushSettings: LocalSettingsDecoding {
    static var noun: String { "\"push\"" }

    static let routeKeys = [key]

    static var schema: String {
        #"""
        "push": {
          "description": "Push notifications: a stand-in for APNs, by all rules that Apple documents.",
          "type": "object",
          "additionalProperties": false,
          "required": ["environment"],
          "properties": {
            "environment": { "description": "mock is a stand-in for APNs.", "enum": ["mock"] },
            "topics": { "description": "Identifiers of the apps that may be sent notifications; any without the key.", "type": "array", "items": { "type": "string", "minLength": 1 } },
            "key": { "description": "A file with the key of provider tokens, private (AuthKey_….p8) or public, in PEM, relative to this profile: signatures are checked by it.", "type": "string", "minLength": 1 },
            "keyID": { "description": "The kid that provider tokens must have.", "type": "string", "pattern": "^[A-Z0-9]{10}$" },
            "teamID": { "description": "The iss that provider tokens must have.", "type": "string", "pattern": "^[A-Z0-9]{10}$" },
            "unregistered": { "description": "Device tokens that get 410 Unregistered: an array, or an object with the timestamp of each in milliseconds since 1970.", "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "object", "additionalProperties": { "type": "integer" } }] },
            "expired": { "description": "Device tokens that get 410 ExpiredToken, in the same forms.", "anyOf": [{ "type": "array", "items": { "type": "string" } }, { "type": "object", "additionalProperties": { "type": "integer" } }] },
            "badTokens": { "description": "Device tokens that get 400 BadDeviceToken, as those of the other environment do.", "type": "array", "items": { "type": "string" } },
            "topicsOfTokens": { "description": "Device tokens that belong to one topic: the others get 400 DeviceTokenNotForTopic.", "type": "object", "additionalProperties": { "type": "string" } },
            "channels": { "description": "Channels for broadcasts; any without the key.", "type": "array", "items": { "type": "string" } },
            "throttle": { "description": "How many notifications a device gets in so many seconds before 429 TooManyRequests.", "type": "object", "additionalProperties": false, "required": ["requests", "seconds"], "properties": { "requests": { "type": "integer", "minimum": 1 }, "seconds": { "type": "integer", "minimum": 1 } } }
          }
        }
        """#
    }

    static func decode(_ route: Fields) -> PushSettings? {
        guard let value = route["push"] else { return nil }
        return PushDecoder(value, route.reporter)?.decode()
    }
}
