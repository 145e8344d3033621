import CNghttp2

/// The failure that ended an HTTP/2 connection.
public struct HTTP2Failure: Error, Equatable, Sendable {
    public let code: HTTP2ErrorCode
    /// Names the violated rule and what was expected.
    public let reason: String

    public init(_ code: HTTP2ErrorCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// A failure of the library.
    init(library code: CInt) {
        self.init(.internalError, String(cString: nghttp2_strerror(code)))
    }
}

/// Why a stream or a connection ended (RFC 9113 7).
public struct HTTP2ErrorCode: RawRepresentable, Equatable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let noError = HTTP2ErrorCode(rawValue: 0)
    public static let protocolError = HTTP2ErrorCode(rawValue: 1)
    public static let internalError = HTTP2ErrorCode(rawValue: 2)
    public static let flowControlError = HTTP2ErrorCode(rawValue: 3)
    public static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    public static let cancel = HTTP2ErrorCode(rawValue: 8)
    public static let connectError = HTTP2ErrorCode(rawValue: 10)
    public static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 11)

    /// Codes for streams that are reset because of the peer.
    var isPeersFault: Bool { [1, 3, 5, 6].contains(rawValue) }

    /// The RFC's name for it.
    public var description: String { String(cString: nghttp2_http2_strerror(rawValue)) }
}
