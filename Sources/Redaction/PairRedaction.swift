import Bytes

/// Replaces the values of secret names in JSON, settings, source code and other text that comes in pieces, whole or
/// broken.
///
/// It goes by quotes, not by grammar: text between two of them that a colon follows is a name, and so is a word before
/// a colon or an equals sign. So neither a missing brace nor a stray quote nor the lines of JSON Lines or Server-Sent
/// Events lead it astray, and JSON in a string in JSON is read as well, by the backslashes in front of its quotes.
struct PairRedaction {
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

    private enum Mode {
        case text
        /// White space after a quote that may end a name.
        case afterQuote
        /// A secret's name and its colon were read.
        case beforeValue
        case value(ValueScan)
        case word(WordScan)
        case block(BlockScan)
        /// A value that is not judged yet.
        case held(HeldValue)
    }

    /// The state before a value whose name has no quotes.
    private struct Bare {
        var separator: UInt8
        var isVariable: Bool
        var isParameter: Bool
        var isFirst: Bool
        /// Blanks before the separator or after it, and a line break after it.
        var isSpaced: Bool
        /// Behind a brace or a comma, as in JSON5.
        var isMember: Bool
        var isBroken = false
        var isNew = true
    }

    private static let longestName = 512

    private let core: RedactionCore
    private let memo: RedactionCache?
    private let grammar: Grammar
    private var scanner: CredentialScanner
    private var mode = Mode.text
    private var bare: Bare?
    /// The end of the text before this piece, in which a name without quotes may begin.
    private var tail: [UInt8] = []
    /// The text since the last quote in earlier pieces; nil if it is too long for a name.
    private var carried: [UInt8]? = []
    /// The name that awaits its colon, or whose value follows.
    private var name: [UInt8] = []
    private var isSecretPending = false
    /// The backslashes in front of the quotes that belong to this level of JSON in strings.
    private var level = 0
    /// Backslashes in front of a value's first quote.
    private var lead = 0
    /// The position in JSON, if rules depend on it; and how much of the present piece it has read.
    private var path: MemberTracker?
    private var seen = 0
    /// A name that is given as a value, and how much of the present piece it has read.
    private var named = NamedValue()
    private var namedSeen = 0
    /// Whether the last member was such a name.
    private var isAfterLabel = false
    /// Whether the last mark was the colon of a line `value:` that no name stands in front of.
    private var isOpenLine = false

    init(core: RedactionCore, grammar: Grammar = .json, memo: RedactionCache? = nil) {
        (self.core, self.grammar, self.memo) = (core, grammar, memo)
        scanner = CredentialScanner(
            core: core, encoding: grammar == .json ? .json : .plain,
            finds: grammar == .json || grammar == .text ? .all : .noRandom)
        if core.names.hasPaths { path = MemberTracker() }
    }

    mutating func redact(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        var index = 0
        /// The beginning of the bytes to be written unchanged.
        var kept = 0
        (seen, namedSeen) = (0, 0)
        while index < bytes.count {
            switch mode {
            case .text:
                index = readText(bytes, from: index)
                guard case .held = mode else { continue }
                scanner.scan(bytes, kept..<index, into: &out)
                kept = index
            case .afterQuote:
                index = readAfterQuote(bytes, from: index)
                guard case .held = mode else { continue }
                scanner.scan(bytes, kept..<index, into: &out)
                kept = index
            case .beforeValue:
                index = readBeforeValue(bytes, from: index)
                if !isInValue { continue }
                if named.isActive { named.read(bytes, min(namedSeen, index)..<index, core.names) }
                scanner.scan(bytes, kept..<index, into: &out)
                scanner.finish(into: &out)
            case .value(var value):
                mode = .text
                index = value.read(bytes, from: index, into: &out)
                (kept, seen, namedSeen) = (index, index, index)
                path?.passValue(isInString: value.isInString)
                if value.isOver { tail = [UInt8(ascii: "\"")] } else { mode = .value(value) }
            case .word(var word):
                mode = .text
                index = word.read(bytes, from: index, into: &out)
                (kept, seen, namedSeen) = (index, index, index)
                if word.isOver {
                    tail = [word.endsInEscape ? UInt8(ascii: "\\") : UInt8(ascii: "\"")]
                } else {
                    mode = .word(word)
                }
            case .block(var block):
                mode = .text
                index = block.read(bytes, from: index, into: &out)
                (kept, seen, namedSeen) = (index, index, index)
                if block.isOver { tail = [0x0A] } else { mode = .block(block) }
            case .held(var held):
                mode = .text
                index = held.read(bytes, from: index, core)
                if held.isOver { release(held, into: &out) } else { mode = .held(held) }
                (kept, seen, namedSeen) = (index, index, index)
            }
        }
        if isInValue { return }
        if named.isActive { named.read(bytes, min(namedSeen, bytes.count)..<bytes.count, core.names) }
        path?.read(bytes, seen..<bytes.count)
        scanner.scan(bytes, kept..<bytes.count, into: &out)
    }

