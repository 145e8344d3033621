/// Which media types hold addresses that can be rewritten.
enum BodyType {
    private static let essences: [StaticString] = [
        "text/html", "application/xhtml+xml", "text/css", "application/json", "text/json",
        // JavaScript, under all the names of the MIME Sniffing standard.
        "text/javascript", "application/javascript", "application/x-javascript", "text/x-javascript",
        "text/ecmascript", "application/ecmascript", "application/x-ecmascript", "text/x-ecmascript",
        "text/jscript", "text/livescript", "text/javascript1.0", "text/javascript1.1", "text/javascript1.2",
        "text/javascript1.3", "text/javascript1.4", "text/javascript1.5",
    ]

    /// Beginnings of the names of charsets in which ASCII text is not ASCII bytes.
    private static let otherCharsets: [StaticString] = [
        "utf-16", "utf16", "utf-32", "utf32", "ucs-2", "ucs2", "ucs-4", "ucs4", "iso-10646-ucs", "csucs", "unicode",
        "csunicode", "utf-7", "utf7", "ebcdic", "cp037", "ibm037", "ibm-037", "ibm1047", "ibm-1047",
    ]

    /// Whether a body of this Content-Type is HTML, XHTML, CSS, JavaScript or JSON in an ASCII-compatible charset.
    static func isRewritable(_ contentType: Span<UInt8>) -> Bool {
        var parts = ListMembers()
        guard let essence = parts.next(contentType, separator: 0x3B), isKnown(contentType, essence) else {
            return false
        }
        while let parameter = parts.next(contentType, separator: 0x3B) {
            guard contentType.hasText("charset=", in: parameter) else { continue }
            var name = contentType.trimmed(parameter.lowerBound + 8..<parameter.upperBound)
            if !name.isEmpty, contentType[name.lowerBound] == 0x22 {
                name = contentType.trimmed(name.lowerBound + 1..<name.upperBound)
            }
            for charset in otherCharsets where contentType.hasText(charset, in: name) { return false }
        }
        return true
    }

    private static func isKnown(_ value: Span<UInt8>, _ essence: Range<Int>) -> Bool {
        for known in essences where value.isText(known, in: essence) { return true }
        // RFC 6839 3.1: application/ld+json, application/manifest+json and their like.
        guard essence.count > 5 else { return false }
        return value.isText("+json", in: essence.upperBound - 5..<essence.upperBound)
    }
}
