import Bytes

extension RequestHead {
    /// RFC 9112 3: method, one space, target, one space, version, CRLF.
    ///
    /// Returns where the next line begins.
    @inline(__always)
    mutating func parseRequestLine(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(HTTPFailure) -> Int? {
        guard let afterMethod = try parseMethod(bytes, from: start, to: end) else { return nil }
        guard let afterTarget = try parseTarget(bytes, from: afterMethod &+ 1, to: end) else { return nil }
        guard let next = try parseVersion(bytes, from: afterTarget &+ 1, to: end) else { return nil }
        try resolveTarget(bytes)
        return next
    }

    /// Finds the end of the method, which is the space after it.
    @inline(__always)
    private mutating func parseMethod(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(HTTPFailure) -> Int? {
        if start &+ 8 <= end, let usual = Method.usual(bytes.word(at: start)) {
            method = usual
            methodRange = start..<start &+ usual.text.utf8CodeUnitCount
            return methodRange.upperBound
        }
        var index = start
        while index < end, Scan.isToken(bytes[index]) { index &+= 1 }
        guard index < end else { return nil }
        if index == start, bytes[index] == 0x0D, index &+ 1 == end { return nil }
        guard bytes[index] == 0x20, index > start else { throw .method(bytes, start..<index) }
        methodRange = start..<index
        method = .lookup(bytes, methodRange)
        return index
    }

    /// Finds the end of the target, which is the space after it.
    @inline(__always)
    private mutating func parseTarget(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(HTTPFailure) -> Int? {
        var index = start
        var mark: Int?
        while true {
            index =
                mark == nil
                ? Scan.pathStop(in: bytes, from: index, to: end) : Scan.queryStop(in: bytes, from: index, to: end)
            guard index < end else { return nil }
            switch bytes[index] {
            case 0x20:
                guard index > start else {
                    throw HTTPFailure(.requestLine, "two spaces after the method (RFC 9112 3: one is expected)")
                }
                target = start..<index
                path = start..<(mark ?? index)
                query = mark.map { $0 &+ 1..<index } ?? index..<index
                pathAndQuery = target
                return index
            case 0x3F:
                mark = index
                index &+= 1
            case 0x0D where index &+ 1 == end: return nil
            default: throw .target(bytes, start..<index)
            }
        }
    }

    @inline(__always)
    private mutating func parseVersion(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(HTTPFailure) -> Int? {
        if start &+ 10 <= end, bytes[start &+ 8] == 0x0D, bytes[start &+ 9] == 0x0A,
            let known = HTTPVersion(word: bytes.word(at: start))
        {
            version = known
            return start &+ 10
        }
        return try parseOddVersion(bytes, from: start, to: end)
    }

    @inline(never)
    private mutating func parseOddVersion(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(HTTPFailure) -> Int? {
        let feed = Scan.byte(0x0A, in: bytes, from: start, to: end)
        guard feed < end else { return nil }
        guard feed > start, bytes[feed - 1] == 0x0D else { throw .bareLineFeed("after the request line") }
        let text = start..<feed - 1
        if Scan.byte(0x0D, in: bytes, from: start, to: feed - 1) < feed - 1 {
            throw .bareCarriageReturn("in the request line")
        }
        guard Scan.byte(0x20, in: bytes, from: start, to: feed - 1) == feed - 1 else {
            throw HTTPFailure(
                .requestLine,
                "\(quoted(bytes, text)) after the target (RFC 9112 3: method, target and version, one space between)")
        }
        version = try HTTPVersion.parse(bytes, text, isPreface: quoted(bytes, methodRange) == "\"PRI\"")
        return feed + 1
    }
}

extension HTTPFailure {
    @inline(never)
    fileprivate static func method(_ bytes: Span<UInt8>, _ read: Range<Int>) -> HTTPFailure {
        let next = bytes[read.upperBound]
        if read.isEmpty, next == 0x0D {
            if bytes[read.upperBound + 1] != 0x0A { return .bareCarriageReturn("in front of the request line") }
            return HTTPFailure(.requestLine, "empty lines where a request line was expected (RFC 9112 2.2)")
        }
        if read.isEmpty, next == 0x16 {
            return HTTPFailure(
                .method, "the beginning of TLS where plain HTTP was expected: is the URL's scheme right?")
        }
        return HTTPFailure(
            .method,
            "byte \(printable(next)) after \(quoted(bytes, read)) (RFC 9112 3: a method and a space were expected)")
    }

    @inline(never)
    fileprivate static func target(_ bytes: Span<UInt8>, _ read: Range<Int>) -> HTTPFailure {
        let index = read.upperBound
        switch bytes[index] {
        case 0x0A: return .bareLineFeed("in the request line")
        case 0x0D where bytes[index + 1] != 0x0A: return .bareCarriageReturn("in the request line")
        case 0x0D:
            return HTTPFailure(
                .requestLine,
                "no version after the target \(quoted(bytes, read)) (RFC 9112 3: \"HTTP/1.1\" was expected)")
        case 0x23:
            return HTTPFailure(.target, "a fragment in the request target (RFC 9112 3.2: none is sent)")
        default:
            return HTTPFailure(
                .target,
                "byte \(printable(bytes[index])) in the request target, after \(quoted(bytes, read)) "
                    + "(RFC 3986 2: it must be percent-encoded)")
        }
    }
}