    /// Ends the text; a value that was cut is replaced.
    mutating func finish(into out: inout [UInt8]) {
        while case .held(var held) = mode {
            mode = .text
            held.finish(core)
            release(held, into: &out)
        }
        if case .value(var value) = mode { value.finish(into: &out) }
        if case .word(var word) = mode { word.finish(into: &out) }
        if case .block(var block) = mode { block.finish(into: &out) }
        scanner.finish(into: &out)
        (mode, carried, lead, tail, bare, isAfterLabel) = (.text, [], 0, [], nil, false)
        named.end()
    }

    /// Writes a value that was held back, and goes on behind it.
    private mutating func release(_ held: HeldValue, into out: inout [UInt8]) {
        let text = held.text
        var start = held.start
        if let secret = held.secret {
            if start > 0 { text.withSpan { redact($0.extracting(0..<start), into: &out) } }
            let first = text[start...].firstIndex { !ByteSearch.isSpace($0) } ?? start
            if held.isLine, text[first] != UInt8(ascii: "\""), text[first] != UInt8(ascii: "'") {
                var line = WordScan(secret, to: .line, hasEscapes: false, isProse: false)
                scanner.scan(text.span, 0..<first, into: &out)
                scanner.finish(into: &out)
                let end = line.read(text.span, from: first, into: &out)
                (mode, carried, tail) = (.text, [], [])
                return redact(text.span.extracting(end..<text.count), into: &out)
            }
            let isString = "\"'`".utf8.contains(text[first])
            var scan =
                isString
                ? ValueScan(string: secret, level: 0, quote: text[first])
                : ValueScan(first: text[first], secret, level: 0, core: core)
            let begin = isString ? first + 1 : first
            text.withSpan { scanner.scan($0, start..<begin, into: &out) }
            scanner.finish(into: &out)
            start = text.withSpan { scan.read($0, from: begin, into: &out) }
            (mode, carried, tail) = (.text, [], [UInt8(ascii: "\"")])
            guard scan.isOver else {
                mode = .value(scan)
                return
            }
            path?.passValue(isInString: isString)
        }
        text.withSpan { redact($0.extracting(start..<text.count), into: &out) }
    }

    private var isInValue: Bool {
        switch mode {
        case .value, .word, .block, .held: true
        default: false
        }
    }

    /// Goes on to the end, or the possible end, of a secret's name.
    private mutating func readText(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let memo = memo
        var index = start
        while true {
            let quote = PairSearch.mark(in: bytes, from: index)
            if quote < bytes.count, bytes[quote] != UInt8(ascii: "\"") {
                if bytes[quote] == UInt8(ascii: "[") {
                    index = quote &+ 1
                    let mayBeString = index == bytes.count || bytes[index] == 0x22 || ByteSearch.isSpace(bytes[index])
                    guard mayBeString else { continue }
                    return hold(.pair, bytes, behind: index)
                }
                if isSecretBare(bytes, from: start, before: quote) {
                    if path != nil {
                        path?.read(bytes, seen..<quote)
                        seen = quote
                    }
                    mode = .beforeValue
                    return quote &+ 1
                }
                index = quote &+ 1
                if isOpenLine { return hold(.line, bytes, behind: index) }
                continue
            }
            let begin = PairSearch.nameStart(in: bytes, before: quote, from: start, atMost: Self.longestName * 2)
            if begin == nil { carried = nil }
            let open = begin ?? quote
            let isAfterQuote = open > start
            if isAfterQuote, begin != nil { carried = [] }
            guard quote < bytes.count else {
                carry(bytes, open..<quote)
                extendTail(bytes, start..<quote)
                return quote
            }
            if path != nil {
                path?.read(bytes, seen..<quote)
                seen = quote
            }
            var next = quote &+ 1
            while next < bytes.count, ByteSearch.isSpace(bytes[next]) { next &+= 1 }
            if next == bytes.count {
                isSecretPending = isSecretAcross(bytes, open..<quote)
                mode = .afterQuote
                extendTail(bytes, start..<next)
                return next
            }
            if bytes[next] == UInt8(ascii: ":") {
                let isWhole = isAfterQuote && begin != nil
                if named.isActive {
                    named.read(bytes, min(namedSeen, next)..<next, core.names)
                    namedSeen = next
                }
                if isWhole, let memo, let short = ShortName(bytes, open..<quote),
                    let kind = memo.names.kind(short), kind != .secret, kind != .key
                {
                    index = next
                    if kind == .plain { isAfterLabel = false } else { level = 0 }
                    if kind != .plain, let start = readNamed(kind, bytes, from: next &+ 1, length: quote &- open) {
                        return start
                    }
                    continue
                }
                if isWhole
                    ? isSecretName(bytes, open..<quote) : isSecretAcross(bytes, open..<quote)
                {
                    mode = .beforeValue
                    return next &+ 1
                }
                if let start = readNamed(namedKind, bytes, from: next &+ 1, length: name.count) { return start }
            }
            index = quote &+ 1
        }
    }

