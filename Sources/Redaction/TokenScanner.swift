import Bytes

/// Replaces `Bearer` tokens (RFC 6750) and JSON Web Tokens (RFC 7519) wherever they stand in a text.
///
/// The text comes in pieces of any size. What may become a token is held back until that is decided: at most
/// 16 KiB, the longest header of a token that is looked for.
struct TokenScanner {
    /// How the text is written down; tokens are found through escapes, too.
    enum Encoding {
        case plain
        case json
        case form
    }

    private enum State {
        case idle
        /// So many letters of `bearer` were read.
        case word(Int)
        /// Blanks after the word.
        case blanks
        case bearer
        /// So many `=` at a token's end.
        case padding(Int)
        /// A run of base64url that may be a token's header.
        case header
        /// What follows a header.
        case rest
    }

    private static let longestHeader = 16_384
    private static let shortestWord = 8

    private let core: RedactionCore
    private let encoding: Encoding
    private var state = State.idle
    /// What was read and is not yet decided, as it was written, and what it means.
    private var held: [UInt8] = []
    private var text: [UInt8] = []
    /// How much of `held` the last byte of `text` took.
    private var lastUnit = 0
    private var value: SecretValue?
    private var escapes: TokenEscapes

    init(core: RedactionCore, encoding: Encoding) {
        (self.core, self.encoding) = (core, encoding)
        escapes = TokenEscapes(encoding: encoding)
    }

    private var isIdle: Bool {
        if case .idle = state { escapes.raw.isEmpty } else { false }
    }

    mutating func scan(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
        var index = range.lowerBound
        while index < range.upperBound {
            if isIdle {
                let stop = TokenSearch.candidate(
                    in: bytes, from: index, to: range.upperBound, escape: escapes.mark)
                out.append(bytes, index..<stop)
                index = stop
            } else if isInToken {
                index = readRun(bytes, index..<range.upperBound)
            }
            guard index < range.upperBound else { return }
            step(bytes[index], into: &out)
            index += 1
        }
    }

    /// Decides about the remaining bytes, at the end of the text.
    mutating func finish(into out: inout [UInt8]) {
        guard !isIdle else { return }
        end(into: &out)
        out.append(contentsOf: escapes.raw)
        escapes.removeAll()
    }

    /// Whether a token is being read that will be replaced in any case.
    private var isInToken: Bool {
        guard escapes.raw.isEmpty else { return false }
        switch state {
        case .rest: return true
        case .bearer: return !isPlainWord
        default: return false
        }
    }

    private mutating func readRun(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var index = range.lowerBound
        while index < range.upperBound, isTokenByte(bytes[index]) { index += 1 }
        if index > range.lowerBound { value?.append(bytes.extracting(range.lowerBound..<index)) }
        return index
    }

    private mutating func step(_ byte: UInt8, into out: inout [UInt8]) {
        escapes.feed(byte)
        while let unit = escapes.next() {
            process(unit.byte, raw: unit.raw, into: &out)
        }
    }

    private mutating func process(_ byte: UInt8, raw: ArraySlice<UInt8>, into out: inout [UInt8]) {
        switch state {
        case .idle: begin(byte, raw: raw, into: &out)
        case .word(let count): continueWord(count, byte, raw: raw, into: &out)
        case .blanks:
            if ByteSearch.isBlank(byte) {
                out.append(contentsOf: raw)
            } else if isTokenByte(byte) || (byte == UInt8(ascii: "+") && encoding == .form) {
                value = SecretValue(name: Array("bearer".utf8), core: core)
                state = .bearer
                extend(byte, raw: raw)
            } else {
                state = .idle
                begin(byte, raw: raw, into: &out)
            }
        case .bearer:
            if isTokenByte(byte) || (byte == UInt8(ascii: "+") && encoding == .form) {
                extend(byte, raw: raw)
            } else if byte == UInt8(ascii: "="), !isPlainWord {
                value?.append(byte)
                state = .padding(1)
            } else {
                conclude(byte, raw: raw, into: &out)
            }
        case .padding(let count):
            if byte == UInt8(ascii: "="), count < 2 {
                value?.append(byte)
                state = .padding(count + 1)
            } else {
                conclude(byte, raw: raw, into: &out)
            }
        case .header: continueHeader(byte, raw: raw, into: &out)
        case .rest:
            if isTokenByte(byte) { value?.append(byte) } else { conclude(byte, raw: raw, into: &out) }
        }
    }

