import Bytes
import JSON

/// Replaces the values of secret names in JSON, settings, source code and other text, whole or broken.
///
/// It goes by quotes, not by grammar: text between two of them that a colon follows is a name, and so is a word before
/// a colon or an equals sign. So neither a missing brace nor a stray quote nor the lines of JSON Lines or Server-Sent
/// Events lead it astray, and JSON in a string in JSON is read as well, by the backslashes in front of its quotes.
struct PairReader: FormatReader {
    /// How a value without quotes is read behind a name without quotes.
    enum Grammar {
        /// To the end of the word; a word of small letters behind a colon and a blank is prose.
        case json
        /// The same, without JSON's escapes.
        case markup
        /// To the end of the word, or of the line if the name begins it.
        case text
        /// Not at all: it is an expression. Parameters of URLs are still read. Only what looks like a credential is
        /// replaced, so that a script is the same program.
        case code
    }

    /// A value that is to be replaced.
    struct Found {
        /// How it is read and replaced.
        let value: SecretMember
        /// Its first byte, or the one behind its quote.
        let start: Int
    }

    private static let longestName = 512
    private static let longestJSON = 65_536

    let core: RedactionCore
    let grammar: Grammar
    private let scanner: CredentialScanner
    /// What is known of the text in front of a place; set back where what follows has to come first.
    private struct State {
        /// The end of the last value, and the place behind which the next name is looked for.
        var (base, floor) = (0, 0)
        /// The backslashes in front of the quotes that belong to this level of JSON in strings.
        var level = 0
        /// The position in JSON, if rules depend on it; and how much it has read.
        var path: MemberTracker?
        var seen = 0
        /// A name that is given as a value, and whether the last member was such a name.
        var label: NamedValue?
        var isAfterLabel = false
    }

    private var state = State()
    /// The last name.
    private var name: [UInt8] = []
    private var isBegun = false
    /// Whether the last text ended within a value.
    private(set) var endsInValue = false

    init(core: RedactionCore, grammar: Grammar = .json) {
        (self.core, self.grammar) = (core, grammar)
        scanner = CredentialScanner(
            core: core, encoding: grammar == .json ? .json : .plain,
            finds: grammar == .json || grammar == .text ? .all : .noRandom)
        if core.names.hasPaths { state.path = MemberTracker() }
    }

    /// Reads another text.
    @discardableResult
    mutating func redact(_ bytes: Span<UInt8>, isLast: Bool = true, into out: inout [UInt8]) -> Int {
        (state.base, state.floor, state.seen, state.label, state.isAfterLabel) = (0, 0, 0, nil, false)
        return read(bytes, from: 0, isLast: isLast, into: &out)
    }

    mutating func drop(_ count: Int) {
        (state.base, state.floor) = (max(0, state.base - count), max(0, state.floor - count))
        state.seen = max(0, state.seen - count)
        state.label?.drop(count)
    }

