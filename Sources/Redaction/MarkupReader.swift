import Bytes
import Platform

/// Replaces the text of elements and the values of attributes with secret names, in XML and HTML, whole or broken.
///
/// A secret is the text in `<password>`, the value in `<user password="…">`, and values beside a secret name in a tag:
/// `<input name="csrf_token" value="…">`, `<entry key="apiKey">…</entry>`, `<input type="password" value="…">`. Other
/// text is read for pairs and credentials, tags and all.
struct MarkupReader: FormatReader {
    /// An element whose text is a secret.
    private struct Secret {
        let element: [UInt8]
        let name: [UInt8]
        /// How many elements of this name are open.
        var depth = 1
    }

    private static let longestTag = 65_536
    private static let longestLabel = 64
    private static let characterData = Array("<![CDATA[".utf8)

    private let core: RedactionCore
    private let isHTML: Bool
    private var pairs: PairReader
    private var secret: Secret?
    /// The text of an element that holds a name (`<name>password</name><value>x</value>`), then the name of a secret that
    /// the next element holds.
    private var label: [UInt8]?
    private var isArmed = false

    init(core: RedactionCore, isHTML: Bool) {
        (self.core, self.isHTML) = (core, isHTML)
        pairs = PairReader(core: core, grammar: isHTML ? .code : .markup)
    }

    mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        var (index, kept, text) = (start, start, start)
        var (state, length) = (self, out.count)
        while index < bytes.count {
            if secret != nil {
                guard let end = writeSecret(bytes, from: index, isLast, into: &out) else { return index }
                index = end
                (kept, state, length) = (index, self, out.count)
            } else {
                if label == nil { index = passPlainTags(bytes, from: index, &text) }
                let open = ByteSearch.byte(UInt8(ascii: "<"), in: bytes, from: index, to: bytes.count)
                if let count = label?.count, !isArmed, count <= Self.longestLabel { label?.append(bytes, index..<open) }
                index = open
            }
            guard index < bytes.count else { break }
            guard let (range, next) = tag(bytes, from: index, isLast) else {
                writeText(bytes, kept..<index, into: &out)
                guard pairs.endsInValue else { return index }
                out.removeLast(out.count - length)
                self = state
                return kept
            }
            if let range, range.count > Self.longestTag {
                writeText(bytes, kept..<index, into: &out)
                core.replace(bytes.extracting(range), name: "tag", .markup, into: &out)
                kept = next
                (state, length) = (self, out.count)
            } else if let range {
                let before = kept
                write(bytes, range, &kept, into: &out)
                if kept > before { (state, length) = (self, out.count) }
            }
            index = next
            if range != nil { text = next }
        }
        guard !isLast, kept < bytes.count else {
            writeText(bytes, kept..<bytes.count, into: &out)
            return bytes.count
        }
        let end = kept + pairs.redact(bytes.extracting(kept..<bytes.count), isLast: false, into: &out)
        if end >= text { return end }
        out.removeLast(out.count - length)
        self = state
        return kept
    }

    /// Writes text and tags that hold no secret of their own.
    private mutating func writeText(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        _ = pairs.redact(bytes.extracting(range), into: &out)
    }

    // MARK: Tags

    /// Goes on over text and tags without secrets, up to a tag that must be read.
    private func passPlainTags(_ bytes: Span<UInt8>, from start: Int, _ text: inout Int) -> Int {
        var index = start
        while true {
            let open = ByteSearch.byte(UInt8(ascii: "<"), in: bytes, from: index, to: bytes.count)
            guard open &+ 1 < bytes.count, let end = plainTagEnd(bytes, from: open) else { return open }
            (index, text) = (end, end)
        }
    }

    /// The end of a tag that has no secret; nil for others.
    private func plainTagEnd(_ bytes: Span<UInt8>, from open: Int) -> Int? {
        let isEnd = bytes[open &+ 1] == UInt8(ascii: "/")
        guard isEnd || (bytes[open &+ 1] | 0x20) &- 0x61 < 26,
            let (end, hasAttributes) = tagEnd(bytes, from: open)
        else { return nil }
        guard hasAttributes || !isHTML && !isEnd else { return end }
        let tag = bytes.extracting(open..<end)
        return holdsSecret(MarkupTag(tag), tag) ? nil : end
    }

    /// Where a tag ends that is complete and not too long, and whether it has attributes.
    private func tagEnd(_ bytes: Span<UInt8>, from open: Int) -> (end: Int, hasAttributes: Bool)? {
        var (quote, isAfterEquals, hasAttributes) = (UInt8(0), false, false)
        for index in open &+ 1..<min(bytes.count, open &+ Self.longestTag) {
            let byte = bytes[index]
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == UInt8(ascii: ">") {
                return (index &+ 1, hasAttributes)
            } else if isAfterEquals, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
            if byte == UInt8(ascii: "=") {
                (isAfterEquals, hasAttributes) = (true, true)
            } else if !ByteSearch.isSpace(byte) {
                isAfterEquals = false
            }
        }
        return nil
    }

    /// The tag at `<`, or where to go on if it is none; nil if it is not complete.
    private func tag(_ bytes: Span<UInt8>, from open: Int, _ isLast: Bool) -> (range: Range<Int>?, next: Int)? {
        let rest = bytes.extracting(open..<min(bytes.count, open + Self.characterData.count))
        if Self.characterData.withUnsafeBytes({ bytes.equals(open..<open + rest.count, $0) }) {
            return (nil, open + rest.count)
        }
        if rest.count < Self.characterData.count, !isLast { return nil }
        // A comment is text.
        let isTag =
            rest.count > 1
            && ((rest[1] | 0x20) &- 0x61 < 26 || rest[1] >= 0x80 || rest[1].isOne(of: "/!?_:"))
            && !(rest[1] == UInt8(ascii: "!") && rest.count > 2 && (rest[2] == 0x2D || rest[2] == UInt8(ascii: "[")))
        guard isTag || rest.count == 1 else { return (nil, open + 1) }
        if let (end, _) = tagEnd(bytes, from: open) { return (open..<end, end) }
        if bytes.count - open > Self.longestTag {
            let end = ByteSearch.byte(UInt8(ascii: ">"), in: bytes, from: open + Self.longestTag + 1, to: bytes.count)
            return end < bytes.count || isLast ? (open..<end, min(end + 1, bytes.count)) : nil
        }
        return isLast ? (open..<bytes.count, bytes.count) : nil
    }

    private func holdsSecret(_ tag: MarkupTag, _ bytes: Span<UInt8>) -> Bool {
        let name = bytes.extracting(MarkupTag.local(tag.name, of: bytes))
        return !isHTML && (core.names.contains(name, in: .member) || core.names.role(name) == .label)
            || givenName(tag, bytes) != nil
            || tag.attributes.contains {
                core.names.contains(bytes.extracting(MarkupTag.local($0.name, of: bytes)), in: .member)
                    || redactedJSON(bytes, $0.value) != nil
            }
    }

    /// Writes the secrets of a tag, with the text in front of them.
    private mutating func write(_ bytes: Span<UInt8>, _ range: Range<Int>, _ kept: inout Int, into out: inout [UInt8]) {
        let tag = bytes.extracting(range)
        let parsed = MarkupTag(tag)
        let given = givenName(parsed, tag)
        for attribute in parsed.attributes {
            guard let value = secretValue(tag, attribute, given) else { continue }
            let place = range.lowerBound + attribute.value.lowerBound
            writeText(bytes, kept..<place, into: &out)
            out += value
            kept = range.lowerBound + attribute.value.upperBound
        }
        if parsed.isEnd {
            if let element = secret?.element, element.withUnsafeBytes({ tag.equals(parsed.name, $0) }) {
                secret?.depth -= 1
                if secret?.depth == 0 { secret = nil }
            }
            let text = label ?? []
            isArmed = !isArmed && isSecretLabel(text)
            label = isArmed ? Array(text[text.withSpan { $0.trimmed(0..<text.count) }]) : nil
        } else if !parsed.isEmpty {
            open(parsed, tag, given)
        }
        if secret != nil {
            writeText(bytes, kept..<range.upperBound, into: &out)
            kept = range.upperBound
        }
    }

    /// What stands for the value of an attribute; nil if it is no secret.
    private func secretValue(_ bytes: Span<UInt8>, _ attribute: MarkupTag.Attribute, _ given: [UInt8]?) -> [UInt8]? {
        let name = bytes.extracting(MarkupTag.local(attribute.name, of: bytes))
        let isValue = name.spells("value") || name.spells("content")
        let isSecret = core.names.contains(name, in: .member)
        // Pages have attributes such as `accesskey`.
        let isLikely = !isHTML || ValueLook.isLikely(bytes.extracting(attribute.value))
        guard given != nil && isValue || isSecret && isLikely else { return redactedJSON(bytes, attribute.value) }
        var value = isValue ? SecretValue(name: given ?? [], core: core) : SecretValue(name: name, core: core)
        value.append(MarkupText.plain(bytes, attribute.value))
        var out: [UInt8] = []
        value.finish(.markup, into: &out)
        return out
    }

    private func isSecretLabel(_ text: [UInt8]) -> Bool {
        guard !text.isEmpty, text.count <= Self.longestLabel else { return false }
        return text.withSpan { core.names.contains($0.extracting($0.trimmed(0..<$0.count)), in: .member) }
    }

    /// JSON in an attribute, its quotes as references, without its secrets; nil if it has none.
    private func redactedJSON(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        guard
            ByteSearch.byte(UInt8(ascii: "&"), in: bytes, from: range.lowerBound, to: range.upperBound)
                < range.upperBound
        else { return nil }
        let text = MarkupText.plain(bytes, range)
        guard let first = text.first(where: { !ByteSearch.isSpace($0) }), first == 0x7B || first == 0x5B else {
            return nil
        }
        let redacted = core.json(text)
        return redacted == text ? nil : redacted.flatMap { MarkupText.reference(for: $0) }
    }

    /// The secret name that a tag gives to its value.
    private func givenName(_ tag: MarkupTag, _ bytes: Span<UInt8>) -> [UInt8]? {
        for attribute in tag.attributes {
            let name = bytes.extracting(MarkupTag.local(attribute.name, of: bytes))
            let value = bytes.extracting(attribute.value)
            let isName = name.spells("name") || name.spells("key") || name.spells("property")
            let isPassword = name.spells("type") && value.spells("password")
            guard isPassword || isName && core.names.contains(value, in: .member) else { continue }
            return value.withUnsafeBytes { Array($0) }
        }
        return nil
    }

    private mutating func open(_ tag: MarkupTag, _ bytes: Span<UInt8>, _ given: [UInt8]?) {
        if let element = secret?.element {
            if element.withUnsafeBytes({ bytes.equals(tag.name, $0) }) { secret?.depth += 1 }
            return
        }
        let name = bytes.extracting(MarkupTag.local(tag.name, of: bytes))
        // A form called "password-reset" is no secret, nor is a page's own element <password-field>.
        let isLabeled = isArmed && core.names.role(name) != .label
        let given = given ?? (isLabeled ? label : nil)
        let isSecret =
            isHTML ? given != nil && name.spells("textarea") : given != nil || core.names.contains(name, in: .member)
        (label, isArmed) = (!isHTML && !isSecret && core.names.role(name) == .label ? [] : nil, false)
        guard isSecret else { return }
        secret = Secret(
            element: bytes.extracting(tag.name).withUnsafeBytes { Array($0) },
            name: given ?? name.withUnsafeBytes { Array($0) })
    }

    /// Replaces the text of a secret element up to its next tag; nil if that has not come.
    ///
    /// White space at the ends stays. In a CDATA section nothing is escaped (XML 1.0, 2.7).
    private mutating func writeSecret(
        _ bytes: Span<UInt8>, from start: Int, _ isLast: Bool, into out: inout [UInt8]
    ) -> Int? {
        guard let secret else { return start }
        var (index, text) = (start, [UInt8]())
        while index < bytes.count {
            let open = ByteSearch.byte(UInt8(ascii: "<"), in: bytes, from: index, to: bytes.count)
            text += MarkupText.plain(bytes, index..<open)
            index = open
            guard open < bytes.count, let tag = tag(bytes, from: open, isLast) else { break }
            guard tag.range == nil else { break }
            if tag.next == open + 1 {
                text.append(bytes[open])
                index = open + 1
            } else {
                var end = tag.next
                repeat {
                    end = ByteSearch.byte(UInt8(ascii: ">"), in: bytes, from: end, to: bytes.count) + 1
                } while end <= bytes.count && !(bytes[end - 2] == 0x5D && bytes[end - 3] == 0x5D)
                text.append(bytes, tag.next..<(end <= bytes.count ? end - 3 : bytes.count))
                index = min(end, bytes.count)
            }
        }
        guard isLast || index < bytes.count else { return nil }
        let inner = text.withSpan { $0.trimmed(0..<text.count) }
        out += text[..<inner.lowerBound]
        core.replace(text.span.extracting(inner), name: secret.name.span, .markup, into: &out)
        out += text[inner.upperBound...]
        return index
    }
}
