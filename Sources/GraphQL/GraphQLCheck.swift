package import JSON

/// What is wrong with a call or its response by the types of the API.
public struct GraphQLFinding: Hashable, Sendable {
    /// It is allowed still, but deprecated.
    public let isWarning: Bool
    /// The rule's place in the schema; nil where it is a rule of the language.
    public let rule: GraphQLPlace?
    /// In the document of the call; nil for what is elsewhere.
    public let place: GraphQLPlace?
    /// Where in the exchange: `the query`, `the variable id`, `the response`.
    public let part: String
    public let message: String

    /// `the query, 3:5: Cart has no field total`.
    public var text: String { "\(part)\(place.map { ", \($0)" } ?? ""): \(message)" }
}

extension GraphQLSchema {
    /// Compares a call with the types.
    package func findings(in call: GraphQLCall) -> [GraphQLFinding] {
        guard let text = call.document else { return [] }
        let bytes = Array(text.utf8)
        let document: GraphQLDocument
        do throws(GraphQLProblem) {
            document = try GraphQLDocument(text)
        } catch {
            return [
                GraphQLFinding(
                    isWarning: false, rule: nil, place: GraphQLLines(bytes).place(error.place), part: "the query",
                    message: "\(error.message); expected \(error.expected)")
            ]
        }
        var check = GraphQLCheck(schema: self, document: document, lines: GraphQLLines(bytes))
        check.run(call)
        return check.findings
    }

    /// The errors that a response reports beside its data.
    package static func findings(inResponse response: JSONValue) -> [GraphQLFinding] {
        (response["errors"]?.array ?? []).map { error in
            let path = (error["path"]?.array ?? []).compactMap(\.scalarName).joined(separator: ".")
            let text = error["message"]?.string ?? "an error without a message"
            return GraphQLFinding(
                isWarning: false, rule: nil, place: nil, part: "the response" + (path.isEmpty ? "" : " \(path)"),
                message: "it reports the error \"\(text.prefix(200))\"")
        }
    }
}

extension JSONValue {
    fileprivate var scalarName: String? { string ?? number?.json }
}

/// One document as it is compared with a schema (section 5, "validation", as far as types say).
private struct GraphQLCheck {
    let schema: GraphQLSchema
    let document: GraphQLDocument
    let lines: GraphQLLines
    private(set) var findings: [GraphQLFinding] = []
    private var seen: Set<String> = []
    private var variables: [String: GraphQLDocument.Variable] = [:]
    private var used: Set<String> = []

    init(schema: GraphQLSchema, document: GraphQLDocument, lines: GraphQLLines) {
        (self.schema, self.document, self.lines) = (schema, document, lines)
    }

    /// Errors of one document that are told, and likewise warnings.
    private static let most = 100

    private mutating func fail(
        _ place: Int?, _ message: String, rule: GraphQLPlace? = nil, part: String = "the query", isWarning: Bool = false
    ) {
        // Before its place is counted: a line may be as long as the document.
        guard findings.count(where: { $0.isWarning == isWarning }) < Self.most else { return }
        let finding = GraphQLFinding(
            isWarning: isWarning, rule: rule, place: place.map(lines.place), part: part, message: message)
        if !findings.contains(finding) { findings.append(finding) }
    }

    mutating func run(_ call: GraphQLCall) {
        for fragment in document.fragments where schema.types[fragment.condition]?.isComposite != true {
            fail(fragment.place, "there is no type \(fragment.condition) for the fragment \(fragment.name)")
        }
        guard let operation = document.operation(call.operationName) else {
            return fail(
                nil, call.operationName.map { "there is no operation \($0)" } ?? "none of several operations is chosen")
        }
        guard let root = schema.roots[operation.kind], let type = schema.types[root] else {
            return fail(operation.place, "the schema has no \(operation.kind.rawValue)s")
        }
        for variable in operation.variables {
            if variables[variable.name] != nil {
                fail(variable.place, "the variable \(variable.name) is defined twice")
            }
            variables[variable.name] = variable
            let kind = schema.types[variable.type.name]?.kind
            if kind == nil { fail(variable.place, "there is no type \(variable.type.name)") }
            if kind == .object || kind == .interface || kind == .union {
                fail(variable.place, "\(variable.type.name) is no type of values")
            }
        }
        check(operation.directives)
        check(operation.selections, of: type)
        check(values: call.variables, of: operation)
        for variable in operation.variables where !used.contains(variable.name) {
            fail(variable.place, "the variable \(variable.name) is not used")
        }
    }

    // MARK: Selections