    mutating func read(_ bytes: Span<UInt8>, from start: Int, isLast: Bool, into out: inout [UInt8]) -> Int {
        var (index, kept) = (start, start)
        if !isBegun, let found = command(bytes, from: start) {
            index = write(found, bytes, from: start, into: &out)
            kept = index
            end(at: index)
        }
        (isBegun, endsInValue) = (true, false)
        while index < bytes.count {
            let mark = PairSearch.mark(in: bytes, from: index)
            guard mark < bytes.count else { break }
            index = mark &+ 1
            let before = isLast ? nil : state
            var (isOpen, found) = (false, Found?.none)
            switch bytes[mark] {
            case UInt8(ascii: "\""):
                let colon = Self.behindSpaces(bytes, from: index)
                if colon == bytes.count { isOpen = true }
                track(bytes, to: mark)
                if colon < bytes.count, bytes[colon] == UInt8(ascii: ":") {
                    found = member(bytes, at: mark, colon: colon, &index, &isOpen)
                }
            case UInt8(ascii: "["):
                guard grammar != .code else { continue }
                let first = Self.behindSpaces(bytes, from: index)
                guard first == bytes.count || bytes[first] == UInt8(ascii: "\"") else { continue }
                found = pair(bytes, from: first, &isOpen)
            case UInt8(ascii: "?"): found = escapedJSON(bytes, from: index, &isOpen)
            default:
                if let bare = bareName(bytes, at: mark) {
                    found = setting(bytes, bare, &index, &isOpen)
                } else if bytes[mark] == UInt8(ascii: "=") {
                    found = escapedJSON(bytes, from: index, &isOpen)
                }
            }
            let length = out.count
            if let found {
                index = write(found, bytes, from: kept, into: &out)
                isOpen = isOpen || index == bytes.count
            }
            if isOpen, let before {
                // It is read again with what follows.
                out.removeLast(out.count - length)
                state = before
                return scanner.scan(bytes, kept..<mark, floor: state.base, isLast: false, into: &out)
            }
            guard found != nil else { continue }
            kept = index
            endsInValue = isOpen
            end(at: index)
        }
        let end = scanner.scan(bytes, kept..<bytes.count, floor: state.base, isLast: isLast, into: &out)
        track(bytes, to: end)
        return end
    }

    @inline(__always)
    private static func behindSpaces(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, ByteSearch.isSpace(bytes[index]) { index &+= 1 }
        return index
    }

    /// A value ends here.
    private mutating func end(at index: Int) {
        (state.base, state.floor, state.seen) = (index, index, index)
        state.label?.pass(to: index)
    }

    /// Writes the text in front of a value and its replacement; returns the place behind it.
    private mutating func write(_ found: Found, _ bytes: Span<UInt8>, from kept: Int, into out: inout [UInt8]) -> Int {
        scanner.scan(bytes, kept..<found.start, floor: state.base, into: &out)
        state.label?.read(bytes, to: found.start)
        state.path?.passValue(isInString: found.value.isInString)
        return found.value.write(bytes, from: found.start, into: &out)
    }

    private mutating func track(_ bytes: Span<UInt8>, to end: Int) {
        guard state.path != nil, state.seen < end else { return }
        state.path?.read(bytes, state.seen..<end)
        state.seen = end
    }

    /// What a text begins with that logs in by a command: `AUTH x`, `PASS x`.
    private func command(_ bytes: Span<UInt8>, from start: Int) -> Found? {
        guard grammar == .text || grammar == .json, bytes.count &- start > 5,
            ByteSearch.isBlank(bytes[start &+ 4])
        else { return nil }
        var word: UInt32 = 0
        for index in start..<start &+ 4 { word = word &<< 8 | UInt32(bytes[index]) }
        guard word == 0x4155_5448 || word == 0x5041_5353 else { return nil }
        let end = ByteSearch.either(0x0A, 0x0D, in: bytes, from: start, to: bytes.count)
        var line = bytes.trimmed(start &+ 5..<end)
        // A mechanism (RFC 4422) may come first, which is written in capitals.
        let blank = ByteSearch.either(0x20, 0x09, in: bytes, from: line.lowerBound, to: line.upperBound)
        if Self.isMechanism(bytes.extracting(line.lowerBound..<blank)) { line = bytes.trimmed(blank..<line.upperBound) }
        guard !line.isEmpty else { return nil }
        // Some servers want a user in front of the password.
        var last = line.upperBound
        while last > line.lowerBound, !ByteSearch.isBlank(bytes[last &- 1]) { last &-= 1 }
        let value = bytes.extracting(last..<line.upperBound)
        guard last == line.lowerBound || ValueLook.isLikely(value), !Self.isMechanism(value) else { return nil }
        let secret = SecretValue("auth", core: core)
        return Found(
            value: .word(WordValue(secret: secret, end: .line, hasEscapes: false, isProse: false)),
            start: last)
    }

