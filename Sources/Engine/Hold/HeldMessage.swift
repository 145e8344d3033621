import Bytes
import Exchanges
import HTTP
import Redaction
import Rewriting

/// A request or a response that is held, as it came.
struct HeldMessage: Sendable {
    /// A request's head; nil for a response, whose request has this method.
    let isRequest: Bool
    let method: Method
    let head: [UInt8]
    /// Its content with its codings; nil where that is not held.
    let content: [UInt8]?
    /// How long a content is that is not held, where that is known.
    let length: UInt64?
    /// It comes by a stream of HTTP/2, and has content.
    let isStream: Bool
    let hasContent: Bool
    let limits: HeadLimits
    /// That of the content.
    let memory: HeldMemory?
    /// Field lines that end a message whose content is held, and go on unchanged.
    var trailers: [UInt8] = []
    /// What is known of a message of a stream, whose bytes are ``content``; nil for requests and responses.
    var facts: MessageFacts?
}

extension HeldMessage {
    /// The message of a stream that began with a request with that method.
    init(_ facts: MessageFacts, _ content: [UInt8], of method: Method, _ memory: HeldMemory?) {
        self.init(
            isRequest: false, method: method, head: [], content: content, length: nil, isStream: false,
            hasContent: true, limits: HeadLimits(bytes: 0, fields: 0), memory: memory, facts: facts)
    }
}

/// A held message as people see and edit it: without what Shunt writes itself, and with replacements for its secrets.
struct HeldForm {
    struct Field {
        /// The line as it came.
        let line: [UInt8]
        let name: String
        let shown: String
        /// Shunt writes it, or it frames the message.
        let isOwn: Bool
    }

    enum Content {
        case none
        case text(shown: String, original: [UInt8])
        /// Not text; its length in bytes, and what it is without coding where that can be shown.
        case bytes(Int, [UInt8]?)
        /// Too long to be held; its length in bytes where that is known.
        case notHeld(UInt64?)
    }

    let message: HeldMessage
    /// The words of the start line.
    let start: [String]
    private let startLine: [UInt8]
    private let shownStartLine: [UInt8]
    private(set) var fields: [Field] = []
    private(set) var content = Content.none
    /// The coding is undone for the text, and is not applied to an edited one.
    private(set) var isDecoded = false
    /// Secrets of the content cannot be put back, so that it stays as it is or is written as a whole.
    private(set) var hidesContent = false
    private(set) var secrets = HeldSecrets()
    let redactor: Redactor

