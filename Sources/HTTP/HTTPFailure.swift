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
        case method, target, percentEncoding, targetForm, requestLine, version, unsupportedVersion, statusLine
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

/// Bytes as a person may see them in a message: shortened, and nothing but printable ASCII.
@inline(never)
func quoted(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    var text = "\""
    for index in range.prefix(60) where index < bytes.count { text += printable(bytes[index]) }
    return text + (range.count > 60 ? "...\"" : "\"")
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
