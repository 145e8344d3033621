import Bytes

/// Names whose values look as random as credentials and are none: identifiers, cursors, digests, public keys, and the
/// parameters of advertisers.
///
/// Values under them still go if they begin like a known credential.
enum IdentifierName {
    /// The longest that is looked at.
    static let longest = 32

    private static let ends: [StaticString] = [
        "id", "cursor", "hash", "digest", "checksum", "etag", "integrity", "fingerprint", "thumbprint", "sha1",
        "sha256", "sha384", "sha512", "x5t", "x5t#s256", "x-amz-id-2", "address", ".js", ".css",
    ]

    /// Public keys and their coordinates (RFC 7518 6.2.1), and clicks on advertisements.
    private static let names: [StaticString] = ["x", "y", "p256dh", "publickey", "epik", "igsh"]

    /// Words of names whose values open something, such as `session_id`.
    private static let secretWords: [StaticString] = [
        "sess", "sid", "token", "secret", "auth", "key", "pass", "pwd", "cred", "login", "otp", "cookie", "csrf",
        "xsrf", "ticket", "invit", "reset", "magic", "verif", "access", "refresh", "private", "grant", "pw", "remember",
        "recover", "signed", "mfa", "saml", "bearer",
    ]

    static func isOne(_ name: Span<UInt8>) -> Bool {
        guard name.count > 0, name.count <= longest else { return false }
        if names.contains(where: { name.spells($0) }) { return true }
        let ends = ends.contains { end in
            name.count >= end.utf8CodeUnitCount
                && name.extracting(name.count - end.utf8CodeUnitCount..<name.count).spells(end)
        }
        return ends && !hasSecretWord(name)
    }

    private static func hasSecretWord(_ text: Span<UInt8>) -> Bool {
        secretWords.contains { word in
            let count = word.utf8CodeUnitCount
            return (0..<max(0, text.count - count + 1)).contains { text.extracting($0..<$0 + count).spells(word) }
        }
    }

    /// Whether a value follows such a name, or one whose values rules keep: `"id": "`, `id=`, `"id\":\"` within a string.
    ///
    /// - Parameter front: the text in front of the value; a name that begins before it is not known.
    static func isIn(front: Span<UInt8>, _ names: SecretNames) -> Bool {
        var end = front.count
        func skip(_ isSkipped: (UInt8) -> Bool) { while end > 0, isSkipped(front[end - 1]) { end -= 1 } }
        skip(isQuote)
        // A weak entity tag (RFC 9110 8.8.3).
        if end > 1, front[end - 1] == UInt8(ascii: "/"), front[end - 2] == UInt8(ascii: "W") { end -= 2 }
        skip(isQuote)
        skip(ByteSearch.isBlank)
        guard end > 0, front[end - 1] == UInt8(ascii: ":") || front[end - 1] == UInt8(ascii: "=") else { return false }
        end -= 1
        skip(ByteSearch.isBlank)
        skip(isQuote)
        var start = end
        while start > 0, isInName(front[start - 1]) { start -= 1 }
        guard start > 0, start < end else { return false }
        // The rest of a name with escapes is not known.
        if front[start - 1] == UInt8(ascii: "%") || front[start - 1] == UInt8(ascii: "\\") { return false }
        // As in `session id: …` or `<session id="…">`.
        var phrase = start
        while phrase > 0, isInName(front[phrase - 1]) || (front[phrase - 1]).isOne(of: " <") { phrase -= 1 }
        if hasSecretWord(front.extracting(phrase..<start)) { return false }
        let name = front.extracting(start..<end)
        return isOne(name) || names.keeps(name)
    }

    private static func isQuote(_ byte: UInt8) -> Bool { byte.isOne(of: "\"'\\") }

    private static func isInName(_ byte: UInt8) -> Bool { ByteSearch.isAlphanumeric(byte) || byte.isOne(of: "_-.#") }
}
