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

        @inline(__always)
        init(name: Name, segment: Range<Int>, value: Range<Int>) {
            self.name = name
            self.segment = segment
            self.value = value
        }
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
        return Attribute(bytes, start..<stop)
    }
}

extension SetCookieAttributes.Attribute {
    /// Reads what lies from a `;` on up to the next one.
    @inline(__always)
    init(_ bytes: Span<UInt8>, _ segment: Range<Int>) {
        self.segment = segment
        let equals = CookieText.first(0x3D, in: bytes, segment.lowerBound &+ 1..<segment.upperBound)
        name = Self.lookup(bytes, CookieText.trimmed(bytes, segment.lowerBound &+ 1..<equals))
        value = CookieText.trimmed(bytes, min(equals &+ 1, segment.upperBound)..<segment.upperBound)
    }

    @inline(__always)
    private static func lookup(_ bytes: Span<UInt8>, _ name: Range<Int>) -> SetCookieAttributes.Name {
        let word = TextWords.small(bytes.word(at: name.lowerBound)) & TextWords.mask(name.count)
        return switch name.count {
        case 4: word == TextWords.word(of: "path") ? .path : .other
        case 6:
            word == TextWords.word(of: "secure")
                ? .secure : word == TextWords.word(of: "domain") ? .domain : .other
        case 7:
            word == TextWords.word(of: "expires")
                ? .expires : word == TextWords.word(of: "max-age") ? .maxAge : .other
        case 8:
            word == TextWords.word(of: "httponly")
                ? .httpOnly : word == TextWords.word(of: "samesite") ? .sameSite : .other
        case 11: CookieText.spells(bytes, name, "partitioned") ? .partitioned : .other
        default: .other
        }
    }
}
