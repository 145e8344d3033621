import Bytes

/// Writes an HTTP/1.1 response head anew as RFC 9112 has it, where what is wrong with it can be read in one way only.
///
/// For heads that ``ResponseHead`` refuses. What two recipients could split differently (lengths that differ, a lone CR,
/// NUL, a broken line that may have been about the body's length) is still refused.
public struct ResponseRepair {
    /// The head in its proper form, with its empty line.
    public private(set) var head: [UInt8] = []
    /// The length of the head that was received, with its empty line.
    public private(set) var length = 0
    /// What was wrong, each as an object of "the origin sent".
    public private(set) var notes: [String] = []
    private var lines: [Line] = []

    /// A field line, without white space around name and value.
    private struct Line {
        let name: [UInt8]
        var value: [UInt8]
        var id: FieldName { name.withUnsafeBufferPointer { .lookup(Span(_unsafeElements: $0)) } }
    }

    /// Repairs the head at the front of `bytes`; nil if its end is still to come.
    ///
    /// - Parameter failure: why the head was refused; thrown where it cannot be repaired, as 502.
    public init?(_ bytes: Span<UInt8>, limits: HeadLimits, after failure: HTTPFailure) throws(HTTPFailure) {
        guard failure.kind.isRepairable else { throw failure }
        do throws(HTTPFailure) {
            guard try read(bytes, limits) else { return nil }
            try settleFraming(after: failure)
        } catch {
            throw error.asResponseFailure()
        }
        for line in lines {
            head += line.name
            head += Array(": ".utf8)
            head += line.value
            head += Array("\r\n".utf8)
        }
        head += Array("\r\n".utf8)
    }

    private mutating func note(_ text: String) { if !notes.contains(text) { notes.append(text) } }

    // MARK: Lines

    /// RFC 9112 2.2: a recipient may take a single LF for the end of a line.
    private mutating func read(_ bytes: Span<UInt8>, _ limits: HeadLimits) throws(HTTPFailure) -> Bool {
        let end = min(bytes.count, limits.size)
        var start = 0
        while true {
            let feed = Scan.byte(0x0A, in: bytes, from: start, to: end)
            guard feed < end else {
                guard end < limits.size else { throw .headTooLong(limits.size, isFirstLine: head.isEmpty) }
                if head.isEmpty { try checkBeginning(bytes, start..<end) }
                return false
            }
            var stop = feed
            if stop > start, bytes[stop - 1] == 0x0D { stop -= 1 } else { note("lines that end with LF alone") }
            let line = start..<stop
            start = feed + 1
            length = start
            for index in line where bytes[index] == 0x0D || bytes[index] == 0 {
                if bytes[index] == 0 { throw .valueByte(0, field: quoted(bytes, line)) }
                throw .bareCarriageReturn("in \(quoted(bytes, line))")
            }
            if head.isEmpty {
                if line.isEmpty, start <= 4 {
                    note("an empty line in front of the status line")
                } else {
                    try readStatusLine(bytes, line)
                }
            } else if line.isEmpty {
                return true
            } else {
                guard lines.count < limits.fields else { throw .tooManyFields(limits.fields) }
                try readFieldLine(bytes, line)
            }
        }
    }

