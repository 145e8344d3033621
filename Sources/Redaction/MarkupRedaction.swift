import Bytes

/// Replaces the text of elements and the values of attributes with secret names, in XML and HTML that comes in pieces,
/// whole or broken.
///
/// A secret is the text in `<password>`, the value in `<user password="…">`, and values beside a secret name in a tag:
/// `<input name="csrf_token" value="…">`, `<entry key="apiKey">…</entry>`, `<input type="password" value="…">`. Other
/// text is searched for tokens.
struct MarkupRedaction {
    private enum Mode {
        case text
        /// From `<` on, as far as it came.
        case tag
        /// Of a secret element, up to `]]>`.
        case characterData
        /// A tag that is too long to be read, and is replaced as a whole.
        case longTag(SecretValue)
    }

    private static let longestTag = 65_536
    private static let longestLabel = 64
    private static let characterData = Array("<![CDATA[".utf8)

    private let core: RedactionCore
    private let isHTML: Bool
    private var scanner: PairRedaction
    private var mode = Mode.text
    private var tag: [UInt8] = []
    /// Where a tag's end does not count.
    private var quote: UInt8?
    private var isAfterEquals = false
    /// The secret element around the present text.
    private var secret: MarkupSecret?
    /// The text of an element that holds a name (`<name>password</name><value>x</value>`), then the name of a secret that
    /// the next element holds.
    private var label: [UInt8]?
    private var isArmed = false

    init(core: RedactionCore, isHTML: Bool) {
        (self.core, self.isHTML) = (core, isHTML)
        scanner = PairRedaction(core: core, grammar: isHTML ? .code : .markup)
    }