    private mutating func begin(_ byte: UInt8, raw: ArraySlice<UInt8>, into out: inout [UInt8]) {
        if byte | 0x20 == UInt8(ascii: "b") {
            state = .word(1)
            hold(byte, raw: raw)
        } else if byte == UInt8(ascii: "e") {
            state = .header
            hold(byte, raw: raw)
        } else {
            state = .idle
            out.append(contentsOf: raw)
        }
    }

    private mutating func continueWord(
        _ count: Int, _ byte: UInt8, raw: ArraySlice<UInt8>, into out: inout [UInt8]
    ) {
        if count < 6, byte | 0x20 == TokenSearch.bearer.utf8Start[count] {
            state = .word(count + 1)
            hold(byte, raw: raw)
        } else if count < 6, text.last == UInt8(ascii: "e"), TokenSearch.isSecondOfHeader(byte) {
            out.append(contentsOf: held.dropLast(lastUnit))
            (held, text) = (held.suffix(lastUnit), [UInt8(ascii: "e")])
            state = .header
            hold(byte, raw: raw)
        } else {
            conclude(byte, raw: raw, into: &out)
        }
    }

    private mutating func continueHeader(_ byte: UInt8, raw: ArraySlice<UInt8>, into out: inout [UInt8]) {
        let fits =
            switch text.count {
            case 1: TokenSearch.isSecondOfHeader(byte)
            case 2: TokenSearch.isThirdOfHeader(byte)
            default: JWT.isBase64URL(byte)
            }
        if fits {
            hold(byte, raw: raw)
            if text.count >= Self.longestHeader {
                if JWT.isHeader(text) { beginRest() } else { release(into: &out) }
            }
        } else if byte == UInt8(ascii: "."), text.count > 2, JWT.isHeader(text) {
            beginRest()
            value?.append(byte)
        } else {
            conclude(byte, raw: raw, into: &out)
        }
    }

    private mutating func beginRest() {
        value = SecretValue(name: Array("jwt".utf8), core: core)
        value?.append(text)
        forget()
        state = .rest
    }

    /// Ends what was being read and goes on with the byte that ended it.
    private mutating func conclude(_ byte: UInt8, raw: ArraySlice<UInt8>, into out: inout [UInt8]) {
        let isWord = text.count >= 6 && Array(text.suffix(6)).withSpan { $0.spells(TokenSearch.bearer) }
        end(into: &out)
        if isWord, ByteSearch.isBlank(byte) {
            state = .blanks
            out.append(contentsOf: raw)
        } else {
            begin(byte, raw: raw, into: &out)
        }
    }

    private mutating func end(into out: inout [UInt8]) {
        switch state {
        case .bearer where !isPlainWord, .padding, .rest:
            value?.replace(encoding == .form ? .escaped : .plain, into: &out)
            forget()
        default: release(into: &out)
        }
        value = nil
        state = .idle
    }

    /// A short word of letters is prose (`a bearer token`) or a challenge's parameter (`Bearer realm=`).
    private var isPlainWord: Bool { !text.isEmpty }

    /// Reads on in a bearer's token, which is held back while it may be a word.
    private mutating func extend(_ byte: UInt8, raw: ArraySlice<UInt8>) {
        value?.append(byte)
        let isFirst = value?.text.count == 1 && value?.isLong == false
        guard isFirst || isPlainWord else { return }
        if (byte | 0x20) &- 0x61 < 26, text.count + 1 < Self.shortestWord {
            hold(byte, raw: raw)
        } else {
            forget()
        }
    }

    private mutating func hold(_ byte: UInt8, raw: ArraySlice<UInt8>) {
        held.append(contentsOf: raw)
        text.append(byte)
        lastUnit = raw.count
    }

    private mutating func release(into out: inout [UInt8]) {
        out.append(contentsOf: held)
        forget()
        state = .idle
    }

    private mutating func forget() {
        held.removeAll(keepingCapacity: true)
        text.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    private func isTokenByte(_ byte: UInt8) -> Bool {
        if JWT.isBase64URL(byte) || byte == UInt8(ascii: ".") { return true }
        if case .rest = state { return false }
        return byte == UInt8(ascii: "~") || byte == UInt8(ascii: "/")
            || (byte == UInt8(ascii: "+") && encoding != .form)
    }
}