    /// Throws where no status line can follow.
    private func checkBeginning(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(HTTPFailure) {
        let read = line.prefix(5).map { bytes[$0] == 0x0D ? 0x0D : bytes[$0] | 0x20 }
        let beginnings = ["http/", "icy ", "\r"].map { $0.utf8.prefix(read.count) }
        guard beginnings.contains(where: { read.starts(with: $0) }) else { throw .statusLine(bytes, line) }
    }

    /// The version in any case and of any number, then the status in three digits, with blanks as there may be.
    private mutating func readStatusLine(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(HTTPFailure) {
        var words = Words(bytes, line)
        let version = words.next()
        let name = clean(bytes, version).map { $0 | 0x20 }
        let status = words.next()
        guard status.count == 3, status.allSatisfy({ Scan.isDigit(bytes[$0]) }), bytes[status.lowerBound] != 0x30 else {
            throw .statusLine(bytes, line)
        }
        // SHOUTcast's version, which browsers take for HTTP/1.0.
        let isOld = name == Array("icy".utf8) || name == Array("http/1.0".utf8)
        guard isOld || name.starts(with: "http/".utf8) && name.count > 5 && Scan.isDigit(name[5]) else {
            throw .statusLine(bytes, line)
        }
        let reason = clean(bytes, words.rest)
        head = Array(isOld ? "HTTP/1.0 ".utf8 : "HTTP/1.1 ".utf8) + clean(bytes, status) + [0x20] + reason
        if !head.starts(with: clean(bytes, line)) { note("the status line \(quoted(bytes, line))") }
        head += Array("\r\n".utf8)
    }

    private mutating func readFieldLine(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(HTTPFailure) {
        if ByteSearch.isBlank(bytes[line.lowerBound]) { return try continueLine(bytes, line) }
        let colon = Scan.byte(0x3A, in: bytes, from: line.lowerBound, to: line.upperBound)
        let name = trimmed(bytes, line.lowerBound..<colon)
        guard colon < line.upperBound, !name.isEmpty, name.allSatisfy({ Scan.isToken(bytes[$0]) }) else {
            return try drop(bytes, line)
        }
        // RFC 9112 5.1: a proxy removes it.
        if name.upperBound < colon { note("white space before the colon of \(quoted(bytes, name))") }
        let value = colon + 1..<line.upperBound
        if value.contains(where: { isControl(bytes[$0]) }) {
            note("control characters in the value of \(quoted(bytes, name))")
        }
        lines.append(Line(name: clean(bytes, name), value: clean(bytes, trimmed(bytes, value))))
    }

    /// RFC 9112 5.2: a proxy replaces what continues a line with a space.
    private mutating func continueLine(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(HTTPFailure) {
        let text = trimmed(bytes, line)
        // RFC 9112 2.2: white space in front of the first field line goes with the line.
        guard let last = lines.indices.last else { return try drop(bytes, line) }
        // An empty line for some.
        guard !text.isEmpty, !lines[last].id.isAboutFraming else { throw .obsoleteFold(bytes, line) }
        note("a value that goes on in the next line, of \(quoted(lines[last].name))")
        lines[last].value += [0x20] + clean(bytes, text)
    }

    /// Leaves out a line that is no field line, as browsers do, unless it may have been meant to say where the body ends.
    private mutating func drop(_ bytes: Span<UInt8>, _ line: Range<Int>) throws(HTTPFailure) {
        let letters = clean(bytes, line).map { $0 | 0x20 }.filter { (0x61...0x7A).contains($0) }
        let words = String(decoding: letters, as: UTF8.self)
        guard !words.contains("contentlength"), !words.contains("transferencoding") else {
            throw .fieldLine(bytes, line)
        }
        note("a line that is no field, left out: \(quoted(bytes, line))")
    }

    // MARK: Framing

    /// Leaves one statement about the body's length (RFC 9112 6.3), or throws where there are several.
    private mutating func settleFraming(after failure: HTTPFailure) throws(HTTPFailure) {
        let codings = lines.filter { $0.id == .transferEncoding }
        if codings.count == 1, codings[0].value.map({ $0 | 0x20 }) == Array("identity".utf8) {
            note("Transfer-Encoding: identity")
            lines.removeAll { $0.id == .transferEncoding }
        }
        let words = codings.flatMap { $0.value.split(separator: 0x2C).map { trimmed(Array($0.map { $0 | 0x20 })) } }
        if words.count > 1, words.allSatisfy({ $0 == Array("chunked".utf8) }) {
            // A server and the framework on it have each said it; the body is chunked once.
            note("Transfer-Encoding: chunked more than once")
            lines.removeAll { $0.id == .transferEncoding }
            lines.append(Line(name: codings[0].name, value: words[0]))
        }
        let lengths = lines.filter { $0.id == .contentLength }
        let numbers = Set(
            lengths.flatMap { $0.value.split(separator: 0x2C, omittingEmptySubsequences: false) }
                .map { trimmed(Array($0)) })
        if !codings.isEmpty, !lengths.isEmpty, lines.contains(where: { $0.id == .transferEncoding }) {
            // RFC 9112 6.1 and 6.3: the coding overrides the length.
            note("Content-Length beside Transfer-Encoding")
            lines.removeAll { $0.id == .contentLength }
        } else if lengths.count > 1 || lengths.contains(where: { $0.value.contains(0x2C) }) {
            // RFC 9110 8.6: values that are all the same are one.
            guard numbers.count == 1, let number = numbers.first else {
                throw HTTPFailure(
                    .repeatedContentLength, "Content-Length with different values (RFC 9110 8.6: one is expected)")
            }
            note("Content-Length more than once")
            let line = Line(name: lengths[0].name, value: number)
            lines.removeAll { $0.id == .contentLength }
            lines.append(line)
        }
        let status = head.dropFirst(9).prefix(3)
        if status.first == 0x31 || status.elementsEqual("204".utf8),
            lines.contains(where: { $0.id == .transferEncoding })
        {
            // RFC 9112 6.3: such a response ends with its head.
            note("Transfer-Encoding in a response that has no content")
            lines.removeAll { $0.id == .transferEncoding }
        }
        for index in lines.indices where lines[index].id == .connection {
            let options = lines[index].value.split(separator: 0x2C).map { trimmed(Array($0)) }
            guard !options.allSatisfy({ $0.allSatisfy(Scan.isToken) }) else { continue }
            note("the connection option \(quoted(lines[index].value))")
            lines[index].value = Array("close".utf8)
        }
    }

    // MARK: Bytes

    /// Copies bytes, with a space for each control character (RFC 9110 5.5).
    private func clean(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        range.map { isControl(bytes[$0]) ? 0x20 : bytes[$0] }
    }

    private func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }

    private func trimmed(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, ByteSearch.isBlank(bytes[start]) { start += 1 }
        while end > start, ByteSearch.isBlank(bytes[end - 1]) { end -= 1 }
        return start..<end
    }

    private func trimmed(_ value: [UInt8]) -> [UInt8] {
        Array(value.drop(while: ByteSearch.isBlank).reversed().drop(while: ByteSearch.isBlank).reversed())
    }

    private func quoted(_ value: [UInt8]) -> String {
        value.withUnsafeBufferPointer { HTTP.quoted(Span(_unsafeElements: $0), 0..<value.count) }
    }

    private func quoted(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String { HTTP.quoted(bytes, range) }
}

/// The words of a line, with blanks between them.
private struct Words: ~Escapable {
    private let bytes: Span<UInt8>
    private var left: Range<Int>

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, _ line: Range<Int>) {
        self.bytes = bytes
        left = line
    }

    mutating func next() -> Range<Int> {
        let word = rest
        var end = word.lowerBound
        while end < word.upperBound, !ByteSearch.isBlank(bytes[end]) { end += 1 }
        left = end..<word.upperBound
        return word.lowerBound..<end
    }

    /// What follows, without the blanks in front of it.
    var rest: Range<Int> {
        var start = left.lowerBound
        while start < left.upperBound, ByteSearch.isBlank(bytes[start]) { start += 1 }
        return start..<left.upperBound
    }
}

extension HTTPFailure.Kind {
    /// A head with it may still be read in one way only.
    fileprivate var isRepairable: Bool {
        switch self {
        case .statusLine, .version, .unsupportedVersion, .bareLineFeed, .fieldName, .noColon, .spaceBeforeColon,
            .leadingSpace, .obsoleteFold, .controlByte, .repeatedContentLength, .contentLength, .lengthAndCoding,
            .unknownCoding, .transferEncoding, .codingWithoutContent, .connectionOption:
            true
        default: false
        }
    }
}

extension FieldName {
    fileprivate var isAboutFraming: Bool {
        switch self {
        case .contentLength, .transferEncoding, .connection: true
        default: false
        }
    }
}

extension HTTPFailure {
    fileprivate static func obsoleteFold(_ bytes: Span<UInt8>, _ line: Range<Int>) -> HTTPFailure {
        HTTPFailure(
            .obsoleteFold,
            "the line \(quoted(bytes, line)) (RFC 9112 5.2: a value that is continued on the next line is obsolete)")
    }

    fileprivate static func fieldLine(_ bytes: Span<UInt8>, _ line: Range<Int>) -> HTTPFailure {
        HTTPFailure(.fieldName, "the line \(quoted(bytes, line)) (RFC 9112 5: name, colon, value are expected)")
    }
}
