import Bytes

/// Replaces the secrets in the value of one field.
struct FieldRedaction {
    /// How a field's value is read.
    enum Form {
        case secret
        case cookie
        case setCookie
        case url
        case link
        case refresh
        /// Names of protocols, where programs that can send no other field put their tokens.
        case protocols
        /// A host, or a text of Shunt's own, which may quote any bytes.
        case text
        /// A word of a known few, or a number: what looks like a credential is none of them.
        case word
        /// Tokens, and secrets of URLs within it.
        case plain
        /// It is not searched.
        case kept

        private static let known: [(form: Form, names: [StaticString])] = [
            (.link, ["link"]), (.text, ["host", "origin", ":authority", "shunt-answered-by"]),
            (
                .url,
                [
                    ":path", "referer", "location", "destination", "x-rewrite-url", "x-original-url", "x-original-uri",
                    "x-forwarded-uri", "content-location", "operation-location",
                ]
            ), (.cookie, ["cookie", "cookie2"]), (.setCookie, ["set-cookie", "set-cookie2"]), (.refresh, ["refresh"]),
            (.kept, ["etag", "if-match", "if-none-match", "sec-websocket-key", "sec-websocket-accept"]),
            (.protocols, ["sec-websocket-protocol"]),
            (.word, ["expect", "upgrade", "connection", "content-length", "transfer-encoding"]),
        ]

        init(_ name: Span<UInt8>, names: SecretNames) {
            if names.keeps(name) {
                self = .kept
            } else if let known = Self.known.first(where: { $0.names.contains { name.spells($0) } }) {
                self = known.form
            } else if names.contains(name, in: .field) {
                self = .secret
            } else {
                self = name.begins(with: "shunt-") ? .word : .plain
            }
        }
    }

    let core: RedactionCore

    /// The schemes of RFC 9110 11.1 that stay readable, as IANA and some services name them.
    private static let schemes: [StaticString] = [
        "basic", "bearer", "token", "dpop", "negotiate", "ntlm", "ssws", "apikey", "api-key", "mutual", "concealed",
        "privatetoken",
    ]
    /// Those that parameters follow, and no single word (RFC 9110 11.4).
    private static let schemesWithParameters: [StaticString] = [
        "digest", "hawk", "oauth", "mac", "signature", "vapid", "aws4-hmac-sha256", "scram-sha-1", "scram-sha-256",
    ]

    static func isScheme(_ word: Span<UInt8>) -> Bool {
        word.count >= 3 && word.count <= longestScheme
            && (schemes.contains { word.spells($0) } || hasParameters(scheme: word))
    }

    static func hasParameters(scheme: Span<UInt8>) -> Bool { schemesWithParameters.contains { scheme.spells($0) } }

    /// The place behind a scheme and blanks at a text's beginning, or 0.
    static func endOfScheme(_ text: Span<UInt8>) -> Int {
        var start = 0
        while start < text.count, start <= longestScheme, !ByteSearch.isBlank(text[start]) { start += 1 }
        guard start < text.count, isScheme(text.extracting(0..<start)) else { return 0 }
        while start < text.count, ByteSearch.isSpace(text[start]) { start += 1 }
        return start
    }

    private static let longestScheme = 16

    /// A value by its field's name.
    func redact(_ bytes: Span<UInt8>, _ value: Range<Int>, name: Range<Int>, into out: inout [UInt8]) {
        switch Form(bytes.extracting(name), names: core.names) {
        case .secret: redactCredentials(bytes, value, name: name, into: &out)
        case .cookie: redactCookies(bytes, value, isSet: false, into: &out)
        case .setCookie: redactCookies(bytes, value, isSet: true, into: &out)
        case .url: URLRedaction(core: core).redact(bytes, value, into: &out)
        case .link: redactLinks(bytes, value, into: &out)
        case .refresh: redactRefresh(bytes, value, into: &out)
        case .protocols: redactProtocols(bytes, value, into: &out)
        case .text: TextRedaction(core: core).redact(bytes, value, into: &out)
        case .word where ValueLook.isStray(bytes.extracting(value)):
            core.replace(bytes.extracting(value), name: bytes.extracting(name), into: &out)
        case .word, .plain:
            // Shorter values hold no random word, and most are shorter.
            let isIdentifier =
                value.count >= CredentialLook.shortestRandom && IdentifierName.isOne(bytes.extracting(name))
            let form = isIdentifier ? FieldRedaction(core: core.withoutRandom) : self
            form.redactPlain(bytes, value, into: &out)
        case .kept: out.append(bytes, value)
        }
    }

