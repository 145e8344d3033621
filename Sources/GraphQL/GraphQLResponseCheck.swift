package import JSON

extension GraphQLSchema {
    /// Compares a call with the types, and its response with both.
    ///
    /// - Parameter response: nil where there is none, or none that can be read.
    package func findings(in call: GraphQLCall, response: JSONValue?) -> [GraphQLFinding] {
        let found = findings(in: call)
        guard let response else { return found }
        let errors = Self.errors(response)
        guard found.allSatisfy(\.isWarning), let document = call.document.flatMap({ try? GraphQLDocument($0) }),
            let operation = document.operation(call.operationName), let root = roots[operation.kind]
        else { return found + errors }
        let reader = GraphQLSelectionReader(
            schema: self, document: document, operation: operation, values: call.variables,
            most: GraphQLResponseCheck.most)
        var check = GraphQLResponseCheck(reader: reader)
        check.run(response, operation.selections, root)
        return found + errors + check.findings
    }

    /// The errors that a response reports beside its data.
    private static func errors(_ response: JSONValue) -> [GraphQLFinding] {
        (response["errors"]?.array ?? []).map { error in
            let text = error["message"]?.string ?? "an error without a message"
            return GraphQLFinding(
                isWarning: false, rule: nil, place: nil, part: part(GraphQLResponseCheck.path(of: error)),
                message: "it reports the error \"\(text.prefix(200))\"")
        }
    }

    fileprivate static func part(_ path: [String]) -> String {
        "the response" + (path.isEmpty ? "" : " \(path.joined(separator: "."))")
    }
}

/// The data of one response as it is compared with what was asked for and with the types (section 6.4).
struct GraphQLResponseCheck {
    /// Fields that came under one name in the response, with what objects have by them.
    private final class Node {
        let sets: [[GraphQLDocument.Selection]]
        var plans: [Set<String>: Plan] = [:]
        var shapes: [Set<String>: [Set<String>]] = [:]

        init(_ sets: [[GraphQLDocument.Selection]]) { self.sets = sets }
    }

    private final class Plan {
        let selection: GraphQLSelection
        var inner: [String: Node] = [:]

        init(_ selection: GraphQLSelection) { self.selection = selection }
    }

    /// Steps for all values of one response.
    static let most = 2_000_000

    private var reader: GraphQLSelectionReader
    private(set) var findings: [GraphQLFinding] = []
    /// What was told once: a list may have it in each item.
    private var told: Set<String> = []
    private var path: [String] = []
    /// Where errors are, and all that is around these places.
    private var failed: Set<[String]> = []

    private static let maxFindings = 100

    init(reader: GraphQLSelectionReader) { self.reader = reader }

    private var schema: GraphQLSchema { reader.schema }

    fileprivate static func path(of error: JSONValue) -> [String] {
        (error["path"]?.array ?? []).prefix(NestingLimit.values).compactMap { $0.string ?? $0.number?.json }
    }

    mutating func run(_ response: JSONValue, _ selections: [GraphQLDocument.Selection], _ root: String) {
        let errors = response["errors"]?.array ?? []
        for error in errors.prefix(1000) {
            let path = Self.path(of: error)
            for count in 0...path.count { failed.insert(Array(path.prefix(count))) }
        }
        guard let data = response["data"], !data.isNull else {
            if errors.isEmpty { fail("it has neither data nor errors", nil) }
            return
        }
        if Self.isSecret(data) { return }
        guard data.object != nil else { return fail("its data is \(data.kindName), not \(root)", nil) }
        check(data, Node([selections]), [root])
        guard reader.left < 0 else { return }
        findings.append(
            GraphQLFinding(
                isWarning: true, rule: nil, place: nil, part: "the response",
                message: "its data has too many fields to be compared with the schema"))
    }

    private mutating func fail(_ message: String, _ rule: GraphQLPlace?) {
        guard findings.count < Self.maxFindings, told.insert(message).inserted else { return }
        findings.append(
            GraphQLFinding(
                isWarning: false, rule: rule, place: nil, part: GraphQLSchema.part(path), message: message))
    }

    private static func isSecret(_ value: JSONValue) -> Bool { value.string?.hasPrefix("<redacted:") ?? false }

    // MARK: Objects

    private mutating func check(_ value: JSONValue, _ node: Node, _ types: Set<String>) {
        let members = value.object ?? []
        guard reader.spend(members.count + 1) else { return }
        let values = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
        guard let types = objects(values, node, types) else { return }
        let plan = plan(node, types)
        guard reader.spend(plan.selection.members.count) else { return }
        let owner = types.count == 1 ? types.first ?? "" : types.sorted().prefix(3).joined(separator: " or ")
        for member in plan.selection.members {
            let label = "\(owner).\(member.fields[0].name)"
            guard let value = values[member.name] else {
                if types.isSubset(of: member.certain) {
                    fail("\(label) is missing", member.known.first?.place)
                }
                continue
            }
            guard let known = member.known.first else { continue }
            path.append(member.name)
            check(value, known.type, known, label, member, plan)
            path.removeLast()
        }
        for member in members where plan.selection.member(member.key) == nil {
            path.append(member.key)
            fail("\(owner) has \(member.key.prefix(80)), which was not asked for", nil)
            path.removeLast()
        }
    }

    private mutating func plan(_ node: Node, _ types: Set<String>) -> Plan {
        if let known = node.plans[types] { return known }
        let plan = Plan(reader.selection(node.sets, of: types))
        node.plans[types] = plan
        return plan
    }

