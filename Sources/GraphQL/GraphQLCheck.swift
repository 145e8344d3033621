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
}

/// One document as it is compared with a schema (section 5, "validation").
struct GraphQLCheck {
    let schema: GraphQLSchema
    let document: GraphQLDocument
    let lines: GraphQLLines
    private(set) var findings: [GraphQLFinding] = []
    /// Fragments that were compared, in this operation and in any.
    private var seen: Set<String> = []
    private var spread: Set<String> = []
    /// Those of this operation.
    private(set) var variables: [String: GraphQLDocument.Variable] = [:]
    var used: Set<String> = []
    /// Selections that may still be compared: each operation has its variables in all fragments that it leads to.
    private var left = 500_000

    init(schema: GraphQLSchema, document: GraphQLDocument, lines: GraphQLLines) {
        (self.schema, self.document, self.lines) = (schema, document, lines)
    }

    /// Errors of one document that are told, and likewise warnings.
    private static let most = 100

    mutating func fail(
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
        failTwins(document.fragments.map { ($0.name, $0.place) }, "the fragment")
        failTwins(document.operations.compactMap { one in one.name.map { ($0, one.place) } }, "the operation")
        if document.operations.count > 1, let one = document.operations.first(where: { $0.name == nil }) {
            fail(one.place, "an operation without a name is not the only one")
        }
        for operation in document.operations { check(operation) }
        for fragment in document.fragments where !spread.contains(fragment.name) {
            fail(fragment.place, "the fragment \(fragment.name) is not used")
        }
        guard let operation = document.operation(call.operationName) else {
            return fail(
                nil, call.operationName.map { "there is no operation \($0)" } ?? "none of several operations is chosen")
        }
        variables = Dictionary(operation.variables.map { ($0.name, $0) }) { first, _ in first }
        check(values: call.variables, of: operation)
    }

    private mutating func check(_ operation: GraphQLDocument.Operation) {
        guard let root = schema.roots[operation.kind], let type = schema.types[root] else {
            return fail(operation.place, "the schema has no \(operation.kind.rawValue)s")
        }
        (variables, used, seen) = ([:], [], [])
        failTwins(operation.variables.map { ($0.name, $0.place) }, "the variable")
        for variable in operation.variables {
            variables[variable.name] = variable
            let kind = schema.types[variable.type.name]?.kind
            if kind == nil { fail(variable.place, "there is no type \(variable.type.name)") }
            if kind == .object || kind == .interface || kind == .union {
                fail(variable.place, "\(variable.type.name) is no type of values")
            }
            if let usual = variable.usual, let problem = problem(usual, variable.type, hasDefault: false) {
                fail(variable.place, "the default of the variable \(variable.name) is \(problem)")
            }
            check(variable.directives, at: "VARIABLE_DEFINITION")
        }
        check(operation.directives, at: operation.kind.rawValue.uppercased())
        check(operation.selections, of: type)
        for variable in operation.variables where !used.contains(variable.name) {
            fail(variable.place, "the variable \(variable.name) is not used")
        }
        let fields = document.outerFields(of: operation)
        if operation.kind == .subscription, let first = fields.first {
            if let other = fields.first(where: { $0.responseName != first.responseName }) {
                fail(other.place, "a subscription has one field, and \(other.responseName) is another one")
            }
            if first.name.hasPrefix("__") { fail(first.place, "a subscription to \(first.name) is none") }
        }
        var merging = GraphQLMerging(schema: schema, document: document, lines: lines)
        for (place, message) in merging.conflicts(in: operation.selections, of: type) { fail(place, message) }
        if left < 0 || merging.isGivenUp {
            fail(nil, "it has too many fields in fragments to be compared with the schema", isWarning: true)
        }
    }

    /// Tells names that come a second time.
    private mutating func failTwins(_ names: [(name: String, place: Int)], _ what: String) {
        var known: Set<String> = []
        for (name, place) in names where !known.insert(name).inserted {
            fail(place, "\(what) \(name) is there twice")
        }
    }

    // MARK: Selections

    private mutating func check(
        _ selections: [GraphQLDocument.Selection], of type: GraphQLSchema.TypeDefinition
    ) {
        for selection in selections {
            left -= 1
            guard left >= 0 else { return }
            switch selection {
            case .field(let field): check(field, of: type)
            case .inline(let condition, let directives, let inner, let place):
                check(directives, at: "INLINE_FRAGMENT")
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
                check(directives, at: "FRAGMENT_SPREAD")
                guard let fragment = document.fragment(name) else {
                    fail(place, "there is no fragment \(name)")
                    continue
                }
                spread.insert(name)
                guard let other = schema.types[fragment.condition], other.isComposite else { continue }
                checkOverlap(other, type, place)
                // What it has is the same wherever it is spread.
                if seen.insert(name).inserted {
                    check(fragment.directives, at: "FRAGMENT_DEFINITION")
                    check(fragment.selections, of: other)
                }
            }
        }
    }

    private mutating func checkOverlap(
        _ inner: GraphQLSchema.TypeDefinition, _ outer: GraphQLSchema.TypeDefinition, _ place: Int
    ) {
        guard inner.name != outer.name else { return }
        if Set(schema.objects(of: inner.name)).isDisjoint(with: schema.objects(of: outer.name)) {
            fail(place, "\(outer.name) is never \(inner.name)")
        }
    }

    private mutating func check(
        _ field: GraphQLDocument.Field, of type: GraphQLSchema.TypeDefinition
    ) {
        check(field.directives, at: "FIELD")
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

    /// - Parameter place: as schemas name where a directive may stand.
    private mutating func check(_ directives: [GraphQLDocument.Directive], at place: String) {
        var names: Set<String> = []
        for directive in directives {
            guard let known = schema.directives[directive.name] else {
                note(directive.arguments)
                fail(directive.place, "there is no directive @\(directive.name)")
                continue
            }
            if !known.places.contains(place) {
                fail(directive.place, "@\(directive.name) cannot stand here, at \(place)")
            }
            if !names.insert(directive.name).inserted, !known.isRepeatable {
                fail(directive.place, "@\(directive.name) is there twice")
            }
            check(directive.arguments, known.arguments, "@\(directive.name)", directive.place, nil)
        }
    }

    /// The variables in arguments of what is not known count as used.
    private mutating func note(_ arguments: [GraphQLDocument.Argument]) {
        for argument in arguments { note(argument.value) }
    }

    mutating func note(_ value: GraphQLValue) {
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
        failTwins(arguments.map { ($0.name, $0.place) }, "the argument")
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
}