    /// The name's meaning, if it is no secret's.
    private var namedKind: NameCache.Kind {
        name.withSpan { Self.kind(of: $0) }
    }

    private static func kind(of name: Span<UInt8>) -> NameCache.Kind {
        NamedValue.isKey(name) ? .key : NamedValue.isLabel(name) ? .label : NamedValue.isValue(name) ? .value : .plain
    }

    /// Whether a value begins that is not judged by its name alone: returns where to go on then.
    private mutating func readNamed(
        _ kind: NameCache.Kind, _ bytes: Span<UInt8>, from start: Int, length: Int
    ) -> Int? {
        let wasAfterLabel = isAfterLabel
        isAfterLabel = kind == .label || kind == .key && name == [UInt8(ascii: "k")]
        if isAfterLabel {
            named.begin(level: level)
            namedSeen = start
        }
        let mayHold = grammar == .json && level == 0
        switch kind {
        case .key:
            let isPrime = name.withSpan { NamedValue.isPrime($0) }
            return mayHold ? hold(.key(SecretValue(name: name, core: core), isPrime), bytes, behind: start) : nil
        case .value where named.isArmed:
            // Only `value` belongs to a path.
            if named.isPath, length != 5 { return nil }
            name = named.name
            named.end()
            mode = .beforeValue
            return start
        case .value:
            // Members called `data` hold all of many bodies.
            let question = HeldValue.Question.name(ofStructure: length == 5 || length == 6)
            return mayHold && !wasAfterLabel ? hold(question, bytes, behind: start) : nil
        default: return nil
        }
    }

    /// Holds the bytes from `start` on back until the question about them is decided.
    private mutating func hold(_ question: HeldValue.Question, _ bytes: Span<UInt8>, behind start: Int) -> Int {
        if named.isActive { named.read(bytes, min(namedSeen, start)..<start, core.names) }
        path?.read(bytes, seen..<start)
        (seen, namedSeen) = (start, start)
        mode = .held(HeldValue(question))
        (carried, tail) = ([], [bytes[start &- 1]])
        return start
    }

    private mutating func readAfterQuote(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, ByteSearch.isSpace(bytes[index]) { index &+= 1 }
        extendTail(bytes, start..<index)
        guard index < bytes.count else { return index }
        mode = .text
        carried = []
        guard bytes[index] == UInt8(ascii: ":"), !name.isEmpty else {
            if bytes[index] == UInt8(ascii: ":") { isAfterLabel = false }
            return index
        }
        if isSecretPending {
            mode = .beforeValue
            return index &+ 1
        }
        return readNamed(namedKind, bytes, from: index &+ 1, length: name.count) ?? index
    }

