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
        /// Tokens, and secrets of URLs within it.
        case plain
        /// It is not searched.
        case kept

        init(_ name: Span<UInt8>, names: SecretNames) {
            if names.keeps(name) {
                self = .kept
                return
            }
            switch name.count {
            case 4 where name.spells("link"): self = .link
            case 4 where name.spells("host"), 6 where name.spells("origin"), 10 where name.spells(":authority"):
                self = .text
            case 5 where name.spells(":path"): self = .url
            case 6 where name.spells("cookie"): self = .cookie
            case 7 where name.spells("referer"): self = .url
            case 7 where name.spells("cookie2"): self = .cookie
            case 7 where name.spells("refresh"): self = .refresh
            case 8 where name.spells("location"): self = .url
            case 10 where name.spells("set-cookie"): self = .setCookie
            case 11 where name.spells("destination"): self = .url
            case 11 where name.spells("set-cookie2"): self = .setCookie
            case 13 where name.spells("x-rewrite-url"): self = .url
            case 14 where name.spells("x-original-url") || name.spells("x-original-uri"): self = .url
            case 15 where name.spells("x-forwarded-uri"): self = .url
            case 16 where name.spells("content-location"): self = .url
            case 4 where name.spells("etag"), 8 where name.spells("if-match"), 13 where name.spells("if-none-match"),
                17 where name.spells("sec-websocket-key"), 20 where name.spells("sec-websocket-accept"):
                self = .kept
            case 17 where name.spells("shunt-answered-by"): self = .text
            case 18 where name.spells("operation-location"): self = .url
            case 22 where name.spells("sec-websocket-protocol"): self = .protocols
            default: self = names.contains(name, in: .field) ? .secret : .plain
            }
        }
    }

    let core: RedactionCore

    /// The schemes of RFC 9110 11.1 that stay readable, as IANA and some services name them.
    static func isScheme(_ word: Span<UInt8>) -> Bool {
        switch word.count {
        case 3: word.spells("mac")
        case 4: word.spells("ntlm") || word.spells("dpop") || word.spells("hawk") || word.spells("ssws")
        case 5: word.spells("basic") || word.spells("token") || word.spells("oauth") || word.spells("vapid")
        case 6: word.spells("bearer") || word.spells("digest") || word.spells("apikey") || word.spells("mutual")
        case 7: word.spells("api-key")
        case 9: word.spells("negotiate") || word.spells("signature") || word.spells("concealed")
        case 11: word.spells("scram-sha-1")
        case 12: word.spells("privatetoken")
        case 13: word.spells("scram-sha-256")
        case 16: word.spells("aws4-hmac-sha256")
        default: false
        }
    }

    /// Whether parameters follow this scheme, and no single word (RFC 9110 11.4).
    static func hasParameters(scheme: Span<UInt8>) -> Bool {
        scheme.spells("digest") || scheme.spells("hawk") || scheme.spells("oauth") || scheme.spells("mac")
            || scheme.spells("signature") || scheme.spells("vapid") || scheme.spells("aws4-hmac-sha256")
            || scheme.spells("scram-sha-1") || scheme.spells("scram-sha-256")
    }

    /// The place behind a scheme and blanks at a text's beginning, or 0.
    static func endOfScheme(_ text: Span<UInt8>) -> Int {
        var start = 0
        while start < text.count, start <= longestScheme, !ByteSearch.isBlank(text[start]) { start += 1 }
        guard start < text.count, isScheme(text.extracting(0..<start)) else { return 0 }
        while start < text.count, ByteSearch.isSpace(text[start]) { start += 1 }
        return start
    }

    private static let longestScheme = 16

    /// A secret field's value, of which only the scheme stays, if there is one.
    func redactCredentials(_ bytes: Span<UInt8>, _ value: Range<Int>, name: Range<Int>, into out: inout [UInt8]) {
        let start = value.lowerBound + Self.endOfScheme(bytes.extracting(value))
        out.append(bytes, value.lowerBound..<start)
        replace(bytes, start..<value.upperBound, name: bytes.extracting(name), into: &out)
    }

    /// `name=value; name=value` (RFC 6265 4.2.1).
    func redactCookies(_ bytes: Span<UInt8>, _ value: Range<Int>, into out: inout [UInt8]) {
        var start = value.lowerBound
        while start < value.upperBound {
            let end = ByteSearch.byte(UInt8(ascii: ";"), in: bytes, from: start, to: value.upperBound)
            redactPair(bytes, start..<end, into: &out)
            if end < value.upperBound { out.append(UInt8(ascii: ";")) }
            start = end + 1
        }
    }

    /// `name=value; attributes` (RFC 6265 4.1.1).
    func redactCookie(_ bytes: Span<UInt8>, _ value: Range<Int>, into out: inout [UInt8]) {
        let end = ByteSearch.byte(UInt8(ascii: ";"), in: bytes, from: value.lowerBound, to: value.upperBound)
        redactPair(bytes, value.lowerBound..<end, into: &out)
        var start = end
        while start < value.upperBound {
            out.append(UInt8(ascii: ";"))
            start += 1
            let end = ByteSearch.byte(UInt8(ascii: ";"), in: bytes, from: start, to: value.upperBound)
            if isAttribute(bytes, start..<end) {
                redactText(bytes, start..<end, into: &out)
            } else {
                redactPair(bytes, start..<end, into: &out)
            }
            start = end
        }
    }

    /// Whether this is an attribute of RFC 6265 4.1.1 or its successors, and no second cookie.
    private func isAttribute(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let equals = ByteSearch.byte(UInt8(ascii: "="), in: bytes, from: range.lowerBound, to: range.upperBound)
        let name = bytes.extracting(bytes.trimmed(range.lowerBound..<equals))
        let isKnown =
            switch name.count {
            case 0: true
            case 4: name.spells("path")
            case 6: name.spells("domain") || name.spells("secure")
            case 7: name.spells("expires") || name.spells("max-age") || name.spells("version")
            case 8: name.spells("httponly") || name.spells("samesite") || name.spells("priority")
            case 11: name.spells("partitioned")
            default: false
            }
        guard isKnown else { return false }
        let value = min(equals + 1, range.upperBound)
        return ByteSearch.byte(UInt8(ascii: "="), in: bytes, from: value, to: range.upperBound) == range.upperBound
    }

    private func redactPair(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        let equals = ByteSearch.byte(UInt8(ascii: "="), in: bytes, from: range.lowerBound, to: range.upperBound)
        let hasName = equals < range.upperBound
        let name = bytes.trimmed(range.lowerBound..<equals)
        let value = hasName ? bytes.trimmed(equals &+ 1..<range.upperBound) : name
        out.append(bytes, range.lowerBound..<value.lowerBound)
        if hasName, !name.isEmpty {
            replace(bytes, value, name: bytes.extracting(name), into: &out)
        } else {
            Array("cookie".utf8).withSpan { replace(bytes, value, name: $0, into: &out) }
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
            var pairs = PairRedaction(core: core)
            pairs.redact(bytes.extracting(value), into: &out)
            return pairs.finish(into: &out)
        }
        guard
            ByteSearch.either(
                UInt8(ascii: "="), UInt8(ascii: "@"), in: bytes, from: value.lowerBound, to: value.upperBound)
                < value.upperBound
                || ByteSearch.either(
                    UInt8(ascii: "%"), UInt8(ascii: "/"), in: bytes, from: value.lowerBound, to: value.upperBound)
                    < value.upperBound
        else { return redactText(bytes, value, into: &out) }
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

    private static func endsWord(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
            || byte == UInt8(ascii: ",")
    }

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
            Array("protocol".utf8).withSpan { replace(bytes, start..<element.upperBound, name: $0, into: &out) }
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
        var scanner = CredentialScanner(core: core, encoding: .plain)
        scanner.scan(bytes, range, into: &out)
        scanner.finish(into: &out)
    }

    private func replace(_ bytes: Span<UInt8>, _ range: Range<Int>, name: Span<UInt8>, into out: inout [UInt8]) {
        guard !range.isEmpty else { return }
        var secret = SecretValue(name: name, core: core)
        secret.append(bytes.extracting(range))
        secret.finish(.plain, into: &out)
    }
}
