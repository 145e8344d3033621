import Bytes

/// Texts that are secret wherever they stand: as they are, escaped, and in base64.
///
/// The search skips as many bytes as the shortest text allows (Wu and Manber 1994).
final class SecretTable: Sendable {
    private struct Form {
        let text: [UInt8]
        let secret: Int
        /// The surroundings are escaped like it.
        let isEscaped: Bool
    }

    struct Match {
        let place: Range<Int>
        let secret: Int
        let isEscaped: Bool
    }

    /// That of ``OwnSecrets`` from which on it counts.
    let number: Int
    private let secrets: [[UInt8]]
    /// The longest first.
    private let forms: [Form]
    /// By the two bytes at the end of a window: how far the next one that may fit is.
    private let shifts: [UInt8]
    /// The forms that fit a window at which nothing is skipped.
    private let fitting: [Int: [Int]]

    private static let window = OwnSecrets.shortest

    init(_ secrets: [[UInt8]], number: Int) {
        (self.secrets, self.number) = (secrets, number)
        var known: Set<[UInt8]> = []
        var forms: [Form] = []
        for (index, secret) in secrets.enumerated() {
            for text in [secret] + Self.encoded(secret) {
                for (escaped, isEscaped) in Self.escaped(text) where known.insert(escaped).inserted {
                    forms.append(Form(text: escaped, secret: index, isEscaped: isEscaped))
                }
            }
        }
        forms.sort { $0.text.count > $1.text.count }
        var shifts = [UInt8](repeating: UInt8(Self.window - 1), count: 1 << 16)
        var fitting: [Int: [Int]] = [:]
        for (index, form) in forms.enumerated() {
            for at in 0..<Self.window - 1 {
                let pair = Int(form.text[at]) << 8 | Int(form.text[at + 1])
                shifts[pair] = min(shifts[pair], UInt8(Self.window - 2 - at))
                if at == Self.window - 2 { fitting[pair, default: []].append(index) }
            }
        }
        (self.forms, self.shifts, self.fitting) = (forms, shifts, fitting)
    }

    /// In base64 with none, one and two bytes in front, as in `user:token`; without digits that depend on others.
    private static func encoded(_ secret: [UInt8]) -> [[UInt8]] {
        (0..<3).flatMap { front -> [[UInt8]] in
            let digits = Base64Encoder.text([UInt8](repeating: 0, count: front) + secret).utf8
            let bits = (front + secret.count) * 8
            let plain = Array(Array(digits)[(front * 8 + 5) / 6..<bits / 6])
            let other = plain.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? 0x5F : $0 }
            return [plain, other]
        }
    }

    /// The text itself, and with the escapes of URLs (RFC 3986 2.1), JSON and HTML as encoders in use write them.
    private static func escaped(_ text: [UInt8]) -> [(text: [UInt8], isEscaped: Bool)] {
        func percent(_ plain: String, _ write: (String) -> String) -> [UInt8] {
            text.flatMap { byte in
                let isPlain = ByteSearch.isAlphanumeric(byte) || plain.utf8.contains(byte)
                return isPlain ? [byte] : Array("%\(write(Hex.text([byte])))".utf8)
            }
        }
        let others = escapes.map { escapes in text.flatMap { escapes[$0].map { Array($0.utf8) } ?? [$0] } }
        return [(text, false)]
            + ["-._~", "*-._", "-_.!~*'()"].flatMap { plain in
                [(percent(plain) { $0 }, true), (percent(plain) { $0.uppercased() }, true)]
            } + others.map { ($0, false) }
    }

    private static let escapes: [[UInt8: String]] = [
        [UInt8(ascii: "/"): #"\/"#], [UInt8(ascii: "+"): #"\u002B"#], [UInt8(ascii: "="): #"\u003d"#],
        [UInt8(ascii: "+"): "&#43;"], [UInt8(ascii: "="): "&#x3D;"],
        [UInt8(ascii: "/"): "&#x2F;", UInt8(ascii: "="): "&#x3D;"],
    ]

    /// Finds the texts from `start` on.
    ///
    /// - Parameter isLast: nothing follows; the beginning of a text at the end then counts, since it may be cut.
    /// - Returns: where what is not decided begins.
    func find(in bytes: Span<UInt8>, from start: Int, isLast: Bool, _ found: (Match) -> Void) -> Int {
        var at = start
        while at &+ Self.window <= bytes.count {
            let pair = Int(bytes[at &+ Self.window &- 2]) &<< 8 | Int(bytes[at &+ Self.window &- 1])
            let shift = shifts[pair]
            guard shift == 0 else {
                at &+= Int(shift)
                continue
            }
            var end = at + 1
            for index in fitting[pair] ?? [] {
                let form = forms[index]
                let count = min(form.text.count, bytes.count - at)
                guard starts(with: form, bytes, at, count) else { continue }
                if count < form.text.count, !isLast { return at }
                found(Match(place: at..<at + count, secret: form.secret, isEscaped: form.isEscaped))
                end = at + count
                break
            }
            at = end
        }
        guard !isLast else { return bytes.count }
        while at < bytes.count {
            if forms.contains(where: { starts(with: $0, bytes, at, bytes.count - at) }) { return at }
            at += 1
        }
        return at
    }

    private func starts(with form: Form, _ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> Bool {
        for index in 0..<count where bytes[start &+ index] != form.text[index] { return false }
        return true
    }

    /// Replaces them in what was written from `start` on; the bytes that are not decided are returned, and are gone.
    func replace(
        in out: inout [UInt8], from start: Int, _ style: SecretValue.Style, _ core: RedactionCore, isLast: Bool = true
    ) -> [UInt8] {
        var matches: [Match] = []
        let end = out.withSpan { find(in: $0, from: start, isLast: isLast) { matches.append($0) } }
        let held = Array(out[end...])
        out.removeLast(held.count)
        guard let first = matches.first?.place.lowerBound else { return held }
        let text = Array(out[first...])
        out.removeLast(text.count)
        var at = first
        for match in matches {
            out += text[at - first..<match.place.lowerBound - first]
            secrets[match.secret].withSpan {
                (core.nested ?? core).replace($0, name: "token", match.isEscaped ? .escaped : style, into: &out)
            }
            at = match.place.upperBound
        }
        out += text[(at - first)...]
        return held
    }
}

extension SecretTable {
    /// The same in a head: a token in its start line is a part of the target, and the replacement is escaped.
    func replace(inHead out: inout [UInt8], from start: Int, _ core: RedactionCore) {
        let line = out.withSpan { ByteSearch.byte(0x0A, in: $0, from: start, to: $0.count) }
        let fields = Array(out[line...])
        out.removeLast(fields.count)
        _ = replace(in: &out, from: start, .escaped, core)
        let end = out.count
        out += fields
        _ = replace(in: &out, from: end, .plain, core)
    }
}

/// The table that its holder knows, which is read anew once there are other secrets.
struct KnownSecrets {
    private var table: SecretTable?

    /// nil while there are no secrets.
    mutating func current() -> SecretTable? {
        let number = OwnSecrets.number
        if number != table?.number ?? 0 { table = OwnSecrets.table }
        return table
    }
}