    private mutating func check(
        _ selections: [GraphQLDocument.Selection], of type: GraphQLSchema.TypeDefinition
    ) {
        for selection in selections {
            switch selection {
            case .field(let field): check(field, of: type)
            case .inline(let condition, let directives, let inner, let place):
                check(directives)
                guard let condition else {
                    check(inner, of: type)
                    continue
                }
                guard let other = schema.types[condition], other.isComposite else {
                    fail(place, "there is no type \(condition) for a fragment")
                    continue
                }
                checkOverlap(other, type, place)
                check(inner, of: other)
            case .spread(let name, let directives, let place):
                check(directives)
                guard let fragment = document.fragment(name) else {
                    fail(place, "there is no fragment \(name)")
                    continue
                }
                guard let other = schema.types[fragment.condition], other.isComposite else { continue }
                checkOverlap(other, type, place)
                // What it has is the same wherever it is spread.
                if seen.insert(name).inserted {
                    check(fragment.directives)
                    check(fragment.selections, of: other)
                }
            }
        }
    }

    private mutating func checkOverlap(
        _ inner: GraphQLSchema.TypeDefinition, _ outer: GraphQLSchema.TypeDefinition, _ place: Int
    ) {
        if Set(schema.objects(of: inner.name)).isDisjoint(with: schema.objects(of: outer.name)) {
            fail(place, "\(outer.name) is never \(inner.name)")
        }
    }

    private mutating func check(
        _ field: GraphQLDocument.Field, of type: GraphQLSchema.TypeDefinition
    ) {
        check(field.directives)
        if field.name == "__typename" { return }
        let isRoot = type.name == schema.roots[.query]
        if isRoot, field.name == "__schema" || field.name == "__type" { return note(field.arguments) }
        guard let known = type.field(field.name) else {
            note(field.arguments)
            return fail(field.place, "\(type.name) has no field \(field.name)", rule: type.place)
        }
        if let reason = known.deprecation {
            fail(
                field.place, "\(type.name).\(field.name) is deprecated: \(reason)", rule: known.place, isWarning: true)
        }
        check(field.arguments, known.arguments, "\(type.name).\(field.name)", field.place, known.place)
        guard let inner = schema.types[known.type.name] else { return }
        if inner.isComposite {
            if field.selections.isEmpty {
                fail(
                    field.place, "\(field.name) is \(known.type), and nothing of it is asked for", rule: known.place)
            }
            check(field.selections, of: inner)
        } else if !field.selections.isEmpty {
            fail(field.place, "\(field.name) is \(known.type), which has no fields", rule: known.place)
        }
    }

    private mutating func check(_ directives: [GraphQLDocument.Directive]) {
        for directive in directives {
            guard let known = schema.directives[directive.name] else {
                note(directive.arguments)
                fail(directive.place, "there is no directive @\(directive.name)")
                continue
            }
            check(directive.arguments, known, "@\(directive.name)", directive.place, nil)
        }
    }

    /// The variables in arguments of what is not known count as used.
    private mutating func note(_ arguments: [GraphQLDocument.Argument]) {
        for argument in arguments { note(argument.value) }
    }

    private mutating func note(_ value: GraphQLValue) {
        switch value {
        case .variable(let name): used.insert(name)
        case .list(let items): for item in items { note(item) }
        case .object(let members): for member in members { note(member.value) }
        default: break
        }
    }

    private mutating func check(
        _ arguments: [GraphQLDocument.Argument], _ known: [GraphQLSchema.Input], _ name: String, _ place: Int,
        _ rule: GraphQLPlace?
    ) {
        for argument in arguments {
            guard let input = known.first(where: { $0.name == argument.name }) else {
                note(argument.value)
                fail(argument.place, "\(name) has no argument \(argument.name)", rule: rule)
                continue
            }
            if let reason = input.deprecation {
                fail(
                    argument.place, "the argument \(argument.name) of \(name) is deprecated: \(reason)",
                    rule: input.place, isWarning: true)
            }
            if let problem = problem(argument.value, input.type, hasDefault: input.hasDefault) {
                fail(argument.place, "the argument \(argument.name) of \(name) is \(problem)", rule: input.place)
            }
        }
        for input in known where input.isRequired && !arguments.contains(where: { $0.name == input.name }) {
            fail(place, "\(name) lacks the argument \(input.name)", rule: input.place)
        }
    }

    // MARK: Values

    /// What a value is instead of one of a type: `"x", not Int`; nil where it is one.
    private mutating func problem(_ value: GraphQLValue, _ type: GraphQLTypeReference, hasDefault: Bool) -> String? {
        if case .variable(let name) = value {
            used.insert(name)
            guard let variable = variables[name] else { return "the variable \(name), which is not defined" }
            let isGiven = variable.usual.map { if case .null = $0 { false } else { true } } ?? false
            return Self.fits(variable.type, type, isNeverNull: isGiven || hasDefault)
                ? nil : "the variable \(name) of type \(variable.type), not \(type)"
        }
        switch type {
        case .nonNull(let inner):
            if case .null = value { return "null, not \(type)" }
            return problem(value, inner, hasDefault: false)
        case .list(let item):
            if case .null = value { return nil }
            guard case .list(let items) = value else { return problem(value, item, hasDefault: false) }
            for one in items { if let problem = problem(one, item, hasDefault: false) { return problem } }
            return nil
        case .named(let name):
            if case .null = value { return nil }
            guard let definition = schema.types[name] else { return nil }
            return problem(value, definition)
        }
    }

