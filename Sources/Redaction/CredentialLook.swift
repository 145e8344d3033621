import Bytes

/// The look of credentials, independent of names.
enum CredentialLook {
    /// No known prefix begins a shorter one.
    static let shortest = 20
    /// A shorter random word may as well be an identifier.
    static let shortestRandom = 32
    /// Longer words are content: pictures, fonts, certificates.
    private static let longestRandom = 256

    /// Prefixes of the credentials of well-known services, and their minimum lengths.
    private static let prefixes: [(text: StaticString, count: Int)] = [
        ("ghp_", 36), ("gho_", 36), ("ghu_", 36), ("ghs_", 36), ("ghr_", 36), ("github_pat_", 40), ("glpat-", 20),
        ("gldt-", 20), ("glrt-", 20), ("sk_live_", 20), ("sk_test_", 20), ("rk_live_", 20), ("rk_test_", 20),
        ("whsec_", 24), ("sk-proj-", 32), ("sk-ant-", 32), ("sk-or-", 32), ("sk-", 40), ("AKIA", 20), ("ASIA", 20),
        ("xoxb-", 24), ("xoxp-", 24), ("xoxa-", 24), ("xoxr-", 24), ("xoxs-", 24), ("xapp-", 24), ("AIza", 39),
        ("GOCSPX-", 28), ("npm_", 36), ("pypi-", 40), ("hf_", 34), ("dop_v1_", 40), ("doo_v1_", 40), ("shpat_", 32),
        ("shpss_", 32), ("shpca_", 32), ("EAAC", 80), ("EAAG", 80), ("AGE-SECRET-KEY-1", 59), ("dckr_pat_", 27),
        ("lin_api_", 40), ("sbp_", 40), ("SK", 34), ("NRAK-", 30), ("PMAK-", 50), ("ATATT3x", 100), ("hvs", 90),
        ("tfp_", 40), ("rubygems_", 50), ("r8_", 37), ("gsk_", 50), ("pat_", 60), ("sntrys_", 60), ("figd_", 40),
    ]

    /// A bit for each of the bytes that a prefix begins with.
    private static let firstLetters = prefixes.reduce(UInt64(0)) { $0 | 1 &<< UInt64($1.text.utf8Start[0] & 63) }

    // MARK: Search

    /// The first byte that must be examined: a colon before a slash, three dashes, or a byte within eight that may all
    /// be of one word.
    static func candidate(in bytes: Span<UInt8>, from start: Int, to end: Int, isForm: Bool, hasOptions: Bool) -> Int {
        var index = start
        let escapes: UInt64 = isForm ? ~0 : 0
        // Options of commands stand behind blanks and quotes; the byte in front of the first one is not looked at.
        let options: UInt64 = hasOptions ? ~0 : 0
        var before: UInt64 = 0x80
        while index &+ 8 <= end {
            let word = bytes.word(at: index)
            // Beyond the first hit there may be wrong ones; here only the first one matters.
            let dashes = ByteSearch.equal(word, UInt8(ascii: "-"))
            let rules = dashes & dashes &>> 8 & dashes &>> 16
            let short = (word &- ByteSearch.ones &* 0x2B) & ~word & ByteSearch.highs
            let option = dashes & (short &<< 8 | before) & options
            before = (short &>> 63) &<< 7
            if short == 0, rules == 0, isOfOneWord(bytes, at: index) { return index }
            let slashes = ByteSearch.equal(word, UInt8(ascii: "/")) | ByteSearch.equal(word, UInt8(ascii: "\\"))
            let colons = ByteSearch.equal(word, UInt8(ascii: ":")) & (slashes &>> 8 | 1 &<< 63)
            let percents = ByteSearch.equal(word, UInt8(ascii: "%")) & escapes
            let hits =
                colons | rules | percents | option
                | ByteSearch.equal(word, UInt8(ascii: ":")) & escapes
            if hits != 0 { return index &+ hits.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: ":") || byte == UInt8(ascii: "%") && isForm
                || byte == UInt8(ascii: "-") && (hasOptions || isDashes(bytes, index, end))
            {
                return index
            }
            index &+= 1
        }
        return end
    }