    private static func isMechanism(_ word: Span<UInt8>) -> Bool {
        for index in 0..<word.count where word[index] &- 0x41 >= 26 && word[index] &- 0x2D >= 13 { return false }
        return true
    }

    // MARK: Members

    /// What a member is by its name.
    private enum Kind {
        case plain
        case secret
        /// Its value is a key's secret part if it looks like one.
        case key
        /// Its value is a name, or has one beside it (``NamedValue``).
        case label
        case value
    }

    /// The value of a secret's name that ends in a quote.
    private mutating func member(
        _ bytes: Span<UInt8>, at quote: Int, colon: Int, _ next: inout Int, _ isOpen: inout Bool
    ) -> Found? {
        guard let open = PairSearch.nameStart(in: bytes, before: quote, from: state.floor, atMost: Self.longestName * 2)
        else { return nil }
        next = colon &+ 1
        state.label?.read(bytes, to: colon)
        var end = quote
        while end > open, bytes[end &- 1] == UInt8(ascii: "\\") { end &-= 1 }
        // An even number is backslashes of the name itself.
        state.level = (quote - end) % 2 == 0 ? 0 : quote - end
        let raw = bytes.trimmed(open..<end)
        guard !raw.isEmpty, raw.count <= Self.longestName else { return nil }
        let hasEscapes = ByteSearch.byte(0x5C, in: bytes, from: raw.lowerBound, to: raw.upperBound) < raw.upperBound
        if hasEscapes { name = TextEncoding.string(bytes, raw) }
        let kind = hasEscapes ? kind(of: name.span) : kind(of: bytes.extracting(raw))
        guard kind != .plain else {
            state.isAfterLabel = false
            return nil
        }
        if !hasEscapes { name = bytes.extracting(raw).withUnsafeBytes { Array($0) } }
        // In a script there may be an expression between two strings.
        guard grammar != .code || !name.contains(where: { $0.isOne(of: "(){};=&|<>?+!,") }) else { return nil }
        if kind == .secret { return value(bytes, from: next, nil, &isOpen, &next) }
        return named(kind, bytes, from: next, &isOpen, &next)
    }

    private func kind(of name: Span<UInt8>) -> Kind {
        if core.names.contains(name, in: .member) { return .secret }
        // In a string in a string the position is unknown.
        if let path = state.path, core.names.endsPath(name), state.level > 0 || core.names.hasPath(to: name, at: path) {
            return .secret
        }
        if NamedValue.isKey(name) { return .key }
        return switch core.names.role(name) {
        case .label: .label
        case .value: .value
        case nil: .plain
        }
    }

    /// A value that is not judged by its own name alone.
    private mutating func named(
        _ kind: Kind, _ bytes: Span<UInt8>, from start: Int, _ isOpen: inout Bool, _ next: inout Int
    ) -> Found? {
        let wasAfterLabel = state.isAfterLabel
        state.isAfterLabel = kind == .label || kind == .key && name == [UInt8(ascii: "k")]
        if state.isAfterLabel { state.label = NamedValue(bytes, from: start, level: state.level, core.names, &isOpen) }
        let mayAsk = grammar == .json && state.level == 0
        switch kind {
        case .key where mayAsk: return keyNumber(bytes, from: start, &isOpen)
        case .value:
            // Only `value` belongs to a path.
            if let label = state.label, label.isArmed {
                guard !label.isPath || name.count == 5 else { return nil }
                name = label.name
                state.label = nil
                return value(bytes, from: start, nil, &isOpen, &next)
            }
            // Members called `data` hold all of many bodies.
            guard mayAsk, !wasAfterLabel,
                let secret = FollowingName.secret(
                    bytes, from: start, ofStructure: name.count == 5 || name.count == 6, core, &isOpen)
            else { return nil }
            var first = start
            while first < bytes.count, ByteSearch.isSpace(bytes[first]) { first &+= 1 }
            return first < bytes.count ? found(secret, bytes, at: first) : nil
        default: return nil
        }
    }

