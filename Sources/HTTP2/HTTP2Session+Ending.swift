import CNghttp2

/// An end that loses no stream: GOAWAY twice, with a round trip between them (RFC 9113 6.8).
extension HTTP2Session {
    /// The payload of the PING behind the first GOAWAY, which tells its response from those to earlier ones.
    private static let mark = Array("goaway-1".utf8)

    /// Sends the first GOAWAY; streams that the peer opens before it has read it are served.
    ///
    /// ``awaitsRoundTrip`` is true until the peer must have read it; then ``finishEnd()`` is called.
    ///
    /// - Parameter debugData: says in the second GOAWAY why.
    public func announceEnd(debugData: [UInt8] = []) {
        guard !isGoingAway else { return }
        self.debugData = debugData
        isGoingAway = true
        guard role == .server else { return }
        nghttp2_submit_shutdown_notice(pointer)
        awaitsRoundTrip =
            Self.mark.withUnsafeBufferPointer {
                nghttp2_submit_ping(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), $0.baseAddress)
            } == 0
    }

    /// Sends the second GOAWAY with the last stream; called after the round trip, or when that takes too long.
    public func finishEnd() {
        guard awaitsRoundTrip else { return }
        awaitsRoundTrip = false
        nghttp2_submit_goaway(
            pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), nghttp2_session_get_last_proc_stream_id(pointer),
            HTTP2ErrorCode.noError.rawValue, debugData, debugData.count)
    }

    func isRoundTrip(_ ping: nghttp2_ping) -> Bool {
        withUnsafeBytes(of: ping.opaque_data) { $0.elementsEqual(Self.mark) }
    }
}
