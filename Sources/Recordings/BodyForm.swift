import Bytes
import JSON
import Patterns

/// Bodies in the form in which they are compared: what has no meaning is left out.
struct BodyForm {
    let rules: RecordingRules
    private let paths: [[Substring]]

    init(_ rules: RecordingRules) {
        self.rules = rules
        paths = rules.ignoredJSON.map { $0.split(separator: ".") }
    }

    /// JSON without its layout, the order of members and ignored places; a form without its order; multipart without
    /// its boundary; all else as it is.
    func form(_ body: [UInt8], type: String) -> [UInt8] {
        if body.isEmpty { return [] }
        let type = type.lowercased()
        if let value = json(body, type: type) {
            var writer = JSONWriter()
            write(value, [], to: &writer)
            return SecretMarks.withoutDigests(writer.bytes)
        }
        if type.hasPrefix("application/x-www-form-urlencoded"), Self.isShort(form: body) {
            let parameters = rules.parameters(String(decoding: body, as: UTF8.self))
            return SecretMarks.withoutDigests(Array(parameters.joined(separator: "&").utf8))
        }
        if type.hasPrefix("multipart/"), let boundary = Self.boundary(type, body) {
            return SecretMarks.withoutDigests(Self.removing(boundary, from: body))
        }
        return SecretMarks.withoutDigests(body)
    }

    func json(_ body: [UInt8], type: String) -> JSONValue? {
        let first = body.first { !ByteSearch.isSpace($0) }
        guard type.contains("json") || first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
        return try? JSONReader.read(body, dialect: .strict)
    }

    /// Parameters of a form that are put into an order; longer ones are compared as they are.
    private static let maxParameters = 10_000

    private static func isShort(form body: [UInt8]) -> Bool {
        body.count { $0 == UInt8(ascii: "&") } < maxParameters
    }

    func ignores(_ path: [String]) -> Bool {
        paths.contains { wanted in
            wanted.count == path.count && zip(wanted, path).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }

    private func write(_ value: JSONValue, _ path: [String], to writer: inout JSONWriter) {
        switch value.kind {
        case .null: writer.null()
        case .bool(let flag): writer.value(flag)
        case .number(let number): writer.raw(number.json.utf8)
        case .string(let text): writer.value(text)
        case .array(let items):
            writer.beginArray()
            for (index, item) in items.enumerated() {
                let inner = paths.isEmpty ? path : path + ["\(index)"]
                if paths.isEmpty || !ignores(inner) { write(item, inner, to: &writer) }
            }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members.sorted(by: { $0.key < $1.key }) {
                let inner = paths.isEmpty ? path : path + [member.key]
                if !paths.isEmpty, ignores(inner) { continue }
                writer.key(member.key)
                write(member.value, inner, to: &writer)
            }
            writer.endObject()
        }
    }

    /// The text that parts are divided by, which is another one in each request.
    ///
    /// It stands in the body's first line, where letters have kept their case.
    private static func boundary(_ type: String, _ body: [UInt8]) -> [UInt8]? {
        guard type.contains("boundary="), body.starts(with: "--".utf8) else { return nil }
        let line = body.prefix { $0 != 0x0D && $0 != 0x0A }
        return line.count > 2 ? Array(line) : nil
    }

    private static func removing(_ text: [UInt8], from body: [UInt8]) -> [UInt8] {
        let search = LiteralSearch(text, isFolding: false)
        var (result, at): ([UInt8], Int) = ([], 0)
        while let found = search.first(in: body, from: at) {
            result += body[at..<found.lowerBound]
            at = found.upperBound
        }
        return result + body[at...]
    }
}