    /// The secret number of a key (RFC 7518), whose name may be many things.
    private func keyNumber(_ bytes: Span<UInt8>, from start: Int, _ isOpen: inout Bool) -> Found? {
        var index = start
        while index < bytes.count, ByteSearch.isSpace(bytes[index]) { index &+= 1 }
        guard index < bytes.count else {
            isOpen = true
            return nil
        }
        guard bytes[index] == UInt8(ascii: "\"") else { return nil }
        let limit = min(bytes.count, index &+ ValueLook.longest)
        let end = StringEnd.of(0x22, bytes, from: index &+ 1, to: limit)
        if end == bytes.count { isOpen = true }
        let isKey =
            end < limit
            && ValueLook.isKey(bytes.extracting(index &+ 1..<end), isPrime: NamedValue.isPrime(name.span))
        guard isKey else { return nil }
        return found(SecretValue(name: name, core: core), bytes, at: index)
    }

    /// The value that begins with a byte.
    private func found(_ secret: SecretValue, _ bytes: Span<UInt8>, at index: Int, level: Int = 0) -> Found {
        let byte = bytes[index]
        if byte.isOne(of: "\"'`") { return Found(value: .string(secret, quote: byte, level: level), start: index &+ 1) }
        let isCode = grammar == .code
        return Found(value: .json(byte, secret, level: level, isCode: isCode, core: core), start: index)
    }

    /// The value in an array that begins with a secret's name: `["password","x"]`.
    private func pair(_ bytes: Span<UInt8>, from start: Int, _ isOpen: inout Bool) -> Found? {
        let limit = min(bytes.count, start &+ ValueLook.longest)
        guard let first = item(bytes, from: start, to: limit, &isOpen), first.count <= 64 else { return nil }
        for index in first {
            let byte = bytes[index]
            guard ByteSearch.isAlphanumeric(byte) || byte >= 0x80 || byte.isOne(of: "-_.") else { return nil }
        }
        let name = bytes.extracting(first)
        guard core.names.contains(name, in: .member),
            let second = item(bytes, from: first.upperBound &+ 1, to: limit, &isOpen),
            ValueLook.isLikely(bytes.extracting(second))
        else { return nil }
        return found(SecretValue(name: name, core: core), bytes, at: second.lowerBound &- 1)
    }

    /// The next string of an array.
    private func item(_ bytes: Span<UInt8>, from start: Int, to limit: Int, _ isOpen: inout Bool) -> Range<Int>? {
        var index = start
        while index < limit, ByteSearch.isSpace(bytes[index]) || bytes[index] == UInt8(ascii: ",") { index &+= 1 }
        guard index < limit, bytes[index] == UInt8(ascii: "\"") else {
            isOpen = isOpen || index == bytes.count
            return nil
        }
        let end = StringEnd.of(0x22, bytes, from: index &+ 1, to: limit)
        isOpen = isOpen || end == bytes.count
        return end < limit ? index &+ 1..<end : nil
    }

    // MARK: Settings

