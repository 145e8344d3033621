import Bytes

/// Writes text without what looks like a credential: tokens (``TokenFinder``), known prefixes and long random words
/// (``CredentialLook``), user and password of URLs and commands, links that open something, and private keys.
struct CredentialScanner {
    /// What is looked for.
    enum Finds {
        case all
        /// Not random words and arguments of commands; source code and pages are full of them.
        case noRandom
        /// Private keys alone, among bytes that may be anything.
        case keys
    }

    private enum Finding {
        case nothing(until: Int)
        /// The text ends too early to tell.
        case undecided(from: Int)
        case secret(Range<Int>, name: StaticString, SecretValue.Style)
    }

    private static let longest = 4096
    /// How much in front of a word is examined: a name, and what stands between it and the word.
    private static let reach = IdentifierName.longest + 16

    let core: RedactionCore
    let encoding: TextEncoding
    var finds = Finds.all

    /// Writes a range.
    ///
    /// - Parameters:
    ///   - floor: how far bytes in front of the range belong to the same text.
    ///   - isLast: the text ends with the range.
    /// - Returns: The place up to which it is written; before the range's end what follows has to be known.
    @discardableResult
    func scan(
        _ bytes: Span<UInt8>, _ range: Range<Int>, floor: Int? = nil, isLast: Bool = true, into out: inout [UInt8]
    ) -> Int {
        var (index, kept, floor) = (range.lowerBound, range.lowerBound, floor ?? range.lowerBound)
        while index < range.upperBound {
            switch find(bytes, index..<range.upperBound, floor: floor, isLast: isLast) {
            case .nothing(let next): index = next
            case .undecided(let start): return pass(bytes, kept..<max(kept, start), isLast: false, into: &out)
            case .secret(let secret, let name, let style):
                _ = pass(bytes, kept..<secret.lowerBound, isLast: true, into: &out)
                replace(bytes, secret, name: name, style, into: &out)
                (index, kept, floor) = (secret.upperBound, secret.upperBound, secret.upperBound)
            }
        }
        return pass(bytes, kept..<range.upperBound, isLast: isLast, into: &out)
    }

    private func replace(
        _ bytes: Span<UInt8>, _ secret: Range<Int>, name: StaticString, _ style: SecretValue.Style,
        into out: inout [UInt8]
    ) {
        var value = SecretValue(name, core: core)
        value.append(encoding.plain(bytes, secret))
        value.finish(encoding == .form && style == .plain ? .escaped : style, into: &out)
    }

    /// Writes text without tokens; gives the place up to which it is written.
    private func pass(_ bytes: Span<UInt8>, _ range: Range<Int>, isLast: Bool, into out: inout [UInt8]) -> Int {
        var (index, kept) = (range.lowerBound, range.lowerBound)
        let finder = TokenFinder(core: core, encoding: encoding, readsJSON: finds == .all)
        while finds != .keys {
            index = TokenSearch.candidate(in: bytes, from: index, to: range.upperBound, escape: encoding.escape)
            guard index < range.upperBound else { break }
            switch finder.find(bytes, at: index, to: range.upperBound, isLast: isLast) {
            case .nothing(let next): index = next
            case .undecided:
                out.append(bytes, kept..<index)
                return index
            case .token(let token, let name):
                out.append(bytes, kept..<token.lowerBound)
                replace(bytes, token, name: name, .plain, into: &out)
                (index, kept) = (token.upperBound, token.upperBound)
            }
        }
        out.append(bytes, kept..<range.upperBound)
        return range.upperBound
    }

    /// The first thing in a range that is, or may become, a credential.
    private func find(_ bytes: Span<UInt8>, _ range: Range<Int>, floor: Int, isLast: Bool) -> Finding {
        var index = range.lowerBound
        let end = range.upperBound
        while index < end {
            let hit = CredentialLook.candidate(
                in: bytes, from: index, to: end, isForm: encoding == .form,
                hasOptions: finds == .all && encoding != .form)
            guard hit < end else { break }
            let finding: Finding
            switch bytes[hit] {
            case UInt8(ascii: "-") where CredentialLook.isDashes(bytes, hit, end):
                finding = armor(bytes, range.lowerBound, hit, end, isLast)
            case _ where finds == .keys:
                // Dashes at the end of this word may begin a key.
                finding = .nothing(until: CredentialLook.isWordByte(bytes[hit]) ? hit &+ 6 : hit &+ 1)
            case UInt8(ascii: "-"): finding = argument(bytes, floor, hit, end, isLast)
            case UInt8(ascii: ":"), UInt8(ascii: "%"): finding = user(bytes, hit, end, isLast)
            default: finding = word(bytes, range.lowerBound, hit, end, floor, isLast)
            }
            guard case .nothing(let next) = finding else { return finding }
            index = min(end, max(next, hit &+ 1))
        }
        guard !isLast else { return .nothing(until: end) }
        let open = CredentialLook.openEnd(of: bytes, range, encoding)
        return open < end ? .undecided(from: open) : .nothing(until: end)
    }

