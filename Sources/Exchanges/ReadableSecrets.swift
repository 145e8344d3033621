/// Replaced secrets as a person reads them in a line: `<redacted:token>`, in URLs as well.
///
/// The digest, by which equal secrets are told, is in `shunt show` and in JSON.
enum ReadableSecrets {
    static func text(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) || text.utf8.contains(UInt8(ascii: "<")) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var at = 0
        while at < bytes.count {
            if let (name, end) = replacement(in: bytes, at: at) {
                result += Array("<redacted:".utf8) + name + [UInt8(ascii: ">")]
                at = end
            } else {
                result.append(bytes[at])
                at += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The name in a replacement that begins at an index, and the index behind the replacement.
    private static func replacement(in bytes: [UInt8], at start: Int) -> (name: ArraySlice<UInt8>, end: Int)? {
        guard let word = end(of: ["<redacted", "%3Credacted"], in: bytes, at: start),
            let first = end(of: [":", "%3A"], in: bytes, at: word)
        else { return nil }
        var at = first
        while at < bytes.count, isNameByte(bytes[at]) { at += 1 }
        let name = bytes[first..<at]
        guard !name.isEmpty, let digest = end(of: [":", "%3A"], in: bytes, at: at), digest + 10 <= bytes.count,
            bytes[digest..<digest + 10].allSatisfy(isHexDigit),
            let end = end(of: [">", "%3E"], in: bytes, at: digest + 10)
        else { return nil }
        return (name, end)
    }

    /// The index behind the one of several texts that stands there.
    private static func end(of texts: [StaticString], in bytes: [UInt8], at start: Int) -> Int? {
        for text in texts {
            let end = start + text.utf8CodeUnitCount
            guard end <= bytes.count else { continue }
            let isThere = text.withUTF8Buffer { $0.elementsEqual(bytes[start..<end]) }
            if isThere { return end }
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || byte &- 0x61 < 6 }
}
