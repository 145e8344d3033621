import Bytes

/// The one spelling in which paths are compared.
///
/// Escapes of unreserved characters are undone and the others' digits upper-cased (RFC 3986, 6.2.2); what may not
/// stand in a path bare is escaped; dot segments are resolved; a query or fragment is cut off. `//` stays two slashes
/// and `%2F` is no slash, as origins differ on both.
enum PathBytes {
    /// Whether comparing the bytes as they are is enough, which is what nearly every request gets.
    static func isNormal(_ path: Span<UInt8>) -> Bool {
        var before: UInt8 = 0
        for at in path.indices {
            let byte = path[at]
            if !isPlain(byte) || (byte == UInt8(ascii: ".") && before == UInt8(ascii: "/")) { return false }
            before = byte
        }
        return true
    }

    /// Writes the normal form and returns its length; `output` has room for three times the input.
    static func normalize(_ path: Span<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var count = 0
        var at = 0
        while at < path.count {
            let byte = path[at]
            at += 1
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "%"), at + 1 < path.count, let high = ByteSearch.hexDigit(path[at]),
                let low = ByteSearch.hexDigit(path[at + 1])
            {
                let decoded = high << 4 | low
                at += 2
                if isUnreserved(decoded) {
                    output[count] = decoded
                    count += 1
                } else {
                    count += escape(decoded, output, count)
                }
            } else if isPlain(byte) {
                output[count] = byte
                count += 1
            } else {
                count += escape(byte, output, count)
            }
        }
        return resolveDots(output, count)
    }

    static func normalized(_ path: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: path.count * 3) { buffer, count in
            count = normalize(ContiguousArray(path).span, into: buffer)
        }
    }

    /// RFC 3986, 5.2.4, in place: what is written never overtakes what is read.
    private static func resolveDots(_ path: UnsafeMutableBufferPointer<UInt8>, _ count: Int) -> Int {
        let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
        guard count > 0, path[0] == slash else { return count }
        var (read, written) = (0, 0)
        while read < count {
            var end = read + 1
            while end < count, path[end] != slash { end += 1 }
            let length = end - read - 1
            let isDot = length == 1 && path[read + 1] == dot
            let isDotDot = length == 2 && path[read + 1] == dot && path[read + 2] == dot
            if isDotDot {
                while written > 0 {
                    written -= 1
                    if path[written] == slash { break }
                }
            }
            if isDot || isDotDot {
                if end == count {
                    path[written] = slash
                    written += 1
                }
            } else {
                for at in read..<end {
                    path[written] = path[at]
                    written += 1
                }
            }
            read = end
        }
        return written
    }

    private static func escape(_ byte: UInt8, _ output: UnsafeMutableBufferPointer<UInt8>, _ at: Int) -> Int {
        output[at] = UInt8(ascii: "%")
        output[at + 1] = upperHex(byte >> 4)
        output[at + 2] = upperHex(byte & 15)
        return 3
    }

    /// The byte as an escape.
    static func escaped(_ byte: UInt8) -> [UInt8] { [UInt8(ascii: "%"), upperHex(byte >> 4), upperHex(byte & 15)] }

    private static func upperHex(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// Letters, digits and `-._~`.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x03FF_6000_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    }

    /// Bytes that are not escaped in a path: unreserved, `!$&'()*+,;=`, `:`, `@` and `/`.
    static func isPlain(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x2FFF_FFD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF)
    }

    /// A set of ASCII characters as two words: no table to look up, no lazy global to check.
    @inline(__always)
    private static func contains(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}