    static func isDashes(_ bytes: Span<UInt8>, _ index: Int, _ end: Int) -> Bool {
        index &+ 3 <= end && bytes[index] == 0x2D && bytes[index &+ 1] == 0x2D && bytes[index &+ 2] == 0x2D
    }

    /// The beginning of a possible credential at the end of a text, or the text's end.
    static func openEnd(of bytes: Span<UInt8>, _ range: Range<Int>, _ encoding: TextEncoding) -> Int {
        var start = range.upperBound
        while start > range.lowerBound {
            let byte = bytes[start &- 1]
            let isOpen =
                isWordByte(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "\\")
                || byte == UInt8(ascii: "%") && encoding == .form
            if !isOpen { return start }
            start &-= 1
        }
        return start
    }

    // MARK: URLs

    /// The place behind `://` in one of its spellings; beyond `end` if it is cut, nil for other text.
    static func authority(_ bytes: Span<UInt8>, from start: Int, to end: Int, _ encoding: TextEncoding) -> Int? {
        var index = start
        for wanted in ":// ".utf8.prefix(3) {
            guard index < end else { return end &+ 1 }
            if bytes[index] == wanted {
                index &+= 1
            } else if encoding == .json, wanted == UInt8(ascii: "/"), bytes[index] == UInt8(ascii: "\\") {
                guard index &+ 1 < end else { return end &+ 1 }
                guard bytes[index &+ 1] == wanted else { return nil }
                index &+= 2
            } else if encoding == .form, bytes[index] == UInt8(ascii: "%") {
                guard index &+ 2 < end else { return end &+ 1 }
                guard TextEncoding.percent(bytes, index, to: end) == wanted else { return nil }
                index &+= 3
            } else {
                return nil
            }
        }
        return index
    }

    static func isInAuthority(_ byte: UInt8) -> Bool { byte > 0x20 && !byte.isOne(of: "/?#\"'<>\\`") }

    // MARK: Words

