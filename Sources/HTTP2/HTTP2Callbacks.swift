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
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, didReceiveContent)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, didReceiveFrame)
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, didSendFrame)
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, didReceiveInvalidFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, didCloseStream)
        nghttp2_session_callbacks_set_send_data_callback(callbacks, sendContent)
        pointer = callbacks
    }
}

private let goOn: CInt = 0
private let giveUp = CInt(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)

private func session(_ user: UnsafeMutableRawPointer?) -> HTTP2Session? {
    user.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
}

private func stream(_ pointer: OpaquePointer?, _ id: Int32) -> HTTP2Stream? {
    nghttp2_session_get_stream_user_data(pointer, id).map {
        Unmanaged<HTTP2Stream>.fromOpaque($0).takeUnretainedValue()
    }
}

// MARK: Receiving

private func didBeginFrame(
    _: OpaquePointer?, _ header: UnsafePointer<nghttp2_frame_hd>?, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let header = header?.pointee else { return giveUp }
    let kind: FloodMeter.Kind
    switch nghttp2_frame_type(UInt32(header.type)) {
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
    guard let session = session(user), let frame = frame?.pointee else { return giveUp }
    session.headSince = session.now
    session.headStream = nil
    let id = frame.hd.stream_id
    if let stream = stream(pointer, id) {
        session.headStream = stream
        session.reading.begin(opensTunnel: stream.opensTunnel, accept: stream.webSocketAccept)
        return goOn
    }
    guard session.role == .server, frame.headers.cat == NGHTTP2_HCAT_REQUEST else { return goOn }
    let stream = HTTP2Stream(session)
    stream.id = id
    guard session.failure == nil, let user = session.acceptor?.makeUser(of: stream) else {
        session.count(.reset)
        nghttp2_submit_rst_stream(
            pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, HTTP2ErrorCode.refusedStream.rawValue)
        return goOn
    }
    stream.user = user
    session.add(stream)
    nghttp2_session_set_stream_user_data(pointer, id, Unmanaged.passUnretained(stream).toOpaque())
    session.headStream = stream
    session.reading.begin(opensTunnel: false, accept: [])
    return goOn
}

private func didReceiveField(
    _: OpaquePointer?, _: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?,
    _ nameLength: Int, _ value: UnsafePointer<UInt8>?, _ valueLength: Int, _: UInt8, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let user else { return giveUp }
    return Unmanaged<HTTP2Session>.fromOpaque(user)._withUnsafeGuaranteedRef { session in
        // A head that nobody wants is decoded all the same, for the table that both ends share (RFC 9113 4.3).
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

/// Its stream is reset, or was never opened: no more of the head will be told of.
private func didReceiveInvalidFrame(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ error: CInt, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let session = session(user), let frame = frame?.pointee else { return giveUp }
    if nghttp2_frame_type(UInt32(frame.hd.type)) == NGHTTP2_HEADERS { session.headSince = nil }
    if error == NGHTTP2_ERR_REFUSED_STREAM.rawValue { session.count(.reset) }
    return goOn
}

private func didReceiveContent(
    _ pointer: OpaquePointer?, _: UInt8, _ id: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
    _: UnsafeMutableRawPointer?
) -> CInt {
    nghttp2_session_consume_connection(pointer, count)
    guard let stream = stream(pointer, id), let user = stream.user else {
        nghttp2_session_consume_stream(pointer, id, count)
        return goOn
    }
    user.didReceive(UnsafeRawBufferPointer(start: bytes, count: count))
    return goOn
}

private func didReceiveFrame(
    _ pointer: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let session = session(user), let frame = frame?.pointee else { return giveUp }
    switch nghttp2_frame_type(UInt32(frame.hd.type)) {
    case NGHTTP2_HEADERS:
        session.headSince = nil
        guard let stream = session.headStream, stream.id == frame.hd.stream_id else { return goOn }
        session.headStream = nil
        // Further heads of an answer may be the final one as well as its trailers.
        let isTrailers = frame.headers.cat == NGHTTP2_HCAT_HEADERS && stream.hasFinalHead
        session.reading.finish(isTrailers: isTrailers)
        stream.receiveHead(&session.reading, isTrailers: isTrailers)
        // Only a request can be answered; of others nobody must take a part for the whole.
        if session.reading.isTooLong, isTrailers || session.role == .client {
            stream.reset(.enhanceYourCalm)
            return goOn
        }
        if frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { stream.hasEnded = true }
        stream.user?.didReceive(isTrailers ? .trailers : .message)
        if stream.hasEnded { stream.user?.didEnd() }
    case NGHTTP2_DATA:
        guard frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else {
            if frame.hd.length > 0, frame.hd.length == frame.data.padlen { session.count(.emptyData) }
            return goOn
        }
        guard let stream = stream(pointer, frame.hd.stream_id) else { return goOn }
        stream.hasEnded = true
        stream.user?.didEnd()
    case NGHTTP2_SETTINGS where frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
        session.hasSettings = true
        session.allowsTunnels =
            nghttp2_session_get_remote_settings(pointer, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1
    case NGHTTP2_PING where frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0: session.didReceivePong()
    case NGHTTP2_GOAWAY: session.isGoingAway = true
    default: break
    }
    return goOn
}

private func didCloseStream(
    _ pointer: OpaquePointer?, _ id: Int32, _ code: UInt32, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let session = session(user), let stream = stream(pointer, id) else { return goOn }
    if session.headStream === stream { session.headStream = nil }
    stream.isClosed = true
    stream.closeCode = HTTP2ErrorCode(rawValue: code)
    session.remove(stream)
    return goOn
}

// MARK: Sending

private func didSendFrame(
    _ pointer: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let frame = frame?.pointee else { return giveUp }
    switch nghttp2_frame_type(UInt32(frame.hd.type)) {
    case NGHTTP2_HEADERS, NGHTTP2_DATA:
        guard frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
            let stream = stream(pointer, frame.hd.stream_id)
        else { return goOn }
        stream.hasSentEnd = true
        if stream.stopsAfterEnd { stream.reset(.noError) }
    // Whoever makes us reset streams need not reset any.
    case NGHTTP2_RST_STREAM where HTTP2ErrorCode(rawValue: frame.rst_stream.error_code).isPeersFault:
        guard let session = session(user) else { return giveUp }
        session.count(.reset)
    default: break
    }
    return goOn
}

/// Asks a stream's user for content: how much there is; the bytes themselves go by ``sendContent``.
func readContent(
    _ pointer: OpaquePointer?, _ id: Int32, _: UnsafeMutablePointer<UInt8>?, _ most: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _: UnsafeMutablePointer<nghttp2_data_source>?,
    _ user: UnsafeMutableRawPointer?
) -> Int {
    guard let session = session(user), let output = session.output, let flags,
        let stream = stream(pointer, id), let source = stream.user
    else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    flags.pointee |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
    let pending = source.pending
    if pending == 0 && !source.isComplete {
        source.wantsMore()
        return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    let room = output.pointee.room - 9
    guard room >= min(pending, HTTP2Session.leastRoom) else {
        source.hasNoRoom()
        return Int(NGHTTP2_ERR_DEFERRED.rawValue)
    }
    let count = min(pending, most, room)
    if count == pending && source.isComplete {
        flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
        let trailers = source.takeTrailers()
        if session.submitTrailers(trailers, on: stream) {
            flags.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
        }
    }
    return count
}

private func sendContent(
    _ pointer: OpaquePointer?, _ frame: UnsafeMutablePointer<nghttp2_frame>?, _ header: UnsafePointer<UInt8>?,
    _ count: Int, _: UnsafeMutablePointer<nghttp2_data_source>?, _ user: UnsafeMutableRawPointer?
) -> CInt {
    guard let session = session(user), let output = session.output, let id = frame?.pointee.hd.stream_id,
        let stream = stream(pointer, id), let source = stream.user
    else { return CInt(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
    output.pointee.append(UnsafeRawBufferPointer(start: header, count: 9))
    source.take(count, into: &output.pointee)
    session.flood.earn(bytes: count)
    return goOn
}
