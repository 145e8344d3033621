import Bytes

/// State that all redaction of one store shares.
final class RedactionCore: Sendable {
    let names: SecretNames
    let digest: KeyedDigest
    let keepsClaims: Bool
    /// Whether long random words are secrets wherever they stand.
    let findsRandom: Bool

    /// For text within a text that was encoded.
    private let isNested: Bool

    init(names: SecretNames, digest: KeyedDigest, keepsClaims: Bool, findsRandom: Bool = true, isNested: Bool = false) {
        (self.names, self.digest, self.keepsClaims) = (names, digest, keepsClaims)
        (self.findsRandom, self.isNested) = (findsRandom, isNested)
    }

    /// The same for what is encoded in a text; nil if that is encoded in another one.
    var nested: RedactionCore? {
        guard !isNested else { return nil }
        return RedactionCore(names: names, digest: digest, keepsClaims: false, findsRandom: false, isNested: true)
    }

    /// JSON, whole or broken, without its secrets.
    func json(_ text: [UInt8]) -> [UInt8] {
        var (redacted, pairs) = ([UInt8](), PairReader(core: self))
        text.withSpan { _ = pairs.redact($0, into: &redacted) }
        return redacted
    }

    /// Writes what stands for a value.
    func replace(
        _ value: Span<UInt8>, name: Span<UInt8>, _ style: SecretValue.Style = .plain, into out: inout [UInt8]
    ) {
        var secret = SecretValue(name: name, core: self)
        secret.append(value)
        secret.finish(style, into: &out)
    }

    func replace(
        _ value: Span<UInt8>, name: StaticString, _ style: SecretValue.Style = .plain, into out: inout [UInt8]
    ) {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        replace(value, name: Span(_unsafeElements: name), style, into: &out)
    }

    /// The same for a value whose name says that it is random and no secret.
    var withoutRandom: RedactionCore {
        RedactionCore(names: names, digest: digest, keepsClaims: keepsClaims, findsRandom: false)
    }
}

/// A secret that is being read, in bounded memory, and its replacement.
struct SecretValue {
    /// How a replacement is escaped in its surroundings.
    enum Style {
        case plain
        /// For queries and forms: `<` and `>` are escaped (RFC 3986).
        case escaped
        /// For userinfo: the colons, too.
        case userinfo
        /// For XML and HTML: `<` and `>` are references.
        case markup
    }

    private static let longestKept = 65_536

    private let core: RedactionCore
    /// The name as it is written in the replacement.
    private var name = SIMD32<UInt8>()
    private var nameLength = 0
    /// The digest's state of a long value, if any bytes were digested.
    private var digested: [KeyedDigest] = []
    /// Bytes that are not digested yet: all of a short value.
    ///
    /// After appending, ``settle()`` has to be called.
    var text: [UInt8] = []

    init(name: [UInt8], core: RedactionCore) { self.init(name: name.span, core: core) }

    init(_ name: StaticString, core: RedactionCore) {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        self.init(name: Span(_unsafeElements: name), core: core)
    }

    init(name: Span<UInt8>, core: RedactionCore) {
        self.core = core
        for index in 0..<name.count where nameLength < self.name.scalarCount { extendName(name[index]) }
        if nameLength == 0 { for byte in "value".utf8 { extendName(byte) } }
    }

    @inline(__always)
    private mutating func extendName(_ byte: UInt8) {
        let isLetter = (byte | 0x20) &- 0x61 < 26
        guard isLetter || byte &- 0x30 < 10 || byte == 0x5F || byte == 0x2D else { return }
        name[nameLength] = isLetter ? byte | 0x20 : byte
        nameLength += 1
    }

    var isLong: Bool { !digested.isEmpty }

    mutating func append(_ byte: UInt8) {
        text.append(byte)
        settle()
    }

    mutating func append(_ bytes: Span<UInt8>) {
        text.append(bytes, 0..<bytes.count)
        settle()
    }

    mutating func append(_ bytes: [UInt8]) {
        text.append(contentsOf: bytes)
        settle()
    }

    /// Digests the bytes above the limit.
    mutating func settle() {
        guard text.count > (core.keepsClaims ? Self.longestKept : 4096) else { return }
        if digested.isEmpty { digested.append(core.digest) }
        digested[0].append(text)
        text.removeAll(keepingCapacity: true)
    }

    /// Whether the name says that the value is made of words.
    var isPhrase: Bool { (["phrase", "mnemonic", "seed"] as [StaticString]).contains { nameEnds(in: $0) } }

