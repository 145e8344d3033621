import Bytes
import Exchanges
import HTTP
import JSON
import Platform
import Profiles

/// Fills a template for one request.
struct TemplateRenderer {
    private let request: RequestView
    /// What `counter` stands for, less one.
    var turn: UInt64
    var chance: MockChance
    /// The client's message to which one of a WebSocket replies.
    var message: ReceivedMessage?
    private let time: Int64?

    /// - Parameters:
    ///   - turn: which of the mock's responses it is, from 0.
    ///   - time: microseconds since 1970; nil for the clock's.
    init(_ exchange: ClientExchange, turn: UInt64, _ chance: MockChance, _ time: Int64?) {
        self.time = time
        request = RequestView(exchange.client, exchange.request, scenarios: nil)
        self.turn = turn
        self.chance = chance
    }

    mutating func render(_ template: MockTemplate) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in template.parts {
            switch part {
            case .text(let text): bytes += text
            case .value(let value, let form): bytes += text(of: value, form).utf8
            }
        }
        return bytes
    }

    private mutating func text(of value: TemplateValue, _ form: TemplateForm) -> String {
        if form == .json, let member = member(of: value.source) { return json { $0.value(member) } }
        let text = plainText(of: value.source) ?? value.fallback
        switch form {
        case .plain: return text
        case .html: return HTMLText.escaped(text)
        case .jsonText: return String(json { $0.value(text) }.dropFirst().dropLast())
        case .json:
            if let read = try? JSONReader.read(text, dialect: .strict), read.object == nil, read.array == nil {
                return json { $0.value(read) }
            }
            return json { $0.value(text) }
        }
    }

    /// The JSON that a source stands for; nil for other sources, and where there is none.
    private func member(of source: TemplateValue.Source) -> JSONValue? {
        switch source {
        case .body(let path): request.json?.member(at: path)
        case .message(let path): message?.json?.member(at: path)
        default: nil
        }
    }

    /// nil where the request has no such thing.
    private mutating func plainText(of source: TemplateValue.Source) -> String? {
        switch source {
        case .method: return request.method
        case .host: return request.host
        case .url: return request.url
        case .path(let segment): return request.segment(segment)
        case .query(let name): return request.query(name).first
        case .header(let name): return request.fields(name).first
        case .cookie(let name): return request.cookies(name).first
        case .message([]): return message?.text
        case .body, .message:
            guard let member = member(of: source) else { return nil }
            return member.scalarText ?? json { $0.value(member) }
        // Only templates of a bridge have these, which are filled in the page.
        case .argument: return nil
        case .now(let form, let offset): return Self.time(form, (time ?? wallClock()) + offset * 1_000_000)
        case .uuid: return uuid()
        case .counter: return "\(turn + 1)"
        case .random(let least, let greatest):
            let number = chance.number(from: 0, through: UInt64(bitPattern: greatest &- least))
            return "\(least &+ Int64(bitPattern: number))"
        }
    }

    /// Version 4 (RFC 9562).
    private mutating func uuid() -> String {
        var bytes = [chance.next(), chance.next()].flatMap { (number: UInt64) in
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let text = Array(Hex.text(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(text[$0]) }.joined(separator: "-")
    }

    private static func time(_ form: TemplateValue.TimeForm, _ microseconds: Int64) -> String {
        let seconds = microseconds.dividedFloor(by: 1_000_000)
        let days = seconds.dividedFloor(by: 86_400)
        let date = CalendarDate(daysSince1970: days)
        switch form {
        case .iso: return JSONLine.timestamp(microseconds)
        case .date: return date.text
        case .unix: return "\(seconds)"
        case .unixms: return "\(microseconds.dividedFloor(by: 1000))"
        case .http:
            var text: [UInt8] = []
            HTTPDate.append(seconds, to: &text)
            return String(decoding: text, as: UTF8.self)
        }
    }

    private func json(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return writer.text
    }
}
