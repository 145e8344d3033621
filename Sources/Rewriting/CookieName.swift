internal import Bytes

/// Names of cookies that mean something to browsers, or to Shunt itself.
///
/// Cookies of Shunt are `shunt-device`, `shunt-session` and all that begin with `shunt~`. Of those, `shunt~~name` is an origin's cookie
/// under a name without special meaning; the others belong to jars (see ``CookieJar``), whose names never begin with
/// `~`.
enum CookieName {
    static var own: StaticString { "shunt~" }
    static var escape: StaticString { "shunt~~" }

    /// Whether the name is one that Shunt uses.
    @inline(__always)
    static func isOwn(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        guard !name.isEmpty, bytes[name.lowerBound] == 0x73 else { return false }
        return CookieText.begins(bytes, name, with: own)
            || (name.count == 12 && CookieText.begins(bytes, name, with: "shunt-device"))
            || (name.count == 13 && CookieText.begins(bytes, name, with: "shunt-session"))
    }

    /// What a name asks of its cookie (RFC 6265bis 4.1.3).
    enum Prefix {
        case none, secure, host, http
    }

    /// The prefix in whatever case, as browsers compare it.
    @inline(__always)
    static func prefix(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Prefix {
        guard name.count >= 7, bytes[name.lowerBound] == 0x5F else { return .none }
        if CookieText.beginsInAnyCase(bytes, name, with: "__host-") { return .host }
        if CookieText.beginsInAnyCase(bytes, name, with: "__secure-") { return .secure }
        if CookieText.beginsInAnyCase(bytes, name, with: "__http-") { return .http }
        return .none
    }

    /// Whether a client would treat the name specially, or Shunt would.
    @inline(__always)
    static func needsEscape(_ bytes: Span<UInt8>, _ name: Range<Int>, client: ClientName) -> Bool {
        isOwn(bytes, name) || (!client.isSecure && prefix(bytes, name) != .none)
    }

    /// Appends a name as a client is to keep it.
    static func append(
        plain name: Range<Int>, of bytes: Span<UInt8>, client: ClientName, to out: inout Buffer
    ) -> Bool {
        (!needsEscape(bytes, name, client: client) || out.appendWhole(escape))
            && out.appendWhole(bytes.extracting(name))
    }
}

/// A cookie as `name=value`, without the white space around either; what has no `=` is all value (RFC 6265bis 5.6).
struct CookiePair {
    let name: Range<Int>
    let value: Range<Int>

    @inline(__always)
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let equals = CookieText.first(0x3D, in: bytes, range)
        if equals < range.upperBound {
            name = CookieText.trimmed(bytes, range.lowerBound..<equals)
            value = CookieText.trimmed(bytes, equals &+ 1..<range.upperBound)
        } else {
            value = CookieText.trimmed(bytes, range)
            name = value.lowerBound..<value.lowerBound
        }
    }

    /// Whether it is Shunt's, or passes for one where a client returns it without its `=`.
    @inline(__always)
    func isOwn(_ bytes: Span<UInt8>) -> Bool {
        guard name.isEmpty else { return CookieName.isOwn(bytes, name) }
        let end = CookieText.first(0x3D, in: bytes, value)
        return CookieName.isOwn(bytes, CookieText.trimmed(bytes, value.lowerBound..<end))
    }
}
