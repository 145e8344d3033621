import JSON

/// Why the types of an API cannot be read: `schema.graphql:3:7: found `}`; expected a type`.
public struct GraphQLSchemaFailure: Error, Sendable, CustomStringConvertible {
    public let description: String

    init(_ file: String, _ place: GraphQLPlace?, _ message: String, expected: String) {
        description = "\(file)\(place.map { ":\($0)" } ?? ""): \(message); expected \(expected)"
    }
}

extension GraphQLSchema {
    /// Reads a document of types, or the result of an introspection, which is JSON.
    public init(_ bytes: [UInt8], name: String) throws(GraphQLSchemaFailure) {
        let first = bytes.first { $0 > 0x20 }
        guard first == UInt8(ascii: "{") else {
            var reader = SchemaTextReader(bytes, name)
            self = try reader.schema()
            return
        }
        let value: JSONValue
        do throws(JSONFailure) {
            value = try JSONReader.read(bytes, dialect: .strict, sizeLimit: 64 << 20)
        } catch {
            throw GraphQLSchemaFailure(
                name, GraphQLPlace(error.position), error.message, expected: error.expected ?? "JSON")
        }
        self = try SchemaValueReader(name: name).schema(value)
    }

    /// Checks that all names lead somewhere, and finds the objects of interfaces.
    init(
        name: String, _ list: [TypeDefinition], _ roots: [GraphQLOperation.Kind: String],
        _ directives: [String: Directive]
    ) throws(GraphQLSchemaFailure) {
        var types: [String: TypeDefinition] = [:]
        for scalar in Self.scalars { types[scalar] = TypeDefinition(name: scalar, kind: .scalar, place: nil) }
        for type in Self.introspectionTypes { types[type.name] = type }
        for type in list {
            if let first = types[type.name]?.place {
                throw GraphQLSchemaFailure(
                    name, type.place, "the type \(type.name) is already there, at \(first)",
                    expected: "each type once")
            }
            types[type.name] = type
        }
        for type in list where type.kind == .object {
            for interface in type.interfaces { types[interface]?.possible.append(type.name) }
        }
        for type in list {
            let places =
                type.fields.flatMap { field in
                    [(field.type.name, field.place)] + field.arguments.map { ($0.type.name, $0.place) }
                } + type.inputs.map { ($0.type.name, $0.place) }
                + (type.interfaces + (type.kind == .union ? type.possible : [])).map { ($0, type.place) }
            for (used, place) in places where types[used] == nil {
                throw GraphQLSchemaFailure(name, place, "there is no type \(used)", expected: "a type of the document")
            }
        }
        let roots = roots.filter { types[$0.value]?.kind == .object }
        guard let query = roots[.query] else {
            throw GraphQLSchemaFailure(name, nil, "it has no type for queries", expected: "a type Query")
        }
        types[query]?.isIntrospected = true
        (self.name, self.types, self.roots) = (name, types, roots)
        self.directives = directives.merging(Self.usualDirectives) { own, _ in own }
    }

    private static let introspectionTypes: [TypeDefinition] = {
        var reader = SchemaTextReader(Array(introspectionText.utf8), "", isOfLanguage: true)
        return (try? reader.definitions()) ?? []
    }()

    static let usualRoots: [GraphQLOperation.Kind: String] = [
        .query: "Query", .mutation: "Mutation", .subscription: "Subscription",
    ]
}

extension GraphQLPlace {
    fileprivate init(_ position: JSONPosition) { self.init(line: position.line, column: position.column) }
}

/// Reads a document of types (section 3, "type system").
private struct SchemaTextReader {
    private let lines: GraphQLLines
    private let file: String
    private var parser: GraphQLParser
    private var types: [GraphQLSchema.TypeDefinition] = []
    private var places: [String: Int] = [:]
    private var extensions: [GraphQLSchema.TypeDefinition] = []
    private var roots: [GraphQLOperation.Kind: String]?
    private var directives: [String: GraphQLSchema.Directive] = [:]
    private let isOfLanguage: Bool

    /// - Parameter isOfLanguage: what it has is at no place of an API's document.
    init(_ bytes: [UInt8], _ file: String, isOfLanguage: Bool = false) {
        (lines, self.file, self.isOfLanguage) = (GraphQLLines(bytes), file, isOfLanguage)
        parser = GraphQLParser(bytes)
    }

    mutating func schema() throws(GraphQLSchemaFailure) -> GraphQLSchema {
        let types = try definitions()
        return try GraphQLSchema(name: file, types, roots ?? GraphQLSchema.usualRoots, directives)
    }

    /// All types of the document.
    mutating func definitions() throws(GraphQLSchemaFailure) -> [GraphQLSchema.TypeDefinition] {
        do throws(GraphQLProblem) {
            while parser.token != nil { try definition() }
            try parser.end()
        } catch {
            throw GraphQLSchemaFailure(file, place(error.place), error.message, expected: error.expected)
        }
        for more in extensions {
            guard let index = places[more.name] else {
                throw GraphQLSchemaFailure(
                    file, more.place, "there is no type \(more.name) to extend", expected: "a type of the document")
            }
            types[index].fields += more.fields
            types[index].inputs += more.inputs
            types[index].values += more.values
            types[index].possible += more.possible
            types[index].interfaces += more.interfaces
        }
        return types
    }