    /// `://user:password@`.
    private func user(_ bytes: Span<UInt8>, _ hit: Int, _ end: Int, _ isLast: Bool) -> Finding {
        guard let start = CredentialLook.authority(bytes, from: hit, to: end, encoding) else {
            return .nothing(until: hit &+ 1)
        }
        guard start <= end else { return isLast ? .nothing(until: end) : .undecided(from: hit) }
        var (index, at, hasColon) = (start, -1, false)
        while index < end, index &- start <= Self.longest, CredentialLook.isInAuthority(bytes[index]) {
            let unit =
                encoding == .form && bytes[index] == UInt8(ascii: "%")
                ? encoding.unit(bytes, index, to: end) : (bytes[index], 1)
            // A slash ends an authority, also where it is escaped.
            if unit.byte == UInt8(ascii: "/") { break }
            if unit.byte == UInt8(ascii: ":"), at < 0 { hasColon = true }
            if unit.byte == UInt8(ascii: "@") { at = index }
            index &+= unit.count
        }
        guard index < end || isLast || index &- start > Self.longest else { return .undecided(from: hit) }
        guard at > start, hasColon || at &- start >= CredentialLook.shortest, index &- start <= Self.longest else {
            return link(bytes, hit, index, end, isLast)
        }
        // Scripts and pages have examples of user and password in small letters.
        if finds == .noRandom, Self.isExample(bytes, start..<at) { return .nothing(until: index) }
        return .secret(start..<at, name: "userinfo", .userinfo)
    }

    /// A password of three letters, or user and password in small ones.
    private static func isExample(_ bytes: Span<UInt8>, _ userinfo: Range<Int>) -> Bool {
        let colon = ByteSearch.byte(0x3A, in: bytes, from: userinfo.lowerBound, to: userinfo.upperBound)
        return colon < userinfo.upperBound && userinfo.upperBound - colon <= 4
            || userinfo.allSatisfy { bytes[$0] &- 0x61 < 26 || bytes[$0] == 0x3A || bytes[$0] == 0x2D }
    }

    /// The path of a URL, as of a link that resets a password.
    private func link(_ bytes: Span<UInt8>, _ hit: Int, _ start: Int, _ end: Int, _ isLast: Bool) -> Finding {
        var (index, count, hasDigit, mayBeSecret) = (start, 0, false, false)
        while index < end, index &- start <= Self.longest, !endsPath(bytes, index, end) {
            let byte = bytes[index]
            if byte == UInt8(ascii: "/") { (count, hasDigit) = (0, false) }
            if byte &- 0x30 < 10 { hasDigit = true }
            if hasDigit, count >= 3 { mayBeSecret = true }
            (index, count) = (index &+ 1, count &+ 1)
        }
        guard index < end || isLast || index &- start > Self.longest else { return .undecided(from: hit) }
        var stop = index
        while stop > start, bytes[stop &- 1].isOne(of: ".,:;)!") { stop &-= 1 }
        // Most paths have no segment with digits.
        guard mayBeSecret, index &- start <= Self.longest,
            let secret = secrets(bytes, start..<stop)
        else { return .nothing(until: start) }
        return .secret(secret, name: "link", .plain)
    }

    /// From the first secret of a path to the last one.
    private func secrets(_ bytes: Span<UInt8>, _ path: Range<Int>) -> Range<Int>? {
        let found = PathSecrets.all(in: bytes, path, encoding, isQuoted: true, core.names)
        guard let first = found.first?.secret, let last = found.last?.secret else { return nil }
        return first.lowerBound..<last.upperBound
    }

    private func endsPath(_ bytes: Span<UInt8>, _ index: Int, _ end: Int) -> Bool {
        switch bytes[index] {
        case let byte where byte <= 0x20 || byte.isOne(of: "?#\"'<>`&"): true
        case UInt8(ascii: "\\"):
            encoding != .json || index &+ 1 < end && bytes[index &+ 1] != UInt8(ascii: "/")
        case UInt8(ascii: "%"):
            encoding == .form && encoding.unit(bytes, index, to: end).byte.isOne(of: "?#")
        default: false
        }
    }