    private mutating func readBeforeValue(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        if bare?.isNew == true {
            bare?.isNew = false
            // A comparison, or a name with two colons in Swift, C++ and others; `=>` gives a value, too.
            let isDouble = bytes[index] == bare?.separator
            if isDouble, bytes[index] == UInt8(ascii: ":") || grammar != .text { return leaveValue(index) }
            if bytes[index] == UInt8(ascii: ">"), bare?.separator == UInt8(ascii: "=") { index &+= 1 }
        }
        while index < bytes.count, lead == 0, ByteSearch.isSpace(bytes[index]) {
            if bare != nil {
                let isBreak = !ByteSearch.isBlank(bytes[index])
                if isBreak, grammar == .text { return leaveValue(index) }
                if isBreak { bare?.isBroken = true }
                bare?.isSpaced = true
            }
            index &+= 1
        }
        while index < bytes.count, bytes[index] == UInt8(ascii: "\\"), lead <= Self.longestName {
            (index, lead) = (index &+ 1, lead &+ 1)
        }
        guard index < bytes.count else { return index }
        let byte = bytes[index]
        let secret = SecretValue(name: name, core: core)
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`") {
            // A quote without backslashes where JSON's own have some is the end of the string around it.
            if bare?.isParameter == true { return leaveValue(index) }
            if grammar == .code, lead == 0 {
                mode = .held(HeldValue(.look(secret)))
            } else {
                mode = .value(ValueScan(string: secret, level: lead, quote: byte))
                index &+= 1
            }
        } else if grammar == .text, let bare, bare.isFirst, bare.separator == UInt8(ascii: ":"),
            byte == UInt8(ascii: "|") || byte == UInt8(ascii: ">")
        {
            mode = .block(BlockScan(secret))
        } else if let bare {
            guard let word = word(secret, bare, first: byte) else { return leaveValue(index) }
            mode = .word(word)
        } else if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
            return leaveValue(index)
        } else if grammar == .code, byte != UInt8(ascii: "{"), byte != UInt8(ascii: "[") {
            return leaveValue(index)
        } else {
            mode = .value(ValueScan(first: byte, secret, level: level, isCode: grammar == .code, core: core))
        }
        (lead, carried, bare) = (0, [], nil)
        return index
    }

    /// How a value without quotes is read; nil if there can be none.
    private func word(_ secret: SecretValue, _ bare: Bare, first: UInt8) -> WordScan? {
        // An escape such as a line break's, or a reference to a variable (GraphQL).
        if lead > 0, first == UInt8(ascii: "u"), grammar == .json {
            return WordScan(secret, to: .escapedQuote, hasEscapes: true, isProse: false)
        }
        guard lead == 0, !bare.isBroken, WordScan.canBegin(first) else { return nil }
        let isColon = bare.separator == UInt8(ascii: ":")
        if bare.isParameter {
            let hasEscapes = grammar == .json || grammar == .code
            return WordScan(secret, to: .word, hasEscapes: hasEscapes, isProse: false, isLikely: grammar == .code)
        }
        let isLine = grammar == .text && bare.isFirst && (isColon || bare.isSpaced)
        // Names of fields are no words of a language.
        let isProse = isColon && bare.isSpaced && !isLine && !name.contains(UInt8(ascii: "-"))
        if isColon, secret.isCookie, grammar != .code {
            return WordScan(secret, to: isLine ? .line : .field, hasEscapes: grammar == .json, isProse: !isLine)
        }
        switch grammar {
        case .code: return nil
        case .json, .markup:
            guard !bare.isVariable, !isColon || first != UInt8(ascii: "$") else { return nil }
            let isNumber = first &- 0x30 < 10 && isColon
            return WordScan(
                secret, to: !isNumber ? .word : grammar == .json && bare.isMember ? .member : .number,
                hasEscapes: grammar == .json, isProse: isProse)
        case .text:
            return WordScan(secret, to: isLine ? .line : .word, hasEscapes: false, isProse: isProse)
        }
    }

    /// Goes on with the text, since no value follows.
    private mutating func leaveValue(_ index: Int) -> Int {
        (mode, lead, carried, bare, tail) = (.text, 0, [], nil, [UInt8(ascii: "\"")])
        return index
    }

    // MARK: Names

    private mutating func extendTail(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        if range.count >= BareName.reach { tail.removeAll(keepingCapacity: true) }
        tail.append(bytes, max(range.lowerBound, range.upperBound &- BareName.reach)..<range.upperBound)
        if tail.count > BareName.reach { tail.removeFirst(tail.count - BareName.reach) }
    }

    /// Whether the word before a separator is a secret's name.
    private mutating func isSecretBare(_ bytes: Span<UInt8>, from start: Int, before mark: Int) -> Bool {
        guard mark &- start < BareName.reach, !tail.isEmpty else {
            return isSecretBare(bytes.extracting(max(start, mark &- BareName.reach)..<mark), bytes[mark])
        }
        var text = tail
        text.append(bytes, start..<mark)
        let last = text.suffix(BareName.reach)
        return isSecretBare(last.span, bytes[mark])
    }

    private mutating func isSecretBare(_ text: Span<UInt8>, _ separator: UInt8) -> Bool {
        isOpenLine = false
        guard let found = BareName(text, before: separator) else { return false }
        let place = found.isParameter ? SecretNames.Place.parameter : .member
        let short = place == .member ? ShortName(text, found.name) : nil
        let known = short.flatMap { memo?.names.kind($0) } ?? .secret
        var range = found.name
        var isSecret = false
        if known == .secret {
            let word = text.extracting(found.name)
            isSecret = core.names.contains(word, in: place) || core.names.endsPath(word)
            if let short, !isSecret { memo?.names.keep(short, Self.kind(of: word)) }
        }
        if grammar == .text, separator == UInt8(ascii: ":"), found.isValue(in: text) {
            if let label = found.label(in: text) {
                if core.names.contains(text.extracting(label), in: .member) { (range, isSecret) = (label, true) }
            } else {
                isOpenLine = !isSecret
            }
        }
        for words in 1...2 where !isSecret {
            guard let phrase = found.phrase(in: text, words: words) else { break }
            if core.names.contains(phrase: text.extracting(phrase)) { (range, isSecret) = (phrase, true) }
        }
        guard isSecret else { return false }
        isOpenLine = false
        name.removeAll(keepingCapacity: true)
        name.append(text, range)
        level = 0
        bare = Bare(
            separator: separator, isVariable: found.isVariable, isParameter: found.isParameter,
            isFirst: found.isFirst || BareName.isFirst(text, range.lowerBound),
            isSpaced: ByteSearch.isBlank(text[text.count &- 1]), isMember: found.isMember)
        return true
    }

    /// Whether a name that lies in one piece is a secret's.
    private mutating func isSecretName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end &- 1] == UInt8(ascii: "\\") { end &-= 1 }
        let raw = bytes.trimmed(range.lowerBound..<end)
        guard raw.count <= Self.longestName else {
            name.removeAll(keepingCapacity: true)
            return false
        }
        var isSecret = isSecret(bytes, raw)
        let isLast = !isSecret && path != nil && name.withSpan { core.names.endsPath($0) }
        if let memo, let short = ShortName(bytes, range) {
            memo.names.keep(short, isSecret || isLast ? .secret : namedKind)
        }
        // An even number is backslashes of the name itself.
        let depth = (range.upperBound - end) % 2 == 0 ? 0 : range.upperBound - end
        if isLast, let path {
            // In a string in a string the position is unknown.
            isSecret = depth > 0 || name.withSpan { core.names.hasPath(to: $0, at: path) }
        }
        level = depth
        return isSecret
    }

    /// The same for a name without its surroundings.
    private mutating func isSecret(_ bytes: Span<UInt8>, _ raw: Range<Int>) -> Bool {
        let backslash = ByteSearch.byte(UInt8(ascii: "\\"), in: bytes, from: raw.lowerBound, to: raw.upperBound)
        if backslash == raw.upperBound {
            name.removeAll(keepingCapacity: true)
            name.append(bytes, raw)
        } else {
            unescapeName(bytes, raw)
        }
        return core.names.contains(name, in: .member)
    }

    /// The same for a name of which a part came earlier, or whose colon has not yet come.
    private mutating func isSecretAcross(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        carry(bytes, range)
        guard let all = carried else {
            name.removeAll(keepingCapacity: true)
            return false
        }
        return all.withSpan { isSecretName($0, 0..<all.count) }
    }

    private mutating func unescapeName(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        name.removeAll(keepingCapacity: true)
        var unescaper = JSONUnescaper()
        for index in range { unescaper.feed(bytes[index], into: &name) }
        unescaper.finish(into: &name)
    }

    private mutating func carry(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard let count = carried?.count else { return }
        // Room for the backslashes of the quote that follows.
        if count + range.count > Self.longestName * 2 {
            carried = nil
        } else {
            carried?.append(bytes, range)
        }
    }
}
