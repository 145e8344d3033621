import Bytes

/// Finds `Bearer` tokens (RFC 6750) and JSON Web Tokens (RFC 7519) wherever they stand in a text, also through escapes.
struct TokenFinder {
    enum Finding {
        case nothing(next: Int)
        /// The text ends too early to tell.
        case undecided
        case token(Range<Int>, name: StaticString)
    }

    /// The longest header of a token that is looked for.
    private static let longestHeader = 16_384
    private static let shortestWord = 8

    let core: RedactionCore
    let encoding: TextEncoding
    /// Whether JSON in base64 is looked into.
    let readsJSON: Bool

    /// What begins at a place that ``TokenSearch`` has found.
    func find(_ bytes: Span<UInt8>, at start: Int, to end: Int, isLast: Bool) -> Finding {
        let first = encoding.unit(bytes, start, to: end)
        if !isLast, first.count == 1, bytes[start] == encoding.escape, end &- start < 6 { return .undecided }
        switch first.byte {
        case UInt8(ascii: "b"), UInt8(ascii: "B"):
            return bearer(bytes, start, to: end, isLast, next: start &+ first.count)
        case UInt8(ascii: "e"): return signed(bytes, start, to: end, isLast, next: start &+ first.count)
        default: return .nothing(next: start &+ first.count)
        }
    }

    /// The word, blanks and a token.
    private func bearer(_ bytes: Span<UInt8>, _ start: Int, to end: Int, _ isLast: Bool, next: Int) -> Finding {
        let open: Finding = isLast ? .nothing(next: next) : .undecided
        var index = start
        for place in 0..<TokenSearch.bearer.utf8CodeUnitCount {
            guard index < end else { return open }
            let unit = encoding.unit(bytes, index, to: end)
            guard unit.byte | 0x20 == TokenSearch.bearer.utf8Start[place] else {
                return bytes[index] == encoding.escape && end &- index < 6 ? open : .nothing(next: next)
            }
            index &+= unit.count
        }
        var blanks = 0
        while index < end {
            let unit = encoding.unit(bytes, index, to: end)
            guard ByteSearch.isBlank(unit.byte) else { break }
            (index, blanks) = (index &+ unit.count, blanks &+ 1)
        }
        guard index < end else { return open }
        guard blanks > 0 else { return .nothing(next: next) }
        let token = index
        /// A short word of letters is prose (`a bearer token`) or a challenge's parameter (`Bearer realm=`).
        var (count, isWord) = (0, true)
        while index < end {
            let unit = encoding.unit(bytes, index, to: end)
            guard JWT.isBase64URL(unit.byte) || unit.byte.isOne(of: "./~+") else { break }
            (index, count) = (index &+ unit.count, count &+ 1)
            if (unit.byte | 0x20) &- 0x61 >= 26 || count >= Self.shortestWord { isWord = false }
        }
        if index == end, !isLast { return .undecided }
        guard count > 0, !isWord else { return .nothing(next: token) }
        for _ in 0..<2 where index < end && encoding.unit(bytes, index, to: end).byte == UInt8(ascii: "=") {
            index &+= encoding.unit(bytes, index, to: end).count
        }
        return index == end && !isLast ? .undecided : .token(token..<index, name: "bearer")
    }

    /// A header in base64url, a dot, and what follows.
    private func signed(_ bytes: Span<UInt8>, _ start: Int, to end: Int, _ isLast: Bool, next: Int) -> Finding {
        var index = start
        var run: [UInt8] = []
        while index < end, run.count < Self.longestHeader {
            let unit = encoding.unit(bytes, index, to: end)
            let fits =
                switch run.count {
                case 0: true
                case 1: TokenSearch.isSecondOfHeader(unit.byte)
                case 2: TokenSearch.isThirdOfHeader(unit.byte)
                default: JWT.isBase64URL(unit.byte)
                }
            guard fits else { break }
            run.append(unit.byte)
            index &+= unit.count
        }
        if index == end || bytes[index] == encoding.escape && end &- index < 6, !isLast { return .undecided }
        guard run.count > 2 else { return .nothing(next: next) }
        let isOver = index < end && encoding.unit(bytes, index, to: end).byte == UInt8(ascii: ".")
        guard isOver || run.count == Self.longestHeader, JWT.isHeader(run) else {
            if !isOver, index &- start >= CredentialLook.shortest, holdsSecret(run, bytes, start) {
                while index < end, encoding.unit(bytes, index, to: end).byte == UInt8(ascii: "=") {
                    index &+= encoding.unit(bytes, index, to: end).count
                }
                return .token(start..<index, name: "encoded")
            }
            // The rest of the run is no header, either.
            while index < end, JWT.isBase64URL(bytes[index]) { index &+= 1 }
            return .nothing(next: index)
        }
        while index < end {
            let unit = encoding.unit(bytes, index, to: end)
            guard JWT.isBase64URL(unit.byte) || unit.byte == UInt8(ascii: ".") else { break }
            index &+= unit.count
        }
        return index == end && !isLast ? .undecided : .token(start..<index, name: "jwt")
    }

    /// Whether a run is JSON in base64 with a secret in it, as gateways hand on who is logged in, and no data of a page.
    private func holdsSecret(_ run: [UInt8], _ bytes: Span<UInt8>, _ start: Int) -> Bool {
        guard readsJSON, run.count < Self.longestHeader, let core = core.nested,
            start < 6 || !bytes.extracting(start &- 6..<start).spells("ase64,")
        else { return false }
        let text = JWT.decode(run[...])
        return text.first == UInt8(ascii: "{") && core.json(text) != text
    }
}
