/// A request's head in the form of HTTP/2, as an origin was sent it: pseudo-header fields stand for the start line.
package enum SentFields {
    /// Which one comes first; no method of HTTP/1.1 begins with a colon (RFC 9110 9.1).
    private static let first: StaticString = ":method:"

    /// Whether a head has no start line: its first line is a field already.
    package static func begin(_ head: some Collection<UInt8>) -> Bool {
        head.first == UInt8(ascii: ":")
            && head.starts(with: UnsafeBufferPointer(start: first.utf8Start, count: first.utf8CodeUnitCount))
    }

    /// Whether a field's name is that of a pseudo-header field (RFC 9113 8.3).
    package static func isPseudo(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ":") }
}