    mutating func redact(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            switch mode {
            case .text:
                let start = index
                index = secret == nil && label == nil ? passPlainTags(bytes, from: start) : start
                index = ByteSearch.byte(UInt8(ascii: "<"), in: bytes, from: index, to: bytes.count)
                addText(bytes, start..<index, into: &out)
                guard index < bytes.count else { return }
                mode = .tag
                (quote, isAfterEquals) = (nil, false)
                tag.removeAll(keepingCapacity: true)
                tag.append(UInt8(ascii: "<"))
                index += 1
            case .tag: index = readTag(bytes, from: index, into: &out)
            case .characterData:
                secret?.addLiteral(bytes[index], into: &out)
                if secret?.endsCharacterData() ?? true { mode = .text }
                index += 1
            case .longTag(var value):
                mode = .text
                let isEnd = bytes[index] == UInt8(ascii: ">")
                if isEnd { value.replace(.markup, into: &out) } else { value.append(bytes[index]) }
                if !isEnd { mode = .longTag(value) }
                index += 1
            }
        }
    }

    /// Ends the text; a secret that was cut is replaced.
    mutating func finish(into out: inout [UInt8]) {
        switch mode {
        case .text, .characterData: break
        case .tag: endTag(into: &out)
        case .longTag(var value): value.replace(.markup, into: &out)
        }
        secret?.endText(into: &out)
        scanner.finish(into: &out)
        (mode, secret, tag, label, isArmed) = (.text, nil, [], nil, false)
    }

    private mutating func addText(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        if let count = label?.count, !isArmed, count <= Self.longestLabel { label?.append(bytes, range) }
        guard secret != nil else {
            scanner.redact(bytes.extracting(range), into: &out)
            return
        }
        for index in range { secret?.add(bytes[index], into: &out) }
    }

    // MARK: Tags

    /// Goes on over text and tags without secrets, up to a tag that must be read step by step.
    private func passPlainTags(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while true {
            let open = ByteSearch.byte(UInt8(ascii: "<"), in: bytes, from: index, to: bytes.count)
            guard open &+ 1 < bytes.count, let end = plainTagEnd(bytes, from: open) else { return open }
            index = end
        }
    }

    /// The end of a tag that is complete in this piece and has no secret; nil for others.
    private func plainTagEnd(_ bytes: Span<UInt8>, from open: Int) -> Int? {
        let isEnd = bytes[open &+ 1] == UInt8(ascii: "/")
        guard isEnd || ByteSearch.isAlphanumeric(bytes[open &+ 1]) else { return nil }
        var (quote, isAfterEquals, hasAttributes) = (UInt8(0), false, false)
        for index in open &+ 1..<min(bytes.count, open &+ Self.longestTag) {
            let byte = bytes[index]
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if byte == UInt8(ascii: ">") {
                guard hasAttributes || !isHTML && !isEnd else { return index &+ 1 }
                let tag = bytes.extracting(open...index)
                return holdsSecret(MarkupTag(tag), tag) ? nil : index &+ 1
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

    private func holdsSecret(_ tag: MarkupTag, _ bytes: Span<UInt8>) -> Bool {
        let name = bytes.extracting(MarkupTag.local(tag.name, of: bytes))
        return !isHTML && (core.names.contains(name, in: .member) || NamedValue.isLabel(name))
            || givenName(tag, bytes) != nil
            || tag.attributes.contains {
                core.names.contains(bytes.extracting(MarkupTag.local($0.name, of: bytes)), in: .member)
                    || redactedJSON(bytes, $0.value) != nil
            }
    }

    private mutating func readTag(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        let byte = bytes[start]
        if tag.count <= Self.characterData.count, !canBeTag(byte) {
            // It was no tag.
            mode = .text
            let text = tag
            text.withSpan { addText($0, 0..<text.count, into: &out) }
            return start
        }
        tag.append(byte)
        if tag == Self.characterData {
            mode = secret == nil ? .text : .characterData
            if secret == nil { addTag(into: &out) }
            return start + 1
        }
        if let open = quote {
            if byte == open { quote = nil }
        } else if byte == UInt8(ascii: ">") {
            endTag(into: &out)
            return start + 1
        } else if isAfterEquals, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            quote = byte
        }
        if !ByteSearch.isSpace(byte) { isAfterEquals = byte == UInt8(ascii: "=") }
        if tag.count > Self.longestTag {
            secret?.endText(into: &out)
            scanner.finish(into: &out)
            var value = SecretValue(name: Array("tag".utf8), core: core)
            value.append(tag)
            mode = .longTag(value)
        }
        return start + 1
    }

    /// Whether the bytes so far and this one may begin a tag; a comment is text.
    private func canBeTag(_ byte: UInt8) -> Bool {
        if tag.count == 1 {
            return ByteSearch.isAlphanumeric(byte) || byte >= 0x80 || "/!?_:".utf8.contains(byte)
        }
        guard tag[1] == UInt8(ascii: "!"), tag.count == 2 || tag[2] == UInt8(ascii: "[") else { return true }
        return tag.count == 2
            ? byte != UInt8(ascii: "-") : byte == Self.characterData[min(tag.count, Self.characterData.count - 1)]
    }

    private mutating func addTag(into out: inout [UInt8]) {
        let text = tag
        text.withSpan { scanner.redact($0, into: &out) }
    }

    private mutating func endTag(into out: inout [UInt8]) {
        mode = .text
        let bytes = tag
        bytes.withSpan { bytes in
            let parsed = MarkupTag(bytes)
            secret?.endText(into: &out)
            let given = givenName(parsed, bytes)
            write(parsed, bytes, given, into: &out)
            if parsed.isEnd {
                if secret?.isOver(after: bytes, parsed.name) == true { secret = nil }
                let text = label ?? []
                isArmed = !isArmed && isSecretLabel(text)
                label = isArmed ? Array(text[text.withSpan { $0.trimmed(0..<text.count) }]) : nil
            } else if !parsed.isEmpty {
                open(parsed, bytes, given, into: &out)
            }
        }
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
        var (text, unescaper) = ([UInt8](), MarkupUnescaper())
        for index in range { unescaper.feed(bytes[index], into: &text) }
        unescaper.finish(into: &text)
        guard let first = text.first(where: { !ByteSearch.isSpace($0) }), first == 0x7B || first == 0x5B else {
            return nil
        }
        var (redacted, pairs) = ([UInt8](), PairRedaction(core: core))
        text.withSpan { pairs.redact($0, into: &redacted) }
        pairs.finish(into: &redacted)
        return redacted == text ? nil : redacted.flatMap { MarkupUnescaper.reference(for: $0) }
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

    private mutating func write(
        _ tag: MarkupTag, _ bytes: Span<UInt8>, _ given: [UInt8]?, into out: inout [UInt8]
    ) {
        var kept = 0
        for attribute in tag.attributes {
            let name = bytes.extracting(MarkupTag.local(attribute.name, of: bytes))
            let isValue = name.spells("value") || name.spells("content")
            let isSecret = core.names.contains(name, in: .member)
            // Pages have attributes such as `accesskey`.
            let isLikely = !isHTML || ValueLook.isLikely(bytes.extracting(attribute.value))
            guard given != nil && isValue || isSecret && isLikely else {
                guard let json = redactedJSON(bytes, attribute.value) else { continue }
                scanner.redact(bytes.extracting(kept..<attribute.value.lowerBound), into: &out)
                scanner.finish(into: &out)
                out.append(contentsOf: json)
                kept = attribute.value.upperBound
                continue
            }
            scanner.redact(bytes.extracting(kept..<attribute.value.lowerBound), into: &out)
            scanner.finish(into: &out)
            var value = isValue ? SecretValue(name: given ?? [], core: core) : SecretValue(name: name, core: core)
            var unescaper = MarkupUnescaper()
            for index in attribute.value { unescaper.feed(bytes[index], into: &value.text) }
            unescaper.finish(into: &value.text)
            value.settle()
            value.finish(.markup, into: &out)
            kept = attribute.value.upperBound
        }
        scanner.redact(bytes.extracting(kept..<bytes.count), into: &out)
    }

    private mutating func open(
        _ tag: MarkupTag, _ bytes: Span<UInt8>, _ given: [UInt8]?, into out: inout [UInt8]
    ) {
        if secret != nil {
            secret?.open(bytes, tag.name)
            return
        }
        let name = bytes.extracting(MarkupTag.local(tag.name, of: bytes))
        // A form called "password-reset" is no secret, nor is a page's own element <password-field>.
        let isLabeled = isArmed && !NamedValue.isLabel(name)
        let given = given ?? (isLabeled ? label : nil)
        let isSecret =
            isHTML ? given != nil && name.spells("textarea") : given != nil || core.names.contains(name, in: .member)
        (label, isArmed) = (!isHTML && !isSecret && NamedValue.isLabel(name) ? [] : nil, false)
        guard isSecret else { return }
        scanner.finish(into: &out)
        secret = MarkupSecret(
            element: bytes.extracting(tag.name).withUnsafeBytes { Array($0) },
            called: given ?? name.withUnsafeBytes { Array($0) }, core: core)
    }
}
