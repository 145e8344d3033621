import Bytes

/// Replaces text that looks like a credential, anywhere in a text that comes in pieces: known prefixes, long random
/// words, user and password of URLs and private keys (``CredentialLook``); and tokens, through ``TokenScanner``.
///
/// Undecided bytes are held back: at most 4 KiB.
struct CredentialScanner {
    private enum State {
        case idle
        /// In a word that is too long to be examined.
        case longWord(hasDots: Bool)
        /// Behind `-----BEGIN … KEY-----`.
        case armor(ArmorScan)
    }

    private enum Finding {
        case nothing(until: Int)
        case undecided(from: Int)
        case secret(Range<Int>, name: StaticString, SecretValue.Style)
        case longWord(until: Int, hasDots: Bool)
        case armor(label: Range<Int>, from: Int)
    }

    private static let longest = 4096
    /// How much in front of a word is examined: a name, and what stands between it and the word.
    private static let reach = IdentifierName.longest + 16

    private let core: RedactionCore
    /// What is looked for.
    enum Finds {
        case all
        /// Not random words; source code and pages are full of them.
        case noRandom
        /// Private keys alone, among bytes that may be anything.
        case keys
    }

    private let encoding: TokenScanner.Encoding
    private let finds: Finds
    private var findsRandom: Bool { finds == .all && core.findsRandom }
    private var tokens: TokenScanner
    private var state = State.idle
    /// Undecided bytes, and the length at which they are examined again.
    private var pending: [UInt8] = []
    private var wanted = 0
    /// The bytes before them.
    private var context: [UInt8] = []

    init(core: RedactionCore, encoding: TokenScanner.Encoding, finds: Finds = .all) {
        (self.core, self.encoding, self.finds) = (core, encoding, finds)
        tokens = TokenScanner(core: core, encoding: encoding)
    }

    mutating func scan(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        guard !range.isEmpty else { return }
        if pending.isEmpty {
            read(bytes, range, isLast: false, into: &out)
        } else {
            pending.append(bytes, range)
            // So that the same bytes are not examined again for each of many small pieces.
            if pending.count >= wanted { readPending(isLast: false, into: &out) }
        }
    }

    /// Decides about the remaining bytes, at the end of the text.
    mutating func finish(into out: inout [UInt8]) {
        if !pending.isEmpty { readPending(isLast: true, into: &out) }
        if case .armor(var armor) = state { armor.finish(into: &out) }
        tokens.finish(into: &out)
        (state, wanted) = (.idle, 0)
        context.removeAll(keepingCapacity: true)
    }

    private mutating func readPending(isLast: Bool, into out: inout [UInt8]) {
        let all = pending
        pending.removeAll(keepingCapacity: true)
        all.withSpan { read($0, 0..<all.count, isLast: isLast, into: &out) }
    }