    private func place(_ offset: Int) -> GraphQLPlace? { isOfLanguage ? nil : lines.place(offset) }

    private mutating func description() throws(GraphQLProblem) {
        if case .string = parser.token { _ = try parser.string() }
    }

    private mutating func definition() throws(GraphQLProblem) {
        try description()
        let start = parser.place
        let extends = parser.takes(word: "extend")
        let word = try parser.name("`type`, `interface`, `union`, `enum`, `input`, `scalar`, `schema` or `directive`")
        switch word {
        case "schema": try rootTypes()
        case "directive": try directive()
        case "scalar", "type", "interface", "union", "enum", "input":
            let type = try type(word, place(start))
            if extends {
                extensions.append(type)
            } else {
                places[type.name] = types.count
                types.append(type)
            }
        default:
            throw GraphQLProblem(
                place: start, message: "found `\(word.prefix(80))`",
                expected: "`type`, `interface`, `union`, `enum`, `input`, `scalar`, `schema` or `directive`")
        }
    }

    private mutating func rootTypes() throws(GraphQLProblem) {
        _ = try parser.directives()
        guard parser.isNext("{") else { return }
        let named = try parser.items("{", "}") { (parser) throws(GraphQLProblem) in
            let word = try parser.name("`query`, `mutation` or `subscription`")
            guard let kind = GraphQLOperation.Kind(rawValue: word) else {
                throw parser.unexpected("`query`, `mutation` or `subscription`")
            }
            try parser.need(":")
            return (kind, try parser.name("a type"))
        }
        roots = (roots ?? [:]).merging(named) { _, new in new }
    }

    private mutating func directive() throws(GraphQLProblem) {
        try parser.need("@")
        let name = try parser.name("a directive")
        let arguments = try arguments()
        let isRepeatable = parser.takes(word: "repeatable")
        guard parser.takes(word: "on") else { throw parser.unexpected("`on`") }
        _ = parser.takes("|")
        var places: Set<String> = []
        repeat { places.insert(try parser.name("a place")) } while parser.takes("|")
        directives[name] = GraphQLSchema.Directive(arguments: arguments, places: places, isRepeatable: isRepeatable)
    }

    private mutating func type(
        _ word: String, _ place: GraphQLPlace?
    ) throws(GraphQLProblem) -> GraphQLSchema.TypeDefinition {
        let kinds: [String: GraphQLSchema.Kind] = [
            "type": .object, "interface": .interface, "union": .union, "enum": .enumeration, "input": .input,
        ]
        let kind = kinds[word] ?? .scalar
        var type = GraphQLSchema.TypeDefinition(name: try parser.name("a name"), kind: kind, place: place)
        if kind == .object || kind == .interface, parser.takes(word: "implements") {
            _ = parser.takes("&")
            repeat { type.interfaces.append(try parser.name("an interface")) } while parser.takes("&")
        }
        _ = try parser.directives()
        switch kind {
        case .object, .interface:
            if parser.isNext("{") {
                type.fields = try members { (reader) throws(GraphQLProblem) in try reader.field() }
            }
        case .input:
            if parser.isNext("{") {
                type.inputs = try members { (reader) throws(GraphQLProblem) in try reader.input() }
            }
        case .enumeration:
            if parser.isNext("{") {
                type.values = try members { (reader) throws(GraphQLProblem) in
                    try reader.description()
                    let name = try reader.parser.name("a value")
                    return GraphQLSchema.Value(name: name, deprecation: try reader.deprecation())
                }
            }
        case .union:
            guard parser.takes("=") else { break }
            _ = parser.takes("|")
            repeat { type.possible.append(try parser.name("a type")) } while parser.takes("|")
        case .scalar: break
        }
        return type
    }

    private mutating func members<Member>(
        _ close: Unicode.Scalar = "}", _ read: (inout SchemaTextReader) throws(GraphQLProblem) -> Member
    ) throws(GraphQLProblem) -> [Member] {
        parser.advance()
        var members: [Member] = []
        while !parser.takes(close) { members.append(try read(&self)) }
        return members
    }

    private mutating func field() throws(GraphQLProblem) -> GraphQLSchema.Field {
        try description()
        let start = parser.place
        let name = try parser.name("a field")
        let arguments = try arguments()
        try parser.need(":")
        return GraphQLSchema.Field(
            name: name, type: try parser.typeReference(), arguments: arguments, deprecation: try deprecation(),
            place: place(start))
    }

    private mutating func arguments() throws(GraphQLProblem) -> [GraphQLSchema.Input] {
        guard parser.isNext("(") else { return [] }
        return try members(")") { (reader) throws(GraphQLProblem) in try reader.input() }
    }

    private mutating func input() throws(GraphQLProblem) -> GraphQLSchema.Input {
        try description()
        let start = parser.place
        let name = try parser.name("a name")
        try parser.need(":")
        let type = try parser.typeReference()
        let usual = parser.takes("=") ? try parser.value() : nil
        return GraphQLSchema.Input(
            name: name, type: type, hasDefault: usual != nil, deprecation: try deprecation(), place: place(start))
    }

