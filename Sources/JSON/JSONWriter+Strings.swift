extension JSONWriter {
    /// Bytes that are escaped together, at most to six times as many.
    private static let together = 128

    /// A string in quotes, escaped where RFC 8259 section 7 asks for it and nowhere else.
    /// - Parameter isKey: a colon follows.
    mutating func appendQuoted(_ text: String, isKey: Bool = false) {
        if text.utf8.withContiguousStorageIfAvailable({ appendQuoted($0, isKey: isKey) }) == nil {
            Array(text.utf8).withUnsafeBufferPointer { appendQuoted($0, isKey: isKey) }
        }
    }

    /// The same for a text's UTF-8.
    mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>, isKey: Bool = false) {
        // Nearly all names and texts: one look, and one piece of memory.
        guard text.count <= Self.together, Self.isPlain(text) else { return appendPieces(text, isKey: isKey) }
        append(room: text.count + 3) { room in
            room[0] = UInt8(ascii: "\"")
            _ = UnsafeMutableBufferPointer(rebasing: room[1...]).initialize(fromContentsOf: text)
            room[text.count + 1] = UInt8(ascii: "\"")
            room[text.count + 2] = UInt8(ascii: ":")
            return text.count + (isKey ? 3 : 2)
        }
    }

    private mutating func appendPieces(_ text: UnsafeBufferPointer<UInt8>, isKey: Bool) {
        append(byte: UInt8(ascii: "\""))
        var rest = text[...]
        while !rest.isEmpty {
            let part = UnsafeBufferPointer(rebasing: rest.prefix(Self.together))
            if Self.isPlain(part) { append(run: part) } else { appendEscaped(part) }
            rest = rest.dropFirst(Self.together)
        }
        append(byte: UInt8(ascii: "\""))
        if isKey { append(byte: UInt8(ascii: ":")) }
    }

    /// Looks at eight bytes at a time.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let text = UnsafeRawBufferPointer(text)
        guard text.count >= 8 else {
            return text.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        }
        // The last eight may have been looked at in part.
        var (at, escapes) = (0, Self.escapes(text.loadUnaligned(fromByteOffset: text.count - 8, as: UInt64.self)))
        while at <= text.count - 8 {
            escapes |= Self.escapes(text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            at += 8
        }
        return escapes == 0
    }

    /// Not 0 if one of eight bytes has to be escaped.
    private static func escapes(_ bytes: UInt64) -> UInt64 {
        let (ones, quotes, slashes): (UInt64, UInt64, UInt64) = (
            0x0101_0101_0101_0101, bytes ^ 0x2222_2222_2222_2222, bytes ^ 0x5C5C_5C5C_5C5C_5C5C
        )
        let controls = (bytes &- ones * 0x20) & ~bytes
        return (controls | (quotes &- ones) & ~quotes | (slashes &- ones) & ~slashes) & ones << 7
    }

    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 6 * Self.together) { room in
            var count = 0
            func put(_ byte: UInt8) {
                room[count] = byte
                count += 1
            }
            for byte in text {
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                    put(byte)
                    continue
                }
                put(UInt8(ascii: "\\"))
                switch byte {
                case 0x08: put(UInt8(ascii: "b"))
                case 0x09: put(UInt8(ascii: "t"))
                case 0x0A: put(UInt8(ascii: "n"))
                case 0x0C: put(UInt8(ascii: "f"))
                case 0x0D: put(UInt8(ascii: "r"))
                case 0..<0x20:
                    for digit in "u00".utf8 { put(digit) }
                    for digit in [byte >> 4, byte & 15] {
                        put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                    }
                default: put(byte)
                }
            }
            append(run: UnsafeBufferPointer(rebasing: room[..<count]))
        }
    }
}
