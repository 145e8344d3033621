import CNghttp2

/// Reasons in GOAWAY frames of either end (RFC 9113 6.8).
extension HTTP2Session {
    enum End {
        case us, peer
    }

    /// Bytes of a peer's debug data that are kept.
    private static let maxDebug = 200

    /// Keeps the first reason other than NO_ERROR; the library may end a session by itself, too.
    func note(_ frame: nghttp2_goaway, from end: End) {
        let code = HTTP2ErrorCode(rawValue: frame.error_code)
        if end == .peer, code == .enhanceYourCalm { wantsCalm = true }
        guard code != .noError, failure == nil, closeReason == nil else { return }
        let debug = UnsafeBufferPointer(start: frame.opaque_data, count: min(frame.opaque_data_len, Self.maxDebug))
        let words = String(decoding: debug.map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        let what = end == .us ? "HTTP/2 protocol error by the peer:" : "its GOAWAY said"
        closeReason = words.isEmpty ? "\(what) \(code)" : "\(what) \(code), \(words)"
    }
}
