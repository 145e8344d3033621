extension HTTPFailure {
    @inline(never)
    static func bareCarriageReturn(_ place: String) -> HTTPFailure {
        HTTPFailure(.bareCarriageReturn, "CR without LF \(place) (RFC 9112 2.2: a line ends with CRLF)")
    }

    @inline(never)
    static func bareLineFeed(_ place: String) -> HTTPFailure {
        HTTPFailure(.bareLineFeed, "LF without CR \(place) (RFC 9112 2.2: a line ends with CRLF)")
    }

    @inline(never)
    static func tooManyFields(_ limit: Int) -> HTTPFailure {
        HTTPFailure(.tooManyFields, "more than \(limit) field lines: that is the limit set for a head")
    }

    @inline(never)
    static func valueByte(_ byte: UInt8, field: String) -> HTTPFailure {
        if byte == 0x0A { return .bareLineFeed("in field \(field)") }
        return HTTPFailure(
            .controlByte,
            "byte \(printable(byte)) in the value of field \(field) (RFC 9110 5.5: no control but HTAB is allowed)")
    }

    /// What a byte that is no token character, at `index` of what should be a name, says about the line.
    @inline(never)
    static func fieldName(
        _ bytes: Span<UInt8>, at index: Int, of name: Range<Int>, isFirst: Bool
    ) -> HTTPFailure {
        let line = quoted(bytes, name.lowerBound..<index)
        switch bytes[index] {
        case 0x20, 0x09:
            if index > name.lowerBound {
                return HTTPFailure(
                    .spaceBeforeColon,
                    "white space after the field name \(line) (RFC 9112 5.1: none is allowed before the colon)")
            }
            if isFirst {
                return HTTPFailure(
                    .leadingSpace, "white space in front of the first field line (RFC 9112 2.2: none is allowed)")
            }
            return HTTPFailure(
                .obsoleteFold, "a field value that is continued on the next line (RFC 9112 5.2: obs-fold is obsolete)")
        case 0x0A:
            return .bareLineFeed("after \(line), where a field line was expected")
        case 0x0D where index + 1 < bytes.count && bytes[index + 1] != 0x0A:
            return .bareCarriageReturn("after \(line), where a field line was expected")
        case 0x0D:
            return HTTPFailure(.noColon, "no colon in the field line \(line) (RFC 9112 5: name, colon, value)")
        case 0x3A:
            return HTTPFailure(.fieldName, "a field line that begins with its colon (RFC 9112 5: a name was expected)")
        default:
            return HTTPFailure(
                .fieldName,
                "byte \(printable(bytes[index])) in a field name, after \(line) (RFC 9110 5.1: a token was expected)")
        }
    }
}
