import Bytes
import JSON

/// Responses of a server that has a schema alone: each value is made of its type, its place and a seed.
package struct GraphQLSample: Sendable {
    private let schema: GraphQLSchema
    private let seed: UInt64

    package init(_ schema: GraphQLSchema, seed: UInt64) { (self.schema, self.seed) = (schema, seed) }

    /// The body of the response to a request; of a batch an array.
    ///
    /// - Parameter calls: those of the request; empty for one that is none of GraphQL.
    package func response(to calls: [GraphQLCall], isBatch: Bool) -> [UInt8] {
        var writer = JSONWriter()
        guard !calls.isEmpty else {
            Self.write(errors: [("the request is none of GraphQL; a query was expected", nil)], to: &writer)
            return writer.bytes
        }
        if isBatch {
            writer.array { array in for call in calls { write(call, to: &array) } }
        } else {
            write(calls[0], to: &writer)
        }
        return writer.bytes
    }

    private func write(_ call: GraphQLCall, to writer: inout JSONWriter) {
        guard let text = call.document else {
            return Self.write(errors: [("PersistedQueryNotFound", nil)], to: &writer)
        }
        let wrong = schema.findings(in: call).filter { !$0.isWarning }
        guard wrong.isEmpty, let document = try? GraphQLDocument(text),
            let operation = document.operation(call.operationName), let root = schema.roots[operation.kind]
        else { return Self.write(errors: wrong.map { ($0.text, $0.place) }, to: &writer) }
        var run = SampleRun(schema: schema, document: document, seed: seed)
        for variable in operation.variables {
            run.variables[variable.name] = call.variables?[variable.name] ?? variable.usual.flatMap(SampleRun.json)
        }
        guard let data = run.object(of: root, operation.selections, "", nil) else {
            return Self.write(
                errors: [("the response would have more than \(SampleRun.most) values", nil)], to: &writer)
        }
        writer.object { $0.member("data", data) }
    }

    private static func write(errors: [(message: String, place: GraphQLPlace?)], to writer: inout JSONWriter) {
        writer.object { object in
            object.array("errors") { array in
                for error in errors {
                    array.object { one in
                        one.member("message", error.message)
                        guard let place = error.place else { return }
                        one.array("locations") { places in
                            places.object {
                                $0.member("line", place.line)
                                $0.member("column", place.column)
                            }
                        }
                    }
                }
            }
        }
    }
}

/// One operation while its response is made.
private struct SampleRun {
    let schema: GraphQLSchema
    let document: GraphQLDocument
    let seed: UInt64
    var variables: [String: JSONValue] = [:]
    /// Values that may still be made.
    private var left = most

    static let most = 10_000
    private static let listLength = 2

    init(schema: GraphQLSchema, document: GraphQLDocument, seed: UInt64) {
        (self.schema, self.document, self.seed) = (schema, document, seed)
    }

    private static func made(_ kind: JSONValue.Kind) -> JSONValue {
        JSONValue(kind: kind, position: JSONPosition(offset: 0, line: 1, column: 1))
    }

    /// A literal of the document without variables.
    static func json(_ value: GraphQLValue) -> JSONValue? {
        switch value {
        case .string(let text), .name(let text): made(.string(text))
        case .int(let text), .float(let text): made(.number(JSONNumber(json: text)))
        case .bool(let flag): made(.bool(flag))
        default: nil
        }
    }

    /// A number that follows from the place of a value.
    private func number(_ path: String) -> UInt64 {
        var hash = seed &+ 0xCBF2_9CE4_8422_2325
        for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var random = SplitMix64(seed: hash)
        return random.next()
    }

    /// nil where the response would be too long.
    ///
    /// - Parameter identity: the argument `id` of the field that it is the value of.
    mutating func object(
        of type: String, _ selections: [GraphQLDocument.Selection], _ path: String, _ identity: JSONValue?
    ) -> JSONValue? {
        let objects = schema.objects(of: type).sorted()
        guard !objects.isEmpty else { return Self.made(.null) }
        let chosen = objects[Int(number(path) % UInt64(objects.count))]
        var order: [String] = []
        var fields: [String: [GraphQLDocument.Field]] = [:]
        guard collect(selections, of: chosen, &order, &fields) else { return nil }
        var members: [JSONMember] = []
        for name in order {
            guard let all = fields[name], let value = value(of: all, in: chosen, path + "." + all[0].name, identity)
            else {
                return nil
            }
            members.append(JSONMember(key: name, keyPosition: value.position, value: value))
        }
        return Self.made(.object(members))
    }

