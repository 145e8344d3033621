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

/// What browsers are asked to forget; nil without the key.
func decodeClearing(_ fields: Fields) -> [ClearedData]? {
    guard fields["clearOnSwitch"] != nil else { return nil }
    let names = ClearedData.allCases.map(\.rawValue)
    let one = "one of " + names.map { "\"\($0)\"" }.joined(separator: ", ")
    return fields.texts("clearOnSwitch", one: one).compactMap { text, place in
        let data = ClearedData(rawValue: text)
        if data == nil {
            fields.report(
                place, "\"\(text)\" under \"clearOnSwitch\"", expected: one, hint: didYouMean(text, among: names))
        }
        return data
    }
}
