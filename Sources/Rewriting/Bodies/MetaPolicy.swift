import Bytes

/// The tag of a meta element that is a Content-Security-Policy (HTML 4.2.5.3).
struct MetaPolicy {
    enum Outcome {
        case same
        case changed([UInt8])
        /// It has escapes that are not read.
        case unreadable
    }

    private let tag: [UInt8]
    /// The value of its content attribute, with its quotes.
    private let content: Range<Int>

    /// nil for other tags.
    init?(_ tag: [UInt8]) {
        var content: Range<Int>?
        var isPolicy = false
        var at = "<meta".utf8.count
        while at < tag.count {
            while at < tag.count, Self.isBetween(tag[at]) { at += 1 }
            let start = at
            while at < tag.count, !Self.isBetween(tag[at]), tag[at] != UInt8(ascii: "="), tag[at] != UInt8(ascii: ">") {
                at += 1
            }
            let name = String(decoding: tag[start..<at], as: UTF8.self).lowercased()
            while at < tag.count, ByteSearch.isSpace(tag[at]) { at += 1 }
            guard at < tag.count, tag[at] == UInt8(ascii: "=") else {
                if at == start { break }
                continue
            }
            at += 1
            while at < tag.count, ByteSearch.isSpace(tag[at]) { at += 1 }
            let value = Self.value(tag, &at)
            let text = String(decoding: tag[value], as: UTF8.self)
            let plain = text.filter { $0 != "\"" && $0 != "'" && !$0.isWhitespace }.lowercased()
            if name == "http-equiv" { isPolicy = plain == "content-security-policy" }
            if name == "content", content == nil { content = value }
        }
        guard isPolicy, let content else { return nil }
        self.tag = tag
        self.content = content
    }

    private static func isBetween(_ byte: UInt8) -> Bool {
        ByteSearch.isSpace(byte) || byte == 0x0C || byte == UInt8(ascii: "/")
    }

    private static func value(_ tag: [UInt8], _ at: inout Int) -> Range<Int> {
        let start = at
        guard at < tag.count, tag[at] == UInt8(ascii: "\"") || tag[at] == UInt8(ascii: "'") else {
            while at < tag.count, !ByteSearch.isSpace(tag[at]), tag[at] != UInt8(ascii: ">") { at += 1 }
            return start..<at
        }
        at += 1
        while at < tag.count, tag[at] != tag[start] { at += 1 }
        at = min(at + 1, tag.count)
        return start..<at
    }

    func allowing(_ use: InjectionUse) -> Outcome {
        var value = tag[content]
        if let first = value.first, first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            value = value.dropFirst().dropLast()
        }
        guard let policy = Self.unescaped(String(decoding: value, as: UTF8.self)) else { return .unreadable }
        guard let other = use.allowing(policy) else { return .same }
        return .changed(
            tag[..<content.lowerBound] + Array("\"\(HTMLText.escaped(other))\"".utf8) + tag[content.upperBound...])
    }

    /// nil for escapes other than those that policies need.
    private static func unescaped(_ text: String) -> String? {
        guard text.contains("&") else { return text }
        let known = ["#39": "'", "#x27": "'", "apos": "'", "quot": "\"", "#34": "\"", "amp": "&"]
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            let behind = rest[rest.index(after: mark)...]
            guard let end = behind.firstIndex(of: ";"), let character = known[behind[..<end].lowercased()] else {
                return nil
            }
            result += character
            rest = behind[behind.index(after: end)...]
        }
        return result + rest
    }
}
