/// A request's host in the spelling of ``normalizedHost(_:)``, made without a string.
enum HostBytes {
    /// Writes lower case without trailing dot and brackets, and returns the length with the hash ``ByteTable`` wants.
    ///
    /// A host that is too long for `output` becomes empty. Non-ASCII bytes stay: on the wire a host is in `xn--` form.
    static func normalize(_ host: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> (Int, UInt32) {
        var end = host.count
        if end > 0, host[end - 1] == UInt8(ascii: ".") { end -= 1 }
        guard end <= output.count else { return (0, ByteTable.seed) }
        var hash = ByteTable.seed
        for at in 0..<end {
            var byte = host[at]
            if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "[") { return address(host, into: output) }
            if byte &- UInt8(ascii: "A") < 26 { byte |= 0x20 }
            output[at] = byte
            hash = ByteTable.mix(hash, byte)
        }
        return (end, hash)
    }

    /// IPv6, which is rare enough in a Host field to take the slow way over the parser.
    private static func address(_ host: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> (Int, UInt32) {
        var text: [UInt8] = []
        for at in host.indices where host[at] != UInt8(ascii: "[") && host[at] != UInt8(ascii: "]") {
            text.append(host[at])
        }
        if let address = IPv6Address(text) { text = Array(address.text.utf8) }
        var hash = ByteTable.seed
        for (at, byte) in text.prefix(output.count).enumerated() {
            output[at] = byte
            hash = ByteTable.mix(hash, byte)
        }
        return (min(text.count, output.count), hash)
    }
}
