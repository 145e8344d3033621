import Bytes
import CNghttp2

/// The functions that nghttp2 calls, the same for all sessions.
///
/// Sendable because it is never changed after `init`.
struct HTTP2Callbacks: @unchecked Sendable {
    static let shared = HTTP2Callbacks()

    let pointer: OpaquePointer?

    private init() {
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0 else {
            pointer = nil
            return
        }
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, didBeginFrame)
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, didBeginHead)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, didReceiveField)
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, didReceiveInvalidField)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, didReceiveBody)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, didReceiveFrame)
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, didSendFrame)
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, didReceiveInvalidFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, didCloseStream)
        nghttp2_session_callbacks_set_send_data_callback(callbacks, sendBody)
        pointer = callbacks
    }
}

private let goOn: CInt = 0
private let giveUp = CInt(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)

private func session(_ user: UnsafeMutableRawPointer?) -> HTTP2Session? {
    user.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
}

// On the path of every request, so without reference counting: the session retains its streams, and its caller retains
// the session.

@inline(__always)
private func withSession(_ user: UnsafeMutableRawPointer?, _ body: (HTTP2Session) -> CInt) -> CInt {
    guard let user else { return giveUp }
    return Unmanaged<HTTP2Session>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
}

@inline(__always)
private func withStream<Result>(_ pointer: OpaquePointer?, _ id: Int32, _ body: (HTTP2Stream) -> Result) -> Result? {
    guard let user = nghttp2_session_get_stream_user_data(pointer, id) else { return nil }
    return Unmanaged<HTTP2Stream>.fromOpaque(user)._withUnsafeGuaranteedRef(body)
}

// MARK: Receiving

private func didBeginFrame(
    _: OpaquePointer?, _ header: UnsafePointer<nghttp2_frame_hd>?, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let header = header?.pointee else { return giveUp }
    let kind: FloodMeter.Kind
    switch nghttp2_frame_type(UInt32(header.type)) {
    case NGHTTP2_HEADERS:
        return withSession(user) { session in
            session.checkOrder(of: header.stream_id)
            return goOn
        }
    case NGHTTP2_PRIORITY where header.stream_id == 0:
        session(user)?.fail(HTTP2Failure(.protocolError, "PRIORITY on stream 0 (RFC 9113 6.3)"))
        return goOn
    case NGHTTP2_DATA:
        guard header.length == 0, header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) == 0 else { return goOn }
        kind = .emptyData
    case NGHTTP2_RST_STREAM: kind = .reset
    case NGHTTP2_SETTINGS: kind = .settings
    case NGHTTP2_PING: kind = .ping
    case NGHTTP2_WINDOW_UPDATE: kind = .windowUpdate
    case NGHTTP2_PRIORITY: kind = .priority
    // Most frames need no session here.
    default: return goOn
    }
    guard let session = session(user) else { return giveUp }
    session.count(kind)
    return goOn
}

private func didBeginHead(
    _ pointer: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let frame else { return giveUp }
    let id = frame.pointee.hd.stream_id
    let isRequest = frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
    return withSession(user) { session in
        session.headSince = session.now
        session.headStream = nil
        let isKnown: Void? = withStream(pointer, id) { stream in
            session.headStream = Unmanaged.passUnretained(stream)
            session.reading.begin(opensTunnel: stream.opensTunnel, accept: stream.webSocketAccept)
        }
        guard isKnown == nil, session.role == .server, isRequest else { return goOn }
        guard session.failure == nil, let stream = session.acceptor?.accept(on: session) else {
            session.count(.reset)
            nghttp2_submit_rst_stream(
                pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, HTTP2ErrorCode.refusedStream.rawValue)
            return goOn
        }
        stream.id = id
        let reference = Unmanaged.passUnretained(stream)
        nghttp2_session_set_stream_user_data(pointer, id, reference.toOpaque())
        session.headStream = reference
        session.reading.begin(opensTunnel: false, accept: [])
        return goOn
    }
}

private func didReceiveField(
    _: OpaquePointer?, _: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int, _ value: UnsafePointer<UInt8>?, _ valueLength: Int, _: UInt8, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let user else { return giveUp }
    return Unmanaged<HTTP2Session>.fromOpaque(user)._withUnsafeGuaranteedRef { session in
        // A head that is not used is still decoded, for the compression state of both ends (RFC 9113 4.3).
        let isFine = session.reading.add(
            HeaderBytes(start: name, count: nameLength), HeaderBytes(start: value, count: valueLength))
        if !isFine {
            session.fail(HTTP2Failure(.enhanceYourCalm, "a head of more than \(session.limits.bombBytes) bytes"))
        }
        return goOn
    }
}

