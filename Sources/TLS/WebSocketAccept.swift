import COpenSSL

/// How a server shows that it has understood a WebSocket's handshake (RFC 6455 4.2.2).
public enum WebSocketAccept {
    /// The value of `Sec-WebSocket-Accept` for a client's key; nil when OpenSSL is out of memory.
    public static func value(forKey key: Span<UInt8>) -> [UInt8]? {
        var text: [UInt8] = []
        for index in 0..<key.count { text.append(key[index]) }
        text += "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8
        var digest = [UInt8](repeating: 0, count: 20)
        guard EVP_Digest(text, text.count, &digest, nil, EVP_sha1(), nil) == 1 else { return nil }
        // Four characters for each three bytes, and a NUL.
        var encoded = [UInt8](repeating: 0, count: 29)
        let count = EVP_EncodeBlock(&encoded, digest, 20)
        return Array(encoded.prefix(Int(max(0, count))))
    }
}
