public import Bytes
import CNghttp2

/// HTTP/2 on one connection, either end: received bytes become messages of streams, and messages of streams become
/// bytes.
///
/// Framing and HPACK are nghttp2's. It knows no sockets. Confined to one thread.
public final class HTTP2Session {
    public enum Role: Sendable {
        case server, client
    }

    public let role: Role
    public let limits: HTTP2Limits
    /// The window that new streams begin with.
    private(set) var initialWindow: Int
    /// Valid from the end of `init` to the session's end.
    let pointer: OpaquePointer
    /// Accepts the streams that the peer opens; nil refuses them.
    ///
    /// It is called while ``receive(_:now:)`` runs, and must be alive then.
    public unowned(unsafe) var acceptor: (any HTTP2Acceptor)?
    /// The reason of a GOAWAY of either end; nil for NO_ERROR.
    public internal(set) var closeReason: String?
    /// The peer's GOAWAY said ENHANCE_YOUR_CALM.
    public internal(set) var wantsCalm = false
    /// One end has sent GOAWAY: no more streams are opened.
    public internal(set) var isGoingAway = false
    /// A response to our last PING is missing.
    public private(set) var awaitsPing = false
    /// GOAWAY was sent, and the peer may not have read it yet: streams that it opens are served.
    public internal(set) var awaitsRoundTrip = false
    /// What the last GOAWAY says beside its code.
    var debugData: [UInt8] = []
    /// The peer lets clients open WebSockets (RFC 8441 3).
    public internal(set) var allowsTunnels = false
    /// The peer's SETTINGS have arrived.
    public internal(set) var hasSettings = false
    var now: UInt64 = 0
    // What each frame and each field of a head changes: some twenty changes a request.
    private let reader: Box<HeadReading>
    private let writer = Box(HeadWriting())
    private let ids = Box(StreamOrder())
    private let meter = Box(FloodMeter())
    private let open = Box<[HTTP2Stream]>([])
    private let fault = Box<HTTP2Failure?>(nil)
    private let headBegin = Box<UInt64?>(nil)
    /// The stream whose head is being read.
    var headStream: Unmanaged<HTTP2Stream>?
    private let memory: HTTP2Memory
    /// Where bytes go while ``send(into:)`` runs.
    var output: UnsafeMutablePointer<Buffer>?
    /// Bytes that the last call had no room for.
    private var overflow: [UInt8] = []

