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

/// The same as written; nil leaves it to what is below.
struct ClientSource: Sendable {
    var cache: ClientSettings.Caching?
    var halfClose: Bool?

    /// With the values of `other` where this one has none.
    func over(_ other: ClientSource) -> ClientSource {
        ClientSource(cache: cache ?? other.cache, halfClose: halfClose ?? other.halfClose)
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