    /// `-----BEGIN … PRIVATE KEY-----` (RFC 7468), up to `-----END` or what ends the text around it; what else stands so is
    /// not searched.
    private func armor(_ bytes: Span<UInt8>, _ floor: Int, _ hit: Int, _ end: Int, _ isLast: Bool) -> Finding {
        var start = hit
        while start > floor, bytes[start &- 1] == UInt8(ascii: "-") { start &-= 1 }
        switch Armor.begin(bytes, from: start, to: end) {
        case .none:
            var next = hit
            while next < end, bytes[next] == UInt8(ascii: "-") { next &+= 1 }
            return .nothing(until: next)
        case .incomplete: return isLast ? .nothing(until: end) : .undecided(from: start)
        case .found(let isSecret, let next):
            let stop = Armor.end(bytes, from: next, to: end)
            if stop == end, !isLast { return .undecided(from: start) }
            // In scripts and pages a key without a digit is an example.
            let isKey = isSecret && stop > next && (finds != .noRandom || Armor.hasDigit(bytes, next..<stop))
            return isKey ? .secret(next..<stop, name: "private-key", .plain) : .nothing(until: stop)
        }
    }

    /// The value of an option in the line of a command: `--password x`, `-u user:password`.
    private func argument(_ bytes: Span<UInt8>, _ floor: Int, _ hit: Int, _ end: Int, _ isLast: Bool) -> Finding {
        guard finds == .all, encoding != .form, hit == floor || Self.mayStandBefore(bytes, hit, floor, encoding) else {
            return .nothing(until: hit &+ 1)
        }
        guard let argument = CommandArgument(bytes, at: hit, to: end, core.names, encoding) else {
            return .nothing(until: hit &+ 1)
        }
        guard isLast || argument.end < end else { return .undecided(from: hit) }
        return argument.value.isEmpty
            ? .nothing(until: hit &+ 1) : .secret(argument.value, name: argument.label, .plain)
    }

    private static func mayStandBefore(
        _ bytes: Span<UInt8>, _ hit: Int, _ floor: Int, _ encoding: TextEncoding
    ) -> Bool {
        let byte = bytes[hit &- 1]
        if byte <= 0x20 || byte.isOne(of: "\"'`") { return true }
        return encoding == .json && byte.isOne(of: "nrt") && hit &- floor > 1 && bytes[hit &- 2] == 0x5C
    }

    /// A long word.
    private func word(
        _ bytes: Span<UInt8>, _ start: Int, _ hit: Int, _ end: Int, _ floor: Int, _ isLast: Bool
    ) -> Finding {
        // Most of them are digests, UUIDs and numbers.
        let hexEnd = CredentialLook.hexEnd(in: bytes, from: hit, to: end)
        if hexEnd &- hit >= 8, hexEnd < end, !CredentialLook.isWordByte(bytes[hexEnd]), bytes[hexEnd] != 0x5C,
            bytes[hexEnd] != 0x25
        {
            var front = hit
            while front > start, front &+ 8 > hit,
                CredentialLook.hexEnd(in: bytes, from: front &- 1, to: front) == front
            {
                front &-= 1
            }
            if front > start, !CredentialLook.isWordByte(bytes[front &- 1]), bytes[front &- 1] != 0x5C {
                return .nothing(until: hexEnd)
            }
        }
        let begin = CredentialLook.wordStart(in: bytes, before: hit, from: floor, to: end, encoding)
        var stop = CredentialLook.wordEnd(in: bytes, from: max(hit, begin), to: end, encoding, false)
        guard stop &- begin >= CredentialLook.shortest || stop == end && !isLast else { return .nothing(until: stop) }
        // Content; an end of it that comes later is not longer than what is kept in front of it.
        guard stop &- begin <= Window.context || stop &- begin <= Self.longest && begin >= start else {
            return .nothing(until: stop)
        }
        let traits = CredentialLook.Traits(bytes, begin..<stop)
        // A JSON Web Token is handled by ``TokenFinder``.
        let isToken = traits.mayHoldToken
        if isToken { stop = CredentialLook.wordEnd(in: bytes, from: stop, to: end, encoding, true) }
        guard stop < end || isLast else { return .undecided(from: max(begin, start)) }
        guard !isToken, stop &- begin >= CredentialLook.shortest, begin >= start else { return .nothing(until: stop) }
        let next = stop < end ? bytes[stop] : 0
        let before = bytes.extracting(max(floor, begin &- Self.reach)..<begin)
        guard
            let secret = CredentialLook.secret(
                in: bytes, begin..<stop, traits, before: before, next: next, encoding,
                alsoRandom: finds == .all && core.findsRandom, core.names)
        else { return path(bytes, begin..<stop, traits, next) }
        return .secret(secret, name: "credential", .plain)
    }

    /// A link within a host, such as `/reset-password/8f3Kd92Lq`.
    ///
    /// The name of a file may hold a digest of it.
    private func path(
        _ bytes: Span<UInt8>, _ word: Range<Int>, _ traits: CredentialLook.Traits, _ next: UInt8
    ) -> Finding {
        guard traits.hasDigits, next != UInt8(ascii: "."), PathSecrets.slash(bytes, word.lowerBound, encoding) > 0,
            let secret = secrets(bytes, word)
        else { return .nothing(until: word.upperBound) }
        return .secret(secret, name: "link", .plain)
    }
}
