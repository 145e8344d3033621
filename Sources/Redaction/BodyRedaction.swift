import Bytes

/// Replaces the secrets of one body, which comes in pieces.
///
/// The output does not depend on how the body is cut into pieces. Undecided bytes are held back: at most a few tens of
/// kilobytes, of a value no more than 64 KiB. The body must be without Content-Encoding.
///
/// By Content-Type: forms, multipart, JSON (with JSON Lines and Server-Sent Events), XML, HTML, and text. A body
/// without a type, or with an unspecific one, is read as JSON if it begins like that. A body in UTF-16 or UTF-32, by
/// its charset or its first bytes, is replaced as a whole, and so is text that begins in the middle (``PartialBody``).
/// Other bodies are kept unchanged.
public struct BodyRedaction {
    private enum Kind {
        /// Not enough bytes were read to decide.
        case undecided
        case unchanged
        case pairs(PairRedaction)
        case form(ParameterRedaction)
        case multipart(MultipartRedaction)
        case markup(MarkupRedaction)
        case whole(SecretValue)
    }

    private static let longestStart = 64
    /// The length of `<!doctype html`.
    private static let longestHTML = 14

    private let core: RedactionCore
    private let memo: RedactionCache?
    private let type: MediaType
    private let beginsInside: Bool
    private var kind: Kind
    /// Bytes that were read before the decision.
    private var start: [UInt8] = []

    init(contentType: [UInt8], core: RedactionCore, memo: RedactionCache? = nil) {
        (self.core, self.memo) = (core, memo)
        // Most bodies are one of these, and the rest of the field need not be read.
        if contentType.withSpan({ $0.spells("application/json") || $0.spells("application/json; charset=utf-8") }) {
            (type, kind, beginsInside) = (.json, .undecided, false)
            return
        }
        type = MediaType(contentType)
        beginsInside = PartialBody.isMarked(contentType)
        kind =
            switch type.reading {
            case .json where beginsInside, .form where beginsInside, .text where beginsInside,
                .multipart where beginsInside:
                .whole(SecretValue(name: Array("part".utf8), core: core))
            case .multipart: .multipart(MultipartRedaction(boundary: MediaType.boundary(of: contentType), core: core))
            case .unchanged: .unchanged
            default: .undecided
            }
    }

    /// Appends the redacted form of the bytes that are decided by now.
    public mutating func redact(_ piece: Span<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(piece.count + 64)
        redact(piece, into: &out)
        return out
    }

    /// The same for an array.
    public mutating func redact(_ piece: [UInt8]) -> [UInt8] { piece.withSpan { redact($0) } }

    /// The rest; the body is over, or was cut.
    public mutating func finish() -> [UInt8] {
        var out: [UInt8] = []
        finish(into: &out)
        return out
    }

    /// A body that comes in one piece, so that no state of JSON has to be kept.
    mutating func redactAll(_ body: Span<UInt8>, into out: inout [UInt8]) {
        if case .undecided = kind, case .pairs(var json)? = decide(body, isAll: false) {
            json.redact(body, into: &out)
            json.finish(into: &out)
        } else {
            redact(body, into: &out)
            finish(into: &out)
        }
    }

    mutating func redact(_ piece: Span<UInt8>, into out: inout [UInt8]) {
        guard piece.count > 0 else { return }
        if case .undecided = kind {
            if start.isEmpty, let found = decide(piece, isAll: false) {
                kind = found
                continueWith(piece, into: &out)
                return
            }
            let taken = min(piece.count, Self.longestStart - start.count)
            start.append(piece, 0..<taken)
            guard let found = start.withSpan({ decide($0, isAll: false) }) else { return }
            kind = found
            let first = start
            start = []
            first.withSpan { continueWith($0, into: &out) }
            continueWith(piece.extracting(taken..<piece.count), into: &out)
        } else {
            continueWith(piece, into: &out)
        }
    }

    mutating func finish(into out: inout [UInt8]) {
        if case .undecided = kind, !start.isEmpty {
            kind = start.withSpan { decide($0, isAll: true) } ?? .pairs(PairRedaction(core: core, grammar: .text))
            let first = start
            start = []
            first.withSpan { continueWith($0, into: &out) }
        }
        switch kind {
        case .undecided, .unchanged: break
        case .pairs(var pairs): pairs.finish(into: &out)
        case .form(var form): form.finish(into: &out)
        case .multipart(var multipart): multipart.finish(into: &out)
        case .markup(var markup): markup.finish(into: &out)
        case .whole(var value): value.finish(.plain, into: &out)
        }
        kind = .unchanged
    }

    private mutating func continueWith(_ piece: Span<UInt8>, into out: inout [UInt8]) {
        // Taken out while it works, so that its arrays are not copied.
        let taken = kind
        kind = .unchanged
        switch consume taken {
        case .undecided: break
        case .unchanged: out.append(piece, 0..<piece.count)
        case .pairs(var pairs):
            pairs.redact(piece, into: &out)
            kind = .pairs(pairs)
        case .form(var form):
            form.redact(piece, 0..<piece.count, into: &out)
            kind = .form(form)
        case .multipart(var multipart):
            multipart.redact(piece, into: &out)
            kind = .multipart(multipart)
        case .markup(var markup):
            markup.redact(piece, into: &out)
            kind = .markup(markup)
        case .whole(var value):
            value.append(piece)
            kind = .whole(value)
        }
    }

