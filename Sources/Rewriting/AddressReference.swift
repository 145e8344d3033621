import Bytes

/// The beginning of a URL: its scheme, host and port (RFC 3986 3), read strictly.
///
/// Text that readers could take for another host (user information, backslashes, escapes) is no reference.
struct AddressReference {
    enum Scheme {
        /// The scheme is that of the page or request.
        case inherited
        case http, https, ws, wss

        var isWebSocket: Bool { self == .ws || self == .wss }
    }

    var scheme: Scheme
    /// Without an IPv6 literal's brackets, and without a dot at its end.
    var host: Range<Int>
    /// The host is an IPv6 literal.
    var isBracketed = false
    /// nil for the scheme's own (an absent or an empty one, RFC 3986 3.2.3).
    var port: UInt16?
    /// There is a colon behind the host, and maybe nothing behind it.
    var hasColon: Bool
    /// A source expression's `:*`.
    var takesAnyPort = false
    /// Where path, query or fragment begin, or the range ends.
    var end: Int

    /// Reads `scheme://host:port` or `//host:port`; nil for anything else.
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard range.count > 2 else { return nil }
        if bytes[range.lowerBound] == 0x2F {
            guard bytes[range.lowerBound &+ 1] == 0x2F else { return nil }
            self.init(.inherited, bytes, range.lowerBound &+ 2..<range.upperBound)
        } else {
            guard let (scheme, length) = Self.scheme(bytes, range) else { return nil }
            self.init(scheme, bytes, range.lowerBound &+ length..<range.upperBound)
        }
        if takesAnyPort { return nil }
    }

    /// The scheme with the length of it and its `://`; nil if it is not http or https.
    @inline(__always)
    static func scheme(_ bytes: Span<UInt8>, _ range: Range<Int>) -> (Scheme, Int)? {
        let word = TextWords.small(bytes.word(at: range.lowerBound))
        let found: (Scheme, Int)
        if word == TextWords.word(of: "https://") {
            found = (.https, 8)
        } else if word & TextWords.mask(7) == TextWords.word(of: "http://") {
            found = (.http, 7)
        } else if word & TextWords.mask(6) == TextWords.word(of: "wss://") {
            found = (.wss, 6)
        } else if word & TextWords.mask(5) == TextWords.word(of: "ws://") {
            found = (.ws, 5)
        } else {
            return nil
        }
        return found.1 <= range.count ? found : nil
    }

    /// Reads the authority that `range` begins with.
    init?(_ scheme: Scheme, _ bytes: Span<UInt8>, _ range: Range<Int>) {
        let (start, limit) = (range.lowerBound, range.upperBound)
        guard start < limit else { return nil }
        if bytes[start] == 0x5B {
            let close = AddressText.first(0x5D, bytes, range)
            guard close < limit else { return nil }
            self.init(scheme, bytes, host: start &+ 1..<close, portAt: close &+ 1, to: limit)
            isBracketed = true
        } else {
            let end = TextWords.first(bytes, range, ByteSearch.odd)
            let hasDot = end &- start > 1 && bytes[end &- 1] == 0x2E
            self.init(scheme, bytes, host: start..<(hasDot ? end &- 1 : end), portAt: end, to: limit)
        }
    }

    /// The same where it is known how far the host goes; there is no port if there is no colon at `place`.
    @inline(__always)
    init?(_ scheme: Scheme, _ bytes: Span<UInt8>, host: Range<Int>, portAt place: Int, to limit: Int) {
        self.scheme = scheme
        self.host = host
        var index = place
        guard !host.isEmpty else { return nil }
        hasColon = index < limit && bytes[index] == 0x3A
        if hasColon {
            index &+= 1
            if index < limit, bytes[index] == 0x2A {
                takesAnyPort = true
                index &+= 1
            } else {
                let start = index
                guard let number = Self.port(bytes, &index, limit) else { return nil }
                port = index > start ? number : nil
            }
        }
        guard index == limit || Self.endsAuthority(bytes[index]) else { return nil }
        end = index
    }

    /// Whether all of `text` is a valid authority, without `:*`.
    @inline(__always)
    static func isAuthority(_ text: Span<UInt8>) -> Bool {
        let host = TextWords.first(text, 0..<text.count, ByteSearch.odd)
        if host > 0, host == text.count { return true }
        // A name with a port of up to four digits needs no closer look.
        if host > 0, text[host] == 0x3A, text.count &- host <= 5 {
            var index = host &+ 1
            while index < text.count, text[index] &- 0x30 < 10 { index &+= 1 }
            return index == text.count
        }
        guard let reference = AddressReference(.inherited, text, 0..<text.count) else { return false }
        return reference.end == text.count && !reference.takesAnyPort
    }

    private static func port(_ bytes: Span<UInt8>, _ index: inout Int, _ limit: Int) -> UInt16? {
        var number: UInt32 = 0
        while index < limit, bytes[index] &- 0x30 < 10 {
            number = number &* 10 &+ UInt32(bytes[index] &- 0x30)
            guard number <= 65535 else { return nil }
            index &+= 1
        }
        return UInt16(number)
    }

    @inline(__always)
    static func endsAuthority(_ byte: UInt8) -> Bool { byte == 0x2F || byte == 0x3F || byte == 0x23 }

    /// How well the port fits an origin's.
    enum Fit { case none, loose, exact }

    /// Whether the port is the origin's.
    ///
    /// Loosely it is with the other scheme's own port, too: a server behind something that ends TLS redirects to
    /// `http://`.
    @inline(__always)
    func fit(portOf address: MappedAddress) -> Fit {
        if takesAnyPort { return .exact }
        let number = effectivePort(isTLS: address.isTLS)
        if number == address.port { return .exact }
        return address.hasDefaultPort && (number == 80 || number == 443) ? .loose : .none
    }

    /// - Parameter isTLS: what a reference without a scheme inherits.
    @inline(__always)
    func effectivePort(isTLS: Bool) -> UInt16 {
        if let port { return port }
        return switch scheme {
        case .inherited: isTLS ? 443 : 80
        case .http, .ws: 80
        case .https, .wss: 443
        }
    }
}