    /// The secret's name in front of a colon or an equals sign, which is kept.
    private mutating func bareName(_ bytes: Span<UInt8>, at mark: Int) -> Bare? {
        let text = bytes.extracting(max(state.floor, mark &- BareName.reach)..<mark)
        guard let found = BareName(text, before: bytes[mark]) else { return nil }
        let place = found.isParameter ? SecretNames.Place.parameter : .member
        let word = text.extracting(found.name)
        var (range, isLine) = (found.name, false)
        var isSecret = core.names.contains(word, in: place) || core.names.endsPath(word)
        if grammar == .text, bytes[mark] == UInt8(ascii: ":"), found.isValue(in: text) {
            if let label = found.label(in: text) {
                if core.names.contains(text.extracting(label), in: .member) { (range, isSecret) = (label, true) }
            } else {
                isLine = !isSecret
            }
        }
        for words in 1...2 where !isSecret {
            guard let phrase = found.phrase(in: text, words: words) else { break }
            if core.names.contains(phrase: text.extracting(phrase)) { (range, isSecret) = (phrase, true) }
        }
        guard isSecret || isLine else { return nil }
        track(bytes, to: mark)
        name = text.extracting(range).withUnsafeBytes { Array($0) }
        state.level = 0
        return Bare(
            separator: bytes[mark], isVariable: found.isVariable, isParameter: found.isParameter,
            isFirst: found.isFirst || BareName.isFirst(text, range.lowerBound),
            isSpaced: ByteSearch.isBlank(text[text.count &- 1]), isMember: found.isMember, isLine: !isSecret)
    }

    /// The value behind such a name.
    private mutating func setting(
        _ bytes: Span<UInt8>, _ bare: Bare, _ next: inout Int, _ isOpen: inout Bool
    ) -> Found? {
        guard bare.isLine else { return value(bytes, from: next, bare, &isOpen, &next) }
        guard let secret = FollowingName.line(bytes, from: next, core, &isOpen) else { return nil }
        let first = Self.behindSpaces(bytes, from: next)
        if bytes[first].isOne(of: "\"'") { return found(secret, bytes, at: first) }
        return Found(
            value: .word(WordValue(secret: secret, end: .line, hasEscapes: false, isProse: false)), start: first)
    }

    /// JSON with a secret in it that is, escaped, a URL's query or the value of a parameter: all of it is replaced.
    private func escapedJSON(_ bytes: Span<UInt8>, from start: Int, _ isOpen: inout Bool) -> Found? {
        guard start &+ 3 <= bytes.count, bytes.extracting(start..<start &+ 3).spells("%7b") else {
            isOpen = start &+ 3 > bytes.count && start < bytes.count && bytes[start] == UInt8(ascii: "%")
            return nil
        }
        var end = start
        while end < bytes.count, !WordValue.isHardEnd(bytes[end]), !bytes[end].isOne(of: "'\\#") { end &+= 1 }
        isOpen = end == bytes.count
        if end &- start <= Self.longestJSON {
            let text = TextEncoding.form.plain(bytes, start..<end)
            guard core.json(text) != text else { return nil }
        }
        let value = WordValue(
            secret: SecretValue("json", core: core), end: .word, hasEscapes: grammar == .json || grammar == .code,
            isProse: false)
        return Found(value: .word(value), start: start)
    }

    /// What is known before a value whose name has no quotes.
    private struct Bare {
        var separator: UInt8
        var isVariable: Bool
        var isParameter: Bool
        var isFirst: Bool
        /// Blanks before the separator or after it.
        var isSpaced: Bool
        /// Behind a brace or a comma, as in JSON5.
        var isMember: Bool
        /// A line `value: x`, whose name may follow in the next one.
        var isLine: Bool
        /// A line break after it.
        var isBroken = false
    }

