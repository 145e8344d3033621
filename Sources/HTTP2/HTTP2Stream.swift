public import Bytes
import CNghttp2

/// One stream of a connection: a request and its response.
///
/// Heads are text, in the form that HTTP/1.1 gives them (RFC 9112 2.1), so that its users need to know one form only.
/// Once it is closed it can be another stream, of any session: see ``HTTP2Session/add(_:for:)``. Confined to its
/// session's thread.
public final class HTTP2Stream {
    /// The kind of a head.
    public enum Head: Sendable {
        case message, trailers
    }

    /// Used only while the stream is open, and ``HTTP2Session/abandon()`` ends that; unretained, since it is used
    /// often.
    private let connection = Cell<Unmanaged<HTTP2Session>?>(nil)
    /// The library's name for the session.
    private let library = Cell<OpaquePointer?>(nil)
    private let number = Cell<Int32>(0)
    private let owner = Box<(any HTTP2StreamUser)?>(nil)
    private let head = Box(Buffer())
    private let isTooLong = Cell(false)
    private let peerHasEnded = Cell(false)
    private let hasClosed = Cell(true)
    private let code = Cell(HTTP2ErrorCode.noError.rawValue)
    private let ownSideIsSent = Cell(false)
    /// Its request or response has begun to be sent.
    var hasSentHead = false
    /// Our side is finished, and further bytes of the peer are not needed.
    var stopsAfterEnd = false
    /// In the session's list.
    var index = -1

    /// The request that this stream carries asks for a WebSocket (RFC 8441).
    var opensTunnel = false
    /// The client sent a key of its own, and expects its digest in the response.
    var hasKey = false
    private let accept = Box<[UInt8]>([])
    /// The final head of a response, or a request's, has arrived: a head after the body has trailers.
    private(set) var hasFinalHead = false
    private var window: Int32 = 0
    private var consumedInWindow = 0

    /// Makes a stream without a session.
    public init() {}

    /// Its user, retained until the stream is closed.
    public var user: (any HTTP2StreamUser)? { owner.value }

    /// The head that came last.
    public var text: Buffer {
        _read { yield head.value }
        _modify { yield &head.value }
    }

    /// The response to an HTTP/1.1 client's key (RFC 6455 4.2.2).
    public var webSocketAccept: [UInt8] {
        get { accept.value }
        set { accept.value = newValue }
    }

    private var session: Unmanaged<HTTP2Session>? { connection.value }

    /// 0 before a client's request has been submitted.
    public internal(set) var id: Int32 {
        get { number.value }
        set { number.value = newValue }
    }

    /// The head was longer than is allowed: ``text`` is not all of it.
    public private(set) var isHeadTooLong: Bool {
        get { isTooLong.value }
        set { isTooLong.value = newValue }
    }

    /// The peer has sent all that it will.
    public internal(set) var hasEnded: Bool {
        get { peerHasEnded.value }
        set { peerHasEnded.value = newValue }
    }

    /// The stream is closed; ``closeCode`` says how, since both sides may just have finished.
    public internal(set) var isClosed: Bool {
        get { hasClosed.value }
        set { hasClosed.value = newValue }
    }

    public internal(set) var closeCode: HTTP2ErrorCode {
        get { HTTP2ErrorCode(rawValue: code.value) }
        set { code.value = newValue.rawValue }
    }

    /// All of our side has been given to the connection.
    public internal(set) var hasSentEnd: Bool {
        get { ownSideIsSent.value }
        set { ownSideIsSent.value = newValue }
    }

    /// Becomes a stream of `session` and forgets its previous one.
    func begin(on session: HTTP2Session, for user: any HTTP2StreamUser) {
        connection.value = .passUnretained(session)
        library.value = session.pointer
        owner.value = user
        id = 0
        text.removeAll()
        (isHeadTooLong, hasFinalHead, opensTunnel, hasKey) = (false, false, false, false)
        (hasEnded, hasSentHead, hasSentEnd, stopsAfterEnd) = (false, false, false, false)
        (isClosed, closeCode) = (false, .noError)
        if !webSocketAccept.isEmpty { webSocketAccept = [] }
        (window, consumedInWindow) = (Int32(clamping: session.initialWindow), 0)
    }

