extension JSONReader {
    /// Steps over white space, and over comments where the dialect has them.
    mutating func skipSpace() throws(JSONFailure) {
        while let byte = peek {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            case UInt8(ascii: "/"): try skipComment()
            case 0x0B,
                0x0C where dialect == .json5:
                at += 1
            case 0x80... where dialect == .json5:
                guard let scalar = scalar(at: at), isSpace(scalar) else { return }
                at += UTF8.width(scalar)
            default: return
            }
        }
    }

    mutating func skipComment() throws(JSONFailure) {
        let start = at
        guard dialect == .json5 else {
            throw failure(start, "a comment, which strict JSON does not have", expected: "a value")
        }
        switch at + 1 < bytes.count ? bytes[at + 1] : 0 {
        case UInt8(ascii: "/"):
            while let byte = peek, byte != 0x0A, byte != 0x0D { at += 1 }
        case UInt8(ascii: "*"):
            at += 2
            while at + 1 < bytes.count {
                if bytes[at] == UInt8(ascii: "*"), bytes[at + 1] == UInt8(ascii: "/") {
                    at += 2
                    return
                }
                at += 1
            }
            throw failure(start, "the comment does not end", expected: "`*/`")
        default:
            throw failure(start, "a single `/`", expected: "`//` or `/*` for a comment")
        }
    }

    /// JSON5's white space beyond ASCII: no-break space, byte order mark, line separators, category Zs.
    func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0xFEFF, 0x2028, 0x2029: true
        default: scalar.properties.generalCategory == .spaceSeparator
        }
    }

    /// An unquoted key or word, or nil when none starts here.
    mutating func identifier() -> String? {
        let start = at
        while let scalar = scalar(at: at) {
            let fits =
                switch scalar {
                case "a"..."z", "A"..."Z", "_", "$": true
                case "0"..."9": at > start
                case _ where scalar.value < 0x80: false
                default: at > start ? scalar.properties.isIDContinue : scalar.properties.isIDStart
                }
            guard fits else { break }
            at += UTF8.width(scalar)
        }
        return at > start ? String(decoding: bytes[start..<at], as: UTF8.self) : nil
    }

    /// `true`, `false` or `null`.
    mutating func word() throws(JSONFailure) -> JSONValue.Kind {
        let start = at
        switch identifier() {
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "null": return .null
        case "Infinity", "NaN": throw notFinite(start)
        case let other?:
            throw failure(start, "the word `\(other)`", expected: "a value; text stands in double quotes")
        case nil: throw failure(start, "\(found(start)) where a value should be", expected: "a value")
        }
    }

    mutating func notFinite(_ offset: Int) -> JSONFailure {
        failure(offset, "`Infinity` and `NaN` are not supported", expected: "a finite number")
    }
}
