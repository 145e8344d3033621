import Bytes

/// Tells tags from text, comments and raw text while a page streams (HTML 13.2.5), as far as placing HTML needs it.
///
/// The bytes of a tag are held back until its name is known, and all of a tag where ``holdsTag`` asks for it.
struct HTMLTokens {
    enum Event: Equatable {
        /// What was given may go on: text between tags.
        case text(Range<Int>)
        /// The same for what means nothing here: the rest of a tag, comments and raw text.
        case other(Range<Int>)
        /// The name of a tag is known; ``held`` has its beginning.
        case tag(String, isEnd: Bool)
        /// ``held`` has text that only began like a tag.
        case heldText
        /// ``held`` has what means nothing.
        case heldOther
        /// ``held`` has all of a tag, or as much of it as is held.
        case heldTag
    }

    private enum State {
        case text, open, tag, comment, declaration
        /// The content of an element, up to its end tag.
        case raw
    }

    private static let maxName = 24
    private static let maxTag = 8 * 1024
    /// Elements with text that has no tags; with scripts on, noscript is one (HTML 13.2.6.4).
    private static let rawNames: Set<String> = [
        "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext",
    ]

    private(set) var held: [UInt8] = []
    private var state = State.text
    private var rawName = ""
    private var nextRaw = ""
    private var isHolding = false
    private var quote: UInt8 = 0
    private var isAfterEquals = false
    private var dashes = 0
    /// Within a script: 1 behind `<!--`, 2 within a script element there (HTML 13.2.5.20).
    private var escape = 0

    /// Text may follow here that the page shows.
    var isInText: Bool { state == .text || state == .open && rawName.isEmpty }

    mutating func takeHeld() -> [UInt8] {
        defer { held = [] }
        return held
    }

    /// The tag whose name was just told is held until its end.
    mutating func holdTag() { isHolding = true }

    /// The next event; `at` is moved behind what it tells of.
    mutating func next(_ bytes: Span<UInt8>, _ at: inout Int) -> Event? {
        while at < bytes.count {
            switch state {
            case .text: return readText(bytes, &at)
            case .open: if let event = readOpen(bytes[at], &at) { return event }
            case .tag: if let event = readTag(bytes, &at) { return event }
            case .comment, .declaration: return readComment(bytes, &at)
            case .raw: return readRaw(bytes, &at)
            }
        }
        return nil
    }

    private mutating func readText(_ bytes: Span<UInt8>, _ at: inout Int) -> Event {
        let start = at
        at = ByteSearch.byte(UInt8(ascii: "<"), in: bytes, from: at, to: bytes.count)
        open(bytes, &at)
        return .text(start..<(at - held.count))
    }

    private mutating func readRaw(_ bytes: Span<UInt8>, _ at: inout Int) -> Event {
        let start = at
        if escape == 0 {
            at = ByteSearch.byte(UInt8(ascii: "<"), in: bytes, from: at, to: bytes.count)
        } else {
            while at < bytes.count, bytes[at] != UInt8(ascii: "<"), escape > 0 {
                if bytes[at] == UInt8(ascii: ">"), dashes >= 2 { escape = 0 }
                dashes = bytes[at] == UInt8(ascii: "-") ? dashes + 1 : 0
                at += 1
            }
            if escape == 0 { return .other(start..<at) }
        }
        open(bytes, &at)
        return .other(start..<(at - held.count))
    }

    /// Takes the `<` that may stand there.
    private mutating func open(_ bytes: Span<UInt8>, _ at: inout Int) {
        guard at < bytes.count else { return }
        held = [bytes[at]]
        at += 1
        state = .open
    }

    /// One byte of what may be a tag; nil while it is not decided.
    private mutating func readOpen(_ byte: UInt8, _ at: inout Int) -> Event? {
        let isSpace = ByteSearch.isSpace(byte) || byte == 0x0C
        // In raw text it begins anew.
        if byte == UInt8(ascii: "<"), !rawName.isEmpty { return settle(.heldOther) }
        if held.count == 1 {
            let begins =
                byte == UInt8(ascii: "/") || byte == UInt8(ascii: "!") || (byte | 0x20) &- 0x61 < 26
                || byte == UInt8(ascii: "?")
            guard begins else { return settle(.heldText) }
        } else if held.count == 2, held[1] == UInt8(ascii: "/"), (byte | 0x20) &- 0x61 >= 26 {
            if !rawName.isEmpty { return settle(.heldOther) }
            state = .declaration
            return .heldOther
        } else if isSpace || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">") || held.count > Self.maxName {
            return decide()
        }
        held.append(byte)
        at += 1
        guard held == Array("<!--".utf8) else { return nil }
        if rawName.isEmpty {
            (state, dashes) = (.comment, 2)
            return .heldOther
        }
        if rawName == "script", escape == 0 { (escape, dashes) = (1, 2) }
        return settle(.heldOther)
    }

    /// Back to what surrounds it.
    private mutating func settle(_ event: Event) -> Event {
        state = rawName.isEmpty ? .text : .raw
        return rawName.isEmpty ? event : .heldOther
    }

    private mutating func decide() -> Event {
        let isEnd = held[1] == UInt8(ascii: "/")
        let name = String(decoding: held.dropFirst(isEnd ? 2 : 1).map { ByteSearch.lowercased($0) }, as: UTF8.self)
        if !rawName.isEmpty {
            let isOwn = name == rawName
            if isOwn, !isEnd, escape == 1 { escape = 2 }
            guard isOwn, isEnd, escape < 2 else {
                if isOwn, isEnd { escape = 1 }
                dashes = 0
                return settle(.heldOther)
            }
            (rawName, escape) = ("", 0)
        } else if name.hasPrefix("!") || name.hasPrefix("?") {
            state = .declaration
            return name == "!doctype" ? .tag(name, isEnd: false) : .heldOther
        }
        state = .tag
        (quote, isAfterEquals) = (0, false)
        nextRaw = !isEnd && Self.rawNames.contains(name) ? name : ""
        return .tag(name, isEnd: isEnd)
    }

    /// Up to the end of a tag, past quoted values; nil while all of it is held.
    private mutating func readTag(_ bytes: Span<UInt8>, _ at: inout Int) -> Event? {
        let start = at
        var isOver = false
        while at < bytes.count, !isOver {
            let byte = bytes[at]
            at += 1
            if quote != 0 {
                if byte == quote { quote = 0 }
            } else if isAfterEquals, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                (quote, isAfterEquals) = (byte, false)
            } else if byte == UInt8(ascii: ">") {
                isOver = true
            } else if byte == UInt8(ascii: "=") {
                isAfterEquals = true
            } else if !ByteSearch.isSpace(byte) {
                isAfterEquals = false
            }
        }
        if isOver {
            state = nextRaw.isEmpty ? .text : .raw
            rawName = nextRaw
        }
        guard isHolding else { return .other(start..<at) }
        for index in start..<at { held.append(bytes[index]) }
        guard isOver || held.count > Self.maxTag else { return nil }
        isHolding = false
        return .heldTag
    }

    private mutating func readComment(_ bytes: Span<UInt8>, _ at: inout Int) -> Event {
        let start = at
        while at < bytes.count, state != .text {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: ">"), state == .declaration || dashes >= 2 {
                state = .text
            } else if byte == UInt8(ascii: "-") {
                dashes += 1
            } else if byte != UInt8(ascii: "!") || dashes < 2 {
                dashes = 0
            }
        }
        return .other(start..<at)
    }
}