    /// Lets go of the user of a stream that is closed.
    func takeUser() -> (any HTTP2StreamUser)? { owner.value.take() }

    /// Gives up a stream whose request was not submitted.
    public func drop() {
        guard id == 0, !isClosed, let session else { return }
        isClosed = true
        session._withUnsafeGuaranteedRef { $0.remove(self) }
    }

    // MARK: Receiving

    /// Takes over a head that has been read.
    func receiveHead(_ reading: inout HeadReading, isTrailers: Bool, isResponse: Bool) {
        if !isTrailers { isHeadTooLong = reading.isTooLong }
        if reading.opensTunnel { opensTunnel = true }
        if reading.hasKey { hasKey = true }
        reading.take(&text)
        guard !isTrailers else { return }
        // "HTTP/1.1 1xx", but for the 101 that stands for a tunnel.
        let bytes = text.unsafeBytes
        let isInterim = isResponse && bytes.count > 12 && bytes[9] == UInt8(ascii: "1")
        hasFinalHead = !isInterim || opensTunnel && bytes[10..<12].elementsEqual("01".utf8)
    }

    /// Content was used: the peer may send as much again.
    ///
    /// The window grows while its receiver keeps up, since a distant peer would wait for it otherwise.
    public func consume(_ count: Int) {
        guard id > 0, !isClosed, count > 0, let session else { return }
        nghttp2_session_consume_stream(library.value, id, count)
        consumedInWindow += count
        guard consumedInWindow >= Int(window), !hasEnded else { return }
        consumedInWindow = 0
        let limit = session._withUnsafeGuaranteedRef {
            min($0.limits.largestWindow, $0.limits.allWindows / max(1, $0.streamCount))
        }
        guard Int(window) < limit else { return }
        window = Int32(clamping: min(4 * Int(window), limit))
        nghttp2_session_set_local_window_size(library.value, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, window)
    }

    // MARK: Sending

    /// Bytes of a body that the peer lets us send now.
    public var remoteWindow: Int {
        guard id > 0, !isClosed else { return 0 }
        let connection = nghttp2_session_get_remote_window_size(library.value)
        return Int(max(0, min(connection, nghttp2_session_get_stream_remote_window_size(library.value, id))))
    }

    /// The user has content, or has come to the end: the session will take it.
    public func resume() {
        guard id > 0, !isClosed else { return }
        nghttp2_session_resume_data(library.value, id)
    }

    /// Ends the stream at once.
    public func reset(_ code: HTTP2ErrorCode) {
        guard id > 0, !isClosed else { return }
        nghttp2_submit_rst_stream(library.value, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, code.rawValue)
    }

    /// Ends the stream, without blame, as soon as our side of it is sent (RFC 9113 8.1).
    public func stopAfterEnd() {
        guard !hasEnded else { return }
        if hasSentEnd { reset(.noError) } else { stopsAfterEnd = true }
    }
}

/// Uses a stream; all calls come from within the session's.
public protocol HTTP2StreamUser: AnyObject {
    /// A whole head is in the stream's ``HTTP2Stream/text``.
    func didReceive(_ head: HTTP2Stream.Head)
    /// Content has arrived; the user takes all of it.
    func didReceive(_ body: UnsafeRawBufferPointer)
    /// The peer has sent all, or the stream was closed.
    func didEnd()
    /// Bytes of a body that wait to be sent.
    var pending: Int { get }
    /// Nothing follows the ``pending`` bytes.
    var isComplete: Bool { get }
    /// The trailers, as text without the empty line; called once, after the end of the body.
    func takeTrailers() -> [UInt8]
    /// Puts that many of the pending bytes, at most as many as there are, behind `output`.
    func take(_ count: Int, into output: inout Buffer)
    /// The peer would take more than was pending.
    func wantsMore()
    /// The connection had no room: ``HTTP2Stream/resume()`` is to be called when it has.
    func hasNoRoom()
}
