extension JSONReader {
    /// A string, from its opening quote on.
    mutating func string() throws(JSONFailure) -> String {
        let start = at
        let quote = bytes[at]
        at += 1
        // Most strings stand there as they are meant.
        while at < bytes.count, bytes[at] != quote, bytes[at] >= 0x20, bytes[at] != UInt8(ascii: "\\") { at += 1 }
        if peek == quote {
            defer { at += 1 }
            return String(decoding: bytes[(start + 1)..<at], as: UTF8.self)
        }
        var text = Array(bytes[(start + 1)..<at])
        while let byte = peek {
            switch byte {
            case quote:
                at += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &text)
            case 0x0A, 0x0D:
                throw failure(
                    at, "a line break in the string that starts at \(position(start))",
                    expected: "`\\n`, or the closing quote")
            case 0..<0x20 where dialect == .strict:
                throw failure(at, "\(found(at)) in a string", expected: "control characters to be escaped")
            default:
                text.append(byte)
                at += 1
            }
        }
        throw failure(start, "the string does not end", expected: "a closing quote")
    }

    private mutating func escape(into text: inout [UInt8]) throws(JSONFailure) {
        let start = at
        at += 1
        guard let byte = peek else {
            throw failure(start, "the text ends within a string", expected: "a closing quote")
        }
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try unicodeEscape(start)).utf8)
        default:
            guard dialect == .json5 else { throw unknownEscape(start) }
            try escapeOfJSON5(byte, start, into: &text)
        }
    }

    private mutating func escapeOfJSON5(
        _ byte: UInt8, _ start: Int, into text: inout [UInt8]
    ) throws(JSONFailure) {
        switch byte {
        case UInt8(ascii: "v"): text.append(0x0B)
        case UInt8(ascii: "x"):
            let value = try hexDigits(2, start)
            text.append(contentsOf: String(Unicode.Scalar(UInt8(truncatingIfNeeded: value))).utf8)
        case UInt8(ascii: "0"):
            if let next = peek, isDigit(next) { throw unknownEscape(start) }
            text.append(0)
        case UInt8(ascii: "1")...UInt8(ascii: "9"): throw unknownEscape(start)
        // A backslash before a line break continues the string on the next line.
        case 0x0D: if peek == 0x0A { at += 1 }
        case 0x0A: break
        default:
            let lineSeparators: [[UInt8]] = [[0xE2, 0x80, 0xA8], [0xE2, 0x80, 0xA9]]
            if byte == 0xE2, lineSeparators.contains(where: { bytes[(at - 1)...].starts(with: $0) }) {
                at += 2
            } else {
                text.append(byte)
            }
        }
    }

    private mutating func unknownEscape(_ start: Int) -> JSONFailure {
        failure(
            start, "`\\` before \(found(start + 1)) means nothing",
            expected: "one of `\\\"`, `\\\\`, `\\/`, `\\b`, `\\f`, `\\n`, `\\r`, `\\t`, or `\\u` and four digits")
    }

    private mutating func unicodeEscape(_ start: Int) throws(JSONFailure) -> Unicode.Scalar {
        let unit = try hexDigits(4, start)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // 0xD800...0xDBFF needs its second half, RFC 8259 section 7.
        if unit < 0xDC00, peek == UInt8(ascii: "\\"), at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "u") {
            let second = at
            at += 2
            let low = try hexDigits(4, second)
            if (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            {
                return scalar
            }
        }
        throw failure(
            start, "`\\u\(hex(unit, digits: 4))` is half of a surrogate pair",
            expected: "both halves, high one first")
    }

    private mutating func hexDigits(_ count: Int, _ start: Int) throws(JSONFailure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let byte = peek, let digit = hexValue(byte) else {
                throw failure(start, "an escape cut short by \(found(at))", expected: "\(count) hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }
}