    /// The kind of the body by its first bytes; nil if more of them are needed.
    private func decide(_ bytes: Span<UInt8>, isAll: Bool) -> Kind? {
        guard bytes.count >= (beginsInside ? Self.longestStart : 4) || isAll else { return nil }
        if beginsInside {
            let isText = PartialBody.isText(bytes.extracting(0..<min(bytes.count, Self.longestStart)))
            return isText ? .whole(SecretValue(name: Array("part".utf8), core: core)) : .unchanged
        }
        if type.isWide || isWide(bytes) {
            if type.reading == .unknown, !type.isWide, !startsLikeWideJSON(bytes) { return .unchanged }
            return .whole(SecretValue(name: Array("body".utf8), core: core))
        }
        // Compressed, with the media type of a text.
        if isCompressed(bytes), type.reading != .unknown || !type.isNamed {
            return .whole(SecretValue(name: Array("body".utf8), core: core))
        }
        if type.reading == .form { return .form(ParameterRedaction(core: core, isURL: false)) }
        if type.reading == .json { return .pairs(PairRedaction(core: core, memo: memo)) }
        var index = 0
        while index < bytes.count, ByteSearch.isSpace(bytes[index]) || bytes[index] >= 0xBB, index < Self.longestStart {
            index += 1
        }
        guard index < min(bytes.count, Self.longestStart) || isAll || index == Self.longestStart else { return nil }
        if index + 1 == bytes.count, bytes[index] == UInt8(ascii: "["), !isAll, bytes.count < Self.longestStart {
            return nil
        }
        let beginsAsJSON =
            index < bytes.count && bytes[index] == UInt8(ascii: "{")
            || index < bytes.count && bytes[index] == UInt8(ascii: "[") && !beginsAsSection(bytes, from: index)
        if beginsAsJSON {
            return .pairs(PairRedaction(core: core, memo: memo))
        }
        let beginsAsMarkup = index < bytes.count && bytes[index] == UInt8(ascii: "<")
        if type.isMarkup || beginsAsMarkup && (type.reading == .text || type.reading == .unknown) {
            let longest = min(index + Self.longestHTML, Self.longestStart)
            guard type.isMarkup || bytes.count >= longest || isAll else { return nil }
            let isHTML = type.isHTML || !type.isMarkup && beginsAsHTML(bytes, from: index)
            return .markup(MarkupRedaction(core: core, isHTML: isHTML))
        }
        let isText = type.reading == .text || (!type.isNamed && index < bytes.count && bytes[index] >= 0x20)
        return isText ? .pairs(PairRedaction(core: core, grammar: type.isCode ? .code : .text)) : .unchanged
    }

    /// `[name]`, as files of settings have it; `true`, `false` and `null` are JSON.
    private func beginsAsSection(_ bytes: Span<UInt8>, from index: Int) -> Bool {
        guard index + 1 < bytes.count else { return false }
        let byte = bytes[index + 1] | 0x20
        return byte &- 0x61 < 26 && byte != 0x74 && byte != 0x66 && byte != 0x6E
    }

    private func beginsAsHTML(_ bytes: Span<UInt8>, from index: Int) -> Bool {
        for start in ["<!doctype html", "<html"] as [StaticString] {
            let end = index + start.utf8CodeUnitCount
            if end <= min(bytes.count, Self.longestStart), bytes.extracting(index..<end).spells(start) { return true }
        }
        return false
    }

    /// A byte order mark of UTF-16 or UTF-32, or ASCII with the NULs that these put between.
    private func isWide(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 2 else { return false }
        if (bytes[0] == 0xFE && bytes[1] == 0xFF) || (bytes[0] == 0xFF && bytes[1] == 0xFE) { return true }
        var (nulls, letters) = (0, 0)
        for index in 0..<min(bytes.count, 4) {
            let byte = bytes[index]
            if byte == 0 { nulls |= 1 &<< index }
            if ByteSearch.isSpace(byte) || (byte > 0x20 && byte < 0x7F) { letters |= 1 &<< index }
        }
        let all = bytes.count >= 4 ? 0b1111 : bytes.count == 3 ? 0b111 : 0b11
        let shapes = [0b0101, 0b1010, 0b0111, 0b1110]
        return nulls | letters == all && shapes.contains { $0 & all == nulls && nulls != all }
    }

    /// How gzip (RFC 1952) and zstd (RFC 8878) begin; brotli has no sign.
    private func isCompressed(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 4 else { return false }
        return bytes[0] == 0x1F && bytes[1] == 0x8B && bytes[2] == 8
            || bytes[0] == 0x28 && bytes[1] == 0xB5 && bytes[2] == 0x2F && bytes[3] == 0xFD
    }

    private func startsLikeWideJSON(_ bytes: Span<UInt8>) -> Bool {
        guard let first = (0..<min(bytes.count, 4)).first(where: { bytes[$0] != 0 }) else { return false }
        return bytes[first] >= 0xFE || bytes[first] == UInt8(ascii: "{") || bytes[first] == UInt8(ascii: "[")
    }
}
