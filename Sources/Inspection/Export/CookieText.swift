import Bytes

/// A cookie with the attributes that HAR knows.
struct RecordedCookie {
    var name: String
    var value: String
    var path: String?
    var domain: String?
    /// Microseconds since 1970.
    var expires: Int64?
    var isHTTPOnly = false
    var isSecure = false
    var sameSite: String?

    /// Those of a Cookie field (RFC 6265 4.2).
    static func all(cookie value: String) -> [RecordedCookie] {
        var cookies: [RecordedCookie] = []
        var rest = value.utf8[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
            let (name, value) = halves(rest[..<end])
            if !name.isEmpty || !value.isEmpty { cookies.append(RecordedCookie(name: name, value: value)) }
            rest = rest[end...].dropFirst()
        }
        return cookies
    }

    /// That of a Set-Cookie field (RFC 6265 5.2); attributes have their names in either case.
    ///
    /// - Parameter now: What Max-Age counts from.
    init(setCookie text: String, now: Int64) {
        (name, value) = Self.pair(setCookie: text)
        var maxAge: Int64?
        for part in text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).dropFirst() {
            let (name, value) = Self.halves(part, isAttribute: true)
            switch String(decoding: name.utf8.map(ByteSearch.lowercased), as: UTF8.self) {
            case "path": path = value
            case "domain": domain = value
            case "expires": expires = CalendarTime.parse(cookieDate: value)
            case "max-age": maxAge = Int64(value)
            case "httponly": isHTTPOnly = true
            case "secure": isSecure = true
            case "samesite": sameSite = value
            default: continue
            }
        }
        // It counts for more than Expires (RFC 6265 5.3).
        guard let maxAge else { return }
        let (span, isTooLong) = max(0, maxAge).multipliedReportingOverflow(by: 1_000_000)
        let (end, isTooLate) = now.addingReportingOverflow(span)
        if !isTooLong, !isTooLate, end < 253_402_300_800_000_000 { expires = end }
    }

    /// The name and value alone.
    static func pair(setCookie text: String) -> (name: String, value: String) {
        halves(text.utf8.prefix { $0 != UInt8(ascii: ";") })
    }

    init(name: String, value: String) { (self.name, self.value) = (name, value) }

    /// A Set-Cookie field's value.
    var setCookie: String {
        var text = "\(name)=\(value)"
        if let path { text += "; Path=\(path)" }
        if let domain { text += "; Domain=\(domain)" }
        if let expires { text += "; Expires=\(CalendarTime.cookieDate(expires))" }
        if isHTTPOnly { text += "; HttpOnly" }
        if isSecure { text += "; Secure" }
        if let sameSite { text += "; SameSite=\(sameSite)" }
        return text
    }

    private static func halves(_ pair: Substring.UTF8View, isAttribute: Bool = false) -> (String, String) {
        let equals = pair.firstIndex(of: UInt8(ascii: "="))
        // A cookie without an equals sign is a value without a name, an attribute a name without a value.
        guard let equals else { return isAttribute ? (trimmed(pair), "") : ("", trimmed(pair)) }
        return (trimmed(pair[..<equals]), trimmed(pair[equals...].dropFirst()))
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        var text = text
        while let byte = text.first, byte == 0x20 || byte == 0x09 { text.removeFirst() }
        while let byte = text.last, byte == 0x20 || byte == 0x09 { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }
}
