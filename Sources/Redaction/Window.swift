import Bytes

/// Replaces the secrets of a text in one format.
protocol FormatReader {
    /// Reads on, and writes what is decided.
    ///
    /// - Parameters:
    ///   - bytes: the text, as far as it came, behind at most ``Window/context`` bytes that were read before.
    ///   - start: the first byte that was not read.
    ///   - isLast: the text ends with these bytes; all of them are decided then.
    /// - Returns: The first byte that is not decided.
    mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int

    /// Bytes in front will be missing from the next call on.
    mutating func drop(_ count: Int)

    /// Whether it decides about parts of the text that are complete, each by itself, as soon as they have come.
    var isImmediate: Bool { get }
}

extension FormatReader {
    mutating func drop(_ count: Int) {}
    var isImmediate: Bool { false }
}

/// Collects a text that comes in pieces, so that its reader sees enough of it at once.
///
/// How much it sees depends on the text alone, and not on the pieces: the output is the same for all of them.
struct Window {
    /// How many bytes stay in front of those that are to be read.
    static let context = 1024
    private static let shortest = 65_536
    /// A body's limit in the store by default.
    ///
    /// What is not decided within so many bytes is judged as if the text ended there, and all that follows is replaced.
    static let longest = 1 << 20

    private var reader: any FormatReader
    private let core: RedactionCore
    private var bytes: [UInt8] = []
    private var start = 0
    private var limit = shortest
    /// All that follows a value without end.
    private var rest: SecretValue?

    init(_ reader: any FormatReader, core: RedactionCore) { (self.reader, self.core) = (reader, core) }

    mutating func read(_ piece: Span<UInt8>, into out: inout [UInt8]) {
        var index = 0
        while index < piece.count, rest == nil {
            if bytes.count < limit {
                let end = min(piece.count, index + limit - bytes.count)
                bytes.append(piece, index..<end)
                index = end
                if reader.isImmediate { advance(into: &out) }
            } else {
                advance(into: &out)
            }
        }
        rest?.append(piece.extracting(index..<piece.count))
    }

    mutating func finish(into out: inout [UInt8]) {
        if var rest { return rest.finish(.plain, into: &out) }
        _ = bytes.withSpan { reader.read($0, from: start, isLast: true, into: &out) }
        bytes = []
    }

    private mutating func advance(into out: inout [UInt8]) {
        let next = bytes.withSpan { reader.read($0, from: start, isLast: false, into: &out) }
        let dropped = max(0, next - Self.context)
        let isDecided = next >= limit / 2
        bytes.removeFirst(dropped)
        start = next - dropped
        if dropped > 0 { reader.drop(dropped) }
        if isDecided {
            limit = Self.shortest
            while limit <= bytes.count { limit *= 2 }
        } else if bytes.count < limit {
            return
        } else if limit < Self.longest {
            limit *= 2
        } else {
            _ = bytes.withSpan { reader.read($0, from: start, isLast: true, into: &out) }
            bytes = []
            rest = SecretValue("rest", core: core)
        }
    }
}

/// Writes what it reads.
struct PassReader: FormatReader {
    var isImmediate: Bool { true }

    func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        out.append(bytes, start..<bytes.count)
        return bytes.count
    }
}

/// Replaces all that it reads by one replacement.
struct WholeReader: FormatReader {
    var value: SecretValue

    mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        value.append(bytes.extracting(start..<bytes.count))
        if isLast { value.finish(.plain, into: &out) }
        return bytes.count
    }
}

/// Looks for private keys among bytes that may be anything.
struct KeyReader: FormatReader {
    let scanner: CredentialScanner

    func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        scanner.scan(bytes, start..<bytes.count, isLast: isLast, into: &out)
    }
}

/// Reads a stream of events (HTML Standard, 9.2), one event after the other, so that they can be seen while it is open.
struct EventReader: FormatReader {
    private var pairs: PairReader
    /// The first line that has not come as a whole.
    private var line = 0
    var isImmediate: Bool { true }

    init(core: RedactionCore) { pairs = PairReader(core: core) }

    mutating func drop(_ count: Int) { line -= count }

    mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        var event = start
        line = max(line, start)
        while line < bytes.count {
            let end = ByteSearch.byte(0x0A, in: bytes, from: line, to: bytes.count)
            guard end < bytes.count else { break }
            if end == line || end == line + 1 && bytes[line] == 0x0D {
                pairs.redact(bytes.extracting(event..<end + 1), into: &out)
                event = end + 1
            }
            line = end + 1
        }
        guard isLast else { return event }
        pairs.redact(bytes.extracting(event..<bytes.count), into: &out)
        return bytes.count
    }
}

/// Reads a page of Shunt's own, which may quote any bytes.
struct PageReader: FormatReader {
    let core: RedactionCore

    func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        guard isLast else { return start }
        TextRedaction(core: core).redact(bytes, start..<bytes.count, into: &out)
        return bytes.count
    }
}