/// The library would ignore a field that it finds malformed; RFC 9113 8.2.1 makes the message malformed.
private func didReceiveInvalidField(
    _: OpaquePointer?, _: UnsafePointer<nghttp2_frame>?, _: UnsafePointer<UInt8>?, _: Int, _: UnsafePointer<UInt8>?,
    _: Int, _: UInt8, _: UnsafeMutableRawPointer?
) -> CInt { CInt(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }

/// Its stream is reset, or was never opened: no further fields of the head will be reported.
private func didReceiveInvalidFrame(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ error: CInt, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let session = session(user), let frame = frame?.pointee else { return giveUp }
    if nghttp2_frame_type(UInt32(frame.hd.type)) == NGHTTP2_HEADERS { session.headSince = nil }
    if error == NGHTTP2_ERR_REFUSED_STREAM.rawValue { session.count(.reset) }
    return goOn
}

private func didReceiveBody(
    _ pointer: OpaquePointer?, _: UInt8, _ id: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
    _: UnsafeMutableRawPointer?
) -> CInt {
    nghttp2_session_consume_connection(pointer, count)
    let isTaken = withStream(pointer, id) { stream in
        guard let user = stream.user else { return false }
        user.didReceive(UnsafeRawBufferPointer(start: bytes, count: count))
        return true
    }
    if isTaken != true { nghttp2_session_consume_stream(pointer, id, count) }
    return goOn
}

private func didReceiveFrame(
    _ pointer: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let frame else { return giveUp }
    let header = frame.pointee.hd
    switch nghttp2_frame_type(UInt32(header.type)) {
    case NGHTTP2_HEADERS:
        let isFirst = frame.pointee.headers.cat != NGHTTP2_HCAT_HEADERS
        return withSession(user) {
            $0.finishHead(
                of: header.stream_id, isFirst: isFirst,
                isLast: header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0)
            return goOn
        }
    case NGHTTP2_DATA:
        guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else {
            if header.length > 0, header.length == frame.pointee.data.padlen { session(user)?.count(.emptyData) }
            return goOn
        }
        withStream(pointer, header.stream_id) {
            $0.hasEnded = true
            $0.user?.didEnd()
        }
        return goOn
    default: return didReceiveOther(pointer, frame.pointee, user)
    }
}

private func didReceiveOther(
    _ pointer: OpaquePointer?, _ frame: nghttp2_frame, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let session = session(user) else { return giveUp }
    let header = frame.hd
    switch nghttp2_frame_type(UInt32(header.type)) {
    case NGHTTP2_SETTINGS where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
        session.hasSettings = true
        session.allowsTunnels =
            nghttp2_session_get_remote_settings(pointer, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1
    case NGHTTP2_PING where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0: session.didReceivePong(frame.ping)
    case NGHTTP2_GOAWAY:
        session.isGoingAway = true
        session.note(frame.goaway, from: .peer)
    default: break
    }
    return goOn
}

private func didCloseStream(
    _ pointer: OpaquePointer?, _ id: Int32, _ code: UInt32, _ user: UnsafeMutableRawPointer?
) -> CInt {
    withStream(pointer, id) { stream in
        withSession(user) { session in
            if session.headStream?.toOpaque() == Unmanaged.passUnretained(stream).toOpaque() {
                session.headStream = nil
            }
            stream.isClosed = true
            // The library gives up heads that wait while GOAWAY arrives: the peer has never seen them.
            stream.closeCode =
                session.role == .client && !stream.hasSentHead ? .refusedStream : HTTP2ErrorCode(rawValue: code)
            session.remove(stream)
            return goOn
        }
    } ?? goOn
}

// MARK: Sending

private func didSendFrame(
    _ pointer: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let frame = frame?.pointee else { return giveUp }
    switch nghttp2_frame_type(UInt32(frame.hd.type)) {
    case NGHTTP2_HEADERS, NGHTTP2_DATA:
        let isEnd = frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        guard isEnd || frame.hd.type == NGHTTP2_HEADERS.rawValue else { return goOn }
        withStream(pointer, frame.hd.stream_id) {
            $0.hasSentHead = true
            guard isEnd else { return }
            $0.hasSentEnd = true
            if $0.stopsAfterEnd { $0.reset(.noError) }
        }
    // A peer that makes us reset streams costs as much as one that resets them.
    case NGHTTP2_RST_STREAM where HTTP2ErrorCode(rawValue: frame.rst_stream.error_code).isPeersFault:
        guard let session = session(user) else { return giveUp }
        session.count(.reset)
    case NGHTTP2_GOAWAY: session(user)?.note(frame.goaway, from: .us)
    default: break
    }
    return goOn
}

private func output(_ user: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Buffer>? {
    guard let user else { return nil }
    return Unmanaged<HTTP2Session>.fromOpaque(user)._withUnsafeGuaranteedRef { $0.output }
}

/// Asks a stream's user how many bytes of a body are pending; ``sendBody`` moves the bytes.
func readBody(
    _ pointer: OpaquePointer?, _ id: Int32, _: UnsafeMutablePointer<UInt8>?, _ limit: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _: UnsafeMutablePointer<nghttp2_data_source>?,
    _ user: UnsafeMutableRawPointer?
) -> Int {
    guard let output = output(user), let flags, let source = withStream(pointer, id, { $0.user }) ?? nil else {
        return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
    }
    flags.pointee |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
    let pending = source.pending
    if pending == 0 && !source.isComplete {
        source.wantsMore()
        return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    let room = output.pointee.room - 9
    guard room >= min(pending, HTTP2Session.minRoom) else {
        source.hasNoRoom()
        return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    let count = min(pending, limit, room)
    if count == pending && source.isComplete {
        flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        let trailers = source.takeTrailers()
        if !trailers.isEmpty, let session = session(user), session.submitTrailers(trailers, on: id) {
            flags.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
        }
    }
    return count
}

private func sendBody(
    _ pointer: OpaquePointer?, _ frame: UnsafeMutablePointer<nghttp2_frame>?, _ header: UnsafePointer<UInt8>?,
    _ count: Int, _: UnsafeMutablePointer<nghttp2_data_source>?, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let output = output(user), let id = frame?.pointee.hd.stream_id,
        let source = withStream(pointer, id, { $0.user }) ?? nil
    else { return CInt(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    output.pointee.append(UnsafeRawBufferPointer(start: header, count: 9))
    source.take(count, into: &output.pointee)
    return withSession(user) {
        $0.flood.earn(bytes: count)
        return goOn
    }
}