    /// - Parameters:
    ///   - buffers: memory for heads; longer ones get memory of their own.
    ///   - memory: for all else; sessions of one thread share it.
    public init(
        _ role: Role, limits: HTTP2Limits = HTTP2Limits(), buffers: BufferPool = BufferPool(size: 8 << 10, limit: 4),
        memory: HTTP2Memory = HTTP2Memory()
    ) throws(HTTP2Failure) {
        self.role = role
        self.memory = memory
        initialWindow = limits.window
        self.limits = limits
        reader = Box(HeadReading(limits, buffers))
        var options: OpaquePointer?
        guard nghttp2_option_new(&options) == 0, let options else { throw HTTP2Failure(.internalError, "no memory") }
        defer { nghttp2_option_del(options) }
        // Windows are updated when content was used, not when it arrived.
        nghttp2_option_set_no_auto_window_update(options, 1)
        // Closed streams would be kept for priorities, which are deprecated (RFC 9113 5.3).
        nghttp2_option_set_no_closed_streams(options, 1)
        // The library then looks at the frame's stream (RFC 9218 7.1).
        nghttp2_option_set_builtin_recv_extension_type(options, UInt8(NGHTTP2_PRIORITY_UPDATE.rawValue))
        // nghttp2's own is less than a response's head may have.
        nghttp2_option_set_max_send_header_block_length(options, 512 << 10)
        nghttp2_option_set_peer_max_concurrent_streams(options, 100)
        // Higher than our own limit, which applies first.
        nghttp2_option_set_stream_reset_rate_limit(options, 2000, 200)
        // Origins send blanks around values, and browsers drop them, as the head's text does (RFC 9113 8.2.1 has a reset).
        if role == .client { nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1) }
        var made: OpaquePointer?
        let callbacks = HTTP2Callbacks.shared.pointer
        var functions = memory.functions
        let result =
            role == .server
            ? nghttp2_session_server_new3(&made, callbacks, nil, options, &functions)
            : nghttp2_session_client_new3(&made, callbacks, nil, options, &functions)
        guard result == 0, let made else { throw HTTP2Failure(library: result) }
        pointer = made
        nghttp2_session_set_user_data(made, Unmanaged.passUnretained(self).toOpaque())
        submitSettings()
    }

    deinit {
        abandon()
        nghttp2_session_del(pointer)
    }

    /// Streams that are not closed yet.
    public var streams: [HTTP2Stream] { open.value }

    /// The failure that ended the connection, if any.
    public private(set) var failure: HTTP2Failure? {
        get { fault.value }
        set { fault.value = newValue }
    }

    /// A head has begun and not ended since then, in nanoseconds of ``receive(_:now:)``; nil if none is incomplete.
    public internal(set) var headSince: UInt64? {
        get { headBegin.value }
        set { headBegin.value = newValue }
    }

    var reading: HeadReading {
        _read { yield reader.value }
        _modify { yield &reader.value }
    }

    var writing: HeadWriting {
        _read { yield writer.value }
        _modify { yield &writer.value }
    }

    var flood: FloodMeter {
        _read { yield meter.value }
        _modify { yield &meter.value }
    }

    private func submitSettings() {
        func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
            nghttp2_settings_entry(settings_id: CInt(id.rawValue), value: UInt32(clamping: value))
        }
        var entries = [
            entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.window),
            entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.headBytes),
        ]
        switch role {
        case .server:
            entries.append(entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams))
            entries.append(entry(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1))
            entries.append(entry(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1))
        case .client:
            entries.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
            entries.append(entry(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 0))
        }
        nghttp2_submit_settings(pointer, none, entries, entries.count)
        // Streams have windows of their own; the connection's must not limit them.
        nghttp2_session_set_local_window_size(pointer, none, 0, 16 << 20)
    }

    var none: UInt8 { UInt8(NGHTTP2_FLAG_NONE.rawValue) }

    // MARK: Bytes

    /// Processes received bytes.
    ///
    /// After a failure ``send(into:)`` still has the GOAWAY for the peer.
    /// - Parameter now: nanoseconds; floods are measured by it.
    public func receive(_ bytes: UnsafeRawBufferPointer, now: UInt64) throws(HTTP2Failure) {
        if let failure { throw failure }
        self.now = now
        flood.tick(now: now)
        guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        let used = nghttp2_session_mem_recv(pointer, base, bytes.count)
        if let failure { throw failure }
        guard used >= 0 else {
            let floods = [NGHTTP2_ERR_FLOODED, NGHTTP2_ERR_TOO_MANY_CONTINUATIONS].map { Int($0.rawValue) }
            throw fail(
                HTTP2Failure(
                    floods.contains(used) ? .enhanceYourCalm : .protocolError,
                    String(cString: nghttp2_strerror(CInt(used)))))
        }
    }

    /// Appends bytes for the peer to `buffer`, as far as there is room; true when there may be more.
    public func send(into buffer: inout Buffer) throws(HTTP2Failure) -> Bool {
        if !overflow.isEmpty {
            let moved = overflow.withUnsafeBytes { buffer.append($0) }
            overflow.removeFirst(moved)
            if !overflow.isEmpty { return true }
        }
        let result = withUnsafeMutablePointer(to: &buffer) { buffer -> Int in
            output = buffer
            defer { output = nil }
            while buffer.pointee.room > HTTP2Session.minRoom {
                var bytes: UnsafePointer<UInt8>?
                let count = nghttp2_session_mem_send(pointer, &bytes)
                guard count > 0, let bytes else { return count }
                let moved = buffer.pointee.append(UnsafeRawBufferPointer(start: bytes, count: count))
                if moved < count {
                    overflow += UnsafeBufferPointer(start: bytes + moved, count: count - moved)
                    return 1
                }
            }
            return 1
        }
        guard result >= 0 else { throw fail(HTTP2Failure(library: CInt(result))) }
        return result > 0
    }

    /// Room below which no frame is begun.
    static let minRoom = 1024

    /// Frames may be waiting to be sent.
    public var wantsWrite: Bool { nghttp2_session_want_write(pointer) != 0 }

    /// Both sides have finished, or the connection has failed and GOAWAY was sent.
    public var isOver: Bool {
        nghttp2_session_want_read(pointer) == 0 && nghttp2_session_want_write(pointer) == 0
    }

    /// A head is complete.
    func finishHead(of id: Int32, isFirst: Bool, isLast: Bool) {
        headSince = nil
        let stream = headStream
        headStream = nil
        stream?._withUnsafeGuaranteedRef {
            if $0.id == id { finishHead(of: $0, isFirst: isFirst, isLast: isLast) }
        }
    }

    private func finishHead(of stream: HTTP2Stream, isFirst: Bool, isLast: Bool) {
        // Further heads of a response may be the final one as well as its trailers.
        let isTrailers = !isFirst && stream.hasFinalHead
        reading.finish(isTrailers: isTrailers)
        stream.receiveHead(&reading, isTrailers: isTrailers, isResponse: role == .client)
        // Only a request can get a response; a part of another head must not be taken for the whole.
        if reading.isTooLong, isTrailers || role == .client { return stream.reset(.enhanceYourCalm) }
        if isLast { stream.hasEnded = true }
        guard let user = stream.user else { return }
        user.didReceive(isTrailers ? .trailers : .message)
        if isLast { user.didEnd() }
    }

    // MARK: The connection

    /// Ends the connection with a failure; ``send(into:)`` then has the GOAWAY for the peer.
    @discardableResult
    public func fail(_ failure: HTTP2Failure) -> HTTP2Failure {
        if self.failure == nil {
            self.failure = failure
            isGoingAway = true
            nghttp2_session_terminate_session(pointer, failure.code.rawValue)
        }
        return failure
    }

    /// Ends a connection whose client opens a stream below one that it has opened before.
    @inline(__always)
    func checkOrder(of id: Int32) {
        guard role == .server, id & 1 == 1, !ids.value.take(id) else { return }
        fail(HTTP2Failure(.protocolError, "HEADERS on stream \(id), below one that was opened before (RFC 9113 5.1.1)"))
    }

    /// Counts a frame that costs us more than the peer; too many end the connection.
    func count(_ kind: FloodMeter.Kind) {
        if flood.count(kind) { return }
        fail(HTTP2Failure(.enhanceYourCalm, "too many \(kind.name) frames"))
    }

    /// Ends the connection in good order once the last stream is done.
    public func terminate() {
        isGoingAway = true
        awaitsRoundTrip = false
        nghttp2_session_terminate_session(pointer, HTTP2ErrorCode.noError.rawValue)
    }

    /// Reduces the initial window of streams, also of open ones.
    public func narrow(to window: Int) {
        guard window < initialWindow else { return }
        initialWindow = window
        let entry = nghttp2_settings_entry(
            settings_id: CInt(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(clamping: window))
        withUnsafePointer(to: entry) { _ = nghttp2_submit_settings(pointer, none, $0, 1) }
    }

    /// Sends PING.
    public func ping() {
        awaitsPing = true
        nghttp2_submit_ping(pointer, none, nil)
    }

    func didReceivePong(_ ping: nghttp2_ping) {
        awaitsPing = false
        if isRoundTrip(ping) { finishEnd() }
    }

    /// How many streams are not closed yet.
    public var streamCount: Int { open.value.count }

    /// How many more streams the peer lets a client open now.
    public var openable: Int {
        if isGoingAway || nghttp2_session_check_request_allowed(pointer) == 0 { return 0 }
        return max(0, min(maxStreams, 1000) - streamCount)
    }

    /// How many streams the peer lets be open at once.
    public var maxStreams: Int {
        Int(nghttp2_session_get_remote_settings(pointer, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
    }

    // MARK: Streams

    /// Adds a stream that ``submit(_:on:isSecure:hasBody:)`` will open, or the acceptor gives.
    ///
    /// It counts as open from now on.
    /// - Parameter stream: new, or closed.
    public func add(_ stream: HTTP2Stream, for user: any HTTP2StreamUser) {
        stream.begin(on: self, for: user)
        stream.index = open.value.count
        open.value.append(stream)
    }

    /// The stream is closed: the last call to its user.
    func remove(_ stream: HTTP2Stream) {
        let index = stream.index
        guard index >= 0, index < open.value.count else { return }
        stream.index = -1
        // Swapped, since two assignments would count references.
        open.value.withUnsafeMutableBufferPointer { $0.swapAt(index, $0.count - 1) }
        // Retained until the end of this function.
        let own = open.value.removeLast()
        if index < open.value.count { open.value[index].index = index }
        own.takeUser()?.didEnd()
    }

    /// Sends a head.
    ///
    /// - Parameters:
    ///   - text: in the form of HTTP/1.1, with its empty line.
    ///   - hasBody: the stream's user has a body.
    public func submit(
        _ text: UnsafeRawBufferPointer, on stream: HTTP2Stream, isSecure: Bool, hasBody: Bool
    ) throws(HTTP2Failure) {
        guard !stream.isClosed else { return }
        let bytes: HeaderBytes = text.assumingMemoryBound(to: UInt8.self)
        let kind: HeadWriting.Kind = role == .client ? .request : .response(toKey: stream.hasKey)
        guard writing.read(bytes, kind, isSecure: isSecure) else {
            throw HTTP2Failure(.internalError, "malformed header block")
        }
        var provider = nghttp2_data_provider()
        provider.read_callback = readBody
        let result: CInt
        switch role {
        case .client:
            stream.opensTunnel = writing.opensTunnel
            let id = withUnsafePointer(to: provider) {
                nghttp2_submit_request(
                    pointer, nil, writing.fields, writing.count, hasBody ? $0 : nil,
                    Unmanaged.passUnretained(stream).toOpaque())
            }
            guard id > 0 else {
                if id == NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE.rawValue { isGoingAway = true }
                stream.isClosed = true
                stream.closeCode = .refusedStream
                remove(stream)
                return
            }
            stream.id = id
            return
        case .server where writing.isInterim:
            result = nghttp2_submit_headers(pointer, none, stream.id, nil, writing.fields, writing.count, nil)
        case .server:
            // Anything between 200 and 299 would open the tunnel (RFC 8441 5).
            if stream.opensTunnel { writing.refuseTunnel() }
            result = withUnsafePointer(to: provider) {
                nghttp2_submit_response(
                    pointer, stream.id, writing.fields, writing.count, hasBody ? $0 : nil)
            }
        }
        guard result == 0 else { throw HTTP2Failure(library: result) }
    }

    /// Submits the trailers; false without any.
    func submitTrailers(_ text: [UInt8], on id: Int32) -> Bool {
        text.withUnsafeBufferPointer { bytes in
            guard writing.read(bytes, .trailers, isSecure: true), writing.count > 0 else { return false }
            return nghttp2_submit_trailer(pointer, id, writing.fields, writing.count) == 0
        }
    }

    /// The connection is gone: ends all its streams.
    public func abandon() {
        isGoingAway = true
        for stream in streams {
            stream.isClosed = true
            stream.index = -1
            // A request that was not submitted can be sent elsewhere.
            if stream.closeCode == .noError {
                stream.closeCode = role == .server || stream.hasSentHead ? .internalError : .refusedStream
            }
            nghttp2_session_set_stream_user_data(pointer, stream.id, nil)
        }
        let abandoned = streams
        open.value.removeAll()
        for stream in abandoned { stream.takeUser()?.didEnd() }
    }
}

/// Serves the streams that clients open.
public protocol HTTP2Acceptor: AnyObject {
    /// A client's request begins: returns a stream that it has added to the session; nil refuses it.
    func accept(on session: HTTP2Session) -> HTTP2Stream?
}