    /// The fields of a selection set by their names in the response (section 6.3.2).
    private mutating func collect(
        _ selections: [GraphQLDocument.Selection], of type: String, _ order: inout [String],
        _ fields: inout [String: [GraphQLDocument.Field]]
    ) -> Bool {
        for selection in selections {
            left -= 1
            guard left > 0 else { return false }
            switch selection {
            case .field(let field) where isWanted(field.directives):
                if fields[field.responseName] == nil { order.append(field.responseName) }
                fields[field.responseName, default: []].append(field)
            case .inline(let condition, let directives, let inner, _) where isWanted(directives):
                guard condition.map({ schema.objects(of: $0).contains(type) }) ?? true else { continue }
                guard collect(inner, of: type, &order, &fields) else { return false }
            case .spread(let name, let directives, _) where isWanted(directives):
                guard let fragment = document.fragment(name),
                    schema.objects(of: fragment.condition).contains(type)
                else { continue }
                guard collect(fragment.selections, of: type, &order, &fields) else { return false }
            default: continue
            }
        }
        return true
    }

    private func isWanted(_ directives: [GraphQLDocument.Directive]) -> Bool {
        directives.allSatisfy { directive in
            guard let value = directive.arguments.first(where: { $0.name == "if" })?.value else { return true }
            let flag =
                switch value {
                case .bool(let flag): flag
                case .variable(let name): variables[name]?.bool ?? false
                default: false
                }
            return directive.name == "skip" ? !flag : directive.name == "include" ? flag : true
        }
    }

    private mutating func value(
        of fields: [GraphQLDocument.Field], in type: String, _ path: String, _ identity: JSONValue?
    ) -> JSONValue? {
        let field = fields[0]
        if field.name == "__typename" { return Self.made(.string(type)) }
        guard let known = schema.types[type]?.field(field.name) else { return Self.made(.null) }
        if field.name == "id", let identity { return identity }
        let given = field.arguments.first { $0.name == "id" }.flatMap { argument -> JSONValue? in
            if case .variable(let name) = argument.value { variables[name] } else { Self.json(argument.value) }
        }
        return value(of: known.type, fields, path, given)
    }

    private mutating func value(
        of type: GraphQLTypeReference, _ fields: [GraphQLDocument.Field], _ path: String, _ identity: JSONValue?
    ) -> JSONValue? {
        left -= 1
        guard left > 0 else { return nil }
        switch type {
        case .nonNull(let inner): return value(of: inner, fields, path, identity)
        case .list(let item):
            var items: [JSONValue] = []
            for index in 0..<Self.listLength {
                guard let value = value(of: item, fields, path + "[\(index)]", nil) else { return nil }
                items.append(value)
            }
            return Self.made(.array(items))
        case .named(let name):
            guard let definition = schema.types[name] else { return Self.made(.null) }
            if definition.isComposite { return object(of: name, fields.flatMap(\.selections), path, identity) }
            return scalar(definition, fields[0].name, number(path))
        }
    }

    private func scalar(_ type: GraphQLSchema.TypeDefinition, _ field: String, _ number: UInt64) -> JSONValue {
        if type.kind == .enumeration, !type.values.isEmpty {
            return Self.made(.string(type.values[Int(number % UInt64(type.values.count))].name))
        }
        let small = number % 1000
        switch type.name {
        case "Int": return Self.made(.number(JSONNumber(json: "\(small)")))
        case "Float": return Self.made(.number(JSONNumber(json: "\(small).5")))
        case "Boolean": return Self.made(.bool(number & 1 == 1))
        case "ID": return Self.made(.string("\(small)"))
        case "String": return Self.made(.string("\(field) \(small)"))
        default: break
        }
        // Scalars of the API, by the names that many have.
        let day = "2026-01-" + (small % 28 < 9 ? "0" : "") + "\(small % 28 + 1)"
        switch type.name.lowercased() {
        case "date": return Self.made(.string(day))
        case "datetime", "timestamp", "instant": return Self.made(.string(day + "T12:00:00Z"))
        case "time": return Self.made(.string("12:00:00Z"))
        case "url", "uri": return Self.made(.string("https://example.com/\(small)"))
        case "json", "jsonobject": return Self.made(.object([]))
        case "uuid":
            let digits = "\(small)"
            return Self.made(
                .string("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits))
        case "long", "bigint": return Self.made(.number(JSONNumber(json: "\(small)")))
        default: return Self.made(.string("\(field) \(small)"))
        }
    }
}
