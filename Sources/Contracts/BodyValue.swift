import JSON

/// A body as JSON, made by its media type of what its schema asks for.
struct BodyValue {
    private let contract: APIContract
    private let content: APIContract.Content
    private let schema: Int
    private let mask: StaticString?
    /// Nil for a type whose values OpenAPI does not describe.
    private(set) var tape: JSONTape?
    /// What is wrong with it beside its values, as clauses.
    private(set) var problems: [String] = []
    /// The parts of a form, as far as something is said of their fields.
    private(set) var parts: [(name: String, head: ContractHead, fields: [APIContract.Parameter])] = []

    init(
        _ message: ContractExchange.Message, _ type: String, _ content: APIContract.Content, _ schema: Int,
        _ contract: APIContract, _ mask: StaticString?
    ) {
        (self.contract, self.content, self.schema, self.mask) = (contract, content, schema, mask)
        let hints = SchemaHints(contract.graph, schema)
        if MediaRange.isJSON(type) {
            do throws(JSONFailure) { tape = try JSONTape(message.body) } catch { problems = [" is no JSON: \(error)"] }
        } else if type == "application/x-www-form-urlencoded" {
            readForm(ContractExchange.pairs(String(decoding: message.body, as: UTF8.self)), hints)
        } else if type == "multipart/form-data" {
            readParts(message, hints)
        } else if type == "application/xml" || type == "text/xml" || type.hasSuffix("+xml") {
            readXML(message.body, hints)
        } else if hints.isScalar, type.hasPrefix("text/") {
            tape = hints.tape(String(decoding: message.body, as: UTF8.self))
        }
    }

    /// Whether the schema asks for something that could not be compared.
    var isUnknown: Bool {
        guard tape == nil, problems.isEmpty else { return false }
        let kinds = SchemaHints(contract.graph, schema).kinds
        // All bytes are such a string.
        return !kinds.isEmpty && kinds != .string
    }

    // MARK: Forms

    private mutating func readForm(_ pairs: [(name: String, value: String)], _ hints: SchemaHints) {
        var fields: [(name: String, value: SchemaHints.Field)] = []
        var taken: Set<String> = []
        for encoding in content.encodings where encoding.hasStyle {
            let parameter = APIContract.Parameter(
                name: encoding.name, location: .query, isRequired: false, style: encoding.style,
                explodes: encoding.explodes, mayBeEmpty: false, schema: hints.member(encoding.name), isJSON: false,
                place: content.place)
            guard let value = ParameterValue(pairs: pairs, contract, parameter) else { continue }
            taken.formUnion(value.names)
            if let tape = value.tape { fields.append((encoding.name, .json(tape.bytes))) }
        }
        for (name, value) in pairs where !taken.contains(name) {
            fields.append((name, hints.field(name, value, isJSON: encoding(name)?.isJSON ?? false)))
        }
        tape = hints.tape(fields: fields)
    }

    private func encoding(_ name: String) -> APIContract.Encoding? { content.encodings.first { $0.name == name } }

    private mutating func readParts(_ message: ContractExchange.Message, _ hints: SchemaHints) {
        guard let parts = FormParts.read(message) else { return problems.append(" is no multipart/form-data") }
        var fields: [(name: String, value: SchemaHints.Field)] = []
        for part in parts {
            let encoding = encoding(part.name)
            if let type = part.type, let types = encoding?.types,
                !types.contains(where: { MediaRange.rank($0, type) > 0 })
            {
                problems.append(
                    " has the part \(part.name) of the media type \(type), not \(types.joined(separator: ", "))")
            }
            if let fields = encoding?.fields, !fields.isEmpty { self.parts.append((part.name, part.head, fields)) }
            let isJSON = part.type.map { MediaRange.isJSON($0) } ?? encoding?.isJSON ?? false
            if part.isFile, !isJSON {
                fields.append((part.name, .unknown))
            } else {
                let text = String(decoding: part.body, as: UTF8.self)
                fields.append((part.name, hints.field(part.name, text, isJSON: isJSON)))
            }
        }
        tape = hints.tape(fields: fields, mask: mask)
    }

    // MARK: XML

    private mutating func readXML(_ body: [UInt8], _ hints: SchemaHints) {
        do throws(XMLFailure) {
            let root = try XMLReader.read(body)
            if let name = hints.xml.name, name != root.localName {
                problems.append(" has the root element \(root.localName), not \(name)")
            }
            var (writer, names) = (JSONWriter(), XMLNames())
            hints.write(root, to: &writer, &names)
            tape = try? JSONTape(writer.bytes)
            problems += names.problems
        } catch {
            problems.append(" is no XML: \(error.message)")
        }
    }
}

extension SchemaHints {
    /// What stands in a field of a form.
    enum Field {
        case text(String)
        case json([UInt8])
        /// A file, of whose bytes no schema says anything.
        case unknown
    }

    /// The schema asks for one text, number or boolean.
    var isScalar: Bool { !kinds.isEmpty && kinds.isDisjoint(with: [.object, .array]) }

    /// A field by its text: JSON where it is said to be, or an object.
    func field(_ name: String, _ text: String, isJSON: Bool) -> Field {
        let kinds = SchemaHints(graph, member(name)).kinds
        guard isJSON || kinds.contains(.object) && !kinds.contains(.string), let tape = try? JSONTape(Array(text.utf8))
        else { return .text(text) }
        return .json(tape.bytes)
    }
}
