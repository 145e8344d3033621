import Bytes

/// Replaces the columns with secret names in CSV (RFC 4180) and the like, by the names in its first line.
struct TableReader: FormatReader {
    private static let longestHead = 16_384
    private static let separators = Array(",;\t|".utf8)

    private let core: RedactionCore
    private var text: PairReader
    private var separator = UInt8(ascii: ",")
    /// The name of each column that is a secret's; nil until the first line has been read.
    private var secrets: [[UInt8]?]?

    init(core: RedactionCore) {
        self.core = core
        text = PairReader(core: core, grammar: .text)
    }

    mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        var (row, kept) = (start, start)
        if secrets == nil {
            let end = ByteSearch.byte(0x0A, in: bytes, from: start, to: bytes.count)
            if end - start <= Self.longestHead {
                guard end < bytes.count || isLast else { return start }
                separator = Self.separator(bytes, start..<end)
                secrets = Self.columns(bytes, start..<end).map { core.names.contains($0, in: .member) ? $0 : nil }
                row = min(end + 1, bytes.count)
            }
            if secrets?.allSatisfy({ $0 == nil }) ?? true { secrets = [] }
        }
        while row < bytes.count {
            let length = out.count
            let before = kept
            let (end, isWhole) = writeRow(bytes, from: row, &kept, into: &out)
            guard isWhole || isLast else {
                out.removeLast(out.count - length)
                text.redact(bytes.extracting(before..<row), into: &out)
                return row
            }
            row = end
        }
        text.redact(bytes.extracting(kept..<bytes.count), into: &out)
        return bytes.count
    }

    /// Writes a row up to its last secret; gives the next row's place, and whether it has come.
    private mutating func writeRow(
        _ bytes: Span<UInt8>, from start: Int, _ kept: inout Int, into out: inout [UInt8]
    ) -> (next: Int, isWhole: Bool) {
        var (index, column) = (start, 0)
        while true {
            let hasQuote = index < bytes.count && bytes[index] == UInt8(ascii: "\"")
            let first = hasQuote ? index + 1 : index
            let name = column < secrets?.count ?? 0 ? secrets?[column] : nil
            var (value, end, isQuoted) = ([UInt8](), first, hasQuote)
            while end < bytes.count {
                let byte = bytes[end]
                if hasQuote, byte == UInt8(ascii: "\"") {
                    // Two of them are one within the value.
                    isQuoted.toggle()
                    if isQuoted, name != nil { value.append(byte) }
                } else if !isQuoted, byte == separator || byte == 0x0A {
                    break
                } else if name != nil {
                    value.append(byte)
                }
                end += 1
            }
            if let name {
                text.redact(bytes.extracting(kept..<first), into: &out)
                let hasReturn = value.last == 0x0D
                if hasReturn { value.removeLast() }
                core.replace(value.span, name: name.span, into: &out)
                if hasQuote, !isQuoted { out.append(UInt8(ascii: "\"")) }
                if hasReturn { out.append(0x0D) }
                kept = end
            }
            guard end < bytes.count else { return (end, false) }
            if bytes[end] == 0x0A { return (end + 1, true) }
            (index, column) = (end + 1, column + 1)
        }
    }

    /// The byte that stands between the names of a line.
    private static func separator(_ bytes: Span<UInt8>, _ line: Range<Int>) -> UInt8 {
        var counts = [Int](repeating: 0, count: separators.count)
        for index in line {
            if let kind = separators.firstIndex(of: bytes[index]) { counts[kind] += 1 }
        }
        let most = counts.indices.max { counts[$0] < counts[$1] } ?? 0
        return separators[most]
    }

    /// The names in a line, without quotes and white space around them.
    static func columns(_ bytes: Span<UInt8>, _ line: Range<Int>) -> [[UInt8]] {
        let separator = separator(bytes, line)
        var names: [[UInt8]] = []
        var start = line.lowerBound
        while start <= line.upperBound {
            let end = ByteSearch.byte(separator, in: bytes, from: start, to: line.upperBound)
            var range = bytes.trimmed(start..<end)
            if range.count > 1, bytes[range.lowerBound] == 0x22, bytes[range.upperBound - 1] == 0x22 {
                range = range.lowerBound + 1..<range.upperBound - 1
            }
            names.append(bytes.extracting(range).withUnsafeBytes { Array($0) })
            start = end + 1
        }
        return names
    }
}

/// Replaces the passwords of a `.netrc`: the word behind `password`.
struct NetrcReader: FormatReader {
    private let core: RedactionCore
    private var text: PairReader
    private var isArmed = false

    init(core: RedactionCore) {
        self.core = core
        text = PairReader(core: core, grammar: .text)
    }

    mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        var (index, kept) = (start, start)
        while index < bytes.count {
            guard !ByteSearch.isSpace(bytes[index]) else {
                index += 1
                continue
            }
            let first = index
            while index < bytes.count, !ByteSearch.isSpace(bytes[index]) { index += 1 }
            if index == bytes.count, !isLast {
                text.redact(bytes.extracting(kept..<first), into: &out)
                return first
            }
            let word = bytes.extracting(first..<index)
            if isArmed {
                text.redact(bytes.extracting(kept..<first), into: &out)
                core.replace(word, name: "password", into: &out)
                kept = index
            }
            isArmed = !isArmed && (word.spells("password") || word.spells("passwd"))
        }
        text.redact(bytes.extracting(kept..<bytes.count), into: &out)
        return bytes.count
    }
}
