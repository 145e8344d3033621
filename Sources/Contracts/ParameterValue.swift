import JSON

/// The value of a parameter as JSON, made from text by what its schema asks for.
struct ParameterValue {
    /// The names in the query or form that it is made from.
    private(set) var names: Set<String> = []
    private(set) var isEmpty = false
    /// Nil where it had to be JSON and is none.
    private(set) var tape: JSONTape?

    /// A value in a path or a field.
    init(text: String, _ contract: APIContract, _ parameter: APIContract.Parameter) {
        isEmpty = text.isEmpty
        guard !parameter.isJSON else {
            tape = try? JSONTape(Array(text.utf8))
            return
        }
        var text = text
        var separator: Character = ","
        switch parameter.style {
        case .label where text.hasPrefix("."):
            text.removeFirst()
            if parameter.explodes { separator = "." }
        case .matrix where text.hasPrefix(";"):
            text.removeFirst()
            if parameter.explodes { separator = ";" }
            let prefix = parameter.name + "="
            text = text.split(separator: separator).map { $0.hasPrefix(prefix) ? $0.dropFirst(prefix.count) : $0 }
                .joined(separator: String(separator))
        default: break
        }
        write(
            contract, parameter, text.split(separator: separator, omittingEmptySubsequences: false).map(String.init),
            text)
    }

    /// A value in a query or among cookies; nil if it is not there.
    init?(pairs: [(name: String, value: String)], _ contract: APIContract, _ parameter: APIContract.Parameter) {
        let schema = SchemaHints(contract.graph, parameter.schema)
        if !parameter.isJSON, schema.kinds.contains(.object), !schema.kinds.contains(.string),
            parameter.explodes || parameter.style == .deepObject
        {
            var members: [(String, String)] = []
            for (name, value) in pairs {
                if parameter.style == .deepObject {
                    guard name.hasPrefix(parameter.name + "["), name.hasSuffix("]") else { continue }
                    members.append((String(name.dropFirst(parameter.name.utf8.count + 1).dropLast()), value))
                } else {
                    guard schema.member(name) != nil || parameter.takesMembers(contract) else { continue }
                    members.append((name, value))
                }
                names.insert(name)
            }
            guard !members.isEmpty else { return nil }
            tape = schema.tape(members: members)
            return
        }
        let values = pairs.filter { $0.name == parameter.name }.map(\.value)
        guard let first = values.first else { return nil }
        names = [parameter.name]
        isEmpty = values == [""]
        guard !parameter.isJSON else {
            tape = try? JSONTape(Array(first.utf8))
            return
        }
        let separator: Character =
            parameter.style == .spaceDelimited ? " " : parameter.style == .pipeDelimited ? "|" : ","
        let items =
            parameter.explodes
            ? values : first.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
        write(contract, parameter, items, first)
    }

    private mutating func write(
        _ contract: APIContract, _ parameter: APIContract.Parameter, _ items: [String], _ text: String
    ) {
        let schema = SchemaHints(contract.graph, parameter.schema)
        if schema.kinds.contains(.array), !schema.kinds.contains(.string) {
            tape = schema.tape(items: items == [""] ? [] : items)
        } else if schema.kinds.contains(.object), !schema.kinds.contains(.string) {
            var members: [(String, String)] = []
            if parameter.explodes {
                for item in items {
                    let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                        String.init)
                    members.append((parts.first ?? "", parts.count > 1 ? parts[1] : ""))
                }
            } else {
                for index in stride(from: 0, to: items.count - 1, by: 2) {
                    members.append((items[index], items[index + 1]))
                }
            }
            tape = schema.tape(members: members)
        } else {
            tape = schema.tape(text)
        }
    }
}

extension APIContract.Parameter {
    /// Whether names of the query that nothing else documents are members of its value.
    func takesMembers(_ contract: APIContract) -> Bool {
        guard location == .query, style == .form, explodes, !isJSON else { return false }
        let schema = SchemaHints(contract.graph, schema)
        return schema.kinds == .object && schema.takesMembers
    }
}

/// What kinds of values a schema asks for, as far as it says so at once.
struct SchemaHints {
    let graph: SchemaSet
    /// The schema and those for the same value.
    private var nodes: [Int] = []
    private(set) var kinds: SchemaNode.Kinds = []

    private static let maxNodes = 100