    /// The objects that a value may be; nil where it says that it is another one.
    private mutating func objects(
        _ values: [String: JSONValue], _ node: Node, _ types: Set<String>
    ) -> Set<String>? {
        let all = plan(node, types).selection.members
        let member = all.first { $0.fields[0].name == "__typename" }
        if let member, let value = values[member.name], !Self.isSecret(value), let name = value.string {
            if types.contains(name) { return [name] }
            path.append(member.name)
            let names =
                types.sorted().prefix(10).joined(separator: " or ") + (types.count > 10 ? " or another one" : "")
            fail("__typename is \(name.prefix(80)), not \(names)", member.known.first?.place)
            path.removeLast()
            return nil
        }
        guard types.count > 1 else { return types }
        var nearest: (types: Set<String>, distance: Int)?
        var fitting: Set<String> = []
        for shape in shapes(node, types) {
            let selection = plan(node, shape).selection
            guard reader.spend(selection.members.count + values.count) else { return nil }
            let missing = selection.members.count { shape.isSubset(of: $0.certain) && values[$0.name] == nil }
            let distance = missing + values.keys.count { selection.member($0) == nil }
            if distance == 0 { fitting.formUnion(shape) }
            if distance < nearest?.distance ?? .max { nearest = (shape, distance) }
        }
        return fitting.isEmpty ? nearest?.types ?? types : fitting
    }

    /// The objects that have the same members each.
    private mutating func shapes(_ node: Node, _ types: Set<String>) -> [Set<String>] {
        if let known = node.shapes[types] { return known }
        let members = plan(node, types).selection.members
        var shapes: [[UInt8]: Set<String>] = [:]
        for type in types.sorted() where reader.spend(members.count) {
            // Whether it never, perhaps or surely has each of them.
            let shape = members.map {
                ($0.possible.contains(type) ? 1 : 0) + ($0.certain.contains(type) ? 1 : 0) as UInt8
            }
            shapes[shape, default: []].insert(type)
        }
        let found = shapes.values.sorted { $0.sorted().lexicographicallyPrecedes($1.sorted()) }
        node.shapes[types] = found
        return found
    }

    // MARK: Values

    private mutating func check(
        _ value: JSONValue, _ type: GraphQLTypeReference, _ known: GraphQLSchema.Field, _ label: String,
        _ member: GraphQLSelection.Member, _ plan: Plan
    ) {
        guard !Self.isSecret(value), reader.spend(1) else { return }
        switch type {
        case .nonNull(let inner):
            guard value.isNull else { return check(value, inner, known, label, member, plan) }
            // An error says why it is not there.
            if !failed.contains(path) { fail("\(label) is null, not \(type)", known.place) }
        case .list(let item):
            if value.isNull { return }
            guard let items = value.array else {
                return fail("\(label) is \(value.kindName), not \(type)", known.place)
            }
            for (index, one) in items.enumerated() {
                path.append("\(index)")
                check(one, item, known, "an item of \(label)", member, plan)
                path.removeLast()
            }
            checkDeprecated(items, known, label, member, plan)
        case .named(let name):
            guard !value.isNull, let definition = schema.types[name] else { return }
            if definition.isComposite {
                guard value.object != nil else {
                    return fail("\(label) is \(value.kindName), not \(name)", known.place)
                }
                let node = plan.inner[member.name] ?? Node(member.fields.map(\.selections))
                plan.inner[member.name] = node
                let objects = Set(member.known.map(\.type.name)).flatMap { schema.objects(of: $0) }
                check(value, node, Set(objects))
            } else if let problem = Self.problem(value, definition) {
                fail("\(label) is \(problem), not \(name)", known.place)
            }
        }
    }

    /// What is deprecated is in an introspection where it was asked for.
    private mutating func checkDeprecated(
        _ items: [JSONValue], _ known: GraphQLSchema.Field, _ label: String, _ member: GraphQLSelection.Member,
        _ plan: Plan
    ) {
        let name = GraphQLSchema.includeDeprecated
        guard known.type.name.hasPrefix("__"), known.arguments.contains(where: { $0.name == name }),
            let node = plan.inner[member.name]
        else { return }
        // A variable that has no value leaves the argument out.
        let isOpen =
            if case .variable(let variable)? = member.fields[0].arguments.first(where: { $0.name == name })?.value {
                reader.variables[variable] != nil
            } else {
                false
            }
        let isWanted = reader.flag(name, member.fields[0].arguments)
        guard isWanted != true, !(isWanted == nil && isOpen) else { return }
        let members = self.plan(node, [known.type.name]).selection.members
        guard let flag = members.first(where: { $0.fields[0].name == "isDeprecated" })?.name else { return }
        for (index, item) in items.enumerated() where item[flag]?.bool == true {
            path.append("\(index)")
            fail("\(label) has what is deprecated, and \(name) does not ask for it", known.place)
            path.removeLast()
        }
    }

    /// What a value is that is none of a scalar or an enumeration.
    private static func problem(_ value: JSONValue, _ type: GraphQLSchema.TypeDefinition) -> String? {
        switch type.kind {
        case .enumeration:
            guard let text = value.string else { return value.kindName }
            return type.values.contains { $0.name == text } ? nil : "\"\(text.prefix(80))\""
        case .scalar where GraphQLSchema.scalars.contains(type.name):
            // Clients may send numbers as identifiers, servers send text.
            let isFine = type.name == "ID" ? value.string != nil : GraphQLScalar.isFine(value, type.name)
            return isFine ? nil : value.kindName
        default: return nil
        }
    }
}
