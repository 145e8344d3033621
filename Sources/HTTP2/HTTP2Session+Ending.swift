import CNghttp2

/// An end that loses no stream: GOAWAY twice, with a round trip between them (RFC 9113 6.8).
extension HTTP2Session {
    /// What the PING behind the first GOAWAY says, so that its response is told from that of an earlier one.
    private static let mark = Array("goaway-1".utf8)

    /// Tells the peer to open no more streams; those that it opens before it knows are served like those that are open.
    ///
    /// ``awaitsRoundTrip`` says that the peer may not know yet; ``finishEnd()`` ends that.
    public func announceEnd() {
        guard !isGoingAway else { return }
        isGoingAway = true
        guard role == .server else { return }
        nghttp2_submit_shutdown_notice(pointer)
        awaitsRoundTrip =
            Self.mark.withUnsafeBufferPointer {
                nghttp2_submit_ping(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), $0.baseAddress)
            } == 0
    }

    /// Says which stream was the last; called when the round trip is over, and where it takes too long.
    public func finishEnd() {
        guard awaitsRoundTrip else { return }
        awaitsRoundTrip = false
        nghttp2_submit_goaway(
            pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), nghttp2_session_get_last_proc_stream_id(pointer),
            HTTP2ErrorCode.noError.rawValue, nil, 0)
    }

    func isRoundTrip(_ ping: nghttp2_ping) -> Bool {
        withUnsafeBytes(of: ping.opaque_data) { $0.elementsEqual(Self.mark) }
    }
}
