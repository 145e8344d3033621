import Bytes

extension BodyDecoder {
    /// RFC 9112 7.1.1: `*( BWS ";" BWS name [ BWS "=" BWS value ] )`, a value being a token or a quoted string.
    ///
    /// They are read to the letter, though nothing uses them: what one reader takes for an extension, another could
    /// take for the end of the line. Returns the index of what follows; nil if the line goes on.
    func skipExtensions(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(HTTPFailure) -> Int? {
        var index = start
        while index < end, bytes[index] == 0x3B {
            index = skipBlanks(bytes, from: index &+ 1, to: end)
            guard let name = try skipToken(bytes, from: index, to: end) else { return nil }
            index = skipBlanks(bytes, from: name, to: end)
            if index < end, bytes[index] == 0x3D {
                index = skipBlanks(bytes, from: index &+ 1, to: end)
                guard index < end else { return nil }
                let value =
                    bytes[index] == 0x22
                    ? try skipQuoted(bytes, from: index &+ 1, to: end) : try skipToken(bytes, from: index, to: end)
                guard let value else { return nil }
                index = skipBlanks(bytes, from: value, to: end)
            }
        }
        guard index < end else { return nil }
        // White space belongs to what follows it; before the end of the line it has no place.
        guard bytes[index] == 0x0D, !ByteSearch.isBlank(bytes[index &- 1]) else { throw .chunkExtension(bytes[index]) }
        return index
    }

    private func skipBlanks(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, ByteSearch.isBlank(bytes[index]) { index &+= 1 }
        return index
    }

    private func skipToken(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(HTTPFailure) -> Int? {
        var index = start
        while index < end, Scan.isToken(bytes[index]) { index &+= 1 }
        guard index < end else { return nil }
        guard index > start else { throw .chunkExtension(bytes[index]) }
        return index
    }

    /// RFC 9110 5.6.4, from behind the opening quote to behind the closing one.
    private func skipQuoted(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(HTTPFailure) -> Int? {
        var index = start
        while index < end {
            let byte = bytes[index]
            index &+= 1
            if byte == 0x22 { return index < end ? index : nil }
            var character = byte
            if byte == 0x5C {
                guard index < end else { return nil }
                character = bytes[index]
                index &+= 1
            }
            if character < 0x20 && character != 0x09 || character == 0x7F { throw .chunkExtension(character) }
        }
        return nil
    }
}

extension HTTPFailure {
    @inline(never)
    fileprivate static func chunkExtension(_ byte: UInt8) -> HTTPFailure {
        HTTPFailure(
            .chunkExtension,
            "byte \(printable(byte)) in a chunk's extensions (RFC 9112 7.1.1: name, or name and value, are expected)")
    }
}
