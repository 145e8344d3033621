import Bytes

/// Base64 (RFC 4648 4) in its one canonical form, without padding unless it is said.
enum StrictBase64 {
    static func text(_ bytes: [UInt8]) -> String {
        var text = Base64Encoder.text(bytes)
        while text.last == "=" { text.removeLast() }
        return text
    }

    /// nil for every other spelling of the same bytes, too.
    static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.allSatisfy({ isDigit($0) }) else { return nil }
        let string = String(decoding: text, as: UTF8.self)
        guard let bytes = Base64Decoder.bytes(string), self.text(bytes) == string else { return nil }
        return bytes
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: false
        }
    }
}
