import Exchanges
import HTTP
import Redaction

/// What people change in a held message, or send in its place; nil stays as it is.
public struct HoldEdit: Sendable {
    public var method: String?
    public var host: String?
    /// Path and query.
    public var path: String?
    public var status: Int?
    /// All fields, without those that Shunt writes itself.
    public var fields: [(name: String, value: String)]?
    public var body: String?
    /// A body that is no text, in place of ``body``.
    public var binary: [UInt8]?

    public init() {}

    var isEmpty: Bool {
        method == nil && host == nil && path == nil && status == nil && fields == nil && content == nil
    }

    var content: [UInt8]? { binary ?? body.map { Array($0.utf8) } }
}

/// A message as it goes on.
struct EditedMessage: Sendable {
    let head: [UInt8]
    /// Content that takes the place of what was held; nil where that goes on.
    let content: [UInt8]?
    /// The parts that were changed, for the log.
    let changes: [String]
    /// Field lines that end a response; chunks carry its content then, but by HTTP/2.
    var trailers: [UInt8] = []
    /// Of a message of a WebSocket: it is no text.
    var isBinary = false
}

extension HeldForm {
    /// Writes the message with its changes, and reads it again as strictly as a client's.
    func edited(_ edit: HoldEdit) throws(HoldFailure) -> EditedMessage {
        guard edit.body == nil || edit.binary == nil else {
            throw .wrong("there are two bodies", "Give \"body\" or \"base64\".")
        }
        if message.facts != nil { return try editedMessage(edit) }
        return message.isRequest ? try editedRequest(edit) : try editedResponse(edit)
    }

    private func editedMessage(_ edit: HoldEdit) throws(HoldFailure) -> EditedMessage {
        try Self.check(message: edit)
        var changes: [String] = []
        let content = try newContent(edit, &changes)
        let isText = content.map { Self.text($0) != nil } ?? true
        if !isText, message.facts?.kind == .event {
            throw .wrong("the data of an event is no text", "Give text, in UTF-8.")
        }
        return EditedMessage(
            head: [], content: content, changes: changes, isBinary: !isText || message.facts?.kind == .binary)
    }

    /// What takes the place of a message has no head, and a length that it can have.
    private static func check(message edit: HoldEdit) throws(HoldFailure) {
        guard edit.method == nil, edit.host == nil, edit.path == nil, edit.status == nil, edit.fields == nil else {
            throw .wrong("a message has neither head nor status", "Give its body alone.")
        }
        guard edit.content?.count ?? 0 <= InjectedMessage.maxBytes else {
            throw .wrong("the message has more than \(InjectedMessage.maxBytes >> 20) MiB", "Give a shorter one.")
        }
    }

    /// A message to the sender of the one that is held.
    static func reply(_ edit: HoldEdit, to facts: MessageFacts) throws(HoldFailure) -> InjectedMessage {
        try check(message: edit)
        guard facts.kind != .event else {
            throw .wrong("an event stream goes to its client alone", "Edit the event, or drop it.")
        }
        guard edit.body == nil || edit.binary == nil, let content = edit.content else {
            throw .wrong("there is no message", "Give \"body\" or \"base64\".")
        }
        let isForOrigin = facts.sender == .origin
        guard let text = text(content) else { return InjectedMessage(binary: content, isForOrigin: isForOrigin) }
        return InjectedMessage(text, isForOrigin: isForOrigin)
    }

