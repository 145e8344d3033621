import Bytes

/// The character in front of an address, without escapes of JSON, JavaScript and URLs.
extension Span where Element == UInt8 {
    /// Whether what begins here is only the end of another scheme, as in `git+https:`.
    ///
    /// "-" and "." do not count, though a scheme may hold them: lists and sentences have them in front of an address.
    func continuesScheme(at start: Int) -> Bool {
        let byte = ByteSearch.lowercased(characterBefore(start))
        return byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == 0x2B
    }

    /// Whether two slashes that begin here may stand for an address without its scheme, not for part of a path.
    func mayPrecedeSlashes(at start: Int) -> Bool {
        switch characterBefore(start) {
        case 0x22, 0x27, 0x60, 0x28, 0x3D, 0x2C, 0x3B, 0x20, 0x09, 0x0A, 0x0D: true  // quotes, "(=,;", white space
        default: false
        }
    }

    /// A space for what has nothing in front of it.
    private func characterBefore(_ start: Int) -> UInt8 {
        guard start > 0 else { return 0x20 }
        let byte = self[start - 1]
        if start >= 2, self[start - 2] == 0x5C, isBlankEscape(byte) { return 0x20 }
        guard ByteSearch.hexDigit(byte) != nil else { return byte }
        if start >= 3, self[start - 3] == 0x25, let value = hexByte(at: start - 2) { return value }
        if start >= 4, self[start - 4] == 0x5C, self[start - 3] == 0x78, let value = hexByte(at: start - 2) {
            return value
        }
        if start >= 6, self[start - 6] == 0x5C, self[start - 5] == 0x75, let value = hexUnit(at: start - 4) {
            return value
        }
        return byte
    }

    /// Two hexadecimal digits.
    func hexByte(at index: Int) -> UInt8? {
        guard let high = ByteSearch.hexDigit(self[index]), let low = ByteSearch.hexDigit(self[index + 1]) else {
            return nil
        }
        return high << 4 | low
    }

    /// Four hexadecimal digits; what is not ASCII becomes 0x80.
    func hexUnit(at index: Int) -> UInt8? {
        guard let high = hexByte(at: index), let low = hexByte(at: index + 2) else { return nil }
        return high == 0 && low < 0x80 ? low : 0x80
    }
}

/// The letters of `\n`, `\r`, `\t`, `\f`, `\v` and `\b`.
@inline(__always)
func isBlankEscape(_ letter: UInt8) -> Bool {
    switch letter {
    case 0x6E, 0x72, 0x74, 0x66, 0x76, 0x62: true
    default: false
    }
}
