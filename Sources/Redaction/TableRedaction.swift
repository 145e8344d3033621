import Bytes

/// Replaces the columns with secret names in CSV (RFC 4180) and the like, by the names in its first line.
struct TableRedaction {
    private static let longestHead = 16_384
    private static let separators = Array(",;\t|".utf8)

    private let core: RedactionCore
    private var text: PairRedaction
    /// The first line, until it has been read.
    private var head: [UInt8]? = []
    private var separator = UInt8(ascii: ",")
    /// The name of each column that is a secret's.
    private var secrets: [[UInt8]?] = []
    private var column = 0
    private var isCellStart = true
    private var isQuoted = false
    private var hasQuote = false
    private var value: SecretValue?
    /// A carriage return that may end the line.
    private var hasReturn = false

    init(core: RedactionCore) {
        self.core = core
        text = PairRedaction(core: core, grammar: .text)
    }

    mutating func redact(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        var start = 0
        if head != nil {
            start = min(ByteSearch.byte(0x0A, in: bytes, from: 0, to: bytes.count) + 1, bytes.count)
            head?.append(bytes, 0..<start)
            if bytes[start - 1] == 0x0A || head?.count ?? 0 > Self.longestHead { readHead() }
        }
        /// The beginning of the bytes that are no secret's.
        var kept = 0
        for index in start..<bytes.count {
            let byte = bytes[index]
            if isCellStart {
                isCellStart = false
                hasQuote = byte == UInt8(ascii: "\"")
                if column < secrets.count, let name = secrets[column] {
                    text.redact(bytes.extracting(kept..<index), into: &out)
                    text.finish(into: &out)
                    value = SecretValue(name: name, core: core)
                }
                if hasQuote {
                    if value != nil { out.append(byte) }
                    isQuoted = true
                    continue
                }
            }
            if byte == UInt8(ascii: "\""), hasQuote {
                // Two of them are one within the value.
                isQuoted.toggle()
                if isQuoted { value?.append(byte) }
            } else if !isQuoted, byte == separator || byte == 0x0A {
                if value != nil {
                    endValue(into: &out)
                    kept = index
                }
                (column, isCellStart) = (byte == separator ? column + 1 : 0, true)
            } else if value != nil {
                if hasReturn { value?.append(0x0D) }
                hasReturn = byte == 0x0D
                if !hasReturn { value?.append(byte) }
            }
        }
        if value == nil { text.redact(bytes.extracting(kept..<bytes.count), into: &out) }
    }

    mutating func finish(into out: inout [UInt8]) {
        if value != nil { endValue(into: &out) }
        text.finish(into: &out)
    }

    private mutating func endValue(into out: inout [UInt8]) {
        value?.finish(.plain, into: &out)
        if hasQuote, !isQuoted { out.append(UInt8(ascii: "\"")) }
        if hasReturn { out.append(0x0D) }
        (value, hasReturn) = (nil, false)
    }

    private mutating func readHead() {
        let line = head ?? []
        head = nil
        guard line.count <= Self.longestHead else { return }
        line.withSpan { bytes in
            separator = Self.separator(bytes, 0..<bytes.count)
            secrets = Self.columns(bytes, 0..<bytes.count).map { core.names.contains($0, in: .member) ? $0 : nil }
        }
        if secrets.allSatisfy({ $0 == nil }) { secrets = [] }
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
struct NetrcRedaction {
    private static let longestName = 16

    private let core: RedactionCore
    private var text: PairRedaction
    private var word: [UInt8] = []
    private var value: SecretValue?
    private var isArmed = false

    init(core: RedactionCore) {
        self.core = core
        text = PairRedaction(core: core, grammar: .text)
    }

    mutating func redact(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        var kept = 0
        for index in 0..<bytes.count {
            let byte = bytes[index]
            if ByteSearch.isSpace(byte) {
                if value != nil {
                    value?.finish(.plain, into: &out)
                    (value, kept) = (nil, index)
                } else if !word.isEmpty {
                    isArmed = word.span.spells("password") || word.span.spells("passwd")
                }
                word.removeAll(keepingCapacity: true)
            } else if isArmed {
                isArmed = false
                text.redact(bytes.extracting(kept..<index), into: &out)
                text.finish(into: &out)
                value = SecretValue(name: Array("password".utf8), core: core)
                value?.append(byte)
            } else if value != nil {
                value?.append(byte)
            } else if word.count <= Self.longestName {
                word.append(byte)
            }
        }
        if value == nil { text.redact(bytes.extracting(kept..<bytes.count), into: &out) }
    }

    mutating func finish(into out: inout [UInt8]) {
        value?.finish(.plain, into: &out)
        value = nil
        text.finish(into: &out)
    }
}
