import Bytes
import JSON

/// Walks over the JSON of a file of any size in little memory, and gives places instead of values.
///
/// What it steps over is checked when it is read.
struct ArchiveScanner {
    /// Why it cannot go on.
    struct Stop: Error {
        /// nil where the file ends too early.
        let message: String?
    }

    private static let pieceSize = 256 << 10

    private let file: ArchiveFile
    private var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    private var count = 0
    private var at = 0
    /// Where the piece begins in the file.
    private var base: UInt64 = 0

    init(_ file: ArchiveFile) throws(Stop) {
        self.file = file
        guard try next() == 0xEF else { return }
        // A byte order mark.
        at = min(3, count)
    }

    /// Where the next byte lies in the file.
    var offset: UInt64 { base + UInt64(at) }

    /// The next byte, which is not taken.
    private mutating func next() throws(Stop) -> UInt8 {
        if at == count { try refill() }
        return piece[at]
    }

    private mutating func refill() throws(Stop) {
        base += UInt64(count)
        at = 0
        count = piece.withUnsafeMutableBytes { [file, base] in file.read(into: $0, from: base) }
        if count == 0 { throw Stop(message: nil) }
    }

    /// The next byte behind white space, which is not taken.
    mutating func token() throws(Stop) -> UInt8 {
        while true {
            let byte = try next()
            guard ByteSearch.isSpace(byte) else { return byte }
            at += 1
        }
    }

    private mutating func skipString() throws(Stop) {
        at += 1
        while true {
            if at == count { try refill() }
            at = piece.withSpan { [at, count] in
                ByteSearch.either(UInt8(ascii: "\""), UInt8(ascii: "\\"), in: $0, from: at, to: count)
            }
            guard at < count else { continue }
            let byte = piece[at]
            at += 1
            if byte == UInt8(ascii: "\"") { return }
            _ = try next()
            at += 1
        }
    }

    /// Steps over a value; its place.
    @discardableResult
    mutating func skipValue() throws(Stop) -> Range<UInt64> {
        var depth = 0
        _ = try token()
        let start = offset
        repeat {
            switch try token() {
            case UInt8(ascii: "\""): try skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                at += 1
                if depth > NestingLimit.values { throw Stop(message: "has arrays and objects that nest too deep") }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { throw Stop(message: "lacks a value") }
                depth -= 1
                at += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard depth > 0 else { throw Stop(message: "lacks a value") }
                at += 1
            default: try skipWord()
            }
        } while depth > 0
        return start..<offset
    }

    /// A number or a literal.
    private mutating func skipWord() throws(Stop) {
        let start = offset
        while true {
            let byte = try next()
            let isPart =
                ByteSearch.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: ".")
            guard isPart else { break }
            at += 1
        }
        if offset == start { throw Stop(message: "is no JSON") }
    }

    /// The bytes of a value that was stepped over just now.
    private func bytes(_ range: Range<UInt64>) throws(Stop) -> [UInt8] {
        if range.lowerBound >= base { return Array(piece[Int(range.lowerBound - base)..<Int(range.upperBound - base)]) }
        guard let bytes = file.read(range) else { throw Stop(message: nil) }
        return bytes
    }

    /// A string; nil after another value.
    mutating func string() throws(Stop) -> String? {
        let isString = try token() == UInt8(ascii: "\"")
        let range = try skipValue()
        guard isString else { return nil }
        return JSONText.text(try bytes(range))
    }

    /// A whole number; nil after another value.
    mutating func integer() throws(Stop) -> Int? {
        let isNumber = try token() != UInt8(ascii: "\"")
        let range = try skipValue()
        guard isNumber, range.count < 24 else { return nil }
        return Int(String(decoding: try bytes(range), as: UTF8.self))
    }

    /// Milliseconds with a fraction, as microseconds; 0 for what is none, as -1.
    mutating func microseconds() throws(Stop) -> UInt64 {
        let range = try skipValue()
        guard range.count < 24, let number = Double(String(decoding: try bytes(range), as: UTF8.self)),
            number > 0, number < 1e12
        else { return 0 }
        return UInt64(number * 1000)
    }

    /// Steps over an object member by member.
    /// - Parameter member: has to step over the value.
    mutating func object(
        _ what: String, _ member: (inout ArchiveScanner, String) throws(Stop) -> Void
    ) throws(Stop) {
        guard try token() == UInt8(ascii: "{") else { throw Stop(message: "has no object where \(what) should be") }
        at += 1
        if try token() == UInt8(ascii: "}") {
            at += 1
            return
        }
        while true {
            guard try token() == UInt8(ascii: "\""), let key = try string() else {
                throw Stop(message: "lacks a key in \(what)")
            }
            guard try token() == UInt8(ascii: ":") else { throw Stop(message: "lacks a `:` in \(what)") }
            at += 1
            try member(&self, key)
            if try closes(UInt8(ascii: "}"), what) { return }
        }
    }

    /// Steps over an array item by item.
    /// - Parameter item: has to step over the value.
    mutating func array(_ what: String, _ item: (inout ArchiveScanner) throws(Stop) -> Void) throws(Stop) {
        guard try token() == UInt8(ascii: "[") else { throw Stop(message: "has no array where \(what) should be") }
        at += 1
        if try token() == UInt8(ascii: "]") {
            at += 1
            return
        }
        repeat { try item(&self) } while try !closes(UInt8(ascii: "]"), what)
    }

    private mutating func closes(_ bracket: UInt8, _ what: String) throws(Stop) -> Bool {
        let byte = try token()
        guard byte == bracket || byte == UInt8(ascii: ",") else {
            throw Stop(message: "lacks a `,` or the end of \(what)")
        }
        at += 1
        return byte == bracket
    }
}
