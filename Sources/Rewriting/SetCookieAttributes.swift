/// The attributes of a Set-Cookie value, one after another (RFC 6265bis 5.6): a cursor that is given the bytes.
struct SetCookieAttributes {
    enum Name {
        case other, domain, path, secure, httpOnly, sameSite, partitioned, expires, maxAge
    }

    struct Attribute {
        let name: Name
        /// From its `;` on up to the next one.
        let segment: Range<Int>
        let value: Range<Int>
    }

    private var next: Int
    private let end: Int

    /// The attributes that follow the first `;`, at which the range begins; there are none in an empty range.
    @inline(__always)
    init(_ range: Range<Int>) {
        next = range.lowerBound
        end = range.upperBound
    }

    /// The next attribute, or nil after the last one.
    @inline(__always)
    mutating func attribute(_ bytes: Span<UInt8>) -> Attribute? {
        guard next < end else { return nil }
        let start = next
        let stop = CookieText.first(0x3B, in: bytes, start &+ 1..<end)
        next = stop
        let equals = CookieText.first(0x3D, in: bytes, start &+ 1..<stop)
        let name = CookieText.trimmed(bytes, start &+ 1..<equals)
        let value = CookieText.trimmed(bytes, min(equals &+ 1, stop)..<stop)
        return Attribute(name: Self.lookup(bytes, name), segment: start..<stop, value: value)
    }

    @inline(__always)
    private static func lookup(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Name {
        switch name.count {
        case 4: CookieText.spells(bytes, name, "path") ? .path : .other
        case 6:
            CookieText.spells(bytes, name, "secure")
                ? .secure : CookieText.spells(bytes, name, "domain") ? .domain : .other
        case 7:
            CookieText.spells(bytes, name, "expires")
                ? .expires : CookieText.spells(bytes, name, "max-age") ? .maxAge : .other
        case 8:
            CookieText.spells(bytes, name, "httponly")
                ? .httpOnly : CookieText.spells(bytes, name, "samesite") ? .sameSite : .other
        case 11: CookieText.spells(bytes, name, "partitioned") ? .partitioned : .other
        default: .other
        }
    }
}