    /// A secret field's value, of which only the scheme stays, if there is one.
    func redactCredentials(_ bytes: Span<UInt8>, _ value: Range<Int>, name: Range<Int>, into out: inout [UInt8]) {
        let start = value.lowerBound + Self.endOfScheme(bytes.extracting(value))
        out.append(bytes, value.lowerBound..<start)
        core.replace(bytes.extracting(start..<value.upperBound), name: bytes.extracting(name), into: &out)
    }

    /// `name=value; name=value`, or `name=value; attributes` where a cookie is set (RFC 6265 4.1.1, 4.2.1).
    func redactCookies(_ bytes: Span<UInt8>, _ value: Range<Int>, isSet: Bool, into out: inout [UInt8]) {
        var start = value.lowerBound
        while start < value.upperBound {
            let end = ByteSearch.byte(UInt8(ascii: ";"), in: bytes, from: start, to: value.upperBound)
            if isSet, start > value.lowerBound, isAttribute(bytes, start..<end) {
                redactText(bytes, start..<end, into: &out)
            } else {
                redactPair(bytes, start..<end, into: &out)
            }
            if end < value.upperBound { out.append(UInt8(ascii: ";")) }
            start = end + 1
        }
    }

    private static let attributes: [StaticString] = [
        "", "path", "domain", "secure", "expires", "max-age", "version", "httponly", "samesite", "priority",
        "partitioned",
    ]

    /// Whether this is an attribute of RFC 6265 4.1.1 or its successors, and no second cookie.
    private func isAttribute(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let equals = ByteSearch.byte(UInt8(ascii: "="), in: bytes, from: range.lowerBound, to: range.upperBound)
        let name = bytes.extracting(bytes.trimmed(range.lowerBound..<equals))
        let value = min(equals + 1, range.upperBound)
        return Self.attributes.contains { name.spells($0) }
            && ByteSearch.byte(UInt8(ascii: "="), in: bytes, from: value, to: range.upperBound) == range.upperBound
    }

    private func redactPair(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        let equals = ByteSearch.byte(UInt8(ascii: "="), in: bytes, from: range.lowerBound, to: range.upperBound)
        let hasName = equals < range.upperBound
        let name = bytes.trimmed(range.lowerBound..<equals)
        let value = hasName ? bytes.trimmed(equals &+ 1..<range.upperBound) : name
        out.append(bytes, range.lowerBound..<value.lowerBound)
        if hasName, !name.isEmpty {
            core.replace(bytes.extracting(value), name: bytes.extracting(name), into: &out)
        } else {
            core.replace(bytes.extracting(value), name: "cookie", into: &out)
        }
        out.append(bytes, value.upperBound..<range.upperBound)
    }

    /// `<URL>; parameters, <URL>` (RFC 8288 3).
    func redactLinks(_ bytes: Span<UInt8>, _ value: Range<Int>, into out: inout [UInt8]) {
        var index = value.lowerBound
        while index < value.upperBound {
            let open = ByteSearch.byte(UInt8(ascii: "<"), in: bytes, from: index, to: value.upperBound)
            redactText(bytes, index..<open, into: &out)
            guard open < value.upperBound else { return }
            out.append(UInt8(ascii: "<"))
            index = ByteSearch.byte(UInt8(ascii: ">"), in: bytes, from: open + 1, to: value.upperBound)
            URLRedaction(core: core).redact(bytes, open + 1..<index, into: &out)
        }
    }

