import Bytes
package import Exchanges
import Redaction
package import Store

/// An exchange as sections of lines that may be shared: secrets are replaced in all of it, and each section is bounded.
package struct SharedExchange {
    /// Bytes of a body, beyond those that are shown, that are read so that a secret is not cut before it is replaced.
    private static let beyond = 64 << 10
    /// Messages that are held at once, which may be as long as bodies.
    private static let messagesAtOnce = 8
    /// Bytes of a picture, and points of its sides.
    private static let (maxPicture, maxSide) = (256 << 10, 4096)

    package let id: Int64
    package let exchange: Exchange
    package let isEnded: Bool
    package let responseType: String?
    private let record: TrafficRecord
    private let reader: TrafficReader
    private let parts: PartRedaction
    private let redacted: (String) -> String
    private let limits: SharedLimits
    private let calls: CallSchemas

    package init(_ record: TrafficRecord, _ reader: TrafficReader, _ rules: SharingRules, _ limits: SharedLimits) {
        let summary = record.summary
        let (facts, parts) = rules.redaction(summary.exchange.profile)
        exchange = summary.exchange.redacted(by: facts)
        (id, isEnded, responseType) = (summary.id, summary.isEnded, summary.responseType)
        (self.record, self.reader, self.parts, self.limits) = (record, reader, parts, limits)
        calls = rules.calls
        redacted = parts.redactor.redact(text:)
    }

    /// What is known apart from heads and bodies, a line for each.
    package var facts: SharedSection {
        var section = SharedSection(title: "Facts")
        let facts = ExchangeFacts(exchange, id: id, isEnded: isEnded, node: record.summary.node)
        section.lines = facts.lines.map { SharedSection.Line(text: clipped($0)) }
        return section
    }

    /// Heads, bodies, messages and certificates, as far as they are there.
    package func sections() throws(StoreFailure) -> [SharedSection] {
        let client = (record.clientRequest.map(head), record.clientResponse.map(head))
        let origin = (record.originRequest.map(head), record.originResponse.map(head))
        let changes = HeadChanges(
            request: (client.0, origin.0), response: (origin.1, client.1), rewritten: exchange.rewritten)
        var sections = [section(.request, changes.request, client.0 ?? origin.0)]
        sections += try bodies(.request)
        sections.append(trailers("Request trailers", record.requestTrailers))
        sections.append(section(.response, changes.response, client.1 ?? origin.1))
        sections += try bodies(.response)
        sections.append(trailers("Response trailers", record.responseTrailers))
        sections.append(try messages())
        sections.append(certificates)
        return sections.filter { !$0.isEmpty }
    }

    package var method: String { clipped(exchange.method) }
    package var url: String { clipped(exchange.url) }

    /// All of it in lines.
    package func text() throws(StoreFailure) -> String {
        let status = exchange.status.map { " \($0)" } ?? ""
        var text = PlainText.clean("#\(id)  \(method) \(url)\(status)") + "\n"
        for section in try [facts] + sections() {
            text += "\n\(section.title)\n"
            for line in section.lines {
                let sign = [.same: "  ", .added: "+ ", .removed: "- "][line.sign] ?? ""
                text += sign + line.text + (line.reason.map { "  # \($0)" } ?? "") + "\n"
            }
            if let picture = section.picture { text += "  \(picture.type), \(picture.bytes.count) bytes\n" }
            for note in section.notes { text += "  (\(note))\n" }
        }
        return text
    }

    private func head(_ bytes: [UInt8]) -> [UInt8] { parts.redact(bytes, .clientRequest, (nil, nil)) }

    /// The lines of both ends in one, or those of the only one.
    private func section(_ side: BodySide, _ changes: [HeadChanges.Line]?, _ head: [UInt8]?) -> SharedSection {
        let name = side == .request ? "Request" : "Response"
        let gathered = SharedLines(limits)
        guard let changes, changes.contains(where: { $0.sign != .same }) else {
            gathered.gather { sink in for line in head.map(LineDifference.lines) ?? [] { sink.add(line) } }
            return made(name, gathered)
        }
        for line in changes {
            gathered.add(SharedSection.Line(sign: line.sign, text: clipped(line.text), reason: line.reason))
        }
        let ends = side == .request ? ("client sent it", "origin got it") : ("origin sent it", "client got it")
        return made("\(name): − as the \(ends.0), + as the \(ends.1)", gathered)
    }

    private func trailers(_ title: String, _ bytes: [UInt8]?) -> SharedSection {
        let gathered = SharedLines(limits)
        let fields = bytes.map { parts.redact($0, .requestTrailers, (nil, nil)) }
        gathered.gather { sink in for line in fields.map(LineDifference.lines) ?? [] { sink.add(line) } }
        return made(title, gathered)
    }

    private func bodies(_ side: BodySide) throws(StoreFailure) -> [SharedSection] {
        let name = side == .request ? "Request body" : "Response body"
        var section = try body(name, side, .client)
        section.notes += record.notes(side)
        guard record.hasChanged(side) else { return [section] }
        let other = try body(name, side, .origin).lines.map(\.text)
        let own = section.lines.map(\.text)
        let difference = side == .request ? LineDifference(from: own, to: other) : LineDifference(from: other, to: own)
        let gathered = SharedLines(limits)
        for line in difference.lines where line.sign != .same {
            gathered.add(SharedSection.Line(sign: line.sign, text: line.text))
        }
        let way = side == .request ? "before the origin got it" : "before the client got it"
        return [section, made("\(name), what Shunt changed \(way)", gathered)]
    }

    private func body(_ title: String, _ side: BodySide, _ end: BodyEnd) throws(StoreFailure) -> SharedSection {
        let state = record.body(side, end)
        // What is still compressed cannot be looked through.
        guard state.kept > 0, !state.isUndecodable else { return SharedSection(title: title) }
        let head = record.heads(side, end).compactMap { $0 }.first.map { HeadText($0) }
        let type = record.contentType(side, end)
        var redaction = parts.redactor.body(
            contentType: type.map { String(decoding: $0, as: UTF8.self) },
            contentRange: head?.value(of: "Content-Range"))
        var (bytes, count): ([UInt8], Int64) = ([], 0)
        let enough = limits.bytes + Self.beyond
        try reader.body(of: record, side, end) { piece in
            count += Int64(piece.count)
            bytes += redaction.redact(Array(piece))
            return count < enough
        }
        bytes += redaction.finish()
        let isCut = state.isCut || state.isDropped || count < state.kept
        if !isCut, let picture = Self.picture(bytes) {
            var section = SharedSection(title: title)
            section.picture = picture
            return section
        }
        let gathered = SharedLines(limits)
        var call = try calls.messages(of: record, side, end, reader)
        call?.redactor = parts.redactor
        let content = Content(
            bytes.prefix(limits.bytes), contentType: type ?? [], isCut: isCut || bytes.count > limits.bytes)
        gathered.gather { sink in BodyText.render(content, depth: 0, call, to: sink) }
        return made(title, gathered, isMore: bytes.count > limits.bytes || count < state.kept)
    }

    private static func picture(_ bytes: [UInt8]) -> SharedSection.Picture? {
        guard bytes.count <= maxPicture, let size = ImageSize(bytes[...]), (1...maxSide).contains(size.width),
            (1...maxSide).contains(size.height)
        else { return nil }
        return SharedSection.Picture(type: "image/\(size.format.lowercased())", bytes: bytes)
    }

    private func messages() throws(StoreFailure) -> SharedSection {
        let gathered = SharedLines(limits)
        var last: Int64 = -1
        while record.messageCount > 0, !gathered.isFull {
            let page = try reader.messages(of: id, after: last, limit: Self.messagesAtOnce)
            guard let end = page.last else { break }
            gathered.gather { sink in for message in page { redacted(message).render(to: sink) } }
            last = end.number
        }
        return made("Messages (\(record.messageCount))", gathered)
    }

    private func redacted(_ message: RecordedMessage) -> RecordedMessage {
        message.with(
            bytes: message.bytes.map { parts.redact($0, .message(message.facts), (nil, nil)) },
            event: message.event.map(redacted), eventID: message.eventID.map(redacted))
    }

    private var certificates: SharedSection {
        var section = SharedSection(title: "Certificates of the origin")
        for certificate in record.certificates {
            let text = "\(certificate.subject), issued by \(certificate.issuer), valid until \(certificate.notAfter)"
            section.lines.append(SharedSection.Line(text: clipped(redacted(text))))
            section.lines.append(SharedSection.Line(text: "  key " + clipped(certificate.publicKey)))
        }
        return section
    }

    private func clipped(_ text: String) -> String {
        text.utf8.count > limits.width && text.count > limits.width ? text.prefix(limits.width) + "…" : text
    }

    private func made(_ title: String, _ gathered: SharedLines, isMore: Bool = false) -> SharedSection {
        var section = SharedSection(title: title)
        section.lines = gathered.lines
        if gathered.isCut || isMore { section.notes.append("cut here; `shunt show \(id) --all` has more") }
        return section
    }
}
