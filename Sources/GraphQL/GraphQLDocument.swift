import JSON

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

    private let places: [String: Int]

    /// - Throws: for fragments that contain themselves, or lead too deep.
    init(operations: [Operation], fragments: [Fragment]) throws(GraphQLProblem) {
        (self.operations, self.fragments) = (operations, fragments)
        places = Dictionary(fragments.indices.map { (fragments[$0].name, $0) }) { first, _ in first }
        var walk = FragmentWalk(self)
        for operation in operations { try walk.read(operation.selections, 1) }
    }

    package func fragment(_ name: String) -> Fragment? { places[name].map { fragments[$0] } }

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
                    guard seen.insert(name).inserted, let fragment = fragment(name) else {
                        return []
                    }
                    return fields(fragment.selections)
                }
            }
        }
        return fields(operation.selections)
    }
}

/// How deep selection sets nest through fragments, which all that reads a document follows by recursion.
private struct FragmentWalk {
    private let document: GraphQLDocument
    private static let most = 2 * NestingLimit.values
    /// The deepest level at which a fragment was met.
    private var levels: [String: Int] = [:]
    private var path: Set<String> = []

    init(_ document: GraphQLDocument) { self.document = document }

    mutating func read(_ selections: [GraphQLDocument.Selection], _ level: Int) throws(GraphQLProblem) {
        for selection in selections {
            switch selection {
            case .field(let field): try read(field.selections, level + 1)
            case .inline(_, _, let inner, _): try read(inner, level + 1)
            case .spread(let name, _, let place): try read(name, level, place)
            }
        }
    }

    private mutating func read(_ name: String, _ level: Int, _ place: Int) throws(GraphQLProblem) {
        guard let fragment = document.fragment(name) else { return }
        guard !path.contains(name) else {
            throw GraphQLProblem(
                place: place, message: "the fragment \(name) contains itself", expected: "fragments without a circle")
        }
        guard level < Self.most else {
            throw GraphQLProblem(
                place: place, message: "the fragments nest too deeply", expected: "at most \(Self.most) levels")
        }
        if let known = levels[name], known >= level { return }
        levels[name] = level
        path.insert(name)
        try read(fragment.selections, level + 1)
        path.remove(name)
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
