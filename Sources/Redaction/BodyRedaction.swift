import Bytes
import JSON

/// Replaces the secrets of one body, which comes in pieces.
///
/// The output does not depend on how the body is cut into pieces. Undecided bytes are held back (``Window``): some 64 KiB,
/// more within a value that is longer. The body must be without Content-Encoding.
///
/// The Content-Type says how the body is read where its first bytes do not say it: forms, multipart, JSON (with JSON
/// Lines and Server-Sent Events), XML, HTML, tables, and text. A body in UTF-16 or UTF-32, by its charset or its first
/// bytes, is replaced as a whole, and so is text that begins in the middle (``PartialBody``). In other bytes only private
/// keys are looked for.
public struct BodyRedaction {
    private let core: RedactionCore
    private let type: MediaType
    private let boundary: [UInt8]
    private let beginsInside: Bool
    private let isPage: Bool
    private let depth: Int
    /// nil before it is decided how the body is read.
    private var window: Window?
    /// Bytes that were read before the decision.
    private var start: [UInt8] = []
    private var own = KnownSecrets()
    /// Written, and perhaps the beginning of one of these.
    private var held: [UInt8] = []

    /// - Parameter depth: how many multipart bodies this one is a part of.
    init(contentType: [UInt8], core: RedactionCore, depth: Int = 0) {
        (self.core, self.depth) = (core, depth)
        // Most bodies are one of these, and the rest of the field need not be read.
        if contentType.withSpan({ $0.spells("application/json") || $0.spells("application/json; charset=utf-8") }) {
            (type, boundary, beginsInside, isPage) = (.json, [], false, false)
            return
        }
        isPage = contentType == RecordingRedaction.pageType
        type = MediaType(contentType)
        beginsInside = PartialBody.isMarked(contentType)
        boundary = type.reading == .multipart ? MediaType.boundary(of: contentType) : []
    }

    /// A body that is replaced as a whole.
    init(secret name: [UInt8], core: RedactionCore) {
        self.init(contentType: [], core: core)
        window = Window(WholeReader(value: SecretValue(name: name, core: core)), core: core)
    }

    /// A body that loses ``OwnSecrets`` alone.
    init(unchanged core: RedactionCore) {
        self.init(contentType: [], core: core)
        window = Window(PassReader(), core: core)
    }

    /// Appends the redacted form of the bytes that are decided by now.
    public mutating func redact(_ piece: Span<UInt8>) -> [UInt8] {
        var out: [UInt8] = []
        redact(piece, into: &out)
        return out
    }

    /// The same for an array.
    public mutating func redact(_ piece: [UInt8]) -> [UInt8] { redact(piece.span) }

    /// The rest; the body is over, or was cut.
    public mutating func finish() -> [UInt8] {
        var out: [UInt8] = []
        finish(into: &out)
        return out
    }

    /// A body that comes in one piece.
    mutating func redactAll(_ body: Span<UInt8>, into out: inout [UInt8]) {
        guard window == nil, body.count <= Window.longest,
            var reader = choose(body, isAll: body.count < BodyStart.longest)
        else {
            redact(body, into: &out)
            return finish(into: &out)
        }
        let start = out.count
        _ = reader.read(body, from: 0, isLast: true, into: &out)
        replaceOwn(in: &out, from: start, isLast: true)
    }

    package mutating func redact(_ piece: Span<UInt8>, into out: inout [UInt8]) {
        let start = out.count
        out += held
        read(piece, into: &out)
        replaceOwn(in: &out, from: start, isLast: false)
    }

    package mutating func finish(into out: inout [UInt8]) {
        let start = out.count
        out += held
        end(into: &out)
        replaceOwn(in: &out, from: start, isLast: true)
    }

    /// Replaces ``OwnSecrets`` in what was written from `start` on; parts of several are searched with their whole.
    private mutating func replaceOwn(in out: inout [UInt8], from start: Int, isLast: Bool) {
        held = []
        guard depth == 0, let table = own.current() else { return }
        held = table.replace(in: &out, from: start, type.isMarkup ? .markup : .plain, core, isLast: isLast)
    }

    private mutating func read(_ piece: Span<UInt8>, into out: inout [UInt8]) {
        guard piece.count > 0 else { return }
        var taken = 0
        if window == nil {
            if start.isEmpty, let reader = choose(piece, isAll: false) {
                window = Window(reader, core: core)
            } else {
                taken = min(piece.count, BodyStart.longest - start.count)
                start.append(piece, 0..<taken)
                guard let reader = choose(start.span, isAll: false) else { return }
                begin(reader, into: &out)
            }
        }
        window?.read(piece.extracting(taken..<piece.count), into: &out)
    }

