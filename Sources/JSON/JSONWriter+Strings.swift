extension JSONWriter {
    /// A string in quotes, escaped where RFC 8259 section 7 asks for it and nowhere else.
    mutating func appendQuoted(_ text: String) {
        append(byte: UInt8(ascii: "\""))
        if text.utf8.withContiguousStorageIfAvailable({ appendEscaped($0) }) == nil {
            Array(text.utf8).withUnsafeBufferPointer { appendEscaped($0) }
        }
        append(byte: UInt8(ascii: "\""))
    }

    /// Copies run by run, so that ordinary text costs one scan and one copy.
    private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        var run = 0
        for at in text.indices {
            let byte = text[at]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            append(run: UnsafeBufferPointer(rebasing: text[run..<at]))
            run = at + 1
            switch byte {
            case 0x08: append("\\b")
            case 0x09: append("\\t")
            case 0x0A: append("\\n")
            case 0x0C: append("\\f")
            case 0x0D: append("\\r")
            case 0..<0x20:
                append("\\u00")
                for digit in [byte >> 4, byte & 15] {
                    append(byte: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
                }
            default:
                append(byte: UInt8(ascii: "\\"))
                append(byte: byte)
            }
        }
        append(run: UnsafeBufferPointer(rebasing: text[run...]))
    }
}