    @inline(__always)
    static func isWordByte(_ byte: UInt8) -> Bool {
        // Digits and the slash stand side by side.
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x2F < 11 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "+")
    }

    @inline(__always)
    private static func isOfOneWord(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        for index in start..<start &+ 8 where !isWordByte(bytes[index]) { return false }
        return true
    }

    /// The beginning of the word that `hit` is in, or a place behind `hit` where that is within an escape.
    static func wordStart(
        in bytes: Span<UInt8>, before hit: Int, from floor: Int, to end: Int, _ encoding: TextEncoding
    ) -> Int {
        var start = hit
        while start > floor {
            let byte = bytes[start &- 1]
            if byte == 0x2D, isDashes(bytes, start &- 1, end) { return start &+ 2 }
            let isEscape = byte == encoding.escape && unitLength(bytes, start &- 1, to: end, encoding) > 0
            guard isEscape || isWordByte(byte) && !(encoding == .form && byte == UInt8(ascii: "+")) else { break }
            start &-= 1
        }
        // The letter of an escape such as `\n`, and the digits of `\u003e` and `%20`, are none of the word's.
        guard start > floor, bytes[start &- 1] == encoding.escape else { return start }
        return min(end, start &+ (encoding == .form ? 2 : bytes[start] == UInt8(ascii: "u") ? 5 : 1))
    }

    static func wordEnd(
        in bytes: Span<UInt8>, from start: Int, to end: Int, _ encoding: TextEncoding, _ hasDots: Bool
    ) -> Int {
        var index = start
        while index < end {
            let byte = bytes[index]
            // As they stand around a key.
            if byte == 0x2D, isDashes(bytes, index, end) { break }
            if isWordByte(byte) && !(encoding == .form && byte == UInt8(ascii: "+"))
                || hasDots && byte == UInt8(ascii: ".")
            {
                index &+= 1
            } else {
                let unit = byte == encoding.escape ? unitLength(bytes, index, to: end, encoding) : 0
                if unit == 0 { break }
                // An escape that is cut may be part of the word.
                index = min(end, index &+ unit)
            }
        }
        return index
    }

    /// The length of an escape that stands for a byte of words; 0 for all others.
    private static func unitLength(_ bytes: Span<UInt8>, _ index: Int, to end: Int, _ encoding: TextEncoding) -> Int {
        if encoding == .json { return index &+ 1 == end || bytes[index &+ 1] == UInt8(ascii: "/") ? 2 : 0 }
        guard index &+ 2 < end else { return 3 }
        let byte = encoding.unit(bytes, index, to: end).byte
        return byte == UInt8(ascii: "/") || byte == UInt8(ascii: "+") ? 3 : 0
    }

    // MARK: Judging

    /// The end of what may be a digest, a UUID or a number.
    static func hexEnd(in bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
        var index = start
        while index < end {
            let byte = bytes[index]
            guard byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 || byte == 0x2D else { break }
            index &+= 1
        }
        return index
    }

    /// The facts that one pass over a word collects.
    struct Traits {
        /// Digits 1, capitals 2, small letters 4, others 8.
        fileprivate var kinds: UInt8 = 0
        /// How often a byte is of another kind than the one before.
        fileprivate var turns = 0
        /// How often a capital and a small letter stand side by side.
        fileprivate var caseTurns = 0
        fileprivate var digits = 0
        fileprivate var capitals = 0
        fileprivate var smalls = 0
        fileprivate var hexDigits = 0
        fileprivate var count = 0
        /// Whether a JSON Web Token may begin in it.
        private(set) var mayHoldToken = false
        var hasDigits: Bool { digits > 0 }

        init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
            count = range.count
            var (last, before, kindBefore): (UInt8, UInt8, UInt8) = (0, 0, 0)
            for index in range {
                let byte = bytes[index]
                let isSmall = byte &- 0x61 < 26
                let kind: UInt8 = isSmall ? 4 : byte &- 0x30 < 10 ? 1 : byte &- 0x41 < 26 ? 2 : 8
                turns &+= kind == last || kind == 8 ? 0 : 1
                caseTurns &+= kind | kindBefore == 6 ? 1 : 0
                digits &+= kind == 1 ? 1 : 0
                capitals &+= kind == 2 ? 1 : 0
                smalls &+= kind == 4 ? 1 : 0
                hexDigits &+= kind == 1 || byte == 0x2D || (byte | 0x20) &- 0x61 < 6 ? 1 : 0
                kinds |= kind
                if before == UInt8(ascii: "e"), TokenSearch.isSecondOfHeader(byte), index &+ 1 < range.upperBound,
                    TokenSearch.isThirdOfHeader(bytes[index &+ 1])
                {
                    mayHoldToken = true
                }
                (last, before, kindBefore) = (kind == 8 ? last : kind, byte, kind)
            }
        }

        /// Capitals, small letters and digits that change places as often as random ones do.
        ///
        /// Of 64 letters drawn at random, two neighbours are of different kinds in 62 of 100 cases; of identifiers, in 20.
        /// In 33 they are letters of different cases; in UUIDs between words, in none.
        fileprivate var areRandom: Bool {
            kinds & 7 == 7 && min(capitals, smalls) >= 4 && digits >= 2 && (turns &- 1) &* 100 >= (count &- 1) &* 40
                && hexDigits &* 10 < count &* 9 && caseTurns &* 8 >= count
        }
    }

    /// The part of a word that is a credential.
    static func secret(
        in bytes: Span<UInt8>, _ word: Range<Int>, _ traits: Traits, before: Span<UInt8>, next: UInt8,
        _ encoding: TextEncoding, alsoRandom: Bool, _ names: SecretNames
    ) -> Range<Int>? {
        let found = known(bytes, word)
        guard found != nil || alsoRandom && traits.kinds & 7 == 7 && word.count >= shortestRandom else { return nil }
        // `Bearer` is handled by ``TokenFinder``, and text after `base64,` is content.
        let front = before.extracting(max(0, before.count &- 6)..<before.count)
        if front.spells("earer ") || front.spells("ase64,") || front.spells("earer+") { return nil }
        if found != nil { return found }
        if IdentifierName.isIn(front: before, names) { return nil }
        let last = before.count > 0 ? before[before.count &- 1] : 0x0A
        // One line of wrapped text, as in mail and certificates, among others.
        let isAmongLines = next == UInt8(ascii: "\\") || last <= 0x20 && before.count > 0
        if isBreak(next), isAmongLines, [60, 64, 72, 76].contains(word.count) { return nil }
        let isPath = bytes[word.lowerBound] == UInt8(ascii: "/") || last.isOne(of: ".:/?") || next == UInt8(ascii: ".")
        guard isPath else { return isRandom(encoding.plain(bytes, word)) ? word : nil }
        var start = word.lowerBound
        while start < word.upperBound {
            let end = ByteSearch.byte(UInt8(ascii: "/"), in: bytes, from: start, to: word.upperBound)
            // The name of a file holds a digest of it.
            let isFile = end == word.upperBound && next == UInt8(ascii: ".")
            if !isFile, isRandom(encoding.plain(bytes, start..<end)) { return start..<end }
            start = end &+ 1
        }
        return nil
    }

    private static func isBreak(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == UInt8(ascii: "\\") }

    private static func known(_ bytes: Span<UInt8>, _ word: Range<Int>) -> Range<Int>? {
        var start = word.lowerBound
        while word.upperBound &- start >= shortest {
            let mayBegin = firstLetters & 1 &<< UInt64(bytes[start] & 63) != 0
            if mayBegin {
                for prefix in prefixes
                where prefix.text.utf8Start[0] == bytes[start] && word.upperBound &- start >= prefix.count {
                    let count = prefix.text.utf8CodeUnitCount
                    guard (1..<count).allSatisfy({ bytes[start &+ $0] == prefix.text.utf8Start[$0] }) else { continue }
                    var end = start &+ count
                    while end < word.upperBound, JWT.isBase64URL(bytes[end]) { end &+= 1 }
                    let rest = bytes.extracting(start &+ count..<end)
                    // Names in capitals begin like the shortest one, too.
                    let isKnown = count > 2 || rest.count == 32 && hexEnd(in: rest, from: 0, to: 32) == 32
                    if end &- start >= prefix.count, isKnown, isMixed(rest) { return start..<end }
                }
            }
            // Another one may begin behind a byte that is no letter or digit.
            while start < word.upperBound, ByteSearch.isAlphanumeric(bytes[start]) { start &+= 1 }
            start &+= 1
        }
        return nil
    }

    /// Whether digits and letters stand together without a separator, as in no words of a language, or many letters of
    /// both cases.
    private static func isMixed(_ bytes: Span<UInt8>) -> Bool {
        var (digits, letters, turns) = (0, 0, 0)
        var hasLongNumber = false
        for index in 0..<bytes.count {
            let byte = bytes[index]
            guard byte != 0x2D, byte != 0x5F else {
                if digits >= 10 { hasLongNumber = true }
                (digits, letters, turns) = (0, 0, 0)
                continue
            }
            if byte &- 0x30 < 10 {
                digits += 1
            } else {
                if letters > 0, (byte ^ bytes[index &- 1]) & 0x60 == 0x20 { turns += 1 }
                letters += 1
            }
            let isMixed = letters >= 4 && (digits >= 1 || hasLongNumber) && digits + letters >= 8
            if isMixed || letters >= 16 && turns * 10 >= letters * 3 { return true }
        }
        return false
    }

    /// Whether a word is as random as a credential, and no other kind of random word.
    static func isRandom(_ word: [UInt8]) -> Bool {
        guard word.count >= shortestRandom, word.count <= longestRandom,
            word.withSpan({ Traits($0, 0..<word.count).areRandom })
        else { return false }
        // A labelled digest, a public key (RFC 4253 6.6), a token's header or other text in base64.
        let isDigest = word.starts(with: "sha".utf8) && word.dropFirst(6).first == UInt8(ascii: "-")
        return !isDigest && !word.starts(with: "AAAA".utf8) && !JWT.isText(word) && !JWT.holdsText(word)
    }
}
