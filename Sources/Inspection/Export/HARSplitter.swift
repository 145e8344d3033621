import Bytes
import JSON

/// A problem of an HTTP Archive, with its place.
public struct HARProblem: Error, Sendable, Hashable {
    /// From 1.
    public let line: Int
    /// From 1, in Unicode scalars.
    public let column: Int
    /// Which entry, from 0; nil where it is the file itself.
    public let entry: Int?
    public let message: String
}

/// Finds the entries of an HTTP Archive in its bytes, in memory of one entry.
struct HARSplitter {
    /// Bytes that an entry may have.
    static let entryLimit = 128 << 20

    /// The text of an entry, and where it begins.
    struct Entry {
        var bytes: [UInt8]
        let line: Int
        let column: Int
        let number: Int
    }

    private var line = 1
    private var column = 1
    private var offset = 0
    /// A bit for each open bracket, the innermost lowest: set for objects.
    private var brackets: UInt64 = 0
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var expectsKey = false
    /// The string that is being read at the first two levels, so far.
    private var word: [UInt8]?
    /// The last keys at the first two levels.
    private var keys = (first: "", second: "")
    private var entry: Entry?
    private var count = 0
    private var hasEntries = false
    private var hasBegun = false

    private var isInEntries: Bool { depth == 3 && keys.first == "log" && keys.second == "entries" && brackets & 1 == 0 }

    /// Takes the next bytes, and gives each entry that they complete.
    mutating func feed(_ piece: [UInt8], _ each: (Entry) throws(HARProblem) -> Void) throws(HARProblem) {
        var start = 0
        for index in piece.indices {
            let byte = piece[index]
            let hadEntry = entry != nil
            let isEnd = try step(byte)
            if !hadEntry, entry != nil { start = index }
            if isEnd, var done = entry {
                done.bytes += piece[start...index]
                entry = nil
                try each(done)
            }
            move(byte)
        }
        guard entry != nil else { return }
        entry?.bytes += piece[start...]
        guard entry?.bytes.count ?? 0 <= Self.entryLimit else {
            throw problem("an entry of more than \(Self.entryLimit >> 20) MiB")
        }
    }

    /// To be called behind the last byte.
    func finish() throws(HARProblem) {
        guard depth == 0, !isInString else {
            throw problem(entry == nil ? "the file ends too early" : "the file ends within this entry")
        }
        guard hasEntries else { throw problem("there is no list log.entries: this is no HTTP Archive") }
    }

    private mutating func move(_ byte: UInt8) {
        offset += 1
        if byte == 0x0A {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80, !(offset <= 3 && (byte == 0xEF || byte == 0xBB || byte == 0xBF)) {
            column += 1
        }
    }

    /// True when the byte ends an entry.
    private mutating func step(_ byte: UInt8) throws(HARProblem) -> Bool {
        if isInString {
            readString(byte)
            return false
        }
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: return false
        // A byte order mark in front.
        case 0xEF, 0xBB, 0xBF: if offset < 3 { return false }
        default: break
        }
        guard hasBegun || byte == UInt8(ascii: "{") else { throw problem("an HTTP Archive begins with `{`") }
        hasBegun = true
        if isInEntries, entry == nil, byte != UInt8(ascii: "{"), byte != UInt8(ascii: ","), byte != UInt8(ascii: "]") {
            throw problem("an entry must be an object")
        }
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            word = depth <= 2 && expectsKey ? [] : nil
        case UInt8(ascii: "{"), UInt8(ascii: "["): try open(isObject: byte == UInt8(ascii: "{"))
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return try close(isObject: byte == UInt8(ascii: "}"))
        case UInt8(ascii: ","): expectsKey = brackets & 1 == 1
        case UInt8(ascii: ":"): expectsKey = false
        default: break
        }
        return false
    }

    private mutating func readString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            guard let word else { return }
            let text = String(decoding: word, as: UTF8.self)
            if depth == 1 { keys = (text, "") } else if depth == 2 { keys.second = text }
            self.word = nil
        } else if word?.count ?? 64 < 64 {
            word?.append(byte)
        }
    }

    private mutating func open(isObject: Bool) throws(HARProblem) {
        guard depth < NestingLimit.values - 1 else { throw problem("arrays and objects nest too deep") }
        if isInEntries {
            entry = Entry(bytes: [], line: line, column: column, number: count)
            count += 1
        }
        brackets = brackets << 1 | (isObject ? 1 : 0)
        depth += 1
        expectsKey = isObject
        if isInEntries { hasEntries = true }
    }

    private mutating func close(isObject: Bool) throws(HARProblem) -> Bool {
        guard depth > 0, brackets & 1 == (isObject ? 1 : 0) else { throw problem("a bracket that closes nothing") }
        brackets >>= 1
        depth -= 1
        expectsKey = false
        return entry != nil && depth == 3
    }

    private func problem(_ message: String) -> HARProblem {
        HARProblem(line: entry?.line ?? line, column: entry?.column ?? column, entry: entry?.number, message: message)
    }
}
