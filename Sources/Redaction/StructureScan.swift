import Bytes
import JSON

/// Reads an object or an array under a secret's name, to its end and not beyond: its structure and the names in it
/// stay, and its values are replaced.
///
/// Under names of their own (`{"token":{"type":"jwt","expires_in":3600}}`) texts stay that look like no value, and
/// numbers of up to three digits; sentences stay everywhere (`{"password":["is too short"]}`).
struct StructureScan {
    private static let longestName = 512

    private let secret: SecretValue
    private let core: RedactionCore
    /// The backslashes in front of quotes: JSON in a string.
    private let level: Int
    /// In scripts a byte that no JSON holds ends it, and only texts are replaced that look like a value.
    private let isCode: Bool
    private let isPhrase: Bool

    private var backslashes = 0
    private var braces = 0
    private var brackets = 0
    /// Whether all values at this place count, and the same for the places around it.
    private var isStrict = true
    private var outer: [Bool] = []
    /// The quote of the string that is being read; nil between strings.
    private var quote: UInt8?
    /// The bytes of the last string or word, as they are written, while they may be a name, and blanks behind it.
    private var raw: [UInt8] = []
    private var isInWord = false
    private var isWord = false
    private var isPending = false
    /// The last string's quote, and the backslashes in front of it.
    private var lastQuote = UInt8(ascii: "\"")
    private var closing = 0
    private var spaces: [UInt8] = []
    /// A string that is too long for a name.
    private var long: SecretValue?
    private(set) var isOver = false

    init(_ secret: SecretValue, level: Int, isCode: Bool, core: RedactionCore) {
        (self.secret, self.level, self.isCode, self.core) = (secret, level, isCode, core)
        isPhrase = secret.isPhrase
    }