    private mutating func read(
        _ bytes: Span<UInt8>, _ range: Range<Int>, isLast: Bool, into out: inout [UInt8]
    ) {
        var index = range.lowerBound
        /// The beginning of the bytes to be written unchanged.
        var kept = index
        while index < range.upperBound {
            switch state {
            case .longWord(let hasDots):
                index = CredentialLook.wordEnd(in: bytes, from: index, to: range.upperBound, encoding, hasDots)
                if index < range.upperBound { state = .idle }
                continue
            case .armor(var armor):
                state = .idle
                index = armor.read(bytes, from: index, to: range.upperBound, into: &out)
                kept = index
                if !armor.isOver { state = .armor(armor) }
                continue
            case .idle: break
            }
            switch find(bytes, index..<range.upperBound, from: range.lowerBound, isLast: isLast) {
            case .nothing(let next): index = next
            case .undecided(let start):
                pass(bytes, kept..<start, into: &out)
                keepContext(bytes, range.lowerBound..<start)
                pending.append(bytes, start..<range.upperBound)
                wanted = pending.count * 2
                return
            case .secret(let secret, let name, let style):
                pass(bytes, kept..<secret.lowerBound, into: &out)
                tokens.finish(into: &out)
                var value = SecretValue(
                    name: Array(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)), core: core)
                value.append(CredentialLook.plain(bytes, secret, encoding))
                value.replace(encoding == .form && style == .plain ? .escaped : style, into: &out)
                (index, kept) = (secret.upperBound, secret.upperBound)
            case .longWord(let next, let hasDots): (state, index) = (.longWord(hasDots: hasDots), next)
            case .armor(let label, let start):
                pass(bytes, kept..<start, into: &out)
                tokens.finish(into: &out)
                state = .armor(ArmorScan(label: bytes.extracting(label), core: core))
                (index, kept) = (start, start)
            }
        }
        pass(bytes, kept..<index, into: &out)
        keepContext(bytes, range.lowerBound..<index)
    }

    private mutating func pass(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        if finds == .keys { out.append(bytes, range) } else { tokens.scan(bytes, range, into: &out) }
    }

    private mutating func keepContext(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        if range.count >= Self.reach { context.removeAll(keepingCapacity: true) }
        context.append(bytes, max(range.lowerBound, range.upperBound &- Self.reach)..<range.upperBound)
        if context.count > Self.reach { context.removeFirst(context.count - Self.reach) }
    }

    /// The bytes in front of `index`, at most ``reach``.
    private func before(_ index: Int, of bytes: Span<UInt8>, from start: Int) -> [UInt8] {
        var all = index &- start >= Self.reach ? [] : context
        all.append(bytes, max(start, index &- Self.reach)..<index)
        return all.suffix(Self.reach)
    }

    /// The first thing in a range that is, or may become, a credential.
    private func find(_ bytes: Span<UInt8>, _ range: Range<Int>, from start: Int, isLast: Bool) -> Finding {
        var index = range.lowerBound
        let end = range.upperBound
        while index < end {
            let hit = CredentialLook.candidate(in: bytes, from: index, to: end, isForm: encoding == .form)
            guard hit < end else { break }
            let finding: Finding
            switch bytes[hit] {
            case UInt8(ascii: "-") where CredentialLook.isDashes(bytes, hit, end):
                finding = armor(bytes, range.lowerBound, hit, end, isLast)
            case _ where finds == .keys:
                // Dashes at the end of this word may begin a key.
                finding = .nothing(until: CredentialLook.isWordByte(bytes[hit]) ? hit &+ 6 : hit &+ 1)
            case UInt8(ascii: ":"), UInt8(ascii: "%"): finding = user(bytes, hit, end, isLast)
            default: finding = word(bytes, range.lowerBound, hit, end, start, isLast)
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
            if bytes[index] == UInt8(ascii: ":"), at < 0 { hasColon = true }
            if bytes[index] == UInt8(ascii: "@") {
                at = index
            } else if encoding == .form, bytes[index] == UInt8(ascii: "%"), index &+ 2 < end {
                let code = bytes[index &+ 1] &<< 4 &+ (bytes[index &+ 2] | 0x20)
                if bytes[index &+ 1] == 0x34, bytes[index &+ 2] == 0x30 { at = index }
                if bytes[index &+ 1] == 0x33, code == 0x30 &+ 0x61, at < 0 { hasColon = true }
                // A slash and the other bytes that end an authority.
                if bytes[index &+ 1] == 0x32, bytes[index &+ 2] | 0x20 == 0x66 { break }
            }
            index &+= 1
        }
        guard index < end || isLast || index &- start > Self.longest else { return .undecided(from: hit) }
        guard at > start, hasColon || at &- start >= CredentialLook.shortest, index &- start <= Self.longest else {
            return link(bytes, hit, index, end, isLast)
        }
        return .secret(start..<at, name: "userinfo", .userinfo)
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
        while stop > start, ".,:;)!".utf8.contains(bytes[stop &- 1]) { stop &-= 1 }
        // Most paths have no segment with digits.
        guard mayBeSecret, index &- start <= Self.longest,
            let secret = PathSecrets.link(in: bytes, start..<stop, encoding, core.names)
        else { return .nothing(until: start) }
        return .secret(secret, name: "link", .plain)
    }

    private func endsPath(_ bytes: Span<UInt8>, _ index: Int, _ end: Int) -> Bool {
        switch bytes[index] {
        case 0...0x20, UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"),
            UInt8(ascii: ">"), UInt8(ascii: "`"), UInt8(ascii: "&"):
            true
        case UInt8(ascii: "\\"):
            encoding != .json || index &+ 1 < end && bytes[index &+ 1] != UInt8(ascii: "/")
        case UInt8(ascii: "%"):
            // A question mark or a number sign.
            encoding == .form && index &+ 2 < end
                && (bytes[index &+ 1] == 0x33 && bytes[index &+ 2] | 0x20 == 0x66
                    || bytes[index &+ 1] == 0x32 && bytes[index &+ 2] == 0x33)
        default: false
        }
    }

    /// `-----BEGIN … PRIVATE KEY-----` (RFC 7468).
    private func armor(_ bytes: Span<UInt8>, _ floor: Int, _ hit: Int, _ end: Int, _ isLast: Bool) -> Finding {
        var start = hit
        while start > floor, bytes[start &- 1] == UInt8(ascii: "-") { start &-= 1 }
        switch ArmorScan.begin(bytes, from: start, to: end) {
        case .none:
            var next = hit
            while next < end, bytes[next] == UInt8(ascii: "-") { next &+= 1 }
            return .nothing(until: next)
        case .incomplete: return isLast ? .nothing(until: end) : .undecided(from: start)
        case .found(let label, let next):
            return .armor(label: label, from: next)
        }
    }

    /// A long word.
    private func word(
        _ bytes: Span<UInt8>, _ floor: Int, _ hit: Int, _ end: Int, _ first: Int, _ isLast: Bool
    ) -> Finding {
        // Most of them are digests, UUIDs and numbers.
        let hexEnd = CredentialLook.hexEnd(in: bytes, from: hit, to: end)
        if hexEnd &- hit >= 8, hexEnd < end, !CredentialLook.isWordByte(bytes[hexEnd]), bytes[hexEnd] != 0x5C,
            bytes[hexEnd] != 0x25
        {
            var front = hit
            while front > floor, front &+ 8 > hit,
                CredentialLook.hexEnd(in: bytes, from: front &- 1, to: front) == front
            {
                front &-= 1
            }
            if front > floor, !CredentialLook.isWordByte(bytes[front &- 1]), bytes[front &- 1] != 0x5C {
                return .nothing(until: hexEnd)
            }
        }
        let start = CredentialLook.wordStart(in: bytes, before: hit, from: floor, to: end, encoding)
        var stop = CredentialLook.wordEnd(in: bytes, from: max(hit, start), to: end, encoding, false)
        guard stop &- start >= CredentialLook.shortest || stop == end && !isLast else { return .nothing(until: stop) }
        let traits = CredentialLook.Traits(bytes, start..<stop)
        // A JSON Web Token is handled by ``TokenScanner``.
        let isToken = traits.mayHoldToken
        if isToken { stop = CredentialLook.wordEnd(in: bytes, from: stop, to: end, encoding, true) }
        if stop &- start > Self.longest { return .longWord(until: stop, hasDots: isToken) }
        guard stop < end || isLast else { return .undecided(from: start) }
        guard !isToken, stop &- start >= CredentialLook.shortest else { return .nothing(until: stop) }
        let next = stop < end ? bytes[stop] : 0
        guard
            let secret = CredentialLook.secret(
                in: bytes, start..<stop, traits, before: { before(start, of: bytes, from: first) }, next: next,
                encoding, alsoRandom: findsRandom, core.names)
        else { return path(bytes, start..<stop, traits, next) }
        return .secret(secret, name: "credential", .plain)
    }

    /// A link within a host, such as `/reset-password/8f3Kd92Lq`.
    ///
    /// The name of a file may hold a digest of it.
    private func path(
        _ bytes: Span<UInt8>, _ word: Range<Int>, _ traits: CredentialLook.Traits, _ next: UInt8
    ) -> Finding {
        guard traits.hasDigits, next != UInt8(ascii: "."), PathSecrets.slash(bytes, word.lowerBound, encoding) > 0,
            let secret = PathSecrets.link(in: bytes, word, encoding, core.names)
        else { return .nothing(until: word.upperBound) }
        return .secret(secret, name: "link", .plain)
    }
}