    private mutating func problem(_ value: GraphQLValue, _ type: GraphQLSchema.TypeDefinition) -> String? {
        let isFine: Bool
        switch (type.kind, value) {
        case (.enumeration, .name(let name)): isFine = type.values.contains { $0.name == name }
        case (.input, .object(let members)):
            for member in members {
                guard let input = type.inputs.first(where: { $0.name == member.name }) else {
                    return "an object with \(member.name), which \(type.name) does not have"
                }
                if let problem = problem(member.value, input.type, hasDefault: input.hasDefault) {
                    return "an object whose \(member.name) is \(problem)"
                }
            }
            let missing = type.inputs.first { input in
                input.isRequired && !members.contains { $0.name == input.name }
            }
            return missing.map { "an object without \($0.name), which \(type.name) needs" }
        case (.scalar, _) where !GraphQLSchema.scalars.contains(type.name):
            note(value)
            isFine = true
        case (.scalar, .int(let text)):
            isFine = type.name == "Int" ? Int32(text) != nil : type.name == "Float" || type.name == "ID"
        case (.scalar, .float): isFine = type.name == "Float"
        case (.scalar, .string): isFine = type.name == "String" || type.name == "ID"
        case (.scalar, .bool): isFine = type.name == "Boolean"
        default: isFine = false
        }
        return isFine ? nil : "\(value.text.prefix(80)), not \(type.name)"
    }

    /// Whether a variable may stand where a type is wanted (section 5.8.5).
    private static func fits(
        _ variable: GraphQLTypeReference, _ wanted: GraphQLTypeReference, isNeverNull: Bool = false
    ) -> Bool {
        switch (variable, wanted) {
        case (.nonNull(let one), .nonNull(let other)): fits(one, other)
        case (_, .nonNull(let other)): isNeverNull && fits(variable, other)
        case (.nonNull(let one), _): fits(one, wanted)
        case (.list(let one), .list(let other)): fits(one, other)
        case (.named(let one), .named(let other)): one == other
        default: false
        }
    }

    private mutating func check(values: JSONValue?, of operation: GraphQLDocument.Operation) {
        for variable in operation.variables {
            let value = values?[variable.name]
            if value == nil, variable.usual != nil { continue }
            if value == nil, case .nonNull = variable.type {
                fail(variable.place, "it is missing", part: "the variable \(variable.name)")
            } else if let value, let problem = problem(value, variable.type) {
                fail(nil, "it is \(problem)", part: "the variable \(variable.name)")
            }
        }
        for member in values?.object ?? [] where variables[member.key] == nil {
            fail(nil, "the operation does not define it", part: "the variable \(member.key)", isWarning: true)
        }
    }

    private func problem(_ value: JSONValue, _ type: GraphQLTypeReference) -> String? {
        switch type {
        case .nonNull(let inner): return value.isNull ? "null, not \(type)" : problem(value, inner)
        case .list(let item):
            if value.isNull { return nil }
            guard let items = value.array else { return problem(value, item) }
            return items.lazy.compactMap { problem($0, item) }.first
        case .named(let name):
            guard !value.isNull, let definition = schema.types[name] else { return nil }
            return problem(value, definition)
        }
    }

    private func problem(_ value: JSONValue, _ type: GraphQLSchema.TypeDefinition) -> String? {
        var isFine = true
        switch type.kind {
        case .enumeration: isFine = value.string.map { name in type.values.contains { $0.name == name } } ?? false
        case .input:
            guard let members = value.object else { return "\(value.kindName), not \(type.name)" }
            for member in members {
                guard let input = type.inputs.first(where: { $0.name == member.key }) else {
                    return "an object with \(member.key), which \(type.name) does not have"
                }
                if let problem = problem(member.value, input.type) {
                    return "an object whose \(member.key) is \(problem)"
                }
            }
            let missing = type.inputs.first { $0.isRequired && value[$0.name] == nil }
            return missing.map { "an object without \($0.name), which \(type.name) needs" }
        case .scalar where GraphQLSchema.scalars.contains(type.name): isFine = GraphQLScalar.isFine(value, type.name)
        default: break
        }
        return isFine ? nil : "\(value.kindName), not \(type.name)"
    }
}

/// Values of JSON as the scalars that every schema has.
enum GraphQLScalar {
    /// A secret that was taken out of recorded traffic may have been anything.
    static func isFine(_ value: JSONValue, _ type: String) -> Bool {
        if let text = value.string, text.hasPrefix("<redacted:") { return true }
        switch type {
        case "Int": return value.number.flatMap { $0.int64 }.map { Int32(exactly: $0) != nil } ?? false
        case "Float": return value.number != nil
        case "String": return value.string != nil
        case "Boolean": return value.bool != nil
        default: return value.string != nil || value.number?.int64 != nil
        }
    }
}
