import Exchanges
package import Store

extension RecordedMessage {
    /// Adds lines that show the message: when it came, from whom, and its bytes, laid out by their type.
    package func render(to sink: LineSink) {
        let from = facts.sender == .client ? "client →" : "← origin"
        let event = eventWords.isEmpty ? "" : " " + eventWords
        let note = note.map { " (\($0))" } ?? ""
        let size = LogQuantity.size(UInt64(clamping: facts.length))
        sink.add("\(LogQuantity.time(facts.time)) \(from) \(facts.kind.name)\(event), \(size)\(note)")
        sink.indented { renderContent(to: sink) }
    }

    /// The same with its bytes alone.
    @discardableResult
    package func renderContent(to sink: LineSink) -> BodyForm {
        guard let bytes, !bytes.isEmpty else { return .text }
        if let close {
            sink.add(close.words)
            return .text
        }
        let content = Content(bytes[...], contentType: contentType ?? [], isCut: isPartial)
        return BodyText.render(content, depth: 0, to: sink)
    }

    /// What its bytes are taken for; texts that are JSON are laid out as that.
    private var contentType: [UInt8]? {
        guard facts.kind == .event || facts.kind == .error else { return nil }
        let first = bytes?.first
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? nil : Array("text/plain".utf8)
    }
}