    private func editedRequest(_ edit: HoldEdit) throws(HoldFailure) -> EditedMessage {
        if edit.status != nil { throw .wrong("a request has no status", "Respond instead to send one.") }
        var changes: [String] = []
        let method = edit.method ?? start.first ?? ""
        if method != start.first {
            try HoldRules.check(method: method)
            guard (method == "HEAD") == (message.method == .head), method != "CONNECT", message.method != .connect
            else {
                throw .wrong(
                    "\(start.first ?? "") cannot become \(method)",
                    "The client expects the response to \(start.first ?? "its method"), which has content where that to HEAD has none."
                )
            }
            changes.append("method")
        }
        let (host, path) = (
            edit.host ?? self.host,
            try edit.path.map { (path) throws(HoldFailure) in
                try restored(path) { self.redactor.redact(head: Array("GET ".utf8) + $0 + " HTTP/1.1\r\n\r\n".utf8) }
            }
        )
        if host != self.host {
            try HoldRules.check(host: host)
            changes.append("host")
        }
        if let path, path != self.path {
            guard path.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
                throw .wrong(
                    "the path has a space or a control character (RFC 3986 2)",
                    "Write it with percent signs, such as %20.")
            }
            guard path.first == 0x2F else {
                throw .wrong("the path does not begin with /", "Give path and query, such as /v1/cart?page=2.")
            }
            changes.append("path")
        }
        let content = try newContent(edit, &changes)
        var head = Array("\(method) \(scheme)\(scheme.isEmpty ? "" : host)".utf8) + (path ?? self.path)
        head += " \(start.last ?? "HTTP/1.1")\r\n".utf8
        let hasHost = fields.contains { $0.name.lowercased() == "host" }
        if hasHost || !host.isEmpty { head += "Host: \(host)\r\n".utf8 }
        head += try lines(edit.fields, &changes)
        let (hasTrailers, framing) = (!message.trailers.isEmpty, ["content-length", "transfer-encoding", "trailer"])
        head += ownLines(
            dropping: content == nil
                ? ["host"]
                : Set(["host", "content-encoding", "expect"] + (hasTrailers ? ["content-length"] : framing)))
        let expectsContent = message.hasContent || !(message.method == .get || message.method == .head)
        if let content, !hasTrailers, !content.isEmpty || expectsContent {
            head += "Content-Length: \(content.count)\r\n".utf8
        }
        head += "\r\n".utf8
        var parsed = RequestHead()
        do throws(HTTPFailure) {
            guard try parsed.parse(head.span, limits: message.limits) == head.count else { throw .severalHeads }
            if message.isStream {
                try parsed.isCarried(byStream: content.map { $0.isEmpty && !hasTrailers } ?? !message.hasContent)
            }
        } catch {
            throw .wrong("the request cannot be sent: \(error.reason)", "Correct it, or let it go on as it is.")
        }
        return EditedMessage(head: head, content: content, changes: changes)
    }

    private func editedResponse(_ edit: HoldEdit) throws(HoldFailure) -> EditedMessage {
        guard edit.method == nil, edit.host == nil, edit.path == nil else {
            throw .wrong("a response has no method, host or path", "Give status, fields and body.")
        }
        var changes: [String] = []
        let status = edit.status ?? self.status
        if status != self.status {
            try HoldRules.check(status: status)
            if case .notHeld = content, !LocalResponse.mayHaveBody(status) {
                throw .wrong(
                    "a response with status \(status) has no body, and the one that is on its way is too long to be held",
                    "Give another status, or drop it.")
            }
            changes.append("status")
        }
        var content = try newContent(edit, &changes)
        var head: [UInt8] = []
        let reason = status == self.status ? start.dropFirst(2).first ?? "" : "\(reasonPhrase(for: status))"
        head += "HTTP/1.1 \(status) \(reason)\r\n".utf8
        head += try lines(edit.fields, &changes)
        guard message.content != nil || content != nil else {
            return try checked(
                EditedMessage(head: head + ownLines(dropping: []) + Array("\r\n".utf8), content: nil, changes: changes))
        }
        let hasContent = LocalResponse.mayHaveBody(status) && message.method != .head
        guard hasContent || content?.isEmpty ?? true else {
            throw .wrong("a response to HEAD, and one with status 204 or 304, has no body", "Leave \"body\" out.")
        }
        // The length in the head of a response to HEAD is that of a response to GET.
        let keepsLength = !hasContent && (message.method == .head || status == self.status)
        var dropped: Set<String> = keepsLength ? [] : ["content-length", "transfer-encoding", "trailer"]
        if content != nil { dropped.insert("content-encoding") }
        content = hasContent ? content ?? message.content : []
        let trailers = hasContent ? message.trailers : []
        let isChunked = !trailers.isEmpty && !message.isStream
        if !trailers.isEmpty { dropped.remove("trailer") }
        if isChunked { dropped.remove("transfer-encoding") }
        head += ownLines(dropping: dropped)
        if hasContent, !isChunked { head += "Content-Length: \(content?.count ?? 0)\r\n".utf8 }
        return try checked(
            EditedMessage(
                head: head + Array("\r\n".utf8), content: content, changes: changes, trailers: trailers))
    }

    private func checked(_ edited: EditedMessage) throws(HoldFailure) -> EditedMessage {
        var parsed = ResponseHead()
        do throws(HTTPFailure) {
            let length = try parsed.parse(edited.head.span, to: message.method, limits: message.limits)
            guard length == edited.head.count else { throw .severalHeads }
        } catch {
            throw .wrong("the response cannot be sent: \(error.reason)", "Correct it, or let it go on as it is.")
        }
        return edited
    }

    // MARK: Parts

    /// nil where the content stays.
    private func newContent(_ edit: HoldEdit, _ changes: inout [String]) throws(HoldFailure) -> [UInt8]? {
        if let binary = edit.binary {
            switch content {
            case .bytes(_, let plain) where plain == binary: return nil
            case .notHeld: throw .wrong("the body is too long to be held, and goes on as it comes", "Leave it out.")
            case .none, .text, .bytes: break
            }
            changes.append("body")
            return binary
        }
        guard let body = edit.body else { return nil }
        switch content {
        case .text(let shown, _) where shown == body: return nil
        case .none where body.isEmpty: return nil
        case .notHeld:
            throw .wrong("the body is too long to be held, and goes on as it comes", "Leave \"body\" out.")
        case .none, .text, .bytes: break
        }
        let fields = edit.fields ?? self.fields.map { ($0.name, $0.shown) }
        let type =
            message.facts == nil ? fields.first { $0.name.lowercased() == "content-type" }?.value : Self.messageType
        let bytes = try restored(body) {
            var redaction = redactor.body(contentType: type)
            return redaction.redact($0) + redaction.finish()
        }
        changes.append("body")
        return bytes
    }

    private func lines(
        _ edited: [(name: String, value: String)]?, _ changes: inout [String]
    ) throws(HoldFailure) -> [UInt8] {
        let own = fields.filter { !$0.isOwn }
        guard let edited else { return Array(own.map(\.line).joined()) }
        var left = own
        var lines: [UInt8] = []
        for (name, value) in edited {
            if let index = left.firstIndex(where: { $0.name == name && $0.shown == value }) {
                lines += left.remove(at: index).line
            } else {
                try HoldRules.check(name: name, isRequest: message.isRequest)
                lines += "\(name): ".utf8
                lines += try HoldRules.checked(
                    value: try restored(value) { redactor.redact(fields: Array("\(name): ".utf8) + $0 + "\r\n".utf8) },
                    of: name)
                lines += "\r\n".utf8
            }
        }
        if lines != Array(own.map(\.line).joined()) { changes.append("fields") }
        return lines
    }

    private func ownLines(dropping names: Set<String>) -> [UInt8] {
        Array(fields.filter { $0.isOwn && !names.contains($0.name.lowercased()) }.map(\.line).joined())
    }

    /// A part with its secrets, which nothing that is recorded of it may show.
    ///
    /// - Parameter redact: how the part is recorded.
    private func restored(_ text: String, _ redact: ([UInt8]) -> [UInt8]) throws(HoldFailure) -> [UInt8] {
        let text = Array(text.utf8)
        let bytes: [UInt8]
        do throws(HeldSecrets.UnknownSecret) { bytes = try secrets.restored(text).get() } catch {
            throw .wrong(
                "the value of \(error.text) is not known here",
                hidesContent
                    ? "Let the body go on as it is, or write all of its secrets." : "Write the value in its place.")
        }
        if bytes != text, let replacement = secrets.revealed(by: redact(bytes), of: text) {
            throw .wrong(
                "\(replacement) stands for a secret, which would be seen in its new place",
                "Leave it where it was, or write the value itself.")
        }
        return bytes
    }
}

extension HeldForm {
    /// A response that takes the place of what the route would give.
    static func response(_ edit: HoldEdit) throws(HoldFailure) -> LocalResponse {
        guard edit.method == nil, edit.host == nil, edit.path == nil else {
            throw .wrong("a response has no method, host or path", "Give status, fields and body.")
        }
        let status = edit.status ?? 200
        try HoldRules.check(status: status)
        guard LocalResponse.mayHaveBody(status) || edit.content?.isEmpty ?? true else {
            throw .wrong("a response with status \(status) has no body", "Leave \"body\" out.")
        }
        var response = LocalResponse(status: status, body: edit.content ?? [])
        for (name, value) in edit.fields ?? [] {
            try HoldRules.check(name: name, isRequest: false)
            response.fields += "\(name): ".utf8
            response.fields += try HoldRules.checked(value: Array(value.utf8), of: name)
            response.fields += "\r\n".utf8
            if name.lowercased() == "access-control-allow-origin" { response.namesReaders = true }
        }
        return response
    }
}

extension HoldFailure {
    static func wrong(_ message: String, _ advice: String) -> HoldFailure {
        HoldFailure(.wrong, message, advice: advice)
    }
}
