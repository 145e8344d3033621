/// One field line: where it lies, relative to the first byte of its message.
public struct Field: Sendable {
    @usableFromInline let start: UInt32
    @usableFromInline let nameEnd: UInt32
    @usableFromInline let valueStart: UInt32
    @usableFromInline let valueEnd: UInt32
    @usableFromInline let lineEnd: UInt32
    /// The name, if it is a known one.
    public let id: FieldName
    /// Not to be forwarded: it concerns this connection only (RFC 9110 7.6.1), or is forbidden where it stands.
    public internal(set) var isHopByHop: Bool

    @inline(__always)
    init(start: Int, nameEnd: Int, value: Range<Int>, lineEnd: Int, id: FieldName, isHopByHop: Bool) {
        self.start = UInt32(truncatingIfNeeded: start)
        self.nameEnd = UInt32(truncatingIfNeeded: nameEnd)
        self.valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        self.valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
        self.lineEnd = UInt32(truncatingIfNeeded: lineEnd)
        self.id = id
        self.isHopByHop = isHopByHop
    }

    /// The name as it was sent.
    @inlinable
    public var name: Range<Int> { Range(uncheckedBounds: (Int(start), Int(nameEnd))) }
    /// The value without the white space around it; it holds no control but HTAB.
    @inlinable
    public var value: Range<Int> { Range(uncheckedBounds: (Int(valueStart), Int(valueEnd))) }
    /// The whole line with its CRLF.
    @inlinable
    public var line: Range<Int> { Range(uncheckedBounds: (Int(start), Int(lineEnd))) }
}

/// The most a head may take; what passes it is refused at once, complete or not.
public struct HeadLimits: Equatable, Sendable {
    /// All bytes up to and with the empty line.
    public var bytes: Int
    /// Field lines.
    public var fields: Int

    public init(bytes: Int = 32768, fields: Int = 200) {
        self.bytes = bytes
        self.fields = fields
    }

    /// Offsets are 32 bits wide.
    var size: Int { min(max(bytes, 0), 1 << 30) }
}

/// The HTTP/1 versions; a higher minor version is read as 1.1 (RFC 9110 2.5).
public enum HTTPVersion: UInt8, Sendable {
    case http10, http11
}

/// How the body of a message is delimited (RFC 9112 6.3).
public enum BodyFraming: Equatable, Sendable {
    case none
    case length(UInt64)
    case chunked
    /// A response's body ends with the connection.
    case untilClose
    /// Content ends with its stream of HTTP/2, and trailers may follow it.
    case stream
    /// No longer HTTP: after 101, and after CONNECT was granted.
    case tunnel
}
