import Bytes

/// The secret that tells the user's own commands from anything else on this machine.
public struct AdminToken: Sendable {
    /// 64 hexadecimal digits.
    public let text: String

    public init(text: String) { self.text = text }

    /// A new one, from the system's random numbers.
    public static func random() -> AdminToken {
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdef")
        var text = ""
        for _ in 0..<32 {
            let byte = UInt8.random(in: 0...255, using: &generator)
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return AdminToken(text: text)
    }

    /// Whether an `Authorization` field carries this token.
    func isCarried(by authorization: String?) -> Bool { Self.bearer(authorization).map(equals) ?? false }

    /// The token that an `Authorization` field carries (RFC 6750 2.1).
    static func bearer(_ authorization: String?) -> Substring? {
        guard let authorization else { return nil }
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1]
    }

    /// Compares in the same time wherever two tokens differ.
    func equals(_ other: some StringProtocol) -> Bool {
        !text.isEmpty && Array(text.utf8).isSameSecret(as: Array(other.utf8))
    }
}