    /// The value that follows a secret's name; nil if none does.
    private mutating func value(
        _ bytes: Span<UInt8>, from start: Int, _ bare: Bare?, _ isOpen: inout Bool, _ next: inout Int
    ) -> Found? {
        var (index, bare) = (start, bare)
        // Where no value follows, the next name begins behind this one.
        defer {
            (next, state.floor) = (index, index)
            isOpen = isOpen || index == bytes.count
        }
        if let one = bare, index < bytes.count {
            // A comparison, or a name with two colons in Swift, C++ and others; `=>` gives a value, too.
            let isDouble = bytes[index] == one.separator
            if isDouble, bytes[index] == UInt8(ascii: ":") || grammar != .text { return nil }
            if bytes[index] == UInt8(ascii: ">"), one.separator == UInt8(ascii: "=") { index &+= 1 }
        }
        while index < bytes.count, ByteSearch.isSpace(bytes[index]) {
            if bare != nil {
                let isBreak = !ByteSearch.isBlank(bytes[index])
                if isBreak, grammar == .text { return nil }
                if isBreak { bare?.isBroken = true }
                bare?.isSpaced = true
            }
            index &+= 1
        }
        let blanks = index
        while index < bytes.count, bytes[index] == UInt8(ascii: "\\"), index &- blanks <= Self.longestName {
            index &+= 1
        }
        guard index < bytes.count else { return nil }
        let (byte, lead) = (bytes[index], index &- blanks)
        let secret = SecretValue(name: name, core: core)
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
            // A quote without backslashes where JSON's own have some is the end of the string around it.
            if bare?.isParameter == true { return nil }
            if grammar == .code, lead == 0, !isLikelyString(bytes, from: index, &isOpen) { return nil }
            return found(secret, bytes, at: index, level: lead)
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            if grammar == .text, let bare, bare.isFirst, bare.separator == UInt8(ascii: ":") {
                return Found(value: .block(secret), start: index)
            }
        default: break
        }
        if let bare { return word(secret, bare, first: byte, lead: lead).map { Found(value: .word($0), start: index) } }
        if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { return nil }
        guard grammar != .code || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { return nil }
        return found(secret, bytes, at: index, level: state.level)
    }

    /// Whether a text in quotes of a script looks like a credential.
    private func isLikelyString(_ bytes: Span<UInt8>, from quote: Int, _ isOpen: inout Bool) -> Bool {
        let limit = min(bytes.count, quote &+ ValueLook.longest)
        let end = StringEnd.of(bytes[quote], bytes, from: quote &+ 1, to: limit)
        if end < limit { return ValueLook.isLikely(bytes.extracting(quote &+ 1..<end)) }
        if limit == bytes.count {
            isOpen = true
            return false
        }
        // A text that is too long to be judged may be a key in base64.
        for index in quote &+ 1..<limit
        where !CredentialLook.isWordByte(bytes[index]) && bytes[index] != UInt8(ascii: "=") { return false }
        return true
    }

    /// How a value without quotes is read; nil if there can be none.
    private func word(_ secret: SecretValue, _ bare: Bare, first: UInt8, lead: Int) -> WordValue? {
        // An escape such as a line break's, or a reference to a variable (GraphQL).
        if lead > 0, first == UInt8(ascii: "u"), grammar == .json {
            return WordValue(secret: secret, end: .escapedQuote, hasEscapes: true, isProse: false)
        }
        guard lead == 0, !bare.isBroken, WordValue.canBegin(first) else { return nil }
        let isColon = bare.separator == UInt8(ascii: ":")
        if bare.isParameter {
            let hasEscapes = grammar == .json || grammar == .code
            return WordValue(
                secret: secret, end: .word, hasEscapes: hasEscapes, isProse: false, isLikely: grammar == .code)
        }
        let isLine = grammar == .text && bare.isFirst && (isColon || bare.isSpaced)
        // Names of fields are no words of a language.
        let isProse = isColon && bare.isSpaced && !isLine && !name.contains(UInt8(ascii: "-"))
        if isColon, secret.isCookie, grammar != .code {
            return WordValue(
                secret: secret, end: isLine ? .line : .field, hasEscapes: grammar == .json, isProse: !isLine)
        }
        switch grammar {
        case .code: return nil
        case .json, .markup:
            guard !bare.isVariable, !isColon || first != UInt8(ascii: "$") else { return nil }
            let isNumber = first &- 0x30 < 10 && isColon
            return WordValue(
                secret: secret, end: !isNumber ? .word : grammar == .json && bare.isMember ? .member : .number,
                hasEscapes: grammar == .json, isProse: isProse)
        case .text:
            return WordValue(secret: secret, end: isLine ? .line : .word, hasEscapes: false, isProse: isProse)
        }
    }
}
