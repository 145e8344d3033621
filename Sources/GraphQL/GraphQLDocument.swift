/// A GraphQL document as it was read: operations and fragments.
///
/// Places are offsets of bytes in its text. The October 2021 edition of the GraphQL specification, section 2.
package struct GraphQLDocument: Sendable {
    package struct Operation: Sendable {
        package let kind: GraphQLOperation.Kind
        package let name: String?
        package let variables: [Variable]
        package let directives: [Directive]
        package let selections: [Selection]
        package let place: Int
    }

    package struct Variable: Sendable {
        package let name: String
        package let type: GraphQLTypeReference
        package let usual: GraphQLValue?
        package let directives: [Directive]
        package let place: Int
    }

    package struct Fragment: Sendable {
        package let name: String
        package let condition: String
        package let directives: [Directive]
        package let selections: [Selection]
        package let place: Int
    }

    package indirect enum Selection: Sendable {
        case field(Field)
        case spread(String, [Directive], place: Int)
        /// A fragment in its place; without a condition it is of the type around it.
        case inline(String?, [Directive], [Selection], place: Int)
    }

    package struct Field: Sendable {
        package let alias: String?
        package let name: String
        package let arguments: [Argument]
        package let directives: [Directive]
        package let selections: [Selection]
        package let place: Int

        /// Its name in the response.
        package var responseName: String { alias ?? name }
    }

    package struct Argument: Sendable {
        package let name: String
        package let value: GraphQLValue
        package let place: Int
    }

    package struct Directive: Sendable {
        package let name: String
        package let arguments: [Argument]
        package let place: Int
    }

    package let operations: [Operation]
    package let fragments: [Fragment]

    package init(_ text: String) throws(GraphQLProblem) { self = try GraphQLParser.document(Array(text.utf8)) }

    init(operations: [Operation], fragments: [Fragment]) {
        (self.operations, self.fragments) = (operations, fragments)
    }

    /// The operation of that name, or the only one.
    package func operation(_ name: String?) -> Operation? {
        guard let name else { return operations.count == 1 ? operations[0] : nil }
        return operations.first { $0.name == name }
    }

    /// The fields of the outermost selection set, through fragments, in their order.
    package func outerFields(of operation: Operation) -> [Field] {
        var seen: Set<String> = []
        func fields(_ selections: [Selection]) -> [Field] {
            selections.flatMap { selection -> [Field] in
                switch selection {
                case .field(let field): return [field]
                case .inline(_, _, let inner, _): return fields(inner)
                case .spread(let name, _, _):
                    guard seen.insert(name).inserted, let fragment = fragments.first(where: { $0.name == name }) else {
                        return []
                    }
                    return fields(fragment.selections)
                }
            }
        }
        return fields(operation.selections)
    }
}

/// A value in a document.
package indirect enum GraphQLValue: Sendable {
    case variable(String)
    /// As it is written.
    case int(String)
    case float(String)
    case string(String)
    case bool(Bool)
    case null
    /// A value of an enumeration.
    case name(String)
    case list([GraphQLValue])
    case object([(name: String, value: GraphQLValue)])
}

/// A type as documents name it: `[Item!]`.
package indirect enum GraphQLTypeReference: Sendable, CustomStringConvertible {
    case named(String)
    case list(GraphQLTypeReference)
    case nonNull(GraphQLTypeReference)

    package var description: String {
        switch self {
        case .named(let name): name
        case .list(let item): "[\(item)]"
        case .nonNull(let type): "\(type)!"
        }
    }

    /// The innermost type's name.
    package var name: String {
        switch self {
        case .named(let name): name
        case .list(let type), .nonNull(let type): type.name
        }
    }
}

/// Why a document cannot be read, and where.
package struct GraphQLProblem: Error, Sendable {
    /// The offset of a byte in the text.
    package let place: Int
    package let message: String
    package let expected: String
}
