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
        let reader = GraphQLSelectionReader(
            schema: schema, document: document, operation: operation, values: call.variables, most: SampleRun.most)
        var run = SampleRun(reader: reader, seed: seed)
        guard let data = run.object(of: root, [operation.selections], "", nil) else {
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
    private var reader: GraphQLSelectionReader
    private let seed: UInt64

    /// Values that are made, and selections that are read.
    static let most = 10_000
    private static let listLength = 2

    private var schema: GraphQLSchema { reader.schema }

    init(reader: GraphQLSelectionReader, seed: UInt64) { (self.reader, self.seed) = (reader, seed) }

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
        of type: String, _ sets: [[GraphQLDocument.Selection]], _ path: String, _ identity: JSONValue?
    ) -> JSONValue? {
        let objects = schema.objects(of: type).sorted()
        guard !objects.isEmpty else { return JSONValue(made: .null) }
        let chosen = objects[Int(number(path) % UInt64(objects.count))]
        let selection = reader.selection(sets, of: [chosen])
        guard reader.left > 0 else { return nil }
        var members: [JSONMember] = []
        for member in selection.members {
            let inner = path + "." + member.fields[0].name
            guard let value = value(of: member.fields, in: chosen, inner, identity) else { return nil }
            members.append(JSONMember(key: member.name, keyPosition: value.position, value: value))
        }
        return JSONValue(made: .object(members))
    }

    private mutating func value(
        of fields: [GraphQLDocument.Field], in type: String, _ path: String, _ identity: JSONValue?
    ) -> JSONValue? {
        let field = fields[0]
        if field.name == "__typename" { return JSONValue(made: .string(type)) }
        // What a server's types are made of is not made up.
        guard GraphQLSchema.introspection[field.name] == nil, let known = schema.types[type]?.field(field.name) else {
            return JSONValue(made: .null)
        }
        if field.name == "id", let identity { return identity }
        let given = field.arguments.first { $0.name == "id" }.flatMap { argument -> JSONValue? in
            let value =
                if case .variable(let name) = argument.value { reader.variables[name] } else { argument.value.literal }
            // A server writes an identifier as text, however it came.
            return value?.number.map { JSONValue(made: .string($0.json)) } ?? value
        }
        return value(of: known.type, fields, path, given)
    }

    private mutating func value(
        of type: GraphQLTypeReference, _ fields: [GraphQLDocument.Field], _ path: String, _ identity: JSONValue?
    ) -> JSONValue? {
        guard reader.spend(1) else { return nil }
        switch type {
        case .nonNull(let inner): return value(of: inner, fields, path, identity)
        case .list(let item):
            var items: [JSONValue] = []
            for index in 0..<Self.listLength {
                guard let value = value(of: item, fields, path + "[\(index)]", nil) else { return nil }
                items.append(value)
            }
            return JSONValue(made: .array(items))
        case .named(let name):
            guard let definition = schema.types[name] else { return JSONValue(made: .null) }
            if definition.isComposite { return object(of: name, fields.map(\.selections), path, identity) }
            return scalar(definition, fields[0].name, number(path))
        }
    }

    private func scalar(_ type: GraphQLSchema.TypeDefinition, _ field: String, _ number: UInt64) -> JSONValue {
        if type.kind == .enumeration, !type.values.isEmpty {
            return JSONValue(made: .string(type.values[Int(number % UInt64(type.values.count))].name))
        }
        let small = number % 1000
        switch type.name {
        case "Int": return JSONValue(made: .number(JSONNumber(json: "\(small)")))
        case "Float": return JSONValue(made: .number(JSONNumber(json: "\(small).5")))
        case "Boolean": return JSONValue(made: .bool(number & 1 == 1))
        case "ID": return JSONValue(made: .string("\(small)"))
        case "String": return JSONValue(made: .string("\(field) \(small)"))
        default: break
        }
        // Scalars of the API, by the names that many have.
        let day = "2026-01-" + (small % 28 < 9 ? "0" : "") + "\(small % 28 + 1)"
        switch type.name.lowercased() {
        case "date": return JSONValue(made: .string(day))
        case "datetime", "timestamp", "instant": return JSONValue(made: .string(day + "T12:00:00Z"))
        case "time": return JSONValue(made: .string("12:00:00Z"))
        case "url", "uri": return JSONValue(made: .string("https://example.com/\(small)"))
        case "json", "jsonobject": return JSONValue(made: .object([]))
        case "uuid":
            let digits = "\(small)"
            return JSONValue(
                made: .string("00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits))
        case "long", "bigint": return JSONValue(made: .number(JSONNumber(json: "\(small)")))
        default: return JSONValue(made: .string("\(field) \(small)"))
        }
    }
}
