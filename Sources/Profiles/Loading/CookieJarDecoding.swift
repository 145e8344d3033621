import JSON

/// A profile's settings for cookies.
enum CookieJarSource: Hashable {
    case none
    /// Named after the profile that is compiled, which may be one that extends this one.
    case own
    case named(String)
}

/// A profile's value under `cookieJar`; nil without the key, and after a report.
func decodeCookieJar(_ fields: Fields) -> CookieJarSource? {
    guard let value = fields["cookieJar"] else { return nil }
    if let isOn = value.bool { return isOn ? .own : CookieJarSource.none }
    guard let name = value.string else {
        fields.wrongKind("cookieJar", value)
        return nil
    }
    guard isProfileName(name) else {
        return fields.refuse(
            value, "\"\(name)\" is no name for a cookie jar", expected: "lower-case letters, digits, `-`, `_` and `.`")
    }
    return .named(name)
}

/// Names stand in header fields and on command lines.
func isProfileName(_ name: some StringProtocol) -> Bool {
    !name.isEmpty
        && name.utf8.enumerated().allSatisfy { at, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: at > 0 && "-_.".utf8.contains(byte)
            }
        }
}
