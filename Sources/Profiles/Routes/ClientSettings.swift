import JSON

/// What clients may keep of responses, and when they count as gone.
public struct ClientSettings: Hashable, Sendable {
    public enum Caching: String, CaseIterable, Sendable {
        /// Each environment uses what it has sent itself.
        case apart
        /// As origins say.
        case asIs = "as-is"
        case none
    }

    public var cache = Caching.apart
    /// A client that has closed its sending side still gets its response.
    public var halfClose = false

    public init() {}
}

/// What browsers are asked to forget with the first page after a switch: directives of `Clear-Site-Data`.
public enum ClearedData: String, CaseIterable, Sendable {
    case cache, cookies, storage
}

/// The same as written; nil leaves it to what is below.
struct ClientSource: Sendable {
    var cache: ClientSettings.Caching?
    var halfClose: Bool?
    /// A profile's alone.
    var clearOnSwitch: [ClearedData]?

    /// With the values of `other` where this one has none.
    func over(_ other: ClientSource) -> ClientSource {
        ClientSource(
            cache: cache ?? other.cache, halfClose: halfClose ?? other.halfClose,
            clearOnSwitch: clearOnSwitch ?? other.clearOnSwitch)
    }

    var settings: ClientSettings {
        var settings = ClientSettings()
        if let cache { settings.cache = cache }
        if let halfClose { settings.halfClose = halfClose }
        return settings
    }
}

extension ClientSource {
    /// Decodes the keys of a profile or a route.
    init(_ fields: Fields) {
        halfClose = fields.bool("halfClose")
        clearOnSwitch = decodeClearing(fields)
        let names = ClientSettings.Caching.allCases.map { "\"\($0.rawValue)\"" }
        let expected = "one of \(names.joined(separator: ", "))"
        guard let value = fields["cache"], let text = fields.string("cache", expected: expected) else { return }
        cache = ClientSettings.Caching(rawValue: text)
        if cache == nil {
            fields.reporter.report(
                value.position, "\"cache\" is \"\(text)\"", expected: expected,
                hint: didYouMean(text, among: ClientSettings.Caching.allCases.map(\.rawValue)))
        }
    }
}

private func decodeClearing(_ fields: Fields) -> [ClearedData]? {
    guard fields["clearOnSwitch"] != nil else { return nil }
    let names = ClearedData.allCases.map(\.rawValue)
    let one = "one of " + names.map { "\"\($0)\"" }.joined(separator: ", ")
    return fields.texts("clearOnSwitch", "a list like [\"storage\"]", one: one).compactMap { text, place in
        let data = ClearedData(rawValue: text)
        if data == nil {
            fields.reporter.report(
                place, "\"\(text)\" under \"clearOnSwitch\"", expected: one, hint: didYouMean(text, among: names))
        }
        return data
    }
}