    /// `seconds; url=URL` (HTML Standard, 4.2.5.3).
    func redactRefresh(_ bytes: Span<UInt8>, _ value: Range<Int>, into out: inout [UInt8]) {
        var start = value.lowerBound
        while start < value.upperBound, bytes[start] != UInt8(ascii: ";"), bytes[start] != UInt8(ascii: ",") {
            start += 1
        }
        while start < value.upperBound, bytes[start] != UInt8(ascii: "=") { start += 1 }
        start = min(start + 1, value.upperBound)
        while start < value.upperBound, ByteSearch.isSpace(bytes[start]) || bytes[start] == 0x22 || bytes[start] == 0x27
        {
            start += 1
        }
        out.append(bytes, value.lowerBound..<start)
        URLRedaction(core: core).redact(bytes, start..<value.upperBound, into: &out)
    }

    /// Any other value: secrets of URLs within it and tokens are replaced.
    func redactPlain(_ bytes: Span<UInt8>, _ value: Range<Int>, into out: inout [UInt8]) {
        if bytes[value.lowerBound] == UInt8(ascii: "{") || bytes[value.lowerBound] == UInt8(ascii: "[") {
            var pairs = PairReader(core: core)
            pairs.redact(bytes.extracting(value), into: &out)
            return
        }
        guard value.contains(where: { bytes[$0].isOne(of: "=@%/") }) else {
            return redactText(bytes, value, into: &out)
        }
        var words: [UInt8] = []
        var index = value.lowerBound
        while index < value.upperBound {
            let start = index
            while index < value.upperBound, !Self.endsWord(bytes[index]) { index += 1 }
            URLRedaction(core: core).redact(bytes, start..<index, into: &words)
            if index < value.upperBound { words.append(bytes[index]) }
            index += 1
        }
        words.withSpan { redactText($0, 0..<$0.count, into: &out) }
    }

    private static func endsWord(_ byte: UInt8) -> Bool { byte <= 0x20 || byte.isOne(of: "\"<>,") }

    /// Names of subprotocols (RFC 6455 11.3.4): replaces all text behind a word like `bearer`, and words that are no
    /// names.
    func redactProtocols(_ bytes: Span<UInt8>, _ value: Range<Int>, into out: inout [UInt8]) {
        var index = value.lowerBound
        var isBehindScheme = false
        while index < value.upperBound {
            let end = ByteSearch.byte(UInt8(ascii: ","), in: bytes, from: index, to: value.upperBound)
            let element = bytes.trimmed(index..<end)
            let name = bytes.extracting(element)
            out.append(bytes, index..<element.lowerBound)
            let start = isBehindScheme ? element.lowerBound : startOfSecret(bytes, element)
            out.append(bytes, element.lowerBound..<start)
            core.replace(bytes.extracting(start..<element.upperBound), name: "protocol", into: &out)
            if start == element.upperBound { isBehindScheme = isBehindScheme || isCredentialWord(name) }
            out.append(bytes, element.upperBound..<min(end + 1, value.upperBound))
            index = end + 1
        }
    }

    private func isCredentialWord(_ name: Span<UInt8>) -> Bool {
        Self.isScheme(name) || name.spells("jwt") || core.names.contains(name, in: .field)
    }

    /// The beginning of a secret in the name of a protocol: behind `authorization.` or `api-key.`, or at its start if
    /// it is too long for a protocol's name.
    private func startOfSecret(_ bytes: Span<UInt8>, _ element: Range<Int>) -> Int {
        var start = element.lowerBound
        while start < element.upperBound {
            let dot = ByteSearch.byte(UInt8(ascii: "."), in: bytes, from: start, to: element.upperBound)
            if dot < element.upperBound, isCredentialWord(bytes.extracting(start..<dot)) { return dot + 1 }
            start = dot + 1
        }
        var hasCapital = false
        for index in element where bytes[index] &- 0x41 < 26 { hasCapital = true }
        return element.count > (hasCapital ? 15 : 32) ? element.lowerBound : element.upperBound
    }

    /// Tokens in any other value.
    func redactText(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        guard range.count >= TokenSearch.shortest else { return out.append(bytes, range) }
        CredentialScanner(core: core, encoding: .plain).scan(bytes, range, into: &out)
    }
}
