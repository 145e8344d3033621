import Bytes

/// Which media types hold addresses that can be rewritten: text of all kinds.
enum BodyType {
    /// Text that its name does not tell.
    private static let essences: [StaticString] = [
        "application/json", "application/xml", "application/javascript", "application/x-javascript",
        "application/ecmascript", "application/x-ecmascript", "application/typescript", "application/wsdl",
        "application/xml-dtd", "application/yaml", "application/x-yaml", "application/toml", "application/graphql",
        "application/json5", "application/jsonl", "application/x-ndjson", "application/x-jsonlines",
        "application/sql", "application/x-sh", "application/x-httpd-php", "application/x-www-form-urlencoded",
        "application/x-ns-proxy-autoconfig", "application/n-triples",
        "application/n-quads", "application/trig", "application/sparql-query",
        // Playlists of HLS.
        "application/vnd.apple.mpegurl", "application/x-mpegurl", "audio/mpegurl", "audio/x-mpegurl",
    ]
    /// Suffixes of structured text (RFC 6839, RFC 7303): WSDL, SOAP, feeds, SVG, manifests and their like.
    private static let suffixes: [StaticString] = ["+json", "+xml", "+yaml", "+json-seq"]

    /// Beginnings of the names of charsets in which ASCII text is not ASCII bytes.
    private static let otherCharsets: [StaticString] = [
        "utf-16", "utf16", "utf-32", "utf32", "ucs-2", "ucs2", "ucs-4", "ucs4", "iso-10646-ucs", "csucs", "unicode",
        "csunicode", "utf-7", "utf7", "ebcdic", "cp037", "ibm037", "ibm-037", "ibm1047", "ibm-1047",
    ]

    /// Whether a body of this Content-Type is text in an ASCII-compatible charset.
    static func isRewritable(_ contentType: Span<UInt8>) -> Bool {
        var parts = ListMembers()
        guard let essence = parts.next(contentType, separator: 0x3B), isKnown(contentType, essence) else {
            return false
        }
        return isASCIICompatible(contentType)
    }

    /// Whether it is one text in JSON.
    static func isJSON(_ contentType: Span<UInt8>) -> Bool {
        isASCIICompatible(contentType)
            && ["application/json", "text/json", "*/*+json"].contains { isIn($0, contentType) }
    }

    /// Whether it is of a media type in small letters, such as `text/*`; `*/*+json` stands for a suffix.
    static func isIn(_ type: String, _ contentType: Span<UInt8>) -> Bool {
        var parts = ListMembers()
        guard let essence = parts.next(contentType, separator: 0x3B), essence.count > 2 else { return false }
        let wanted = Array(type.utf8)
        guard let star = wanted.lastIndex(of: 0x2A) else { return isText(wanted[...], in: essence, contentType) }
        // In front of the star of a subtype stands a type or another star, and behind it nothing or a suffix.
        let suffix = wanted[(star + 1)...]
        let front = wanted.starts(with: [0x2A]) ? wanted[..<0] : wanted[..<star]
        guard essence.count > front.count + suffix.count else { return false }
        return isText(front, in: essence.lowerBound..<essence.lowerBound + front.count, contentType)
            && isText(suffix, in: essence.upperBound - suffix.count..<essence.upperBound, contentType)
    }

    private static func isText(_ wanted: ArraySlice<UInt8>, in range: Range<Int>, _ value: Span<UInt8>) -> Bool {
        wanted.count == range.count && zip(wanted, range).allSatisfy { $0 == ByteSearch.lowercased(value[$1]) }
    }

    /// Whether ASCII text is ASCII bytes in its charset.
    static func isASCIICompatible(_ contentType: Span<UInt8>) -> Bool {
        var parts = ListMembers()
        guard parts.next(contentType, separator: 0x3B) != nil else { return false }
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

    /// Whether it is a page.
    static func isPage(_ contentType: Span<UInt8>) -> Bool {
        var parts = ListMembers()
        guard let essence = parts.next(contentType, separator: 0x3B) else { return false }
        return contentType.isText("text/html", in: essence) || contentType.isText("application/xhtml+xml", in: essence)
    }

    /// RFC 2046 5.1.1.
    private static let maxBoundary = 70

    /// The boundary of a form in parts; nil for other types.
    static func boundary(_ contentType: Span<UInt8>) -> [UInt8]? {
        var parts = ListMembers()
        guard let essence = parts.next(contentType, separator: 0x3B),
            contentType.isText("multipart/form-data", in: essence)
        else { return nil }
        while let parameter = parts.next(contentType, separator: 0x3B) {
            guard contentType.hasText("boundary=", in: parameter) else { continue }
            let value = contentType.extracting(parameter.lowerBound + 9..<parameter.upperBound).copied
            let isQuoted = value.count > 1 && value.first == 0x22 && value.last == 0x22
            let boundary = isQuoted ? Array(value.dropFirst().dropLast()) : value
            return (1...maxBoundary).contains(boundary.count) ? boundary : nil
        }
        return nil
    }

    private static func isKnown(_ value: Span<UInt8>, _ essence: Range<Int>) -> Bool {
        if value.hasText("text/", in: essence) { return true }
        for known in essences where value.isText(known, in: essence) { return true }
        return suffixes.contains { suffix in
            let start = essence.upperBound - suffix.utf8CodeUnitCount
            return start > essence.lowerBound && value.isText(suffix, in: start..<essence.upperBound)
        }
    }
}
