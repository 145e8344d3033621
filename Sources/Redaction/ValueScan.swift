import Bytes

/// Reads the value of one secret member, to its end and not beyond, and writes what stands in its place.
struct ValueScan {
    private indirect enum Kind {
        case string
        /// A number or a word, up to what cannot belong to it.
        case literal
        /// What no JSON begins with, up to what ends a member.
        case unknown
        case structure(StructureScan)
    }

    private var kind: Kind
    private let level: Int
    /// What ends a string.
    private let quote: UInt8
    private var secret: SecretValue
    private var unescaper = JSONUnescaper()
    /// Backslashes directly before the next byte.
    private var backslashes = 0
    private(set) var isOver = false

    /// Whether what follows the value is within a string, if only its last quote.
    var isInString: Bool { if case .string = kind { true } else { level > 0 } }

    /// A string whose opening quote, and the `level` backslashes before it, are gone by.
    init(string secret: SecretValue, level: Int, quote: UInt8 = UInt8(ascii: "\"")) {
        (kind, self.level, self.secret, self.quote) = (.string, level, secret, quote)
    }

    /// Anything else, by its first byte, which is still to be read.
    init(first: UInt8, _ secret: SecretValue, level: Int, isCode: Bool = false, core: RedactionCore) {
        kind =
            switch first {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                .structure(StructureScan(secret, level: level, isCode: isCode, core: core))
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "t"), UInt8(ascii: "f"),
                UInt8(ascii: "n"):
                .literal
            default: .unknown
            }
        (self.level, self.secret, quote) = (level, secret, UInt8(ascii: "\""))
    }

    /// Reads on; gives where what follows the value begins.
    mutating func read(_ bytes: Span<UInt8>, from start: Int, into out: inout [UInt8]) -> Int {
        switch kind {
        case .string: return level == 0 ? readString(bytes, start, &out) : readEscapedString(bytes, start, &out)
        case .structure(var scan):
            let next = scan.read(bytes, from: start, into: &out)
            (kind, isOver) = (.structure(scan), scan.isOver)
            return next
        case .literal, .unknown: return readLiteral(bytes, start, &out)
        }
    }

    /// Ends a value that was cut.
    mutating func finish(into out: inout [UInt8]) {
        switch kind {
        case .string:
            unescaper.finish(into: &secret.text)
            secret.finish(.plain, into: &out)
        case .structure(var scan): scan.finish(into: &out)
        default: secret.finishWord(level: level, into: &out)
        }
        isOver = true
    }

    private mutating func readString(_ bytes: Span<UInt8>, _ start: Int, _ out: inout [UInt8]) -> Int {
        var index = start
        while index < bytes.count {
            if unescaper.isInside {
                unescaper.feed(bytes[index], into: &secret.text)
                secret.settle()
                index &+= 1
                continue
            }
            var stop = ByteSearch.either(quote, UInt8(ascii: "\\"), in: bytes, from: index, to: bytes.count)
            // Only JSON's own quotes may stand lines apart; an apostrophe may be none.
            if quote == UInt8(ascii: "'") { stop = ByteSearch.byte(0x0A, in: bytes, from: index, to: stop) }
            if stop > index {
                unescaper.finish(into: &secret.text)
                secret.append(bytes.extracting(index..<stop))
            }
            guard stop < bytes.count else { return stop }
            if bytes[stop] == quote || bytes[stop] == 0x0A {
                finish(into: &out)
                return stop
            }
            unescaper.feed(bytes[stop], into: &secret.text)
            index = stop &+ 1
        }
        return index
    }

    /// A string in a string: its bytes as they are, up to a quote with as many backslashes as the first one.
    private mutating func readEscapedString(_ bytes: Span<UInt8>, _ start: Int, _ out: inout [UInt8]) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\\") {
                backslashes &+= 1
                if backslashes > 64 {
                    secret.append(byte)
                    backslashes &-= 1
                }
            } else if byte == quote, isEnd(backslashes) {
                let own = backslashes >= level ? level : 0
                for _ in own..<backslashes { secret.append(UInt8(ascii: "\\")) }
                finish(into: &out)
                for _ in 0..<own { out.append(UInt8(ascii: "\\")) }
                return index
            } else {
                for _ in 0..<backslashes { secret.append(UInt8(ascii: "\\")) }
                backslashes = 0
                secret.append(byte)
            }
            index &+= 1
        }
        return index
    }

    private mutating func readLiteral(_ bytes: Span<UInt8>, _ start: Int, _ out: inout [UInt8]) -> Int {
        var index = start
        while index < bytes.count, !endsLiteral(bytes[index]) {
            secret.append(bytes[index])
            index += 1
        }
        if index < bytes.count { finish(into: &out) }
        return index
    }

    private func endsLiteral(_ byte: UInt8) -> Bool {
        switch kind {
        case .unknown: return byte == 0x2C || byte == 0x7D || byte == 0x5D || byte == 0x0A || byte == 0x0D
        default:
            return byte == 0x2C || byte == 0x7D || byte == 0x5D || ByteSearch.isSpace(byte) || byte == 0x22
                || byte == 0x5C
        }
    }

    /// Whether a quote with so many backslashes before it ends a string of this level.
    private func isEnd(_ count: Int) -> Bool {
        if count < level || level == 0 || count % 2 == 0 { return level > 0 || count % 2 == 0 }
        return (count - level) % (level + 1) == 0 && (count - level) / (level + 1) % 2 == 0
    }
}