    /// The reason of `@deprecated` among the directives that follow.
    private mutating func deprecation() throws(GraphQLProblem) -> String? {
        guard let directive = try parser.directives().first(where: { $0.name == "deprecated" }) else { return nil }
        guard case .string(let reason)? = directive.arguments.first(where: { $0.name == "reason" })?.value else {
            return "No longer supported"
        }
        return reason
    }
}

/// Reads the result of an introspection (section 4).
private struct SchemaValueReader {
    let name: String

    func schema(_ root: JSONValue) throws(GraphQLSchemaFailure) -> GraphQLSchema {
        guard let schema = root["data"]?["__schema"] ?? root["__schema"], let types = schema["types"]?.array else {
            throw GraphQLSchemaFailure(
                name, GraphQLPlace(root.position), "it is no result of an introspection",
                expected: "an object with \"__schema\"")
        }
        var list: [GraphQLSchema.TypeDefinition] = []
        for value in types {
            let type = try type(value)
            if !GraphQLSchema.scalars.contains(type.name) { list.append(type) }
        }
        var roots: [GraphQLOperation.Kind: String] = [:]
        for kind in GraphQLOperation.Kind.allCases { roots[kind] = schema["\(kind.rawValue)Type"]?["name"]?.string }
        var directives: [String: GraphQLSchema.Directive] = [:]
        for value in schema["directives"]?.array ?? [] {
            directives[try text("name", value)] = GraphQLSchema.Directive(
                arguments: try inputs("args", value),
                places: Set((value["locations"]?.array ?? []).compactMap(\.string)),
                isRepeatable: value["isRepeatable"]?.bool ?? false)
        }
        return try GraphQLSchema(name: name, list, roots, directives)
    }

    private func text(_ key: String, _ value: JSONValue) throws(GraphQLSchemaFailure) -> String {
        if let text = value[key]?.string { return text }
        throw GraphQLSchemaFailure(
            name, GraphQLPlace(value.position), "there is no \"\(key)\"", expected: "it as a string")
    }

    private func type(_ value: JSONValue) throws(GraphQLSchemaFailure) -> GraphQLSchema.TypeDefinition {
        let kinds: [String: GraphQLSchema.Kind] = [
            "SCALAR": .scalar, "OBJECT": .object, "INTERFACE": .interface, "UNION": .union, "ENUM": .enumeration,
            "INPUT_OBJECT": .input,
        ]
        guard let kind = kinds[try text("kind", value)] else {
            throw GraphQLSchemaFailure(
                name, GraphQLPlace(value.position), "the kind of a type is unknown",
                expected: "OBJECT, UNION and the like")
        }
        var type = GraphQLSchema.TypeDefinition(
            name: try text("name", value), kind: kind, place: GraphQLPlace(value.position))
        for field in value["fields"]?.array ?? [] {
            type.fields.append(
                GraphQLSchema.Field(
                    name: try text("name", field), type: try reference(field), arguments: try inputs("args", field),
                    deprecation: deprecation(field), place: GraphQLPlace(field.position)))
        }
        type.inputs = try inputs("inputFields", value)
        for one in value["enumValues"]?.array ?? [] {
            type.values.append(GraphQLSchema.Value(name: try text("name", one), deprecation: deprecation(one)))
        }
        if kind == .union {
            for one in value["possibleTypes"]?.array ?? [] { type.possible.append(try text("name", one)) }
        }
        for one in value["interfaces"]?.array ?? [] { type.interfaces.append(try text("name", one)) }
        return type
    }

    private func inputs(_ key: String, _ value: JSONValue) throws(GraphQLSchemaFailure) -> [GraphQLSchema.Input] {
        var inputs: [GraphQLSchema.Input] = []
        for one in value[key]?.array ?? [] {
            inputs.append(
                GraphQLSchema.Input(
                    name: try text("name", one), type: try reference(one),
                    hasDefault: one["defaultValue"].map { !$0.isNull } ?? false, deprecation: deprecation(one),
                    place: GraphQLPlace(one.position)))
        }
        return inputs
    }

    private func deprecation(_ value: JSONValue) -> String? {
        value["isDeprecated"]?.bool == true ? value["deprecationReason"]?.string ?? "No longer supported" : nil
    }

    private func reference(_ value: JSONValue) throws(GraphQLSchemaFailure) -> GraphQLTypeReference {
        func reference(_ type: JSONValue?) throws(GraphQLSchemaFailure) -> GraphQLTypeReference {
            guard let type, type.object != nil else {
                throw GraphQLSchemaFailure(
                    name, GraphQLPlace((type ?? value).position), "a type is missing or cut",
                    expected: "an introspection that goes deep enough into ofType")
            }
            switch type["kind"]?.string {
            case "NON_NULL": return .nonNull(try reference(type["ofType"]))
            case "LIST": return .list(try reference(type["ofType"]))
            default: return .named(try text("name", type))
            }
        }
        return try reference(value["type"])
    }
}