    private mutating func end(into out: inout [UInt8]) {
        if window == nil, !start.isEmpty {
            begin(choose(start.span, isAll: true) ?? PairReader(core: core, grammar: .text), into: &out)
        }
        window?.finish(into: &out)
        window = Window(PassReader(), core: core)
    }

    private mutating func begin(_ reader: any FormatReader, into out: inout [UInt8]) {
        var begun = Window(reader, core: core)
        begun.read(start.span, into: &out)
        (window, start) = (begun, [])
    }

    /// How the body is read, by its first bytes; nil if more of them are needed.
    private func choose(_ bytes: Span<UInt8>, isAll: Bool) -> (any FormatReader)? {
        if isPage { return PageReader(core: core) }
        guard bytes.count >= (beginsInside ? BodyStart.longest : 4) || isAll else { return nil }
        if beginsInside { return isKnownText || isText(bytes) ? whole("part") : unchanged }
        if type.isWide || isWide(bytes) {
            return isKnownText || type.isWide || startsLikeWideJSON(bytes) ? whole("body") : unchanged
        }
        // Compressed, with the media type of a text.
        if isCompressed(bytes) { return isKnownText || !type.isNamed ? whole("body") : unchanged }
        if type.reading == .multipart { return parts }
        let first = bytes.count > 0 ? bytes[0] : 0
        // Most JSON begins like this.
        if type.isEvents { return EventReader(core: core) }
        if type.reading == .json && first == UInt8(ascii: "{") { return json }
        guard let start = BodyStart(bytes, isAll: isAll, core.names) else { return nil }
        switch start {
        case .json where type.isCode:
            guard isAll || bytes.count >= BodyStart.longest else { return nil }
            return isMembers(bytes) ? json : text
        case .json: return json
        case .markup(let isHTML):
            if type.isCode, !isHTML { return text }
            return MarkupReader(core: core, isHTML: type.isHTML || !type.isMarkup && isHTML)
        case _ where type.isMarkup: return MarkupReader(core: core, isHTML: type.isHTML)
        case .multipart: return parts
        case .form where type.reading != .text: return form
        case .netrc where !type.isCode: return NetrcReader(core: core)
        case .table where !type.isCode && type.reading != .binary: return table
        default: break
        }
        switch type.reading {
        case .form: return BodyStart.mayBeForm(bytes) ? form : text
        case .json: return json
        case .table: return table
        case .text, .multipart: return text
        case .unknown:
            if case .binary = start { return !type.isNamed && first >= 0x20 ? text : keys }
            return text
        case .binary: return unchanged
        }
    }

    private var unchanged: any FormatReader { PassReader() }
    private var json: any FormatReader { PairReader(core: core) }
    private var text: any FormatReader { PairReader(core: core, grammar: type.isCode ? .code : .text) }
    private var form: any FormatReader { ParameterReader(core: core, isURL: false) }
    private var table: any FormatReader { TableReader(core: core) }
    private var keys: any FormatReader {
        KeyReader(scanner: CredentialScanner(core: core, encoding: .plain, finds: .keys))
    }

    /// Deeper parts are replaced as a whole, since each level reads all bytes again.
    private var parts: any FormatReader {
        guard depth < NestingLimit.bodies else { return whole("part") }
        return MultipartReader(boundary: boundary, core: core, depth: depth)
    }

    private func whole(_ name: StaticString) -> any FormatReader { WholeReader(value: SecretValue(name, core: core)) }

    private var isKnownText: Bool { type.reading != .unknown && type.reading != .binary }

    private func isText(_ bytes: Span<UInt8>) -> Bool {
        type.reading == .unknown && PartialBody.isText(bytes.extracting(0..<min(bytes.count, BodyStart.longest)))
    }

    /// Whether a script is an object as JSON has it, and no block of statements or rule of a style sheet.
    private func isMembers(_ all: Span<UInt8>) -> Bool {
        let bytes = all.extracting(0..<min(all.count, BodyStart.longest))
        var index = ByteSearch.either(0x7B, 0x5B, in: bytes, from: 0, to: bytes.count) + 1
        while index < bytes.count, ByteSearch.isSpace(bytes[index]) { index += 1 }
        return index < bytes.count && bytes[index] == UInt8(ascii: "\"")
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
