/// A text of strict JSON as a flat list of its values, for programs that look at each of them once.
///
/// It makes no strings and no tree, so that it takes a tenth of the time of ``JSONReader``. Keys that come twice pass.
public struct JSONTape: Sendable {
    public enum Kind: UInt8, Sendable {
        case null, isFalse, isTrue
        /// A number without fraction and exponent.
        case integer
        case number
        /// A string, or a key, that stands in the text as it is meant.
        case string
        case escapedString
        case array, object
    }

    /// One value; those within it follow, each key of an object before its value.
    public struct Entry: Sendable {
        /// Of a string the offset behind its quote.
        public var start: UInt32
        /// Bytes of a string or number, items of an array, members of an object.
        public var count: UInt32
        /// The entry behind the value and all within it.
        public var next: UInt32
        public var kind: Kind
    }

    public let bytes: [UInt8]
    public let entries: ContiguousArray<Entry>

    /// - Throws: what ``JSONReader`` finds wrong.
    public init(_ bytes: [UInt8]) throws(JSONFailure) {
        self.bytes = bytes
        var entries: ContiguousArray<Entry> = []
        // Few texts have more values for their size.
        entries.reserveCapacity(bytes.count / 6 + 1)
        var hasEscapes = false
        let isRead = bytes.withUnsafeBufferPointer { pointer in
            guard bytes.count < Int(UInt32.max), var skipper = JSONSkipper(pointer, at: 0),
                skipper.read(NestingLimit.values, into: &entries)
            else { return false }
            skipper.skipSpace()
            hasEscapes = skipper.escapes > 0
            return skipper.at == bytes.count
        }
        self.entries = entries
        guard isRead, firstInvalidUTF8(bytes) == nil, !hasEscapes || hasGoodEscapes else {
            _ = try JSONReader.read(bytes, dialect: .strict, sizeLimit: .max)
            throw JSONFailure(
                position: JSONPosition(offset: 0, line: 1, column: 1), message: "the text is no JSON",
                expected: "JSON (RFC 8259)")
        }
    }

    private var hasGoodEscapes: Bool {
        entries.allSatisfy { $0.kind != .escapedString || Self.unescaped(bytes, $0) != nil }
    }

    /// The bytes of a string, a key or a number.
    public func content(_ at: Int) -> [UInt8] {
        let entry = entries[at]
        if entry.kind == .escapedString { return Self.unescaped(bytes, entry) ?? [] }
        return Array(bytes[Int(entry.start)..<Int(entry.start) + Int(entry.count)])
    }

    public func text(_ at: Int) -> String { String(decoding: content(at), as: UTF8.self) }

    private static func unescaped(_ bytes: [UInt8], _ entry: Entry) -> [UInt8]? {
        let range = Int(entry.start) - 1..<Int(entry.start) + Int(entry.count) + 1
        return try? Array(
            JSONReader.read(Array(bytes[range]), dialect: .strict, sizeLimit: .max).string?.utf8 ?? "".utf8)
    }

    /// The text of a value as it stands in the source.
    public func source(_ at: Int) -> String {
        let entry = entries[at]
        switch entry.kind {
        case .null: return "null"
        case .isFalse: return "false"
        case .isTrue: return "true"
        case .integer, .number: return text(at)
        case .string, .escapedString:
            return String(
                decoding: bytes[Int(entry.start) - 1...Int(entry.start) + Int(entry.count)], as: UTF8.self)
        case .array, .object:
            let start = bytes[Int(entry.start)...]
            var skipped = 0
            start.withUnsafeBufferPointer { pointer in
                guard var skipper = JSONSkipper(pointer, at: 0), skipper.skipValue(NestingLimit.values) else { return }
                skipped = skipper.at
            }
            return String(decoding: start.prefix(skipped), as: UTF8.self)
        }
    }
}

extension JSONSkipper {
    /// Steps over a value and appends it; false for one that is wrong.
    ///
    /// - Parameter depth: how deep arrays and objects may still nest.
    fileprivate mutating func read(_ depth: Int, into entries: inout ContiguousArray<JSONTape.Entry>) -> Bool {
        skipSpace()
        let start = at
        switch peek {
        case UInt8(ascii: "\""): return readString(into: &entries)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return readNested(depth, into: &entries)
        case UInt8(ascii: "t"):
            entries.append(.init(start: UInt32(start), count: 4, next: UInt32(entries.count + 1), kind: .isTrue))
            return skipWord("true")
        case UInt8(ascii: "f"):
            entries.append(.init(start: UInt32(start), count: 5, next: UInt32(entries.count + 1), kind: .isFalse))
            return skipWord("false")
        case UInt8(ascii: "n"):
            entries.append(.init(start: UInt32(start), count: 4, next: UInt32(entries.count + 1), kind: .null))
            return skipWord("null")
        default:
            guard skipNumber() else { return false }
            entries.append(
                .init(
                    start: UInt32(start), count: UInt32(at - start), next: UInt32(entries.count + 1),
                    kind: isWhole ? .integer : .number))
            return true
        }
    }

    private mutating func readString(into entries: inout ContiguousArray<JSONTape.Entry>) -> Bool {
        let (start, escapes) = (at + 1, escapes)
        guard skipString() else { return false }
        entries.append(
            .init(
                start: UInt32(start), count: UInt32(at - 1 - start), next: UInt32(entries.count + 1),
                kind: self.escapes > escapes ? .escapedString : .string))
        return true
    }

    private mutating func readNested(_ depth: Int, into entries: inout ContiguousArray<JSONTape.Entry>) -> Bool {
        let isObject = peek == UInt8(ascii: "{")
        let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        let own = entries.count
        entries.append(.init(start: UInt32(at), count: 0, next: 0, kind: isObject ? .object : .array))
        at += 1
        guard depth > 0 else { return false }
        skipSpace()
        var count: UInt32 = 0
        if !take(end) {
            repeat {
                if isObject {
                    skipSpace()
                    guard peek == UInt8(ascii: "\""), readString(into: &entries) else { return false }
                    skipSpace()
                    guard take(UInt8(ascii: ":")) else { return false }
                }
                guard read(depth - 1, into: &entries) else { return false }
                count += 1
                skipSpace()
            } while take(UInt8(ascii: ","))
            guard take(end) else { return false }
        }
        entries[own].count = count
        entries[own].next = UInt32(entries.count)
        return true
    }
}
