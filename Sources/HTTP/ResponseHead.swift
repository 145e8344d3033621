import Bytes

/// A response's head (RFC 9112 4 and 5), as ranges of the bytes it was read from.
///
/// Made to be kept and reused, like ``RequestHead``.
public struct ResponseHead: Sendable {
    /// 100 to 999; what lies past 599 is for clients to treat as 500 (RFC 9110 15).
    public internal(set) var status = 0
    public internal(set) var reason: Range<Int> = 0..<0
    public internal(set) var version: HTTPVersion = .http11
    public internal(set) var framing: BodyFraming = .none
    /// The connection can serve another request after this response (RFC 9112 9.3).
    public internal(set) var keepAlive = true
    @usableFromInline var section = FieldSection()
    private var progress = HeadProgress()

    public init() {}

    @inlinable public var fields: [Field] {
        // Not a getter: that would copy all of the section where the head is a property of a class.
        _read { yield section.fields }
    }

    /// The known names among the fields.
    public var names: FieldNameSet { section.names }

    /// The field of that name that came first.
    @inlinable
    public func field(_ id: FieldName) -> Field? { section.first(id) }

    /// Another response to the same request follows.
    ///
    /// 101 is the last one, so it does not count (RFC 9110 15.2.2).
    public var isInformational: Bool { status < 200 && status != 101 }

    /// The value of the first Upgrade field, or nothing.
    public var upgradeRange: Range<Int> { section.upgrade?.value ?? 0..<0 }

    /// Forgets a head that was begun: what comes next is another connection's.
    public mutating func restart() {
        progress = HeadProgress()
        version = .http11
    }

    /// Reads a head from the front of `bytes` and returns its length with the empty line, or nil if more is needed.
    ///
    /// After nil it is called again with the same bytes and more behind them, or ``restart()`` comes first. All
    /// failures are 502.
    public mutating func parse(
        _ bytes: Span<UInt8>, to method: Method, limits: HeadLimits = HeadLimits()
    ) throws(HTTPFailure) -> Int? {
        do throws(HTTPFailure) {
            let limit = limits.size
            switch progress.enter(bytes, limit: limit) {
            case .stillUnfinished: return nil
            case .resumed: break
            case .fresh: section.removeAll()
            }
            let end = min(bytes.count, limit)
            if let length = try parseLines(bytes, to: end, method, maxFields: limits.fields) { return length }
            guard end < limit else { throw .headTooLong(limit, isFirstLine: !progress.isInFields) }
            progress.suspend(at: bytes.count)
            return nil
        } catch {
            throw error.asResponseFailure()
        }
    }

    /// Throws for a status above 599, which RFC 9110 15 does not have.
    public func checkStatus() throws(HTTPFailure) {
        guard status > 599 else { return }
        throw HTTPFailure(.statusLine, "status \(status) (RFC 9110 15: 100 to 599 are expected)").asResponseFailure()
    }

    /// No other response is to be read from the connection.
    public mutating func endsConnection() { keepAlive = false }

    /// The head came on a stream of HTTP/2, which frames content and ends by itself (RFC 9113 8.1).
    public mutating func isCarriedByStream() {
        switch framing {
        case .none, .tunnel: break
        case .length(0): framing = .none
        default: framing = .stream
        }
        keepAlive = true
    }

    @inline(__always)
    private mutating func parseLines(
        _ bytes: Span<UInt8>, to end: Int, _ method: Method, maxFields: Int
    ) throws(HTTPFailure) -> Int? {
        if !progress.isInFields {
            guard let next = try parseStatusLine(bytes, to: end) else { return nil }
            progress.line = next
            progress.isInFields = true
        }
        guard let length = try section.parse(bytes, line: &progress.line, to: end, limit: maxFields) else {
            return nil
        }
        try resolveFraming(method)
        section.markNamed(bytes)
        return length
    }

