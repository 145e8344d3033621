import Bytes
import JSON

/// An object or an array under a secret's name: its structure and the names in it stay, and its values are replaced.
///
/// Under names of their own (`{"token":{"type":"jwt","expires_in":3600}}`) texts stay that look like no value, and
/// numbers of up to three digits; sentences stay everywhere (`{"password":["is too short"]}`).
struct SecretStructure {
    let secret: SecretValue
    let core: RedactionCore
    /// The backslashes in front of quotes: JSON in a string.
    let level: Int
    /// In scripts a byte that no JSON holds ends it, and only texts are replaced that look like a value.
    let isCode: Bool

    /// Whether all values at this place count, and the same for the places around it.
    private var isStrict = true
    private var outer: [Bool] = []

    init(secret: SecretValue, core: RedactionCore, level: Int, isCode: Bool) {
        (self.secret, self.core, self.level, self.isCode) = (secret, core, level, isCode)
    }

    /// Reads it to its end and not beyond; gives where what follows begins.
    mutating func write(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        var (index, braces, brackets) = (start, 0, 0)
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if outer.count < NestingLimit.values { outer.append(isStrict) }
                if byte == UInt8(ascii: "{") { braces += 1 } else { brackets += 1 }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                isStrict = outer.popLast() ?? true
                if byte == UInt8(ascii: "}") { braces = max(0, braces - 1) } else { brackets = max(0, brackets - 1) }
            case UInt8(ascii: ":"), UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D: break
            default:
                guard let end = writeValue(bytes, from: index, into: &out) else { return index }
                index = end
                continue
            }
            out.append(byte)
            index += 1
            if braces == 0, brackets == 0 { return index }
        }
        return index
    }

    /// Writes a string or a word; nil if it belongs to what stands around the structure.
    private mutating func writeValue(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int? {
        var index = start
        while index < bytes.count, bytes[index] == UInt8(ascii: "\\") { index += 1 }
        guard index < bytes.count else {
            out.append(bytes, start..<index)
            return index
        }
        guard bytes[index].isOne(of: "\"'`") else {
            return index == start ? writeWord(bytes, from: start, into: &out) : writeEscape(bytes, start..<index, &out)
        }
        if bytes[index] == UInt8(ascii: "\""), index - start < level { return nil }
        let end = StringEnd(bytes[index], level: level, bytes, from: index + 1)
        let text = index + 1..<end.text
        // No value of a script is so long.
        if isCode, text.count > ValueLook.longest { return nil }
        out.append(bytes, start..<text.lowerBound)
        if text.count <= ValueLook.longest, takesName(bytes, text, behind: end.quote + 1) {
            out.append(bytes, text)
        } else {
            writeString(bytes, text, into: &out)
        }
        let next = min(end.quote + 1, bytes.count)
        out.append(bytes, text.upperBound..<next)
        return next
    }

    private func writeEscape(_ bytes: Span<UInt8>, _ range: Range<Int>, _ out: inout [UInt8]) -> Int {
        out.append(bytes, range)
        return range.upperBound
    }

    /// Whether a string or a word is a name, since a colon follows.
    private mutating func takesName(_ bytes: Span<UInt8>, _ text: Range<Int>, behind end: Int) -> Bool {
        var colon = end
        while colon < bytes.count, ByteSearch.isSpace(bytes[colon]) { colon += 1 }
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return false }
        let name = level == 0 ? TextEncoding.string(bytes, text) : bytes.extracting(text).withUnsafeBytes { Array($0) }
        isStrict = core.names.role(name.span) == .value || core.names.contains(name, in: .member)
        return true
    }

    private func writeString(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        let text =
            level == 0 ? TextEncoding.string(bytes, range) : bytes.extracting(range).withUnsafeBytes { Array($0) }
        let isLong = range.count > ValueLook.longest
        let isValue =
            isLong
            || (isStrict && !isCode
                ? secret.isPhrase || !ValueLook.isSentence(text) : ValueLook.isLikely(text.span))
        guard isValue else {
            CredentialScanner(core: core, encoding: .json).scan(bytes, range, into: &out)
            return
        }
        var value = secret
        value.append(text)
        if value.isHarmless { out.append(bytes, range) } else { value.finish(.plain, into: &out) }
    }

    private mutating func writeWord(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int? {
        var index = start
        while index < bytes.count, !bytes[index].isOne(of: "\"{}[]:,\\ \t\n\r") {
            if isCode, !ByteSearch.isAlphanumeric(bytes[index]), !bytes[index].isOne(of: "+-.$_") { return nil }
            index += 1
        }
        let word = start..<index
        if !takesName(bytes, word, behind: index) {
            var value = secret
            value.append(bytes.extracting(word))
            if !isCode, !value.isNumber || isStrict || word.count > 3 {
                value.finishWord(level: level, into: &out)
                return index
            }
        }
        out.append(bytes, word)
        return index
    }
}
