import Bytes

/// The tokens of a GraphQL document, without its comments.
///
/// The October 2021 edition of the GraphQL specification, section 2.1.
package struct GraphQLLexer {
    package enum Token: Equatable {
        case name(String)
        case number(Range<Int>)
        case open(UInt8)
        case close(UInt8)
        /// With its quotes.
        case string(Range<Int>)
        /// All other bytes.
        case mark(UInt8)
    }

    package let bytes: [UInt8]
    private var at = 0
    /// Where the last token begins.
    package private(set) var start = 0
    package private(set) var isBroken = false

    package init(bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    }

    package mutating func next() -> Token? {
        while at < bytes.count {
            let byte = bytes[at]
            start = at
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","): at += 1
            case UInt8(ascii: "#"): comment()
            case UInt8(ascii: "\""): return string()
            case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
                at += 1
                return .open(byte)
            case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
                at += 1
                return .close(byte)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
            case UInt8(ascii: "-") where isDigit(at + 1): return number()
            default:
                guard isNameByte(byte) else {
                    at += 1
                    return .mark(byte)
                }
                while at < bytes.count, isNameByte(bytes[at]) { at += 1 }
                return .name(String(decoding: bytes[start..<at], as: UTF8.self))
            }
        }
        start = at
        return nil
    }

    /// Skips to the end of the group that was just opened; false if there is none.
    ///
    /// Values stand in parentheses alone: JSON, which some servers read whatever its media type, is no selection set.
    mutating func skipGroup(_ opening: UInt8) -> Bool {
        var open = [opening]
        var parentheses = opening == UInt8(ascii: "(") ? 1 : 0
        while let last = open.last, let token = next() {
            switch token {
            case .name, .number: continue
            case .string where parentheses > 0: continue
            case .mark(let byte) where parentheses > 0 || ":.@".utf8.contains(byte): continue
            case .string, .mark: return false
            case .open(let byte):
                if byte == UInt8(ascii: "["), parentheses == 0 { return false }
                open.append(byte)
                if byte == UInt8(ascii: "(") { parentheses += 1 }
            case .close(let byte):
                // Each is one or two places behind the one that opens.
                guard (1...2).contains(byte &- last) else { return false }
                open.removeLast()
                if last == UInt8(ascii: "(") { parentheses -= 1 }
            }
        }
        return open.isEmpty && !isBroken
    }

    /// Skips the rest of a definition with its selection set, and returns the name in front of it, maybe empty.
    mutating func skipToSelection() -> String? {
        var name: String?
        while let token = next() {
            switch token {
            case .open(UInt8(ascii: "{")): return skipGroup(UInt8(ascii: "{")) ? name ?? "" : nil
            case .open(UInt8(ascii: "(")):
                guard skipGroup(UInt8(ascii: "(")) else { return nil }
                name = name ?? ""
            case .name(let word): name = name ?? word
            // A name is the first token, or there is none.
            case .mark(UInt8(ascii: "@")): name = name ?? ""
            case .open, .close, .mark, .string, .number: return nil
            }
        }
        return nil
    }

    /// Skips a comment; a comment whose end servers could see differently makes the document invalid.
    private mutating func comment() {
        while at < bytes.count, bytes[at] != 0x0A, bytes[at] != 0x0D {
            let isControl = bytes[at] < 0x20 && bytes[at] != 0x09 || bytes[at] == 0x7F
            if isControl || isSeparator(at) { isBroken = true }
            at += 1
        }
    }

    /// NEL, or the separator of lines or of paragraphs.
    private func isSeparator(_ at: Int) -> Bool {
        func byte(_ offset: Int) -> UInt8 { at + offset < bytes.count ? bytes[at + offset] : 0 }
        return bytes[at] == 0xC2 && byte(1) == 0x85 || bytes[at] == 0xE2 && byte(1) == 0x80 && byte(2) & 0xFE == 0xA8
    }

    private mutating func string() -> Token? {
        let isBlock = bytes[at...].starts(with: [0x22, 0x22, 0x22])
        at += isBlock ? 3 : 1
        while at < bytes.count {
            let byte = bytes[at]
            if isBlock {
                if bytes[at...].starts(with: [0x5C, 0x22, 0x22, 0x22]) {
                    at += 4
                } else if bytes[at...].starts(with: [0x22, 0x22, 0x22]) {
                    at += 3
                    return .string(start..<at)
                } else {
                    at += 1
                }
            } else if byte == UInt8(ascii: "\"") {
                at += 1
                return .string(start..<at)
            } else if byte == 0x0A || byte == 0x0D {
                break
            } else {
                at += byte == UInt8(ascii: "\\") ? 2 : 1
            }
        }
        isBroken = true
        at = bytes.count
        return nil
    }

    private mutating func number() -> Token {
        func digits() { while isDigit(at) { at += 1 } }
        at += 1
        digits()
        if at < bytes.count, bytes[at] == UInt8(ascii: "."), isDigit(at + 1) {
            at += 1
            digits()
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            let isSigned = at + 1 < bytes.count && (bytes[at + 1] == 0x2B || bytes[at + 1] == 0x2D)
            guard isDigit(at + (isSigned ? 2 : 1)) else { return .number(start..<at) }
            at += isSigned ? 2 : 1
            digits()
        }
        return .number(start..<at)
    }

    private func isDigit(_ at: Int) -> Bool { at < bytes.count && bytes[at] &- 0x30 < 10 }

    private func isNameByte(_ byte: UInt8) -> Bool {
        ByteSearch.isAlphanumeric(byte) || byte == UInt8(ascii: "_")
    }
}
