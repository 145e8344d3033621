/// What a WebSocket over HTTP/1.1 has and one over HTTP/2 has not (RFC 6455 4.1, RFC 8441 5).
enum WebSocketKey {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// 16 random bytes in Base64.
    static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var text: [UInt8] = []
        for _ in 0..<21 { text.append(alphabet[Int.random(in: 0..<64, using: &generator)]) }
        // Two bits of the last byte are left, and four of nothing.
        text.append(alphabet[Int.random(in: 0..<4, using: &generator) << 4])
        return text + Array("==".utf8)
    }
}
