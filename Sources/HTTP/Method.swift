/// A request's method; names are case-sensitive (RFC 9110 9.1).
public enum Method: UInt8, Sendable, CaseIterable {
    case other, get, head, post, put, patch, delete, options, connect, trace

    /// Asks for nothing to be changed (RFC 9110 9.2.1).
    ///
    /// An unknown method may do anything.
    public var isSafe: Bool {
        switch self {
        case .get, .head, .options, .trace: true
        default: false
        }
    }

    /// Doing it twice means the same as once (RFC 9110 9.2.2), so it may be repeated on another connection.
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// The name; empty for `other`.
    public var text: StaticString {
        switch self {
        case .other: ""
        case .get: "GET"
        case .head: "HEAD"
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .options: "OPTIONS"
        case .connect: "CONNECT"
        case .trace: "TRACE"
        }
    }

    /// The method that `bytes` spell.
    public static func lookup(_ bytes: Span<UInt8>) -> Method { lookup(bytes, 0..<bytes.count) }

    /// The method that a request line begins with, with its space, if it is one of the usual ones.
    @inline(__always)
    static func usual(_ word: UInt64) -> Method? {
        switch word & 0xFFFF_FFFF {
        case Scan.word(of: "GET "): .get
        case Scan.word(of: "PUT "): .put
        case Scan.word(of: "HEAD"): word &>> 32 & 0xFF == 0x20 ? .head : nil
        case Scan.word(of: "POST"): word &>> 32 & 0xFF == 0x20 ? .post : nil
        default: nil
        }
    }

    @inline(__always)
    static func lookup(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Method {
        guard name.count >= 3, name.upperBound <= bytes.count else { return .other }
        let candidate: Method
        switch (name.count, bytes[name.lowerBound]) {
        case (3, 0x47): candidate = .get
        case (3, 0x50): candidate = .put
        case (4, 0x48): candidate = .head
        case (4, 0x50): candidate = .post
        case (5, 0x50): candidate = .patch
        case (5, 0x54): candidate = .trace
        case (6, 0x44): candidate = .delete
        case (7, 0x4F): candidate = .options
        case (7, 0x43): candidate = .connect
        default: return .other
        }
        let text = candidate.text
        for offset in 0..<name.count where bytes[name.lowerBound &+ offset] != text.utf8Start[offset] { return .other }
        return candidate
    }
}
