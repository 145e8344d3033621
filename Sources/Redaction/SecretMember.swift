import Bytes
import JSON

/// How the value of a secret's name is read, to its end and not beyond, and replaced.
enum SecretMember {
    /// A string behind its quote, which so many backslashes stand in front of: JSON in a string has some.
    case string(SecretValue, quote: UInt8, level: Int)
    /// A number or a word, up to what cannot belong to it.
    case literal(SecretValue, level: Int)
    /// What no JSON begins with, up to what ends a member.
    case unknown(SecretValue, level: Int)
    case structure(SecretStructure)
    case word(WordValue)
    /// A block scalar of YAML: `password: |` and indented lines.
    case block(SecretValue)

    /// Whether what follows the value is within a string, if only its last quote.
    var isInString: Bool {
        switch self {
        case .string: true
        case .literal(_, let level), .unknown(_, let level): level > 0
        case .structure(let structure): structure.level > 0
        case .word, .block: false
        }
    }

    /// A value as JSON has it, by its first byte.
    static func json(_ first: UInt8, _ secret: SecretValue, level: Int, isCode: Bool, core: RedactionCore) -> Self {
        switch first {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            .structure(SecretStructure(secret: secret, core: core, level: level, isCode: isCode))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "t"), UInt8(ascii: "f"),
            UInt8(ascii: "n"):
            .literal(secret, level: level)
        default: .unknown(secret, level: level)
        }
    }

    /// Writes what stands in the value's place; gives where what follows it begins.
    func write(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        switch self {
        case .string(var value, let quote, let level):
            let text = StringEnd.text(behind: quote, level: level, bytes, from: start)
            out.append(bytes, start..<text)
            let end = StringEnd(quote, level: level, bytes, from: text, isBlock: text > start)
            if level == 0 {
                value.append(TextEncoding.string(bytes, text..<end.text))
            } else {
                value.append(bytes.extracting(text..<end.text))
            }
            value.finish(.plain, into: &out)
            out.append(bytes, end.text..<end.quote)
            return end.quote
        case .literal(var value, let level), .unknown(var value, let level):
            var index = start
            while index < bytes.count, !endsLiteral(bytes[index]) { index += 1 }
            value.append(bytes.extracting(start..<index))
            value.finishWord(level: level, into: &out)
            return index
        case .structure(var structure): return structure.write(bytes, from: start, into: &out)
        case .word(var word): return word.write(bytes, from: start, into: &out)
        case .block(let value): return Self.writeBlock(value, bytes, from: start, into: &out)
        }
    }

    private func endsLiteral(_ byte: UInt8) -> Bool {
        if byte == 0x2C || byte == 0x7D || byte == 0x5D || byte == 0x0A || byte == 0x0D { return true }
        if case .unknown = self { return false }
        return ByteSearch.isBlank(byte) || byte == 0x22 || byte == 0x5C
    }

    /// The block goes as far as its lines are empty or indented as far as the first one.
    private static func writeBlock(
        _ secret: SecretValue, _ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]
    ) -> Int {
        var value = secret
        let header = ByteSearch.byte(0x0A, in: bytes, from: start, to: bytes.count)
        // `|` or `>` with what YAML lets follow it; else a value that begins so.
        for index in start + 1..<max(start + 1, header)
        where !ByteSearch.isSpace(bytes[index]) && bytes[index] &- 0x30 >= 10 && !bytes[index].isOne(of: "+-") {
            value.append(bytes.extracting(start..<header))
            value.finish(.plain, into: &out)
            return header
        }
        var (line, indent, text) = (header + 1, 0, 0..<0)
        while line < bytes.count {
            var first = line
            while first < bytes.count, bytes[first] == 0x20 { first += 1 }
            let end = ByteSearch.byte(0x0A, in: bytes, from: first, to: bytes.count)
            if first == end || bytes[first] == 0x0D {
                line = end + 1
                continue
            }
            guard first - line >= max(indent, 1) else { break }
            if indent == 0 { (indent, text) = (first - line, first..<end) }
            text = text.lowerBound..<end
            line = end + 1
        }
        guard indent > 0 else {
            out.append(bytes, start..<min(header, bytes.count))
            return min(header, bytes.count)
        }
        out.append(bytes, start..<text.lowerBound)
        value.append(bytes.extracting(text))
        value.finish(.plain, into: &out)
        // What follows decides whether the block goes on.
        return line >= bytes.count ? finish(bytes, text.upperBound, into: &out) : text.upperBound
    }

    private static func finish(_ bytes: Span<UInt8>, _ start: Int, into out: inout [UInt8]) -> Int {
        out.append(bytes, start..<bytes.count)
        return bytes.count
    }
}

