import Bytes

/// The field lines of one head or trailer section, and what those fields say that framing depends on.
///
/// Lines are read from left to right and once each: what a line breaks is the same failure whether it is seen whole
/// or as a prefix, so that a message means the same however it was cut into packets.
@usableFromInline
struct FieldSection: Sendable {
    @usableFromInline var fields: [Field] = []
    /// Which known names there are.
    var names = FieldNameSet()
    var contentLength: UInt64?
    var isChunked = false
    var options: ConnectionOptions = []
    var optionCount = 0
    var host: Field?
    var upgrade: Field?
    var acceptsTrailers = false
    var expectsContinue = false
    /// Trailers are carried on, never acted upon.
    let isTrailer: Bool
    /// Control characters in cookies are kept, but for NUL, CR and LF: clients send them (RFC 9110 5.5 lets them).
    let keepsControls: Bool

    init(isTrailer: Bool = false, keepsControls: Bool = false) {
        self.isTrailer = isTrailer
        self.keepsControls = keepsControls
    }

    mutating func removeAll() {
        // A head is forgotten when its exchange ends, and once more when the next one is read.
        if !fields.isEmpty { fields.removeAll(keepingCapacity: true) }
        names = FieldNameSet()
        contentLength = nil
        isChunked = false
        options = []
        optionCount = 0
        host = nil
        upgrade = nil
        acceptsTrailers = false
        expectsContinue = false
    }

    /// The field of that name that came first.
    @inlinable
    func first(_ id: FieldName) -> Field? {
        for field in fields where field.id == id { return field }
        return nil
    }

    /// Reads lines from `line` on and returns where the section ends, after its empty line; nil if that is still
    /// to come, `line` then being where the unfinished line begins.
    mutating func parse(
        _ bytes: Span<UInt8>, line: inout Int, to end: Int, limit: Int
    ) throws(HTTPFailure) -> Int? {
        guard end <= bytes.count else { return nil }
        while line < end {
            let first = bytes[line]
            if first == 0x0D {
                guard line &+ 1 < end else { return nil }
                guard bytes[line &+ 1] == 0x0A else { throw .bareCarriageReturn("in front of a field line") }
                return line &+ 2
            }
            guard fields.count < limit else { throw .tooManyFields(limit) }
            let next = try takeUsual(bytes, from: line, to: end, limit: limit)
            if next > line {
                line = next
                continue
            }
            guard let next = try parseLine(bytes, from: line, to: end) else { return nil }
            line = next
        }
        return nil
    }

    /// Takes lines as long as they are usual, and returns where the first one begins that is not.
    ///
    /// They are put into the array together: its own checks would be made for each of them.
    @inline(__always)
    private mutating func takeUsual(
        _ bytes: Span<UInt8>, from start: Int, to end: Int, limit: Int
    ) throws(HTTPFailure) -> Int {
        let room = min(limit &- fields.count, 32)
        return try withUnsafeTemporaryAllocation(of: Field.self, capacity: 32) { lines throws(HTTPFailure) in
            var count = 0
            var next = start
            var found = FieldNameSet()
            defer {
                names = names.union(found)
                fields.append(contentsOf: UnsafeMutableBufferPointer(rebasing: lines[..<count]))
            }
            while count < room, let line = FieldLine(bytes, from: next, to: end) {
                let field = Field(
                    start: next, nameEnd: line.colon, value: line.value, lineEnd: line.end, id: line.id,
                    isHopByHop: line.id.isHopByHop || (isTrailer && line.id.isForbiddenInTrailers))
                if line.id.needsReading, !isTrailer { try read(field, in: bytes) }
                found.insert(line.id)
                lines.initializeElement(at: count, to: field)
                count &+= 1
                next = line.end
            }
            return next
        }
    }

    /// Reads a line by its bytes, and returns where the next one begins.
    @inline(never)
    private mutating func parseLine(
        _ bytes: Span<UInt8>, from start: Int, to end: Int
    ) throws(HTTPFailure) -> Int? {
        let colon = Scan.byte(0x3A, in: bytes, from: start, to: end)
        let name = start..<colon
        // A name that is known needs no further look at its bytes.
        let id: FieldName = colon < end ? .lookup(bytes.extracting(name)) : .other
        if id == .other {
            guard try isName(bytes, name, to: end), colon < end else { return nil }
        }
        var valueStart = colon &+ 1
        while valueStart < end, ByteSearch.isBlank(bytes[valueStart]) { valueStart &+= 1 }
        var stop = Scan.control(in: bytes, from: valueStart, to: end)
        while keepsControls, id == .cookie, stop < end, ![0x00, 0x0A, 0x0D].contains(bytes[stop]) {
            stop = Scan.control(in: bytes, from: stop &+ 1, to: end)
        }
        guard stop < end else { return nil }
        guard bytes[stop] == 0x0D else { throw .valueByte(bytes[stop], field: quoted(bytes, name)) }
        guard stop &+ 1 < end else { return nil }
        guard bytes[stop &+ 1] == 0x0A else { throw .bareCarriageReturn("in field \(quoted(bytes, name))") }
        var valueEnd = stop
        while valueEnd > valueStart, ByteSearch.isBlank(bytes[valueEnd &- 1]) { valueEnd &-= 1 }
        try take(id, start, colon, valueStart..<valueEnd, stop &+ 2, in: bytes)
        return stop &+ 2
    }

    @inline(__always)
    private mutating func take(
        _ id: FieldName, _ start: Int, _ colon: Int, _ value: Range<Int>, _ end: Int, in bytes: Span<UInt8>
    ) throws(HTTPFailure) {
        let field = Field(
            start: start, nameEnd: colon, value: value, lineEnd: end, id: id,
            isHopByHop: id.isHopByHop || (isTrailer && id.isForbiddenInTrailers))
        if id.needsReading, !isTrailer { try read(field, in: bytes) }
        fields.append(field)
        names.insert(id)
    }

    /// RFC 9112 5: a token, then at once the colon.
    ///
    /// False where the next byte is needed to say what is wrong.
    @inline(__always)
    private func isName(_ bytes: Span<UInt8>, _ name: Range<Int>, to end: Int) throws(HTTPFailure) -> Bool {
        var index = name.lowerBound
        while index < name.upperBound, Scan.isToken(bytes[index]) { index &+= 1 }
        if index == end { return true }
        if index == name.upperBound, index > name.lowerBound { return true }
        if bytes[index] == 0x0D, index &+ 1 == end { return false }
        throw .fieldName(bytes, at: index, of: name, isFirst: fields.isEmpty)
    }
}

extension FieldName {
    /// Whether framing, routing or the connection depend on the field's value.
    @inline(__always)
    fileprivate var needsReading: Bool {
        switch self {
        case .connection, .contentLength, .transferEncoding, .host, .te, .upgrade, .expect: true
        default: false
        }
    }
}
