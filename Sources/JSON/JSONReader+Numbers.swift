extension JSONReader {
    /// A number, from its sign or first digit on; its value stays text, so that none is too large.
    mutating func number() throws(JSONFailure) -> JSONNumber {
        let start = at
        let sign = try sign()
        let isHexadecimal =
            peek == UInt8(ascii: "0") && at + 1 < bytes.count && bytes[at + 1] | 0x20 == UInt8(ascii: "x")
        if isHexadecimal, dialect == .json5 {
            return try hexadecimal(start, sign)
        }
        var json = sign
        let whole = digits()
        var fraction: String?
        if peek == UInt8(ascii: ".") {
            at += 1
            fraction = digits()
        }
        if whole.isEmpty, fraction?.isEmpty ?? true {
            throw failure(at, "\(found(at)) in a number", expected: "a digit")
        }
        if dialect == .strict, whole.isEmpty || fraction == "" {
            throw failure(start, "a number with a bare `.`", expected: "digits before and after it")
        }
        if whole.utf8.count > 1, whole.utf8.first == UInt8(ascii: "0") {
            throw failure(start, "a number that starts with 0", expected: "no leading zeros")
        }
        json += whole.isEmpty ? "0" : whole
        if let fraction, !fraction.isEmpty { json += "." + fraction }
        if let byte = peek, byte | 0x20 == UInt8(ascii: "e") { json += try exponent() }
        try endOfNumber()
        return JSONNumber(text: String(decoding: bytes[start..<at], as: UTF8.self), json: json)
    }

    private mutating func sign() throws(JSONFailure) -> String {
        let sign = peek
        guard sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else { return "" }
        if sign == UInt8(ascii: "+"), dialect == .strict {
            throw failure(at, "a number that starts with `+`", expected: "a digit or `-`")
        }
        at += 1
        if peek == UInt8(ascii: "I") || peek == UInt8(ascii: "N") { throw notFinite(at - 1) }
        return sign == UInt8(ascii: "-") ? "-" : ""
    }

    private mutating func hexadecimal(_ start: Int, _ sign: String) throws(JSONFailure) -> JSONNumber {
        at += 2
        var value: UInt64 = 0
        let first = at
        while let byte = peek, let digit = hexValue(byte) {
            guard value >> 60 == 0 else {
                throw failure(start, "a hexadecimal number of more than 64 bits", expected: "at most 16 digits")
            }
            value = value << 4 | UInt64(digit)
            at += 1
        }
        guard at > first else { throw failure(at, "\(found(at)) in a number", expected: "a hexadecimal digit") }
        try endOfNumber()
        return JSONNumber(text: String(decoding: bytes[start..<at], as: UTF8.self), json: sign + String(value))
    }

    private mutating func exponent() throws(JSONFailure) -> String {
        var text = "e"
        at += 1
        if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") {
            text.append(Character(Unicode.Scalar(bytes[at])))
            at += 1
        }
        let power = digits()
        guard !power.isEmpty else { throw failure(at, "\(found(at)) in an exponent", expected: "a digit") }
        return text + power
    }

    private mutating func digits() -> String {
        let start = at
        while let byte = peek, isDigit(byte) { at += 1 }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    /// `1a` and `1.2.3` are slips of the pen, not a number followed by something.
    private mutating func endOfNumber() throws(JSONFailure) {
        guard let byte = peek else { return }
        let isWordLike =
            isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        if isWordLike { throw failure(at, "\(found(at)) in a number", expected: "the end of the number") }
    }
}
