/// A place in JSON as RFC 6901 writes it: `/items/2/odd~1name`.
public struct JSONPointer: Sendable {
    public let tokens: [String]

    /// nil for a text that is none.
    public init?(_ text: String) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        var tokens: [String] = []
        for part in text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let token = Self.unescaped(Substring(part)) else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// One token as it is meant; nil where a `~` is none of an escape.
    public static func unescaped(_ token: Substring) -> String? {
        guard token.utf8.contains(UInt8(ascii: "~")) else { return String(token) }
        var bytes: [UInt8] = []
        var rest = token.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "~") else {
                bytes.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "0"): bytes.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): bytes.append(UInt8(ascii: "/"))
            default: return nil
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// One token as it is written.
    public static func escaped(_ token: String) -> String {
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return token }
        var text = ""
        for scalar in token.unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The number of an item in an array, as a token writes it: without a sign and zeros in front.
    public static func index(_ token: String) -> Int? {
        guard token == "0" || token.utf8.first != UInt8(ascii: "0"),
            token.utf8.allSatisfy({ $0 &- 0x30 < 10 })
        else { return nil }
        return Int(token)
    }
}
