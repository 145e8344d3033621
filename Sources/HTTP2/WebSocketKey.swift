/// The key of a WebSocket over HTTP/1.1, which one over HTTP/2 lacks (RFC 6455 4.1, RFC 8441 5).
enum WebSocketKey {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// 16 random bytes in Base64.
    static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var text: [UInt8] = []
        for _ in 0..<21 { text.append(alphabet[Int.random(in: 0..<64, using: &generator)]) }
        // The last character has two bits of the last byte, and four zero bits.
        text.append(alphabet[Int.random(in: 0..<4, using: &generator) << 4])
        return text + Array("==".utf8)
    }
}
