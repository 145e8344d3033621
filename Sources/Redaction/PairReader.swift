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

    let core: RedactionCore
    let grammar: Grammar
    private let memo: RedactionCache?
    private let scanner: CredentialScanner
    /// The end of the last value, and the place behind which the next name is looked for.
    private var base = 0
    private var floor = 0
    /// The last name.
    private var name: [UInt8] = []
    /// The backslashes in front of the quotes that belong to this level of JSON in strings.
    private var level = 0
    /// The position in JSON, if rules depend on it; and how much it has read.
    private var path: MemberTracker?
    private var seen = 0
    /// A name that is given as a value.
    private var label: NamedValue?
    /// Whether the last member was such a name.
    private var isAfterLabel = false
    private var isBegun = false
    /// Whether the last text ended within a value.
    private(set) var endsInValue = false

    init(core: RedactionCore, grammar: Grammar = .json, memo: RedactionCache? = nil) {
        (self.core, self.grammar, self.memo) = (core, grammar, memo)
        scanner = CredentialScanner(
            core: core, encoding: grammar == .json ? .json : .plain,
            finds: grammar == .json || grammar == .text ? .all : .noRandom)
        if core.names.hasPaths { path = MemberTracker() }
    }

    /// Reads another text.
    @discardableResult
    mutating func redact(_ bytes: Span<UInt8>, isLast: Bool = true, into out: inout [UInt8]) -> Int {
        (base, floor, seen, label, isAfterLabel) = (0, 0, 0, nil, false)
        return read(bytes, from: 0, isLast: isLast, into: &out)
    }

    mutating func drop(_ count: Int) {
        (base, floor, seen) = (max(0, base - count), max(0, floor - count), max(0, seen - count))
        label?.drop(count)
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
            let state = isLast ? nil : (label, isAfterLabel, level, floor, seen, path)
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
            default:
                guard let bare = bareName(bytes, at: mark) else { continue }
                found = setting(bytes, bare, &index, &isOpen)
            }
            let length = out.count
            if let found {
                index = write(found, bytes, from: kept, into: &out)
                isOpen = isOpen || index == bytes.count
            }
            if isOpen, let state {
                // It is read again with what follows.
                out.removeLast(out.count - length)
                (label, isAfterLabel, level, floor, seen, path) = state
                return scanner.scan(bytes, kept..<mark, floor: base, isLast: false, into: &out)
            }
            guard found != nil else { continue }
            kept = index
            endsInValue = isOpen
            end(at: index)
        }
        let end = scanner.scan(bytes, kept..<bytes.count, floor: base, isLast: isLast, into: &out)
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
        (base, floor, seen) = (index, index, index)
        label?.pass(to: index)
    }

    /// Writes the text in front of a value and its replacement; returns the place behind it.
    private mutating func write(
        _ found: Found, _ bytes: Span<UInt8>, from kept: Int, into out: inout [UInt8]
    ) -> Int {
        scanner.scan(bytes, kept..<found.start, floor: base, into: &out)
        label?.read(bytes, to: found.start)
        path?.passValue(isInString: found.value.isInString)
        return found.value.write(bytes, from: found.start, into: &out)
    }

    private mutating func track(_ bytes: Span<UInt8>, to end: Int) {
        guard path != nil, seen < end else { return }
        path?.read(bytes, seen..<end)
        seen = end
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
        if Self.isMechanism(bytes.extracting(line.lowerBound..<blank)) {
            line = bytes.trimmed(blank..<line.upperBound)
        }
        guard !line.isEmpty else { return nil }
        // Some servers want a user in front of the password.
        var last = line.upperBound
        while last > line.lowerBound, !ByteSearch.isBlank(bytes[last &- 1]) { last &-= 1 }
        let value = bytes.extracting(last..<line.upperBound)
        guard last == line.lowerBound || ValueLook.isLikely(value), !Self.isMechanism(value) else { return nil }
        let secret = SecretValue(name: Array("auth".utf8), core: core)
        return Found(
            value: .word(WordValue(secret: secret, end: .line, hasEscapes: false, isProse: false)),
            start: last)
    }

    private static func isMechanism(_ word: Span<UInt8>) -> Bool {
        for index in 0..<word.count where word[index] &- 0x41 >= 26 && word[index] &- 0x2D >= 13 { return false }
        return true
    }

    // MARK: Members

    /// The value of a secret's name that ends in a quote.
    private mutating func member(
        _ bytes: Span<UInt8>, at quote: Int, colon: Int, _ next: inout Int, _ isOpen: inout Bool
    ) -> Found? {
        guard let open = PairSearch.nameStart(in: bytes, before: quote, from: floor, atMost: Self.longestName * 2)
        else { return nil }
        let range = open..<quote
        label?.read(bytes, to: colon)
        let short = memo == nil ? nil : ShortName(bytes, range)
        if let short, let kind = memo?.names.kind(short), kind != .secret, kind != .key {
            next = colon
            if kind == .plain { isAfterLabel = false } else { level = 0 }
            return kind == .plain ? nil : named(kind, bytes, from: colon &+ 1, length: range.count, &isOpen, &next)
        }
        let isSecret = isSecretName(bytes, range)
        let kind = isSecret ? .secret : Self.kind(of: name.span)
        if let short {
            memo?.names.keep(short, isSecret || path != nil && core.names.endsPath(name.span) ? .secret : kind)
        }
        // In a script there may be an expression between two strings.
        guard !name.isEmpty, grammar != .code || !name.contains(where: "(){};=&|<>?+!,".utf8.contains) else {
            return nil
        }
        if isSecret { return value(bytes, from: colon &+ 1, nil, &isOpen, &next) }
        return named(kind, bytes, from: colon &+ 1, length: name.count, &isOpen, &next)
    }

    private static func kind(of name: Span<UInt8>) -> NameCache.Kind {
        NamedValue.isKey(name) ? .key : NamedValue.isLabel(name) ? .label : NamedValue.isValue(name) ? .value : .plain
    }

    /// Whether a name is a secret's.
    private mutating func isSecretName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end &- 1] == UInt8(ascii: "\\") { end &-= 1 }
        let raw = bytes.trimmed(range.lowerBound..<end)
        // An even number is backslashes of the name itself.
        level = (range.upperBound - end) % 2 == 0 ? 0 : range.upperBound - end
        guard raw.count <= Self.longestName else {
            name = []
            return false
        }
        name = TextEncoding.string(bytes, raw)
        if core.names.contains(name, in: .member) { return true }
        // In a string in a string the position is unknown.
        guard let path, core.names.endsPath(name.span) else { return false }
        return level > 0 || core.names.hasPath(to: name.span, at: path)
    }

    /// A value that is not judged by its own name alone.
    private mutating func named(
        _ kind: NameCache.Kind, _ bytes: Span<UInt8>, from start: Int, length: Int, _ isOpen: inout Bool,
        _ next: inout Int
    ) -> Found? {
        let wasAfterLabel = isAfterLabel
        isAfterLabel = kind == .label || kind == .key && name == [UInt8(ascii: "k")]
        if isAfterLabel { label = NamedValue(bytes, from: start, level: level, core.names, &isOpen) }
        let mayAsk = grammar == .json && level == 0
        switch kind {
        case .key where mayAsk: return keyNumber(bytes, from: start, &isOpen)
        case .value:
            // Only `value` belongs to a path.
            if let label, label.isArmed {
                guard !label.isPath || length == 5 else { return nil }
                name = label.name
                self.label = nil
                return value(bytes, from: start, nil, &isOpen, &next)
            }
            // Members called `data` hold all of many bodies.
            guard mayAsk, !wasAfterLabel,
                let secret = FollowingName.secret(
                    bytes, from: start, ofStructure: length == 5 || length == 6, core, &isOpen)
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
        if "\"'`".utf8.contains(byte) {
            return Found(value: .string(secret, quote: byte, level: level), start: index &+ 1)
        }
        let isCode = grammar == .code
        return Found(value: .json(byte, secret, level: level, isCode: isCode, core: core), start: index)
    }

    /// The value in an array that begins with a secret's name: `["password","x"]`.
    private func pair(_ bytes: Span<UInt8>, from start: Int, _ isOpen: inout Bool) -> Found? {
        let limit = min(bytes.count, start &+ ValueLook.longest)
        guard let first = item(bytes, from: start, to: limit, &isOpen), first.count <= 64 else { return nil }
        for index in first {
            let byte = bytes[index]
            guard ByteSearch.isAlphanumeric(byte) || byte >= 0x80 || "-_.".utf8.contains(byte) else { return nil }
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
        let text = bytes.extracting(max(floor, mark &- BareName.reach)..<mark)
        guard let found = BareName(text, before: bytes[mark]) else { return nil }
        let place = found.isParameter ? SecretNames.Place.parameter : .member
        let short = place == .member ? ShortName(text, found.name) : nil
        var (range, isSecret, isLine) = (found.name, false, false)
        if short.flatMap({ memo?.names.kind($0) }) ?? .secret == .secret {
            let word = text.extracting(found.name)
            isSecret = core.names.contains(word, in: place) || core.names.endsPath(word)
            if let short, !isSecret { memo?.names.keep(short, Self.kind(of: word)) }
        }
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
        level = 0
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
        if "\"'".utf8.contains(bytes[first]) { return found(secret, bytes, at: first) }
        return Found(
            value: .word(WordValue(secret: secret, end: .line, hasEscapes: false, isProse: false)), start: first)
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
            (next, floor) = (index, index)
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
        if let bare {
            return word(secret, bare, first: byte, lead: lead).map { Found(value: .word($0), start: index) }
        }
        if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { return nil }
        guard grammar != .code || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else { return nil }
        return found(secret, bytes, at: index, level: level)
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
