import Bytes

/// What a body begins with, since its type may be missing or wrong.
enum BodyStart {
    case json
    case markup(isHTML: Bool)
    /// A delimiter and a field of the first part (RFC 2046 5.1).
    case multipart
    /// Pairs of a form.
    case form
    /// Names of columns, one of them a secret's.
    case table
    case netrc
    /// Text that may be anything.
    case text
    case binary

    /// How many bytes are read at most.
    static let longest = 256

    /// nil if more bytes are needed.
    init?(_ all: Span<UInt8>, isAll: Bool, _ names: SecretNames) {
        let bytes = all.extracting(0..<min(all.count, Self.longest))
        let isComplete = isAll || all.count >= Self.longest
        var start = 0
        while start < bytes.count, ByteSearch.isSpace(bytes[start]) || Self.isMark(bytes[start]) { start += 1 }
        guard start < bytes.count else {
            guard isComplete else { return nil }
            self = .text
            return
        }
        switch bytes[start] {
        case UInt8(ascii: "{"):
            self = .json
            return
        case UInt8(ascii: "["):
            guard isComplete || start + 1 < bytes.count else { return nil }
            if !Self.isSection(bytes, from: start) {
                self = .json
                return
            }
        case UInt8(ascii: "<"):
            guard isComplete || bytes.count >= start + Self.doctype.utf8CodeUnitCount else { return nil }
            self = .markup(isHTML: Self.isHTML(bytes, from: start))
            return
        default: break
        }
        guard isComplete else { return nil }
        if Self.isMultipart(bytes, from: start) {
            self = .multipart
        } else if Self.isNetrc(bytes, from: start) {
            self = .netrc
        } else if Self.isTable(bytes, from: start, names) {
            self = .table
        } else if Self.isForm(bytes, from: start) || isAll && Self.isPair(bytes, from: start, names) {
            self = .form
        } else {
            self = Self.isText(bytes) ? .text : .binary
        }
    }

    /// A byte order mark of UTF-8.
    private static func isMark(_ byte: UInt8) -> Bool { byte == 0xEF || byte == 0xBB || byte == 0xBF }

    /// `[name]`, as files of settings have it; `true`, `false` and `null` are JSON.
    private static func isSection(_ bytes: Span<UInt8>, from index: Int) -> Bool {
        guard index + 1 < bytes.count else { return false }
        let byte = bytes[index + 1] | 0x20
        return byte &- 0x61 < 26 && byte != 0x74 && byte != 0x66 && byte != 0x6E
    }

    private static let doctype: StaticString = "<!doctype html"

    private static func isHTML(_ bytes: Span<UInt8>, from index: Int) -> Bool {
        ([doctype, "<html"] as [StaticString]).contains { start in
            let end = index + start.utf8CodeUnitCount
            return end <= bytes.count && bytes.extracting(index..<end).spells(start)
        }
    }

    private static func isMultipart(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        guard start + 2 < bytes.count, bytes[start] == 0x2D, bytes[start + 1] == 0x2D else { return false }
        var index = ByteSearch.byte(0x0A, in: bytes, from: start, to: bytes.count) + 1
        for place in start..<min(index, bytes.count) where ByteSearch.isBlank(bytes[place]) { return false }
        let field: StaticString = "content-"
        while index < bytes.count {
            let end = index + field.utf8CodeUnitCount
            if end <= bytes.count, bytes.extracting(index..<end).spells(field) { return true }
            // Another field may be the first one.
            let next = ByteSearch.byte(0x0A, in: bytes, from: index, to: bytes.count) + 1
            guard ByteSearch.byte(UInt8(ascii: ":"), in: bytes, from: index, to: min(next, bytes.count)) < next - 1
            else { return false }
            index = next
        }
        return false
    }

    /// `machine NAME login NAME password PASSWORD`, as a `.netrc` has it.
    private static func isNetrc(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        start + 7 < bytes.count && bytes.extracting(start..<start + 7).spells("machine")
            && ByteSearch.isSpace(bytes[start + 7])
            && (hasWord("password", bytes, from: start) || hasWord("login", bytes, from: start))
    }

    private static func hasWord(_ word: StaticString, _ bytes: Span<UInt8>, from start: Int) -> Bool {
        let count = word.utf8CodeUnitCount
        var index = start
        while index + count <= bytes.count {
            if bytes.extracting(index..<index + count).spells(word) { return true }
            index += 1
        }
        return false
    }

    /// A first line of short names with the same byte between them, one of which is a secret's.
    private static func isTable(_ bytes: Span<UInt8>, from start: Int, _ names: SecretNames) -> Bool {
        let end = ByteSearch.byte(0x0A, in: bytes, from: start, to: bytes.count)
        guard end < bytes.count else { return false }
        let columns = TableReader.columns(bytes, start..<end)
        return columns.count > 1 && columns.contains { names.contains($0, in: .member) }
            && columns.allSatisfy { name in
                name.count <= 40 && !name.isEmpty && name.count { $0 == 0x20 } <= 1
                    && name.allSatisfy { ByteSearch.isAlphanumeric($0) || $0 >= 0x80 || $0.isOne(of: "-_. ") }
            }
    }

    /// A name, an equals sign and, before any white space, the next pair.
    private static func isForm(_ bytes: Span<UInt8>, from start: Int) -> Bool {
        var equals = 0
        for index in start..<bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "="):
                if equals == 0, index == start { return false }
                equals += 1
            case UInt8(ascii: "&"): return equals > 0
            case let byte where byte <= 0x20 || byte.isOne(of: "\"<>:({"): return false
            default: break
            }
        }
        return false
    }

    /// A single pair that is all of the body, with the name of a secret parameter or with escapes.
    private static func isPair(_ bytes: Span<UInt8>, from start: Int, _ names: SecretNames) -> Bool {
        let equals = ByteSearch.byte(UInt8(ascii: "="), in: bytes, from: start, to: bytes.count)
        guard equals > start, equals < bytes.count else { return false }
        var hasEscapes = false
        for index in start..<bytes.count {
            if bytes[index] <= 0x20 || bytes[index].isOne(of: "\"<>({:") { return false }
            if bytes[index] == UInt8(ascii: "%") { hasEscapes = true }
        }
        return hasEscapes || names.contains(bytes.extracting(start..<equals), in: .parameter)
    }

    /// Whether a body of the type of forms has a name in front of its first separator.
    static func mayBeForm(_ bytes: Span<UInt8>) -> Bool {
        for index in 0..<min(bytes.count, longest) {
            switch bytes[index] {
            case UInt8(ascii: "="), UInt8(ascii: "&"): return true
            case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: ":"): return false
            default: break
            }
        }
        return true
    }

    /// No control characters, and UTF-8 as far as one byte tells the next.
    private static func isText(_ bytes: Span<UInt8>) -> Bool {
        var (following, end) = (0, bytes.count)
        // STOMP ends its frames with it.
        if end < longest, end > 0, bytes[end - 1] == 0 { end -= 1 }
        for index in 0..<end {
            let byte = bytes[index]
            if byte < 0x20, !ByteSearch.isSpace(byte), byte != 0x0C, byte != 0x1B { return false }
            if following > 0 {
                guard byte & 0xC0 == 0x80 else { return false }
                following -= 1
            } else if byte >= 0x80 {
                guard byte >= 0xC2, byte < 0xF5 else { return false }
                following = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3
            }
        }
        return true
    }
}
