import JSON

/// A value of a contract, as the script in pages reads it: `["value", 1]`, or in a template one of `["array", item…]`,
/// `["object", [name, item]…]`, `["text", part…]` and `["json", place]`.
///
/// So places are told from values that only look like one. A place is `[source, argument, fallback]`.
struct BridgeValue {
    private let reporter: Reporter
    private let isTemplate: Bool
    private let parser = TemplateParser(path: .any, form: .jsonText, scope: .call)

    init(_ reporter: Reporter, isTemplate: Bool) { (self.reporter, self.isTemplate) = (reporter, isTemplate) }

    func write(_ value: JSONValue, into writer: inout JSONWriter) {
        writer.array {
            guard isTemplate else {
                $0.value("value")
                return $0.value(value)
            }
            switch value.kind {
            case .array(let items):
                $0.value("array")
                for item in items { write(item, into: &$0) }
            case .object(let members):
                $0.value("object")
                for member in members {
                    $0.array {
                        $0.value(member.key)
                        write(member.value, into: &$0)
                    }
                }
            case .string(let text): write(text, at: value.position, into: &$0)
            default:
                $0.value("value")
                $0.value(value)
            }
        }
    }

    private func write(_ text: String, at place: JSONPosition, into writer: inout JSONWriter) {
        let parts = parser.template(text, at: place, reporter)?.parts ?? []
        if parts.count == 1, case .value(let value, .json) = parts[0] {
            writer.value("json")
            return write(value, into: &writer)
        }
        writer.value("text")
        for part in parts {
            switch part {
            case .text(let bytes): writer.value(String(decoding: bytes, as: UTF8.self))
            case .value(let value, _): write(value, into: &writer)
            }
        }
    }

    private func write(_ value: TemplateValue, into writer: inout JSONWriter) {
        writer.array {
            switch value.source {
            case .argument(let path):
                $0.value("argument")
                $0.array { for name in path { $0.value(name) } }
            case .now(let form, let offset):
                $0.value("now")
                $0.array {
                    $0.value(form.rawValue)
                    $0.value(offset)
                }
            case .random(let min, let max):
                $0.value("random")
                $0.array {
                    $0.value(min)
                    $0.value(max)
                }
            case .counter:
                $0.value("counter")
                $0.null()
            default:
                $0.value("uuid")
                $0.null()
            }
            $0.value(value.fallback)
        }
    }
}
