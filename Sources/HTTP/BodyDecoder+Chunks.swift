import Bytes

extension BodyDecoder {
    /// The most bytes of one chunk's line, and of all extensions of a body.
    static let maxLineBytes = 4096
    static let maxExtensionBytes = 16384

    /// What lies between chunks is handed over in one piece where it is all there: the end of one chunk, the line
    /// of the next, and after the last one the empty line.
    mutating func nextFraming(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Piece {
        if state == .trailers { return try nextTrailers(bytes) }
        var used = 0
        if state == .chunkEnd {
            guard let next = try lineEnd(bytes, at: 0) else { return .needMore }
            used = next
            state = .chunkSize
            scanned = 0
        }
        guard let next = try parseChunkLine(bytes, from: used) else {
            return used > 0 ? .framing(used) : .needMore
        }
        scanned = 0
        guard remaining == 0 else {
            state = .chunkData
            return .framing(next)
        }
        if next &+ 1 < bytes.count, bytes[next] == 0x0D, bytes[next &+ 1] == 0x0A {
            state = .finished
            return .framing(next &+ 2)
        }
        state = .trailers
        return .framing(next)
    }

    /// Where what follows CRLF begins; nil if its end may still come.
    private mutating func lineEnd(_ bytes: Span<UInt8>, at index: Int) throws(HTTPFailure) -> Int? {
        guard index < bytes.count else { return nil }
        if isForgiving, bytes[index] == 0x0A {
            isIrregular = true
            return index &+ 1
        }
        guard bytes[index] == 0x0D else { throw .chunkEnd(bytes[index]) }
        guard index &+ 1 < bytes.count else { return nil }
        guard bytes[index &+ 1] == 0x0A else { throw .chunkEnd(bytes[index &+ 1]) }
        return index &+ 2
    }

    /// RFC 9112 7.1: the size, maybe extensions, CRLF.
    ///
    /// Returns where the line ends; nil if its end is to come.
    private mutating func parseChunkLine(_ bytes: Span<UInt8>, from start: Int) throws(HTTPFailure) -> Int? {
        let end = min(bytes.count, start &+ BodyDecoder.maxLineBytes)
        if start == 0, scanned > 0, scanned <= end, end < BodyDecoder.maxLineBytes,
            Scan.byte(0x0A, in: bytes, from: scanned, to: end) == end
        {
            scanned = end
            return nil
        }
        guard let next = try parseSize(bytes, from: start, to: end) else {
            guard end < start &+ BodyDecoder.maxLineBytes else {
                throw HTTPFailure(
                    .chunkLineTooLong,
                    "a chunk's line of more than \(BodyDecoder.maxLineBytes) bytes: that is the limit")
            }
            // What was in front of the line is dropped before it is seen again.
            scanned = end &- start
            return nil
        }
        return next
    }

    private mutating func parseSize(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(HTTPFailure) -> Int? {
        var index = start
        var size: UInt64 = 0
        while index < end, let digit = ByteSearch.hexDigit(bytes[index]) {
            guard index &- start < 16, size >> 59 == 0 else { throw .chunkSizeOverflow(bytes, start..<index &+ 1) }
            size = size << 4 | UInt64(digit)
            index &+= 1
        }
        guard index < end else { return nil }
        guard index > start else { throw .chunkSize(bytes[index]) }
        let digits = index
        if bytes[index] == 0x3B {
            guard let after = try skipExtensions(bytes, from: index, to: end) else { return nil }
            index = after
        }
        if isForgiving, bytes[index] != 0x0D {
            while index < end, ByteSearch.isBlank(bytes[index]) { index &+= 1 }
            guard index < end else { return nil }
            isIrregular = true
            if bytes[index] == 0x0A {
                remaining = size
                return index &+ 1
            }
        }
        guard bytes[index] == 0x0D else { throw .chunkSize(bytes[index]) }
        guard index &+ 1 < end else { return nil }
        guard bytes[index &+ 1] == 0x0A else { throw .bareCarriageReturn("after a chunk's size") }
        extensionBytes &+= index &- digits
        guard extensionBytes <= BodyDecoder.maxExtensionBytes else {
            throw HTTPFailure(
                .chunkLineTooLong,
                "chunk extensions of more than \(BodyDecoder.maxExtensionBytes) bytes in a body: that is the limit")
        }
        remaining = size
        return index &+ 2
    }

    /// The trailer section, whose first line is known not to be empty or not to be complete.
    private mutating func nextTrailers(_ bytes: Span<UInt8>) throws(HTTPFailure) -> Piece {
        if isForgiving, bytes.count > 0, bytes[0] == 0x0A {
            (state, isIrregular) = (.finished, true)
            return .framing(1)
        }
        let limit = trailerLimits.size
        let end = min(bytes.count, limit)
        if scanned > 0, scanned <= end, end < limit, Scan.byte(0x0A, in: bytes, from: scanned, to: end) == end {
            scanned = end
            return .needMore
        }
        // From its front each time a line has come: few messages have one, and what is kept of it is kept for all.
        var section = FieldSection(isTrailer: true)
        var line = 0
        guard let next = try section.parse(bytes, line: &line, to: end, limit: trailerLimits.fields) else {
            guard end < limit else { throw .headTooLong(limit, isFirstLine: false) }
            scanned = end
            return .needMore
        }
        state = .finished
        trailers = section.fields
        return trailers.isEmpty ? .framing(next) : .trailers(next)
    }
}

extension HTTPFailure {
    @inline(never)
    static func chunkSize(_ byte: UInt8) -> HTTPFailure {
        HTTPFailure(
            .chunkSize,
            "byte \(printable(byte)) in a chunk's size (RFC 9112 7.1: hexadecimal digits, then CRLF or \";\" are expected)"
        )
    }

    @inline(never)
    fileprivate static func chunkSizeOverflow(_ bytes: Span<UInt8>, _ digits: Range<Int>) -> HTTPFailure {
        HTTPFailure(
            .chunkSizeOverflow,
            "chunk size \(quoted(bytes, digits)) and more (at most 16 digits, and below 2^63, can be counted)")
    }

    @inline(never)
    fileprivate static func chunkEnd(_ byte: UInt8) -> HTTPFailure {
        HTTPFailure(
            .chunkEnd, "byte \(printable(byte)) after a chunk's data (RFC 9112 7.1: CRLF ends it, is the size right?)")
    }
}