/// Where a string ends.
struct StringEnd {
    /// Its last quote, or the text's end.
    let quote: Int
    /// The end of what it holds, without backslashes that belong to the quote.
    let text: Int

    /// - Parameter level: backslashes in front of the quotes of JSON in a string.
    init(_ quote: UInt8, level: Int, _ bytes: Span<UInt8>, from start: Int) {
        if level == 0 {
            var end = Self.of(quote, bytes, from: start, to: bytes.count)
            // Only JSON's own quotes may stand lines apart; an apostrophe may be none.
            if quote == UInt8(ascii: "'") { end = ByteSearch.byte(0x0A, in: bytes, from: start, to: end) }
            (self.quote, text) = (end, end)
            return
        }
        var (index, backslashes) = (start, 0)
        while index < bytes.count, bytes[index] != quote || !Self.isEnd(backslashes, level) {
            backslashes = bytes[index] == UInt8(ascii: "\\") ? backslashes &+ 1 : 0
            index &+= 1
        }
        (self.quote, text) = (index, index < bytes.count && backslashes >= level ? index - level : index)
    }

    /// The same for a block string (`"""` in GraphQL, Swift and others), which ends before three quotes.
    init(_ quote: UInt8, level: Int, _ bytes: Span<UInt8>, from start: Int, isBlock: Bool) {
        self.init(quote, level: level, bytes, from: start)
        // A quote with fewer backslashes ends the string around it.
        while isBlock, self.quote < bytes.count, self.quote - text == level,
            !Self.isDoubled(quote, level: level, bytes, self.quote &+ 1)
        {
            self.init(quote, level: level, bytes, from: self.quote &+ 1)
        }
    }

    /// Where the text behind a first quote begins: behind two more, where they make it a block string.
    static func text(behind quote: UInt8, level: Int, _ bytes: Span<UInt8>, from start: Int) -> Int {
        isDoubled(quote, level: level, bytes, start) ? start &+ 2 &* (level &+ 1) : start
    }

    /// Whether two quotes follow, each with its backslashes.
    private static func isDoubled(_ quote: UInt8, level: Int, _ bytes: Span<UInt8>, _ start: Int) -> Bool {
        let length = level &+ 1
        guard start &+ 2 &* length <= bytes.count else { return false }
        return (0..<2 &* length).allSatisfy { at in
            bytes[start &+ at] == (at % length == level ? quote : UInt8(ascii: "\\"))
        }
    }

    /// The next quote without a backslash in front of it, or `end`.
    static func of(_ quote: UInt8, _ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while true {
            index = ByteSearch.either(quote, UInt8(ascii: "\\"), in: bytes, from: index, to: end)
            guard index < end, bytes[index] != quote else { return index }
            index = min(end, index &+ 2)
        }
    }

    /// Whether a quote with so many backslashes before it ends a string of this level.
    private static func isEnd(_ count: Int, _ level: Int) -> Bool {
        if count < level || count % 2 == 0 { return true }
        return (count - level) % (level + 1) == 0 && (count - level) / (level + 1) % 2 == 0
    }
}
