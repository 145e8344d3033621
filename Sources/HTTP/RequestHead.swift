/// A request's head (RFC 9112 3 and 5), as ranges of the bytes it was read from.
///
/// Made to be kept and reused: parsing clears it but keeps its memory. All ranges count from the first byte that
/// was given to ``parse(_:limits:)`` and hold for those bytes only.
public struct RequestHead: Sendable {
    public internal(set) var method: Method = .other
    public internal(set) var methodRange: Range<Int> = 0..<0
    public internal(set) var targetForm: TargetForm = .origin
    /// The request target as it was sent.
    public internal(set) var target: Range<Int> = 0..<0
    /// The target's path; empty for `*`, for an authority, and for an absolute target that has none.
    public internal(set) var path: Range<Int> = 0..<0
    /// What follows the path's `?`; empty where there is none, or nothing after it.
    public internal(set) var query: Range<Int> = 0..<0
    /// Path, `?` and query.
    ///
    /// Where the path is empty it must get a `/` in front before it goes on.
    public internal(set) var pathAndQuery: Range<Int> = 0..<0
    /// Host and port as sent: of an absolute target, else of Host (RFC 9112 3.2.2); empty if neither has one.
    public internal(set) var authority: Range<Int> = 0..<0
    /// The authority's host, for an IPv6 literal without its brackets.
    public internal(set) var host: Range<Int> = 0..<0
    public internal(set) var port: UInt16?
    public internal(set) var version: HTTPVersion = .http11
    public internal(set) var framing: BodyFraming = .none
    /// The client wants the connection kept (RFC 9112 9.3).
    public internal(set) var keepAlive = true
    @usableFromInline var section = FieldSection(keepsControls: true)
    private var progress = HeadProgress()
    private var emptyLines = 0

    /// The forms of RFC 9112 3.2.
    public enum TargetForm: Sendable {
        case origin, absolute, authority, asterisk
    }

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

    /// The client waits for `100 Continue` (RFC 9110 10.1.1).
    public var expectsContinue: Bool { section.expectsContinue && version == .http11 }

    /// The client asks for another protocol (RFC 9110 7.8); ``upgradeRange`` says which.
    public var upgrade: Bool {
        section.upgrade != nil && section.options.contains(.upgrade) && version == .http11
    }

    /// The value of the first Upgrade field, or nothing.
    public var upgradeRange: Range<Int> { section.upgrade?.value ?? 0..<0 }

    /// The client can take trailers (RFC 9110 6.5.1).
    public var acceptsTrailers: Bool { section.acceptsTrailers }

    /// Reads a head from the front of `bytes` and returns its length with the empty line, or nil if more is needed.
    ///
    /// After nil it is called again with the same bytes and more behind them. Up to two empty lines in front are
    /// skipped and counted (RFC 9112 2.2).
    public mutating func parse(_ bytes: Span<UInt8>, limits: HeadLimits = HeadLimits()) throws(HTTPFailure) -> Int? {
        let limit = limits.size
        switch progress.enter(bytes, limit: limit) {
        case .stillUnfinished: return nil
        case .resumed: break
        case .fresh:
            section.removeAll()
            emptyLines = 0
        }
        let end = min(bytes.count, limit)
        if let length = try parseLines(bytes, to: end, maxFields: limits.fields) { return length }
        guard end < limit else { throw .headTooLong(limit, isFirstLine: !progress.isInFields) }
        progress.suspend(at: bytes.count)
        return nil
    }

    /// The head came on a stream of HTTP/2, which frames content and ends by itself (RFC 9113 8.1).
    ///
    /// - Parameter isWhole: the stream has ended with the head.
    public mutating func isCarried(byStream isWhole: Bool) throws(HTTPFailure) {
        if section.isChunked {
            throw HTTPFailure(
                .unknownCoding, "Transfer-Encoding on a stream of HTTP/2 (RFC 9113 8.2.2: there is none)")
        }
        if method != .connect, section.upgrade == nil { framing = isWhole ? .none : .stream }
        keepAlive = true
    }

    /// Forgets the head, whose bytes go, and keeps the memory of its list of fields.
    public mutating func removeAll() {
        section.removeAll()
        (methodRange, target, path, query, pathAndQuery) = (0..<0, 0..<0, 0..<0, 0..<0, 0..<0)
        (authority, host) = (0..<0, 0..<0)
        progress = HeadProgress()
    }

    /// Takes a label that was meant for a gateway from the front of the path; ``target`` keeps it.
    public mutating func dropFromPath(_ count: Int) {
        let start = path.lowerBound + count
        guard start <= path.upperBound else { return }
        (path, pathAndQuery) = (start..<path.upperBound, start..<pathAndQuery.upperBound)
    }

    private mutating func parseLines(
        _ bytes: Span<UInt8>, to end: Int, maxFields: Int
    ) throws(HTTPFailure) -> Int? {
        if !progress.isInFields {
            while emptyLines < 2, progress.line &+ 1 < end, bytes[progress.line] == 0x0D,
                bytes[progress.line &+ 1] == 0x0A
            {
                emptyLines &+= 1
                progress.line &+= 2
            }
            guard let next = try parseRequestLine(bytes, from: progress.line, to: end) else { return nil }
            progress.line = next
            progress.isInFields = true
        }
        guard let length = try section.parse(bytes, line: &progress.line, to: end, limit: maxFields) else {
            return nil
        }
        try resolveHost(bytes)
        try resolveFraming()
        section.markNamed(bytes)
        return length
    }

    /// RFC 9112 6.3 and 9.3.
    private mutating func resolveFraming() throws(HTTPFailure) {
        if section.isChunked {
            guard section.contentLength == nil else { throw .lengthAndCoding() }
            guard version == .http11 else { throw .codingInOldVersion() }
            framing = .chunked
        } else if let length = section.contentLength {
            // Java's HttpClient says with its upgrade that it has no content.
            framing = length == 0 && section.upgrade != nil ? .none : .length(length)
        } else {
            framing = .none
        }
        if method == .connect {
            guard framing == .none || framing == .length(0) else {
                throw HTTPFailure(.bodyInConnect, "CONNECT with a body (RFC 9110 9.3.6: it has none)")
            }
            framing = .none
        }
        // RFC 9112 9.3 keeps proxies from honouring keep-alive in HTTP/1.0; to its clients a gateway is the origin.
        let options = section.options
        keepAlive = !options.contains(.close) && (version == .http11 || options.contains(.keepAlive))
    }
}

extension HTTPFailure {
    @inline(never)
    static func lengthAndCoding() -> HTTPFailure {
        HTTPFailure(
            .lengthAndCoding,
            "both Content-Length and Transfer-Encoding (RFC 9112 6.3: this is how requests are smuggled, one is expected)"
        )
    }

    @inline(never)
    static func codingInOldVersion() -> HTTPFailure {
        HTTPFailure(
            .codingInOldVersion, "Transfer-Encoding in an HTTP/1.0 message (RFC 9112 6.1: its framing is faulty)")
    }
}
