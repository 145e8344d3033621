import JSON

/// What an object of the response has by the selection sets that it was asked for with (section 6.3.2).
struct GraphQLSelection {
    /// A member of the object.
    struct Member {
        let name: String
        /// Those that are asked for under this name.
        var fields: [GraphQLDocument.Field]
        /// Of these fields, by the objects that it may be in; empty where the schema does not say.
        var known: [GraphQLSchema.Field]
        /// The objects of which it is a member whatever the variables are.
        var certain: Set<String>
        /// Those of which it may be one.
        var possible: Set<String>
    }

    private(set) var members: [Member] = []
    private var numbers: [String: Int] = [:]

    func member(_ name: String) -> Member? { numbers[name].map { members[$0] } }

    mutating func add(
        _ field: GraphQLDocument.Field, _ known: [GraphQLSchema.Field], in objects: Set<String>, isCertain: Bool
    ) {
        if numbers[field.responseName] == nil {
            numbers[field.responseName] = members.count
            members.append(Member(name: field.responseName, fields: [], known: [], certain: [], possible: []))
        }
        guard let number = numbers[field.responseName] else { return }
        members[number].fields.append(field)
        members[number].known += known
        members[number].possible.formUnion(objects)
        if isCertain { members[number].certain.formUnion(objects) }
    }
}

/// Reads selection sets with the variables of a call.
struct GraphQLSelectionReader {
    /// A fragment as it was read: it says the same once more.
    private struct Spread: Hashable {
        let name: String
        let objects: Set<String>
        let isCertain: Bool
    }

    let schema: GraphQLSchema
    let document: GraphQLDocument
    let variables: [String: JSONValue]
    /// Selections that may still be read, and values that may be compared with them.
    private(set) var left: Int

    init(
        schema: GraphQLSchema, document: GraphQLDocument, operation: GraphQLDocument.Operation, values: JSONValue?,
        most: Int
    ) {
        (self.schema, self.document, left) = (schema, document, most)
        var variables: [String: JSONValue] = [:]
        for variable in operation.variables {
            variables[variable.name] = values?[variable.name] ?? variable.usual.flatMap(\.literal)
        }
        self.variables = variables
    }

    /// Takes work off what is left; false where there is none.
    mutating func spend(_ steps: Int) -> Bool {
        left -= steps
        return left >= 0
    }

    /// What an object, which is one of some types, has of several selection sets.
    mutating func selection(
        _ sets: [[GraphQLDocument.Selection]], of objects: Set<String>
    ) -> GraphQLSelection {
        var selection = GraphQLSelection()
        var spread: Set<Spread> = []
        for set in sets { add(set, objects, isCertain: true, to: &selection, &spread) }
        return selection
    }

    private mutating func add(
        _ selections: [GraphQLDocument.Selection], _ objects: Set<String>, isCertain: Bool,
        to selection: inout GraphQLSelection, _ spread: inout Set<Spread>
    ) {
        for one in selections {
            left -= 1 + objects.count / 8
            guard left >= 0 else { return }
            switch one {
            case .field(let field):
                guard let isWanted = isWanted(field.directives) else { continue }
                // Objects of one interface may have narrower types each.
                let known = objects.sorted().prefix(Self.mostTypes).compactMap { schema.types[$0]?.field(field.name) }
                selection.add(field, known, in: objects, isCertain: isCertain && isWanted)
            case .inline(let condition, let directives, let inner, _):
                guard let isWanted = isWanted(directives) else { continue }
                let inside = condition.map { objects.intersection(schema.objects(of: $0)) } ?? objects
                guard !inside.isEmpty else { continue }
                add(inner, inside, isCertain: isCertain && isWanted, to: &selection, &spread)
            case .spread(let name, let directives, _):
                guard let isWanted = isWanted(directives), let fragment = document.fragment(name) else { continue }
                let inside = objects.intersection(schema.objects(of: fragment.condition))
                let isCertain = isCertain && isWanted
                guard !inside.isEmpty,
                    spread.insert(Spread(name: name, objects: inside, isCertain: isCertain)).inserted
                else { continue }
                add(fragment.selections, inside, isCertain: isCertain, to: &selection, &spread)
            }
        }
    }

    /// Objects of an interface whose types of a field are looked at.
    private static let mostTypes = 20

    /// Whether a selection with these directives is there: nil for no, false for what cannot be told.
    private func isWanted(_ directives: [GraphQLDocument.Directive]) -> Bool? {
        var isSure = true
        for directive in directives {
            switch directive.name {
            case "skip", "include":
                guard let flag = flag(directive) else {
                    isSure = false
                    continue
                }
                if flag == (directive.name == "skip") { return nil }
            // What is deferred comes later.
            case "defer": isSure = false
            default: break
            }
        }
        return isSure
    }

    private func flag(_ directive: GraphQLDocument.Directive) -> Bool? { flag("if", directive.arguments) }

    /// What an argument says; nil where it is not there, or where that is not known.
    func flag(_ name: String, _ arguments: [GraphQLDocument.Argument]) -> Bool? {
        switch arguments.first(where: { $0.name == name })?.value {
        case .bool(let flag): flag
        case .variable(let name): variables[name]?.bool
        default: nil
        }
    }
}

extension GraphQLValue {
    /// A value without variables and parts, as JSON.
    var literal: JSONValue? {
        switch self {
        case .string(let text), .name(let text): JSONValue(made: .string(text))
        case .int(let text), .float(let text): JSONValue(made: .number(JSONNumber(json: text)))
        case .bool(let flag): JSONValue(made: .bool(flag))
        default: nil
        }
    }
}

extension JSONValue {
    /// A value that is in no text.
    init(made kind: Kind) { self.init(kind: kind, position: JSONPosition(offset: 0, line: 1, column: 1)) }
}
