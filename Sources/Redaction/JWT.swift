import Bytes

/// JSON Web Tokens (RFC 7515, 7519) as text.
enum JWT {
    /// Whether a run of base64url holds a header: JSON with an `alg`.
    ///
    /// Text before the token in the same run may shift it: all four ways to group the letters are tried.
    static func isHeader(_ run: [UInt8]) -> Bool {
        // The length of {"alg":""}.
        guard run.count >= 14 else { return false }
        let wanted = Array(#""alg""#.utf8)
        return (0..<4).contains { shift in
            guard shift < run.count else { return false }
            return contains(wanted, in: decode(run[shift...]))
        }
    }

    /// `header.claims.` of a signed token, claims with secret names replaced; nil for other texts.
    static func readableParts(of token: [UInt8], core: RedactionCore) -> [UInt8]? {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.allSatisfy(isBase64URL) }), isHeader(Array(parts[0])) else {
            return nil
        }
        let claims = decode(parts[1])
        guard claims.first == UInt8(ascii: "{"), claims.last == UInt8(ascii: "}") else { return nil }
        let redacted = RedactionCore(names: core.names, digest: core.digest, keepsClaims: false).json(claims)
        let kept = redacted == claims ? Array(parts[1]) : encode(redacted)
        let dot = UInt8(ascii: ".")
        return Array([Array(parts[0]), kept, []].joined(separator: [dot]))
    }

    /// Whether a word of base64 holds text.
    static func isText(_ word: [UInt8]) -> Bool {
        let text = decode(word[...])
        let readable = text.count { $0 >= 0x20 && $0 < 0x7F || ByteSearch.isSpace($0) }
        return readable * 20 >= text.count * 19
    }

    /// Whether half of a word of base64 is one text, as in identifiers that name a digest.
    ///
    /// Letters in front may shift it: all four ways to group the letters are tried.
    static func holdsText(_ word: [UInt8]) -> Bool {
        (0..<4).contains { shift in
            let bytes = decode(word.dropFirst(shift))
            var (run, longest) = (0, 0)
            for byte in bytes {
                run = byte >= 0x20 && byte < 0x7F ? run + 1 : 0
                longest = max(longest, run)
            }
            return longest >= 12 && longest * 2 >= bytes.count
        }
    }

    @inline(__always)
    static func isBase64URL(_ byte: UInt8) -> Bool {
        ByteSearch.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// What base64url holds; a letter too many is left out.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let whole = text.count % 4 == 1 ? text.dropLast() : text
        return Base64Decoder.bytes(String(decoding: whole, as: UTF8.self)) ?? []
    }

    private static func encode(_ bytes: [UInt8]) -> [UInt8] {
        Base64Encoder.text(bytes).utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
    }

    private static func contains(_ wanted: [UInt8], in text: [UInt8]) -> Bool {
        guard let first = wanted.first, text.count >= wanted.count else { return false }
        let slice = text[...]
        let span = slice.span
        var index = 0
        while index + wanted.count <= text.count {
            index = ByteSearch.byte(first, in: span, from: index, to: text.count)
            if index + wanted.count <= text.count, text[index..<index + wanted.count] == wanted[...] { return true }
            index += 1
        }
        return false
    }
}
