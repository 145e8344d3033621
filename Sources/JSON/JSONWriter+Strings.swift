extension JSONWriter {
    /// Bytes that are escaped together, at most to six times as many.
    private static let together = 128

    /// A string in quotes, escaped where RFC 8259 section 7 asks for it and nowhere else.
    mutating func appendQuoted(_ text: String) {
        if text.utf8.withContiguousStorageIfAvailable({ appendQuoted($0) }) == nil {
            Array(text.utf8).withUnsafeBufferPointer { appendQuoted($0) }
        }
    }

    /// The same for a text's UTF-8.
    mutating func appendQuoted(_ text: UnsafeBufferPointer<UInt8>) {
        append(byte: UInt8(ascii: "\""))
        var rest = text[...]
        while !rest.isEmpty {
            let part = UnsafeBufferPointer(rebasing: rest.prefix(Self.together))
            if Self.isPlain(part) { append(run: part) } else { appendEscaped(part) }
            rest = rest.dropFirst(Self.together)
        }
        append(byte: UInt8(ascii: "\""))
    }

    /// Looks at every byte, so that the compiler can look at many at once.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var escapes: UInt8 = 0
        for byte in text {
            escapes |= byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return escapes == 0
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
