/// Why bytes were refused as HTTP, and what to respond with.
///
/// Thrown where the bytes are read; rendering it is the caller's. Nothing may be read from the connection after it:
/// where the next message would begin is unknown.
public struct HTTPFailure: Error, Equatable, Sendable {
    /// The broken rule.
    public let kind: Kind
    /// The response's status: 4xx or 5xx to a client's bytes, always 502 for an origin's.
    public let status: Int
    /// A sentence naming the thing, and what was expected.
    public let reason: String

    /// Every rule that bytes can break.
    public enum Kind: Sendable, CaseIterable {
        // The first line.
        case method, target, targetForm, requestLine, version, unsupportedVersion, statusLine
        case requestLineTooLong
        // Lines and fields.
        case bareLineFeed, bareCarriageReturn, fieldName, noColon, spaceBeforeColon, leadingSpace, obsoleteFold
        case controlByte, headTooLong, tooManyFields
        // What fields mean.
        case missingHost, repeatedHost, host
        case contentLength, repeatedContentLength, lengthAndCoding, unknownCoding, transferEncoding
        case codingInOldVersion, codingWithoutContent, bodyInConnect, connectionOption, tooManyConnectionOptions
        // Bodies.
        case chunkSize, chunkSizeOverflow, chunkExtension, chunkLineTooLong, chunkEnd, truncated
    }

    /// What was to be one head is none, or more than one.
    public static var severalHeads: HTTPFailure { HTTPFailure(.requestLine, "one head was expected") }

    @inline(never)
    init(_ kind: Kind, _ reason: String) {
        self.init(kind: kind, status: kind.requestStatus, reason: reason)
    }

    private init(kind: Kind, status: Int, reason: String) {
        self.kind = kind
        self.status = status
        self.reason = reason
    }

    /// The same failure, found in what an origin sent (RFC 9110 15.6.3).
    @inline(never)
    public func asResponseFailure() -> HTTPFailure { HTTPFailure(kind: kind, status: 502, reason: reason) }
}

extension HTTPFailure.Kind {
    var requestStatus: Int {
        switch self {
        case .requestLineTooLong: 414
        case .headTooLong, .tooManyFields, .tooManyConnectionOptions: 431
        case .unknownCoding: 501
        case .unsupportedVersion: 505
        default: 400
        }
    }
}

/// Bytes as a person may see them in a message: shortened, nothing but printable ASCII, and without the user and the
/// password of a URL (RFC 9110 4.2.4).
@inline(never)
func quoted(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    let hidden = userinfo(in: bytes, range)
    var text = "\""
    var count = 0
    for index in range where index < bytes.count && !hidden.contains(index) {
        if count == 60 { return text + "...\"" }
        text += printable(bytes[index])
        count += 1
    }
    return text + "\""
}

/// The user and the password of a URL or of an authority, with all that could belong to them.
///
/// A URL may be cut where its password breaks a rule: the rest of its line counts, too.
package func userinfo(in bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var end = min(range.upperBound, bytes.count)
    guard range.lowerBound < end else { return 0..<0 }
    var start = range.lowerBound
    while start &+ 1 < end, bytes[start] != 0x2F || bytes[start &+ 1] != 0x2F { start &+= 1 }
    let follows = range.lowerBound > 1 && bytes[range.lowerBound &- 1] == 0x2F && bytes[range.lowerBound &- 2] == 0x2F
    if start &+ 1 < end || follows {
        start = follows ? range.lowerBound : start &+ 2
        while end < bytes.count, bytes[end] != 0x0D, bytes[end] != 0x0A { end &+= 1 }
    } else {
        start = range.lowerBound
        if bytes[start] == 0x2F { return start..<start }
    }
    var last = end
    while last > start, bytes[last &- 1] != 0x40 { last &-= 1 }
    return start..<last
}

@inline(never)
func printable(_ byte: UInt8) -> String {
    switch byte {
    case 0x0D: "\\r"
    case 0x0A: "\\n"
    case 0x20...0x7E: String(UnicodeScalar(byte))
    default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