    init(_ graph: SchemaSet, _ node: Int?) {
        self.graph = graph
        var open = node.map { [$0] } ?? []
        while let next = open.popLast(), nodes.count < Self.maxNodes {
            guard !nodes.contains(next) else { continue }
            nodes.append(next)
            let node = graph.nodes[next]
            if let own = node.kinds { kinds.formUnion(own) }
            open += [node.reference, node.dynamicReference?.node].compactMap(\.self)
            if let rules = node.combination?.pointee { open += rules.all + rules.any + rules.one }
            if node.kinds == nil, node.object != nil { kinds.insert(.object) }
        }
    }

    func member(_ name: String) -> Int? {
        for node in nodes {
            if let member = graph.nodes[node].object?.pointee.members.first(where: { $0.name == name }) {
                return member.schema
            }
        }
        return nil
    }

    var takesMembers: Bool {
        nodes.allSatisfy {
            graph.nodes[$0].object.map { $0.pointee.additional.map { graph.nodes[$0].verdict } != false } ?? true
        }
    }

    /// All that are described by name, each once.
    var members: [(name: String, schema: Int)] {
        var seen: Set<String> = []
        return nodes.flatMap { graph.nodes[$0].object?.pointee.members ?? [] }.compactMap { member in
            guard let schema = member.schema, seen.insert(member.name).inserted else { return nil }
            return (member.name, schema)
        }
    }

    /// What the schemas say of XML, the nearest first.
    var ownXML: [JSONValue] { nodes.compactMap { graph.nodes[$0].source.value["xml"] } }

    var itemHints: SchemaHints { SchemaHints(graph, items) }

    private var items: Int? { nodes.lazy.compactMap { graph.nodes[$0].array?.pointee.items }.first }

    func tape(_ text: String) -> JSONTape? {
        var writer = JSONWriter()
        write(text, to: &writer)
        return try? JSONTape(writer.bytes)
    }

    func tape(items texts: [String]) -> JSONTape? {
        var writer = JSONWriter()
        write(texts, to: &writer)
        return try? JSONTape(writer.bytes)
    }

    func tape(members: [(String, String)]) -> JSONTape? { tape(fields: members.map { ($0, .text($1)) }) }

    /// - Parameter mask: stands for what is not known.
    func tape(fields: [(name: String, value: Field)], mask: StaticString? = nil) -> JSONTape? {
        var writer = JSONWriter()
        var values: [String: [Field]] = [:]
        for (name, value) in fields { values[name, default: []].append(value) }
        writer.object { object in
            for (name, fields) in values.sorted(by: { $0.key < $1.key }) {
                object.key(name)
                let hints = SchemaHints(graph, member(name))
                var isWhole = false
                if case .json(let bytes) = fields[0] { isWhole = bytes.first { $0 > 0x20 } == UInt8(ascii: "[") }
                let takesArray = hints.kinds.contains(.array) && !hints.kinds.contains(.string)
                if takesArray && !(isWhole && fields.count == 1) || fields.count > 1 && hints.kinds.contains(.array) {
                    let inner = hints.itemHints
                    object.array { array in for field in fields { inner.write(field, mask, to: &array) } }
                } else {
                    hints.write(fields[0], mask, to: &object)
                }
            }
        }
        return try? JSONTape(writer.bytes)
    }

    private func write(_ field: Field, _ mask: StaticString?, to writer: inout JSONWriter) {
        switch field {
        case .text(let text): write(text, to: &writer)
        case .json(let bytes): writer.raw(bytes)
        case .unknown: writer.value(mask.map { "\($0)" } ?? "")
        }
    }

    private func write(_ texts: [String], to writer: inout JSONWriter) {
        let hints = SchemaHints(graph, items)
        writer.array { array in for text in texts { hints.write(text, to: &array) } }
    }

    /// As a number or boolean where the schema asks for one and the text is one, else as a string.
    func write(_ text: String, to writer: inout JSONWriter) {
        if kinds.contains(.number) || kinds.contains(.integer), let tape = try? JSONTape(Array(text.utf8)),
            tape.entries[0].kind == .integer || tape.entries[0].kind == .number, tape.bytes.first ?? 0 > 0x20
        {
            writer.raw(text.utf8)
        } else if kinds.contains(.boolean), text == "true" || text == "false" {
            writer.value(text == "true")
        } else if kinds.contains(.null), text == "null" {
            writer.null()
        } else {
            writer.value(text)
        }
    }
}
