public import JSON

/// A response that sends the client to another URL.
public struct Redirect: Sendable {
    /// 301, 302, 303, 307 or 308.
    public internal(set) var status = 302
    /// The Location field's value.
    public internal(set) var location = ""
}

extension Redirect: LocalSettings {
    public static var key: String { "redirect" }

    public var summary: String { "redirect: \(status) to \(location)" }

    public func writeMembers(to writer: inout JSONWriter) {
        writer.object("redirect", ["status": status, "location": location])
    }
}

extension Redirect: LocalSettingsDecoding {
    private static let keys = Keys<Redirect>(
        key, "a route",
        [
            .one(
                key, \.location,
                .text(
                    "a URL or a path, percent-encoded, like \"https://www.shop.test/promo\"",
                    schema: Schema.pattern("^([Hh][Tt][Tt][Pp][Ss]?://|/)"), isTarget),
                "Sends the client to this URL, or to this path of the same host.", see: "profiles.md#redirect"),
            // RFC 9110 15.4: those that name where to go.
            .one(
                "status", \.status, .one(of: [301, 302, 303, 307, 308]),
                "The redirect's status; with 307 and 308 clients repeat a POST with its body.", default: 302,
                see: "profiles.md#redirect"),
        ])

    static let routeKeys: [Key<DecodedRoute>] = keys.all.map { $0.declared(beside: .only(key)) }

    private static func isTarget(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            && ["http://", "https://", "/"].contains { text.lowercased().hasPrefix($0) }
    }

    static func decode(_ route: Fields) -> Redirect? {
        var redirect = Redirect()
        keys.read(route, into: &redirect)
        return redirect
    }
}