    /// Reads on; gives where what follows the structure begins.
    mutating func read(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if quote != nil {
                readString(byte)
            } else if byte == UInt8(ascii: "\\") {
                endWord()
                backslashes += 1
            } else if !readStructure(byte, into: &out) {
                isOver = true
                return index
            }
            index += 1
            // No value of a script is so long.
            if isCode, raw.count > ValueLook.longest { finish(into: &out) }
            if isOver { return index }
        }
        return index
    }

    /// Ends a structure that was cut.
    mutating func finish(into out: inout [UInt8]) {
        let isCut = quote != nil
        if isCut { endString() }
        endWord()
        writePending(isName: false, isCut: isCut, into: &out)
        for _ in 0..<backslashes { out.append(UInt8(ascii: "\\")) }
        (backslashes, isOver) = (0, true)
    }

    // MARK: Strings

    private mutating func readString(_ byte: UInt8) {
        if byte == UInt8(ascii: "\\") {
            backslashes += 1
            if backslashes > Self.longestName { keep(UInt8(ascii: "\\"), 1) }
            return
        }
        if byte == quote, isEnd(backslashes) {
            // The last ones are the quote's own.
            keep(UInt8(ascii: "\\"), backslashes - (backslashes >= level ? level : 0))
            let own = backslashes >= level ? level : 0
            backslashes = 0
            endString()
            closing = own
            return
        }
        keep(UInt8(ascii: "\\"), backslashes)
        backslashes = 0
        keep(byte, 1)
    }

    private mutating func keep(_ byte: UInt8, _ count: Int) {
        for _ in 0..<max(0, count) {
            if long != nil { long?.append(byte) } else { raw.append(byte) }
        }
        backslashes = min(backslashes, Self.longestName)
        guard long == nil, !isCode, raw.count > ValueLook.longest else { return }
        long = secret
        long?.append(raw)
        raw.removeAll(keepingCapacity: true)
    }

    private mutating func endString() {
        lastQuote = quote ?? lastQuote
        (quote, isPending, isWord, closing) = (nil, true, false, 0)
    }

    /// Whether a quote with so many backslashes before it ends a string of this level.
    private func isEnd(_ count: Int) -> Bool {
        if count < level || level == 0 || count % 2 == 0 { return level > 0 || count % 2 == 0 }
        return (count - level) % (level + 1) == 0 && (count - level) / (level + 1) % 2 == 0
    }

    // MARK: Structure

    /// False for a byte behind the structure.
    private mutating func readStructure(_ byte: UInt8, into out: inout [UInt8]) -> Bool {
        switch byte {
        case UInt8(ascii: "\""),
            UInt8(ascii: "'") where !isInWord,
            UInt8(ascii: "`") where !isInWord:
            endWord()
            writePending(isName: false, into: &out)
            if byte == UInt8(ascii: "\""), backslashes < level {
                // The string that all of this stood in.
                flushBackslashes(into: &out)
                return false
            }
            flushBackslashes(into: &out)
            out.append(byte)
            quote = byte
            raw.removeAll(keepingCapacity: true)
            return true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            separate(isName: false, into: &out)
            if outer.count < NestingLimit.values { outer.append(isStrict) }
            if byte == UInt8(ascii: "{") { braces += 1 } else { brackets += 1 }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            separate(isName: false, into: &out)
            isStrict = outer.popLast() ?? true
            if byte == UInt8(ascii: "}") { braces = max(0, braces - 1) } else { brackets = max(0, brackets - 1) }
            isOver = braces == 0 && brackets == 0
        case UInt8(ascii: ":"): separate(isName: true, into: &out)
        case UInt8(ascii: ","): separate(isName: false, into: &out)
        case 0x20, 0x09, 0x0A, 0x0D:
            endWord()
            if isPending {
                spaces.append(byte)
                if spaces.count > ValueLook.longest { writePending(isName: false, into: &out) }
                return true
            }
            flushBackslashes(into: &out)
        default:
            if isPending, !isInWord {
                // Words of a text without quotes, one after the other.
                writePending(isName: false, into: &out)
            }
            let isJSON = ByteSearch.isAlphanumeric(byte) || "+-.$_".utf8.contains(byte)
            if isCode, !isJSON {
                finish(into: &out)
                return false
            }
            flushBackslashes(into: &out)
            if !isInWord {
                raw.removeAll(keepingCapacity: true)
                isInWord = true
            }
            keep(byte, 1)
            return true
        }
        out.append(byte)
        return true
    }

    private mutating func endWord() {
        guard isInWord else { return }
        (isInWord, isPending, isWord) = (false, true, true)
    }

    private mutating func separate(isName: Bool, into out: inout [UInt8]) {
        endWord()
        writePending(isName: isName, into: &out)
        flushBackslashes(into: &out)
    }

    private mutating func flushBackslashes(into out: inout [UInt8]) {
        for _ in 0..<backslashes { out.append(UInt8(ascii: "\\")) }
        backslashes = 0
    }

    // MARK: Values

    /// Writes the last string or word, as a name or as a value.
    private mutating func writePending(isName: Bool, isCut: Bool = false, into out: inout [UInt8]) {
        guard isPending else { return }
        isPending = false
        if isName, long == nil {
            let name = unescaped(raw)
            isStrict = name.withSpan { NamedValue.isValue($0) || core.names.contains($0, in: .member) }
            out.append(contentsOf: raw)
        } else if isWord {
            writeWord(into: &out)
        } else {
            writeString(into: &out)
        }
        if !isWord, !isCut {
            for _ in 0..<closing { out.append(UInt8(ascii: "\\")) }
            out.append(lastQuote)
        }
        out.append(contentsOf: spaces)
        spaces.removeAll(keepingCapacity: true)
        raw.removeAll(keepingCapacity: true)
        (long, closing) = (nil, 0)
    }

    private mutating func writeString(into out: inout [UInt8]) {
        if var value = long {
            value.finish(.plain, into: &out)
            return
        }
        let text = unescaped(raw)
        let isValue = isStrict && !isCode ? isPhrase || !ValueLook.isSentence(text) : ValueLook.isLikely(text.span)
        guard isValue else {
            var scanner = CredentialScanner(core: core, encoding: .json)
            raw.withSpan { scanner.scan($0, 0..<raw.count, into: &out) }
            return scanner.finish(into: &out)
        }
        var value = secret
        value.append(text)
        if value.isHarmless { out.append(contentsOf: raw) } else { value.finish(.plain, into: &out) }
    }

    private mutating func writeWord(into out: inout [UInt8]) {
        var value = long ?? secret
        value.append(raw)
        if isCode || value.isNumber && !isStrict && raw.count <= 3 {
            out.append(contentsOf: raw)
        } else {
            value.finishWord(level: level, into: &out)
        }
    }

    private func unescaped(_ raw: [UInt8]) -> [UInt8] {
        guard level == 0, raw.contains(UInt8(ascii: "\\")) else { return raw }
        var (text, unescaper) = ([UInt8](), JSONUnescaper())
        for byte in raw { unescaper.feed(byte, into: &text) }
        unescaper.finish(into: &text)
        return text
    }
}
