/// Replaces the values of secret members in JSON that comes in pieces, whole or broken.
///
/// It goes by quotes, not by grammar: what stands between two of them and is followed by a colon is a name. So neither
/// a missing brace nor a stray quote nor the lines of JSON Lines or Server-Sent Events lead it astray, and JSON in a
/// string in JSON is read as well, by the backslashes in front of its quotes.
struct JSONRedaction {
    private enum Mode {
        case text
        /// White space after a quote that may end a name.
        case afterQuote
        /// A secret's name and its colon were read.
        case beforeValue
        case value(JSONValueScan)
    }

    private static let longestName = 512

    private let core: RedactionCore
    private let memo: RedactionMemo?
    private var scanner: TokenScanner
    private var mode = Mode.text
    /// The text since the last quote, as far as it came in earlier pieces; nil when it is too long for a name.
    private var carried: [UInt8]? = []
    /// The name that awaits its colon, or whose value follows.
    private var name: [UInt8] = []
    /// The backslashes in front of the quotes that belong to this level of JSON in strings.
    private var level = 0
    /// Backslashes in front of a value's first quote.
    private var lead = 0
    /// Where this is, if that may matter; and how much of the present piece it has seen.
    private var path: MemberTracker?
    private var seen = 0

    init(core: RedactionCore, memo: RedactionMemo? = nil) {
        (self.core, self.memo) = (core, memo)
        scanner = TokenScanner(core: core, encoding: .json)
        if core.names.hasPaths { path = MemberTracker() }
    }

    mutating func redact(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
        var index = 0
        /// Where what is to be written unchanged begins.
        var kept = 0
        seen = 0
        while index < bytes.count {
            switch mode {
            case .text: index = readText(bytes, from: index)
            case .afterQuote: index = readAfterQuote(bytes, from: index)
            case .beforeValue:
                index = readBeforeValue(bytes, from: index)
                guard case .value = mode else { continue }
                scanner.scan(bytes, kept..<index, into: &out)
                scanner.finish(into: &out)
            case .value(var value):
                mode = .text
                index = value.read(bytes, from: index, into: &out)
                (kept, seen) = (index, index)
                path?.passValue(isInString: value.isInString)
                if !value.isOver { mode = .value(value) }
            }
        }
        if case .value = mode { return }
        path?.read(bytes, seen..<bytes.count)
        scanner.scan(bytes, kept..<bytes.count, into: &out)
    }

    /// Ends the text; a value that was cut is replaced as far as it came.
    mutating func finish(into out: inout [UInt8]) {
        if case .value(var value) = mode { value.finish(into: &out) }
        scanner.finish(into: &out)
        (mode, carried, lead) = (.text, [], 0)
    }

    /// Goes on to a quote that ends a secret's name, or may do so.
    private mutating func readText(_ bytes: Span<UInt8>, from start: Int) -> Int {
        let memo = memo
        var index = start
        while true {
            let quote = JSONSearch.nameEnd(in: bytes, from: index)
            let begin = JSONSearch.nameStart(in: bytes, before: quote, from: start, atMost: Self.longestName * 2)
            if begin == nil { carried = nil }
            let open = begin ?? quote
            let isAfterQuote = open > start
            if isAfterQuote, begin != nil { carried = [] }
            guard quote < bytes.count else {
                carry(bytes, open..<quote)
                return quote
            }
            if path != nil {
                path?.read(bytes, seen..<quote)
                seen = quote
            }
            var next = quote &+ 1
            while next < bytes.count, ByteSearch.isSpace(bytes[next]) { next &+= 1 }
            if next == bytes.count {
                _ = isSecretAcross(bytes, open..<quote, isComplete: false)
                mode = .afterQuote
                return next
            }
            if bytes[next] == UInt8(ascii: ":") {
                let isWhole = isAfterQuote && begin != nil
                if isWhole, let memo, let short = ShortName(bytes, open..<quote), memo.names.verdict(short) == false {
                    index = next
                    continue
                }
                if isWhole
                    ? isSecretName(bytes, open..<quote) : isSecretAcross(bytes, open..<quote, isComplete: true)
                {
                    mode = .beforeValue
                    return next &+ 1
                }
            }
            index = quote &+ 1
        }
    }

    private mutating func readAfterQuote(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, ByteSearch.isSpace(bytes[index]) { index &+= 1 }
        guard index < bytes.count else { return index }
        mode = .text
        carried = []
        guard bytes[index] == UInt8(ascii: ":"), !name.isEmpty else { return index }
        mode = .beforeValue
        return index &+ 1
    }

    private mutating func readBeforeValue(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.count, lead == 0, ByteSearch.isSpace(bytes[index]) { index &+= 1 }
        while index < bytes.count, bytes[index] == UInt8(ascii: "\\"), lead <= Self.longestName {
            (index, lead) = (index &+ 1, lead &+ 1)
        }
        guard index < bytes.count else { return index }
        let secret = SecretValue(name: name, core: core)
        switch bytes[index] {
        case UInt8(ascii: "\""):
            mode = .value(JSONValueScan(string: secret, level: lead))
            index &+= 1
        case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): mode = .text
        case let byte: mode = .value(JSONValueScan(first: byte, secret, level: level))
        }
        (lead, carried) = (0, [])
        return index
    }

    /// Whether a name that lies in one piece is a secret's.
    private mutating func isSecretName(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var end = range.upperBound
        while end > range.lowerBound, bytes[end &- 1] == UInt8(ascii: "\\") { end &-= 1 }
        let raw = bytes.trimmed(range.lowerBound..<end)
        guard raw.count <= Self.longestName else { return false }
        var isSecret = isSecret(bytes, raw)
        let isLast = !isSecret && path != nil && name.withSpan { core.names.endsPath($0) }
        if let memo, let short = ShortName(bytes, range) { memo.names.keep(short, isSecret: isSecret || isLast) }
        // An even number is backslashes of the name itself.
        let depth = (range.upperBound - end) % 2 == 0 ? 0 : range.upperBound - end
        if isLast, let path {
            // In a string in a string nobody knows where this is.
            isSecret = depth > 0 || name.withSpan { core.names.hasPath(to: $0, at: path) }
        }
        if isSecret { level = depth }
        return isSecret
    }

    /// The same for a name without what surrounds it.
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
    private mutating func isSecretAcross(_ bytes: Span<UInt8>, _ range: Range<Int>, isComplete: Bool) -> Bool {
        carry(bytes, range)
        guard let all = carried else {
            name.removeAll(keepingCapacity: true)
            return false
        }
        if all.withSpan({ isSecretName($0, 0..<all.count) }) { return true }
        if !isComplete {
            name.removeAll(keepingCapacity: true)
        }
        return false
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
