import GraphQL
import JSON

/// What a condition looks at in the calls of a request of GraphQL.
public enum CallPart: Hashable, Sendable {
    /// The operation's name.
    case name
    /// `query`, `mutation` or `subscription`.
    case kind
    case variables
    /// A field that the operation asks for, among the outermost ones; the field's name, not its alias.
    case field(String)

    /// A batch meets a condition if all its calls do, since one response is for all of them.
    func isMet(_ test: RequestCondition.Test, by calls: [GraphQLCall]) -> Bool {
        !calls.isEmpty && calls.allSatisfy { isMet(test, by: $0) }
    }

    private func isMet(_ test: RequestCondition.Test, by call: GraphQLCall) -> Bool {
        switch test {
        case .present: !values(in: call).isEmpty
        case .absent: values(in: call).isEmpty
        case .equals(let value): values(in: call).contains(value)
        case .matches(let pattern): values(in: call).contains(where: pattern.isFound)
        case .contains(let subset): call.variables.map(subset.isContained) ?? false
        }
    }

    private func values(in call: GraphQLCall) -> [String] {
        switch self {
        case .name: return call.operation.name.map { [$0] } ?? []
        case .kind: return call.operation.kind.map { [$0.rawValue] } ?? []
        case .variables: return call.variables.map { [$0.scalarText ?? ""] } ?? []
        case .field(let name):
            guard let text = call.document, let document = try? GraphQLDocument(text),
                let operation = document.operation(call.operation.name)
            else { return [] }
            return document.outerFields(of: operation).map(\.name).filter { $0 == name }
        }
    }

    /// What keeps calls from meeting a condition, for people.
    func miss(_ test: RequestCondition.Test, in calls: [GraphQLCall]) -> String {
        guard let call = calls.first(where: { !isMet(test, by: $0) }) else {
            return "it asks for no operation of GraphQL"
        }
        let found = values(in: call).first
        switch (self, test) {
        case (.field(let name), _): return "the operation \(call.operation.label) does not ask for the field \(name)"
        case (.variables, .contains(let subset)):
            guard let variables = call.variables else { return "the operation has no variables" }
            return "the variables have \(subset.firstDifference(from: variables) ?? "other members")"
        case (_, .absent): return "the operation has a name, \"\(found ?? "")\""
        case (_, .equals(let value)):
            return "the operation's \(self) is \(found.map { "\"\($0)\"" } ?? "missing"), not \"\(value)\""
        case (_, .matches(let pattern)):
            return "the operation's \(self) is \(found.map { "\"\($0)\"" } ?? "missing"), which has no match of "
                + pattern.text
        default: return "the operation has no \(self)"
        }
    }
}

/// The conditions under `graphql`; nil after a report.
func decodeCalls(_ fields: Fields) -> [RequestCondition]? {
    var conditions: [RequestCondition]? = []
    if fields.members.isEmpty {
        return fields.refuse(
            fields.place, "\"graphql\" has no condition", expected: "one like { \"operation\": \"Cart\" }")
    }
    func add(_ part: CallPart, _ test: RequestCondition.Test?) {
        guard let test else { return conditions = nil }
        conditions?.append(RequestCondition(subject: .call(part), test: test))
    }
    if let name = fields["operation"] { add(.name, decodeTest(of: "operation", name, fields.reporter)) }
    if let kind = fields["kind"] {
        let known = kind.string.flatMap(GraphQLOperation.Kind.init(rawValue:))
        if known == nil { fields.wrongKind("kind", kind) }
        add(.kind, known.map { .equals($0.rawValue) })
    }
    if let variables = fields["variables"] {
        if variables.object == nil { fields.wrongKind("variables", variables) }
        add(.variables, variables.object == nil ? nil : .contains(JSONSubset(variables)))
    }
    for field in fields.texts("fields", one: "a name like \"cart\"") { add(.field(field.text), .present) }
    return conditions
}