    /// Whether it is the field that holds a scheme and credentials (RFC 9110 11.6.2), or one like it.
    var isAuthorization: Bool { nameEnds(in: "authorization") }

    /// Whether cookies are its value.
    var isCookie: Bool { nameEnds(in: "cookie") }

    private func nameEnds(in word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard nameLength >= count else { return false }
        return (0..<count).allSatisfy { name[nameLength - count + $0] == word.utf8Start[$0] }
    }

    /// Whether the value is a number as JSON has it.
    var isNumber: Bool {
        guard !isLong, text.count <= 64, let last = text.last, last &- 0x30 < 10 else { return false }
        return text.allSatisfy { $0 &- 0x30 < 10 || $0.isOne(of: "+-.eE") }
            && (text[0] &- 0x30 < 10 || text[0] == UInt8(ascii: "-"))
    }

    /// Whether the value is harmless: empty, or a word such as `true`, `false` or `null`.
    var isHarmless: Bool {
        guard !isLong, text.count <= 5 else { return false }
        return text.withSpan { text in
            switch text.count {
            case 0: true
            case 2: text[0] &+ 2 == text[1] && (text[0] == UInt8(ascii: "{") || text[0] == UInt8(ascii: "["))
            case 4: text.spells("null") || text.spells("true")
            case 5: text.spells("false")
            default: false
            }
        }
    }

    /// Writes the replacement, or the value itself if it is harmless.
    mutating func finish(_ style: Style, into out: inout [UInt8]) {
        if isHarmless {
            out.append(contentsOf: text)
        } else if let known = replacement {
            write(known.name.utf8, known.digest.utf8, style, into: &out)
        } else {
            replace(style, into: &out)
        }
    }

    /// Writes what stands for a value without quotes in JSON, of the same type.
    mutating func finishWord(level: Int, into out: inout [UInt8]) {
        if isHarmless { return out.append(contentsOf: text) }
        if isNumber { return replaceNumber(into: &out) }
        for _ in 0..<level { out.append(UInt8(ascii: "\\")) }
        out.append(UInt8(ascii: "\""))
        replace(.plain, into: &out)
        for _ in 0..<level { out.append(UInt8(ascii: "\\")) }
        out.append(UInt8(ascii: "\""))
    }

    /// Writes ten digits that are made of the digest, as a number that fits into 32 bits.
    private func replaceNumber(into out: inout [UInt8]) {
        var digest = core.digest
        digest.append(text)
        out.append(contentsOf: String(1_000_000_000 + digest.finish() % 1_147_483_648).utf8)
    }

    /// The value, if it was replaced before.
    private var replacement: Replacement? {
        guard !isLong, text.count <= Replacement.longest, text.first == 0x3C || text.first == 0x25 else { return nil }
        let first = Replacement.places(in: text).first
        return first?.place == 0..<text.count ? first?.replacement : nil
    }

    /// Writes the replacement.
    mutating func replace(_ style: Style, into out: inout [UInt8]) {
        if core.keepsClaims, !isLong, let readable = JWT.readableParts(of: text, core: core) {
            out.append(contentsOf: readable)
        }
        var digest = digested.first ?? core.digest
        digest.append(text)
        let value = digest.finish()
        let digits = (0..<10).lazy.map { place -> UInt8 in
            let digit = UInt8(truncatingIfNeeded: value &>> UInt64(36 - 4 * place)) & 0xF
            return digit < 10 ? 0x30 + digit : 0x57 + digit
        }
        let name = name
        write((0..<nameLength).lazy.map { name[$0] }, digits, style, into: &out)
    }

    private func write(
        _ name: some Sequence<UInt8>, _ digest: some Sequence<UInt8>, _ style: Style, into out: inout [UInt8]
    ) {
        out.append(contentsOf: Self.mark("<", "%3C", "&lt;", style))
        out.append(contentsOf: "redacted".utf8)
        colon(style, into: &out)
        out.append(contentsOf: name)
        colon(style, into: &out)
        out.append(contentsOf: digest)
        out.append(contentsOf: Self.mark(">", "%3E", "&gt;", style))
    }

    private static func mark(
        _ plain: StaticString, _ escaped: StaticString, _ reference: StaticString, _ style: Style
    ) -> UnsafeBufferPointer<UInt8> {
        let text =
            switch style {
            case .plain: plain
            case .escaped, .userinfo: escaped
            case .markup: reference
            }
        return UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    private func colon(_ style: Style, into out: inout [UInt8]) {
        if style == .userinfo { out.append(contentsOf: "%3A".utf8) } else { out.append(UInt8(ascii: ":")) }
    }
}
