import CNghttp2

extension HTTP2Session {
    /// The fields of a request as ``submit(_:on:isSecure:hasBody:)`` sends them, pseudo-header fields first: lines
    /// with CRLF, and an empty one at the end.
    ///
    /// Nil if the text is no valid head.
    /// - Parameter text: in the form of HTTP/1.1, with its empty line.
    public func sentRequest(_ text: UnsafeRawBufferPointer, isSecure: Bool) -> [UInt8]? {
        guard writing.read(text.assumingMemoryBound(to: UInt8.self), .request, isSecure: isSecure) else { return nil }
        var lines: [UInt8] = []
        // Pseudo-header fields replace the request line and are longer.
        lines.reserveCapacity(text.count + 64)
        for field in writing.fields[..<writing.count] {
            // The library sends names in small letters (RFC 9113 8.2.1).
            for byte in HeaderBytes(start: field.name, count: field.namelen) {
                lines.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)
            }
            lines.append(UInt8(ascii: ":"))
            lines.append(0x20)
            lines.append(contentsOf: HeaderBytes(start: field.value, count: field.valuelen))
            lines.append(0x0D)
            lines.append(0x0A)
        }
        lines.append(0x0D)
        lines.append(0x0A)
        return lines
    }
}
