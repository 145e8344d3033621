/// Replaces the content of elements and the values of attributes with secret names, in XML and HTML that comes in
/// pieces, whole or broken.
///
/// A secret is the text in `<password>`, the value in `<user password="…">`, and what a tag says of something that it
/// gives a secret name: `<input name="csrf_token" value="…">`, `<entry key="apiKey">…</entry>`,
/// `<input type="password" value="…">`. In all else tokens are looked for.
struct MarkupRedaction {
    private enum Mode {
        case text
        /// From `<` on, as far as it came.
        case tag
        /// Of a secret element, up to `]]>`.
        case characterData
        /// A tag too long to be looked into: it goes as a whole.
        case longTag(SecretValue)
    }

    private static let longestTag = 65_536
    private static let characterData = Array("<![CDATA[".utf8)

    private let core: RedactionCore
    private let isHTML: Bool
    private var scanner: TokenScanner
    private var mode = Mode.text
    private var tag: [UInt8] = []
    /// Where a tag's end does not count.
    private var quote: UInt8?
    private var isAfterEquals = false
    /// The secret element that this is in.
    private var secret: MarkupSecret?

    init(core: RedactionCore, isHTML: Bool) {
        (self.core, self.isHTML) = (core, isHTML)
        scanner = TokenScanner(core: core, encoding: .plain)
    }

    mutating func redact(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        var index = 0
        while index < bytes.count {
            switch mode {
            case .text:
                let end = ByteSearch.byte(UInt8(ascii: "<"), in: bytes, from: index, to: bytes.count)
                addText(bytes, index..<end, into: &out)
                index = end
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

    /// Ends the text; what was cut is replaced as far as it came.
    mutating func finish(into out: inout [UInt8]) {
        switch mode {
        case .text, .characterData: break
        case .tag: endTag(into: &out)
        case .longTag(var value): value.replace(.markup, into: &out)
        }
        secret?.endText(into: &out)
        scanner.finish(into: &out)
        (mode, secret, tag) = (.text, nil, [])
    }

    private mutating func addText(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        guard secret != nil else {
            scanner.scan(bytes, range, into: &out)
            return
        }
        for index in range { secret?.add(bytes[index], into: &out) }
    }

    // MARK: Tags

    private mutating func readTag(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        let byte = bytes[start]
        if tag.count <= Self.characterData.count, !canBeTag(byte) {
            // It was text.
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

    /// Whether what was read and this byte may begin a tag; a comment is text.
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
        text.withSpan { scanner.scan($0, 0..<text.count, into: &out) }
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
            } else if !parsed.isEmpty {
                open(parsed, bytes, given, into: &out)
            }
        }
    }

    /// The secret name that a tag gives to what it stands for.
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
            guard given != nil && isValue || core.names.contains(name, in: .member) else { continue }
            scanner.scan(bytes, kept..<attribute.value.lowerBound, into: &out)
            scanner.finish(into: &out)
            var value = isValue ? SecretValue(name: given ?? [], core: core) : SecretValue(name: name, core: core)
            var unescaper = MarkupUnescaper()
            for index in attribute.value { unescaper.feed(bytes[index], into: &value.text) }
            unescaper.finish(into: &value.text)
            value.settle()
            value.finish(.markup, into: &out)
            kept = attribute.value.upperBound
        }
        scanner.scan(bytes, kept..<bytes.count, into: &out)
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
        let isSecret =
            isHTML ? given != nil && name.spells("textarea") : given != nil || core.names.contains(name, in: .member)
        guard isSecret else { return }
        scanner.finish(into: &out)
        secret = MarkupSecret(
            element: bytes.extracting(tag.name).withUnsafeBytes { Array($0) },
            called: given ?? name.withUnsafeBytes { Array($0) }, core: core)
    }
}
