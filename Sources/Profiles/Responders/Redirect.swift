public import JSON

/// A response that sends the client to another URL.
public struct Redirect: Sendable {
    /// 301, 302, 303, 307 or 308.
    public let status: Int
    /// The Location field's value.
    public let location: String

    /// RFC 9110 15.4: those that name where to go.
    fileprivate static let statuses: [Int64] = [301, 302, 303, 307, 308]
}

extension Redirect: LocalSettings {
    public static var key: String { "redirect" }

    public var summary: String { "redirect: \(status) to \(location)" }

    public var fingerprint: String { "\(status) \(location)" }

    public func writeMembers(to writer: inout JSONWriter) {
        writer.object("redirect") {
            $0.member("status", status)
            $0.member("location", location)
        }
    }
}

extension Redirect: LocalSettingsDecoding {
    static let routeKeys = [key, "status"]

    static var schema: String {
        #"""
        "redirect": {
          "description": "Sends the client to this URL, or to this path of the same host.",
          "type": "string",
          "pattern": "^([Hh][Tt][Tt][Pp][Ss]?://|/)"
        },
        "status": {
          "description": "The redirect's status, 302 without this key.",
          "enum": [301, 302, 303, 307, 308]
        }
        """#
    }

    static func decode(_ route: Fields) -> Redirect? {
        guard let value = route["redirect"] else { return nil }
        let isTarget: (String) -> Bool = { text in
            ["http://", "https://", "/"].contains { text.lowercased().hasPrefix($0) }
        }
        guard let text = value.string, isFieldValue(text), text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            isTarget(text)
        else {
            route.reporter.report(
                value.position, "\"redirect\" is \(value.string == nil ? value.kindName : "no URL that can be sent")",
                expected: "a URL or a path, percent-encoded, like \"https://www.shop.test/promo\"")
            return nil
        }
        guard let status = route["status"] else { return Redirect(status: 302, location: text) }
        guard let number = status.number?.int64, statuses.contains(number) else {
            route.reporter.report(
                status.position, "the status of the redirect is \(status.number?.text ?? status.kindName)",
                expected: "301, 302, 303, 307 or 308")
            return nil
        }
        return Redirect(status: Int(number), location: text)
    }
}