    /// What Shunt decides for each connection and body.
    static let ownNames: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "content-length",
        "upgrade",
        "http2-settings", "expect",
    ]
    /// Decoded content that is longer is not shown.
    private static let longestText = 4 << 20

    init(_ message: HeldMessage, _ redactor: Redactor) {
        (self.message, self.redactor) = (message, redactor)
        let (lines, shownLines) = (Self.lines(message.head), Self.lines(redactor.redact(head: message.head)))
        (startLine, shownStartLine, start) = (lines[0], shownLines[0], Self.words(lines[0]))
        readContent(redactor)
        _ = secrets.learn(shown: shownLines[0], original: lines[0])
        for index in lines.indices.dropFirst() {
            let shown = index < shownLines.count ? shownLines[index] : []
            _ = secrets.learn(shown: shown, original: lines[index])
            let name = Self.parts(lines[index]).name
            fields.append(
                Field(
                    line: lines[index] + [0x0D, 0x0A], name: name, shown: Self.parts(shown).value,
                    isOwn: isOwn(name.lowercased())))
        }
    }

    private func isOwn(_ name: String) -> Bool {
        Self.ownNames.contains(name) || message.isRequest && name == "host" || isDecoded && name == "content-encoding"
    }

    // MARK: Content

    private mutating func readContent(_ redactor: Redactor) {
        guard let bytes = message.content else {
            content = message.hasContent ? .notHeld(message.length) : .none
            return
        }
        guard !bytes.isEmpty else { return content = .none }
        let names = Self.lines(message.head).dropFirst().map { Self.parts($0) }
        let coding = names.filter { $0.name.lowercased() == "content-encoding" }.map(\.value).joined(separator: ",")
        var plain = bytes
        if !coding.isEmpty, coding.lowercased() != "identity" {
            guard let decoded = Self.decoded(bytes, coding) else { return content = .bytes(bytes.count, nil) }
            (plain, isDecoded) = (decoded, true)
        }
        guard Self.text(plain) != nil else {
            let hides = redactor.redact(message: plain, isText: false) != plain
            if hides { isDecoded = false }
            return content = .bytes(bytes.count, hides ? nil : plain)
        }
        var redaction = redactor.body(
            contentType: message.facts == nil
                ? names.first { $0.name.lowercased() == "content-type" }?.value : HeldForm.messageType)
        let shown = redaction.redact(plain) + redaction.finish()
        guard secrets.learn(shown: shown, original: plain), let clean = Self.text(shown) else {
            hidesContent = true
            return content = .text(shown: String(decoding: shown, as: UTF8.self), original: plain)
        }
        content = .text(shown: clean, original: plain)
    }

    /// How messages are redacted: as JSON, also with other text around it.
    static let messageType = "application/json"

    static func text(_ bytes: [UInt8]) -> String? {
        guard !bytes.contains(0) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    private static func decoded(_ bytes: [UInt8], _ coding: String) -> [UInt8]? {
        ContentDecoder.whole(bytes, contentEncoding: Array(coding.utf8), limit: longestText)
    }

    // MARK: Lines

    /// The start line and the field lines, without their ends.
    private static func lines(_ head: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for line in head.split(separator: 0x0A, omittingEmptySubsequences: true) {
            let line = line.last == 0x0D ? line.dropLast() : line
            if !line.isEmpty { lines.append(Array(line)) }
        }
        return lines.isEmpty ? [[]] : lines
    }

    /// The three parts of a start line, of which the last may have spaces.
    private static func words(_ line: [UInt8]) -> [String] {
        line.split(separator: 0x20, maxSplits: 2).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func parts(_ line: [UInt8]) -> (name: String, value: String) {
        let name = line.prefix { $0 != 0x3A }
        var value = line.dropFirst(name.count + 1)
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
    }

    // MARK: Parts of a request

    /// A target's `http://`, authority and path; only the last one where it is not absolute.
    private static func split(_ target: ArraySlice<UInt8>) -> (scheme: String, authority: String, path: [UInt8]) {
        guard target.first != 0x2F, let mark = target.firstRange(of: Array("://".utf8)) else {
            return ("", "", Array(target))
        }
        let rest = target[mark.upperBound...]
        let end = rest.firstIndex { $0 == 0x2F || $0 == 0x3F } ?? rest.endIndex
        return (
            String(decoding: target[..<mark.upperBound], as: UTF8.self), String(decoding: rest[..<end], as: UTF8.self),
            Array(rest[end...])
        )
    }

    private static func target(_ line: [UInt8]) -> ArraySlice<UInt8> {
        let words = line.split(separator: 0x20, maxSplits: 2)
        return words.count > 1 ? words[1] : []
    }

    /// `http://` and the like of an absolute target.
    var scheme: String { Self.split(Self.target(startLine)).scheme }

    var host: String {
        let (scheme, authority, _) = Self.split(Self.target(startLine))
        return scheme.isEmpty ? fields.first { $0.name.lowercased() == "host" }?.shown ?? "" : authority
    }

    /// Path and query, as they came.
    var path: [UInt8] { Self.split(Self.target(startLine)).path }

    var shownPath: String { String(decoding: Self.split(Self.target(shownStartLine)).path, as: UTF8.self) }

    var status: Int { start.count > 1 ? Int(start[1]) ?? 0 : 0 }
}
