import Bytes
public import Exchanges
import JSON
public import Store

/// A message of a store in one line, with the number of its exchange in front.
public struct MessageLine: Sendable {
    /// Bytes of a binary message that are shown.
    private static let shownBytes = 32

    private let format: LogFormat
    private let width: Int

    /// - Parameter width: characters of a message's body at most, where the line is for people.
    public init(_ format: LogFormat, width: Int = 200) { (self.format, self.width) = (format, width) }

    /// Appends the line with its line end.
    public func append(_ message: RecordedMessage, of exchange: Int64, to line: inout [UInt8]) {
        switch format {
        case .text(let color), .terminal(_, let color, _): append(message, of: exchange, color, to: &line)
        case .json:
            let json = JSONWriter.object { object in
                object.member("exchange", exchange)
                object.member("number", message.number)
                object.member("time", JSONLine.timestamp(message.facts.time))
                message.write(to: &object)
            }
            line.append(contentsOf: json)
            line.append(UInt8(ascii: "\n"))
        }
    }

    private func append(_ message: RecordedMessage, of exchange: Int64, _ color: Bool, to line: inout [UInt8]) {
        func painted(_ text: String, _ code: Int) -> String { color ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text }
        let number = String(exchange)
        var text = String(repeating: " ", count: max(0, 6 - number.count)) + number
        text += " " + painted(TextLine.time(message.facts.time), 2)
        text += message.facts.sender == .client ? " ↑ " : " ↓ "
        text += painted(message.facts.kind.name, message.facts.kind == .error ? 31 : 36)
        if message.facts.kind != .error { text += " " + TextLine.size(UInt64(clamping: message.facts.length)) }
        for words in [message.eventWords, body(of: message)] where !words.isEmpty { text += " " + words }
        if let note = message.note { text += " (\(note))" }
        line.append(contentsOf: text.utf8)
        line.append(UInt8(ascii: "\n"))
    }

    private func body(of message: RecordedMessage) -> String {
        guard let bytes = message.bytes, !bytes.isEmpty else { return "" }
        if let close = message.close { return PlainText.clean(close.words) }
        // No character takes more than four bytes.
        let limit = width.multipliedReportingOverflow(by: 4)
        let start = bytes.prefix(limit.overflow ? .max : limit.partialValue)
        guard message.facts.kind.isWords || PlainText.isPlain(start, isCut: true) else {
            let shown = bytes.prefix(min(Self.shownBytes, width / 2))
            return Hex.text(shown) + (shown.count < bytes.count ? "…" : "")
        }
        let words = PlainText.line(start.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
        return words.count > width || start.count < bytes.count ? words.prefix(width) + "…" : words
    }
}