    /// RFC 9112 6.3, in its order.
    @inline(__always)
    private mutating func resolveFraming(_ method: Method) throws(HTTPFailure) {
        let options = section.options
        keepAlive = !options.contains(.close) && (version == .http11 || options.contains(.keepAlive))
        if section.isChunked {
            guard section.contentLength == nil else { throw .lengthAndCoding() }
            guard version == .http11 else { throw .codingInOldVersion() }
        }
        if status < 200 || status == 204 || method == .connect && status < 300 {
            if section.isChunked, method != .connect || status < 200 || status == 204 {
                throw HTTPFailure(
                    .codingWithoutContent, "Transfer-Encoding with status \(status) (RFC 9112 6.1: it has no content)")
            }
            // It must not be there (RFC 9110 8.6) and says nothing about framing: ignored, and not forwarded.
            if let length = section.contentLength {
                section.mark([.contentLength])
                // It may send them nevertheless.
                if length > 0, method != .connect { keepAlive = false }
            }
            framing = status == 101 || method == .connect && status >= 200 ? .tunnel : .none
        } else if method == .head || status == 304 {
            framing = .none
            // A server that names chunks of nothing may send the last one.
            if section.isChunked, status == 304 { keepAlive = false }
        } else if section.isChunked {
            framing = .chunked
        } else if let length = section.contentLength {
            framing = .length(length)
        } else {
            framing = .untilClose
            keepAlive = false
        }
    }

    /// RFC 9112 4: version, space, three digits, space, reason, CRLF.
    ///
    /// The second space is required even before an empty reason; servers leave it out nevertheless, nothing can be
    /// misread without it, and the line is written anew, so its absence is accepted.
    @inline(__always)
    private mutating func parseStatusLine(_ bytes: Span<UInt8>, to end: Int) throws(HTTPFailure) -> Int? {
        guard end >= 13 else { return try refuseShort(bytes, to: end) }
        guard let known = HTTPVersion(word: bytes.word(at: 0)) else { return try parseOddVersion(bytes, to: end) }
        version = known
        return try parseStatus(bytes, to: end)
    }

    @inline(__always)
    private mutating func parseStatus(_ bytes: Span<UInt8>, to end: Int) throws(HTTPFailure) -> Int? {
        let (one, two, three) = (bytes[9] &- 0x30, bytes[10] &- 0x30, bytes[11] &- 0x30)
        guard bytes[8] == 0x20, one > 0, one < 10, two < 10, three < 10, bytes[12] == 0x20 || bytes[12] == 0x0D else {
            throw .statusLine(bytes, 0..<13)
        }
        status = Int(one) &* 100 &+ Int(two) &* 10 &+ Int(three)
        let start = bytes[12] == 0x20 ? 13 : 12
        let stop = Scan.control(in: bytes, from: start, to: end)
        guard stop &+ 1 < end || stop < end && bytes[stop] != 0x0D else { return nil }
        if bytes[stop] == 0x0A { throw .bareLineFeed("after the status line") }
        guard bytes[stop] == 0x0D else { throw .statusLine(bytes, 0..<stop &+ 1) }
        guard bytes[stop &+ 1] == 0x0A else { throw .bareCarriageReturn("in the status line") }
        reason = start..<stop
        return stop &+ 2
    }

    @inline(never)
    private mutating func parseOddVersion(_ bytes: Span<UInt8>, to end: Int) throws(HTTPFailure) -> Int? {
        _ = try refuseShort(bytes, to: 12)
        version = try HTTPVersion.parse(bytes, 0..<8)
        return try parseStatus(bytes, to: end)
    }

    /// Fewer bytes than any status line has: an end of line among them shows that it is none.
    @inline(never)
    private func refuseShort(_ bytes: Span<UInt8>, to end: Int) throws(HTTPFailure) -> Int? {
        guard Scan.byte(0x0A, in: bytes, from: 0, to: end) == end else { throw .statusLine(bytes, 0..<end) }
        return nil
    }
}

extension HTTPFailure {
    @inline(never)
    static func statusLine(_ bytes: Span<UInt8>, _ read: Range<Int>) -> HTTPFailure {
        HTTPFailure(
            .statusLine,
            "status line \(quoted(bytes, read)) (RFC 9112 4: version, space, three digits, space and reason are expected)"
        )
    }
}
