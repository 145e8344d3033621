/// Finds a message's body among the bytes that follow its head (RFC 9112 6 and 7).
///
/// It holds no bytes: it says what lies at the front of those it is given, and the caller drops or uses that before
/// it asks again. After ``Piece/needMore`` the same bytes are given again with more behind them; room for 16 KiB is
/// enough, as what is not content is bounded.
public struct BodyDecoder: Sendable {
    /// What lies at the front.
    public enum Piece: Equatable, Sendable {
        /// That many bytes delimit chunks: drop them and ask again.
        case framing(Int)
        /// That many bytes, at least one, are content: use some or all, and tell ``BodyDecoder/advance(_:)``.
        case data(Int)
        /// That many bytes are the trailer section with its empty line, its fields counted from the first of
        /// them: take ``BodyDecoder/trailers``, drop the bytes and ask again.
        case trailers(Int)
        case needMore
        case end
    }

    enum State: Equatable {
        case fixed, untilClose
        case chunkSize, chunkData, chunkEnd, trailers
        case finished
    }

    private var framing: BodyFraming
    let isResponse: Bool
    let trailerLimits: HeadLimits
    var state: State
    /// Body bytes still to come, of the message or of the chunk.
    var remaining: UInt64
    /// Lines of chunks may end with LF alone, and sizes be followed by blanks, as browsers take them.
    public var isForgiving = false
    /// The body was delimited by such lines.
    public internal(set) var isIrregular = false
    /// No chunk's line ends in front of here; counted from the front of the bytes.
    var scanned = 0
    /// Bytes of chunk extensions so far: nothing uses them, so that a body made of them is an attack.
    var extensionBytes = 0

    /// - Parameter isResponse: failures are then an origin's: 502.
    public init(
        _ framing: BodyFraming, trailerLimits: HeadLimits = HeadLimits(bytes: 8192, fields: 64),
        isResponse: Bool = false
    ) {
        self.framing = framing
        self.trailerLimits = trailerLimits
        self.isResponse = isResponse
        (state, remaining) = Self.start(of: framing)
    }

    /// Begins with another message.
    public mutating func restart(_ framing: BodyFraming) {
        self.framing = framing
        (state, remaining) = Self.start(of: framing)
        scanned = 0
        extensionBytes = 0
        (isForgiving, isIrregular) = (false, false)
        if !trailers.isEmpty { trailers = [] }
    }

    @inline(__always)
    private static func start(of framing: BodyFraming) -> (State, remaining: UInt64) {
        switch framing {
        case .none: (.finished, 0)
        case .length(let length): (length == 0 ? .finished : .fixed, length)
        case .chunked: (.chunkSize, 0)
        case .untilClose, .tunnel, .stream: (.untilClose, 0)
        }
    }

    /// A stream's content has ended, and its trailer section comes next in the bytes.
    public mutating func beginTrailers() {
        state = .trailers
        scanned = 0
    }

    /// The trailer fields; those that must not be trailers are marked as hop-by-hop (RFC 9110 6.5.1).
    public internal(set) var trailers: [Field] = []

    /// The message is complete; what follows belongs to the next one.
    public var isFinished: Bool { state == .finished }

    /// What lies at the front of `bytes`.
    public mutating func next(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Piece {
        switch state {
        case .finished: return .end
        case .fixed, .chunkData:
            guard bytes.count > 0 else { return .needMore }
            return .data(Int(min(remaining, UInt64(bytes.count))))
        case .untilClose: return bytes.count > 0 ? .data(bytes.count) : .needMore
        case .chunkSize, .chunkEnd, .trailers:
            do throws(HTTPFailure) {
                return try nextFraming(bytes)
            } catch {
                throw isResponse ? error.asResponseFailure() : error
            }
        }
    }

    /// Tells that this many body bytes were used; at most as many as ``Piece/data(_:)`` said.
    public mutating func advance(_ count: Int) {
        guard state == .fixed || state == .chunkData else { return }
        remaining -= min(remaining, UInt64(max(count, 0)))
        guard remaining == 0 else { return }
        state = state == .fixed ? .finished : .chunkEnd
    }

    /// Tells that the peer has closed its side, which is a failure unless the body was to end that way.
    public mutating func endOfInput() throws(HTTPFailure) {
        let failure: HTTPFailure
        switch state {
        case .finished: return
        case .untilClose:
            state = .finished
            return
        case .fixed:
            var length: UInt64 = 0
            if case .length(let announced) = framing { length = announced }
            failure = HTTPFailure(
                .truncated,
                "the connection was closed \(remaining) bytes before the end of the body (Content-Length: \(length))"
            )
        case .chunkData:
            failure = HTTPFailure(.truncated, "the connection was closed \(remaining) bytes before the end of a chunk")
        case .chunkSize, .chunkEnd:
            failure = HTTPFailure(
                .truncated, "the connection was closed before the last chunk (RFC 9112 8: the body is incomplete)")
        case .trailers where isForgiving && framing == .chunked:
            // The zero-sized chunk has come: the content is complete (RFC 9112 8).
            (state, isIrregular) = (.finished, true)
            return
        case .trailers:
            failure = HTTPFailure(
                .truncated, "the connection was closed in the trailer section (RFC 9112 8: an empty line ends it)")
        }
        throw isResponse ? failure.asResponseFailure() : failure
    }
}
