import JSON

/// A template whose text is given as JSON: strings are templates, and one that is nothing but `{{json …}}` stands for
/// a value of any kind.
struct TemplateJSON {
    private let parser: TemplateParser
    private let reporter: Reporter
    private var parts: [MockTemplate.Part] = []

    static func template(_ value: JSONValue, _ parser: TemplateParser, _ reporter: Reporter) -> MockTemplate {
        var writer = TemplateJSON(parser: parser, reporter: reporter)
        writer.add(value)
        return MockTemplate(parts: writer.parts)
    }

    private init(parser: TemplateParser, reporter: Reporter) { (self.parser, self.reporter) = (parser, reporter) }

    private mutating func add(_ value: JSONValue) {
        switch value.kind {
        case .string(let text): add(text, at: value.position)
        case .array(let items):
            add("[")
            for (index, item) in items.enumerated() {
                if index > 0 { add(",") }
                add(item)
            }
            add("]")
        case .object(let members):
            add("{")
            for (index, member) in members.enumerated() {
                if index > 0 { add(",") }
                add(json(member.key) + ":")
                add(member.value)
            }
            add("}")
        default:
            add(JSONWriter.text(of: value))
        }
    }

    private mutating func add(_ text: String, at place: JSONPosition) {
        guard let template = parser.template(text, at: place, reporter) else { return }
        if template.parts.count == 1, case .value(_, .json) = template.parts[0] {
            parts.append(template.parts[0])
            return
        }
        add("\"")
        for part in template.parts {
            switch part {
            // Without the quotes.
            case .text(let bytes): add(String(json(String(decoding: bytes, as: UTF8.self)).dropFirst().dropLast()))
            // Within a longer string JSON is text as well.
            case .value(let value, _): parts.append(.value(value, .jsonText))
            }
        }
        add("\"")
    }

    private func json(_ text: String) -> String { JSONWriter.text(of: text) }

    private mutating func add(_ text: String) {
        if case .text(let bytes)? = parts.last {
            parts[parts.count - 1] = .text(bytes + Array(text.utf8))
        } else {
            parts.append(.text(Array(text.utf8)))
        }
    }
}

extension TemplateParser {
    /// The template of a string of the profile; nil after a report at its place in the file.
    func template(_ text: String, at place: JSONPosition, _ reporter: Reporter) -> MockTemplate? {
        do throws(Failure) { return try parse(text) } catch {
            // Behind the quote; escapes in front of it move it.
            let column = place.column + 1 + error.offset
            return reporter.refuse(JSONPosition(offset: place.offset, line: place.line, column: column), error.refusal)
        }
    }
}
