import Bytes

/// A name without quotes of its own in front of a colon or an equals sign, as text shows it: `password: x`,
/// `PASSWORD=x`, `['password'] = x`, `?token=x`, `{password:'x'}`.
struct BareName {
    /// How much of the text in front of the separator is searched.
    static let reach = 128
    private static let longest = 64

    let name: Range<Int>
    /// `$name`, as variables are declared and used.
    let isVariable: Bool
    /// `?name=` and `&name=`.
    let isParameter: Bool
    /// Whether it is the first on its line.
    let isFirst: Bool
    /// Whether it follows a brace or a comma, as members of JSON5 do.
    let isMember: Bool

    /// The name at the end of `text`, which `separator` follows; nil if there is none.
    init?(_ text: Span<UInt8>, before separator: UInt8) {
        var end = text.count
        guard end > 0, separator != UInt8(ascii: ":") || text[end &- 1] != UInt8(ascii: "\"") else { return nil }
        // `:=` is one separator.
        if separator == UInt8(ascii: "="), text[end &- 1] == UInt8(ascii: ":") { end &-= 1 }
        while end > 0, ByteSearch.isBlank(text[end &- 1]) { end &-= 1 }
        var closers = 0
        while end > 0, closers < 6, Self.isCloser(text[end &- 1]) { (end, closers) = (end &- 1, closers &+ 1) }
        let isBracketed = end >= 3 && text[end &- 3] == UInt8(ascii: "%") && Self.isBracket(text, end &- 2, 0x44)
        if isBracketed { end &-= 3 }
        if end >= 6, text[end &- 6] == UInt8(ascii: "\\"), text.extracting(end &- 5..<end).spells("u0022") { end &-= 6 }
        var start = end
        while start > 0, end &- start <= Self.longest, Self.isNameByte(text[start &- 1]) { start &-= 1 }
        var before = start > 0 ? text[start &- 1] : 0x0A
        if isBracketed, before == UInt8(ascii: "%"), end &- start > 2, Self.isBracket(text, start, 0x42) {
            // `user%5Bpassword%5D=x`
            (start, before) = (start &+ 2, UInt8(ascii: "["))
        }
        if before == UInt8(ascii: "\\"), end &- start > 5 {
            // Some encoders write quotes and ampersands in JSON like this.
            let escape = text.extracting(start..<start &+ 5)
            if escape.spells("u0022") { (start, before) = (start &+ 5, UInt8(ascii: "\"")) }
            if escape.spells("u0026") { (start, before) = (start &+ 5, UInt8(ascii: "&")) }
        }
        // Names of secrets are not shorter, and that in a replacement is none.
        guard end &- start >= 3, end &- start <= Self.longest, !Self.isInReplacement(text, start) else { return nil }
        name = start..<end
        isVariable = before == UInt8(ascii: "$")
        isParameter =
            separator == UInt8(ascii: "=")
            && (before == UInt8(ascii: "?") || before == UInt8(ascii: "&")
                || start >= 5 && text.extracting(start &- 5..<start).spells("&amp;"))
        isFirst = Self.isFirst(text, start)
        while start > 0, ByteSearch.isSpace(text[start &- 1]) { start &-= 1 }
        isMember = start > 0 && (text[start &- 1] == UInt8(ascii: "{") || text[start &- 1] == UInt8(ascii: ","))
    }

    /// Whether it is `value` at the beginning of a line, as lists in YAML have it.
    func isValue(in text: Span<UInt8>) -> Bool { text.extracting(name).spells("value") && isFirst }

    /// The name in the line before a line with `value:`, as lists in YAML have it; nil if there is none.
    ///
    ///     - name: API_TOKEN
    ///       value: x
    func label(in text: Span<UInt8>) -> Range<Int>? {
        guard isValue(in: text) else { return nil }
        var end = name.lowerBound
        while end > 0, ByteSearch.isSpace(text[end &- 1]) { end &-= 1 }
        if end > 0, text[end &- 1] == UInt8(ascii: "\"") || text[end &- 1] == UInt8(ascii: "'") { end &-= 1 }
        var start = end
        while start > 0, Self.isNameByte(text[start &- 1]) { start &-= 1 }
        var key = start
        while key > 0, text[key &- 1].isOne(of: "\"' \t") { key &-= 1 }
        guard start < end, key > 4, text[key &- 1] == UInt8(ascii: ":") else { return nil }
        let isLabel =
            text.extracting(key &- 5..<key &- 1).spells("name") || text.extracting(key &- 4..<key &- 1).spells("key")
        return isLabel ? start..<end : nil
    }

    /// The name with up to two words in front of it; nil when none stands there.
    func phrase(in text: Span<UInt8>, words: Int) -> Range<Int>? {
        var start = name.lowerBound
        for _ in 0..<words {
            guard start > 1, text[start &- 1] == 0x20, Self.isNameByte(text[start &- 2]) else { return nil }
            start &-= 1
            while start > 0, Self.isNameByte(text[start &- 1]) { start &-= 1 }
        }
        return start..<name.upperBound
    }

    static func isFirst(_ text: Span<UInt8>, _ start: Int) -> Bool {
        var index = start
        while index > 0, start &- index < 48 {
            switch text[index &- 1] {
            case 0x0A, 0x0D: return true
            // Of a list, and of the output of `curl -v`.
            case let byte where byte.isOne(of: " \t-\"'<>*"): index &-= 1
            default:
                let isExport = index >= 6 && text.extracting(index &- 6..<index).spells("export")
                return isExport && (index == 6 || text[index &- 7] == 0x0A)
            }
        }
        return index == 0
    }

    /// Whether the digits of an escaped bracket stand here, of which `last` is the second one, a capital.
    private static func isBracket(_ text: Span<UInt8>, _ index: Int, _ last: UInt8) -> Bool {
        text[index] == UInt8(ascii: "5") && text[index &+ 1] & 0xDF == last
    }

    /// Whether a name begins behind `<redacted:`, also escaped.
    private static func isInReplacement(_ text: Span<UInt8>, _ start: Int) -> Bool {
        guard start >= 10, text[start &- 1] == UInt8(ascii: ":") else { return false }
        return text.extracting(start &- 10..<start).spells("<redacted:")
            || text.extracting(start &- 10..<start).spells("credacted:")
            || text.extracting(start &- 10..<start).spells(";redacted:")
    }

    private static func isCloser(_ byte: UInt8) -> Bool { byte.isOne(of: "'\"]\\`") }

    @inline(__always)
    private static func isNameByte(_ byte: UInt8) -> Bool {
        ByteSearch.isAlphanumeric(byte) || byte.isOne(of: "_-.") || byte >= 0x80
    }
}
