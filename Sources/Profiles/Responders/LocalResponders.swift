public import JSON

/// A route's settings for a response that Shunt makes itself, without an origin.
public protocol LocalSettings: Sendable {
    /// The route's key that asks for it.
    static var key: String { get }
    /// One line for `shunt explain`: `mock: 200, 12 bytes`.
    var summary: String { get }
    /// Writes the members that `shunt explain --json` has of it.
    func writeMembers(to writer: inout JSONWriter)
}

/// A kind of ``LocalSettings`` as profiles have it.
protocol LocalSettingsDecoding: LocalSettings {
    /// The route's keys that belong to it, ``key`` first.
    static var routeKeys: [Key<DecodedRoute>] { get }
    /// Decodes a route that has the key; nil after a report.
    static func decode(_ route: Fields) -> Self?
    /// What messages call it, with its article.
    static var noun: String { get }
    /// Whether this comes first on a route, and its origin responds to the rest.
    static func precedesOrigin(_ route: Fields) -> Bool
    /// The origin that a route of this kind has without naming one; nil after a report, too.
    static func impliedOrigin(_ route: Fields) -> OriginURL?
    /// What to do where a route has an origin, too.
    static var originHint: String? { get }
    /// The JSON Schema's condition for a route of this kind alone.
    static var alternative: String { get }
}

extension LocalSettingsDecoding {
    static var noun: String { "a \(key)" }

    static func precedesOrigin(_ route: Fields) -> Bool { false }

    static func impliedOrigin(_ route: Fields) -> OriginURL? { nil }

    static var originHint: String? { nil }

    static var alternative: String { "{ \"required\": [\"\(key)\"] }" }
}

/// All kinds: a new one is a file of its own and a line here.
enum LocalResponders {
    static let kinds: [any LocalSettingsDecoding.Type] = [
        Mock.self, Redirect.self, FileSettings.self, RecordingSettings.self, PushSettings.self,
    ]

    /// The kind that comes first on a route with an origin, which responds to the rest.
    static func first(_ route: Fields) -> (any LocalSettingsDecoding.Type)? { kinds.first { $0.precedesOrigin(route) } }

    /// The JSON Schema's condition that a route has one of them, or an origin.
    static var alternativeSchema: String {
        ", \"oneOf\": [\((["{ \"required\": [\"origin\"] }"] + kinds.map { $0.alternative }).joined(separator: ", "))]"
    }

    /// What may be a page.
    static let pages = Beside(
        responders: ["origin"] + kinds.filter { $0 != Redirect.self }.map { $0.key },
        text: "beside an origin, a mock or files")

    /// What is switched on and off as a whole.
    static let switchable = Beside(
        responders: kinds.map { $0.key },
        text: "beside what is switched on and off: \(kinds.map { "\"\($0.key)\"" }.joined(separator: " or "))",
        isAlone: true)

    /// What a route may have, for messages: `"origin" or "mock" or …`.
    static var alternatives: String {
        (["origin"] + kinds.map { $0.key }).map { "\"\($0)\"" }.joined(separator: " or ")
    }
}
