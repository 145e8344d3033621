/// The types of a GraphQL API, from a document of types (SDL) or the result of an introspection.
///
/// The October 2021 edition of the GraphQL specification, sections 3 and 4.
public struct GraphQLSchema: Sendable {
    enum Kind: String {
        case scalar, object, interface, union, enumeration, input
    }

    struct Field {
        let name: String
        let type: GraphQLTypeReference
        let arguments: [Input]
        /// Why it is deprecated; nil where it is not.
        let deprecation: String?
        /// nil where the language itself has it.
        let place: GraphQLPlace?
    }

    /// An argument, or a field of an input object.
    struct Input {
        let name: String
        let type: GraphQLTypeReference
        let hasDefault: Bool
        let deprecation: String?
        /// nil where the language itself has it.
        let place: GraphQLPlace?

        var isRequired: Bool { if case .nonNull = type { !hasDefault } else { false } }
    }

    struct Directive {
        let arguments: [Input]
        /// Where it may stand, as schemas name that: `FIELD`.
        let places: Set<String>
        let isRepeatable: Bool
    }

    struct Value {
        let name: String
        let deprecation: String?
    }

    struct TypeDefinition {
        let name: String
        let kind: Kind
        var fields: [Field] = []
        var inputs: [Input] = []
        var values: [Value] = []
        /// The members of a union, or the objects that implement an interface.
        var possible: [String] = []
        var interfaces: [String] = []
        /// nil where the language itself has it.
        let place: GraphQLPlace?
        /// It has `__schema` and `__type`, by which clients ask for the types themselves.
        var isIntrospected = false

        /// Also the fields that the language adds: `__typename` in every type, and the fields of introspection.
        func field(_ name: String) -> Field? {
            if isIntrospected, let field = GraphQLSchema.introspection[name] { return field }
            guard name == "__typename", isComposite else { return fields.first { $0.name == name } }
            return Field(
                name: name, type: .nonNull(.named("String")), arguments: [], deprecation: nil, place: place)
        }

        var isComposite: Bool { kind == .object || kind == .interface || kind == .union }
    }

    /// The longest document that is read.
    public static let maxBytes = 16 << 20

    /// The document's name, for messages.
    public let name: String
    let types: [String: TypeDefinition]
    /// Names of types by the kind of operation.
    let roots: [GraphQLOperation.Kind: String]
    let directives: [String: Directive]

    static let scalars: Set<String> = ["Int", "Float", "String", "Boolean", "ID"]
    /// Those that every server knows.
    static let usualDirectives: [String: Directive] = {
        func input(_ name: String, _ type: GraphQLTypeReference, hasDefault: Bool = false) -> Input {
            Input(name: name, type: type, hasDefault: hasDefault, deprecation: nil, place: nil)
        }
        func directive(_ places: Set<String>, _ arguments: [Input]) -> Directive {
            Directive(arguments: arguments, places: places, isRepeatable: false)
        }
        let condition = [input("if", .nonNull(.named("Boolean")))]
        let (spreads, selections): (Set<String>, Set<String>) = (
            ["FRAGMENT_SPREAD", "INLINE_FRAGMENT"], ["FIELD", "FRAGMENT_SPREAD", "INLINE_FRAGMENT"]
        )
        let part = [input("if", .named("Boolean")), input("label", .named("String"))]
        // The last two of the schema alone stand nowhere in documents.
        return [
            "skip": directive(selections, condition), "include": directive(selections, condition),
            "defer": directive(spreads, part),
            "stream": directive(["FIELD"], part + [input("initialCount", .named("Int"), hasDefault: true)]),
            "deprecated": directive([], [input("reason", .named("String"))]),
            "specifiedBy": directive([], [input("url", .nonNull(.named("String")))]),
        ]
    }()

    /// The objects that a type may be.
    func objects(of name: String) -> [String] {
        guard let type = types[name] else { return [] }
        return type.kind == .object ? [name] : type.possible
    }
}

/// A place in a text, as editors count it.
public struct GraphQLPlace: Hashable, Sendable, CustomStringConvertible {
    public let line: Int
    public let column: Int

    /// `12:5`.
    public var description: String { "\(line):\(column)" }

    init(line: Int, column: Int) { (self.line, self.column) = (line, column) }

}

/// Where the lines of a text begin.
package struct GraphQLLines {
    private let bytes: [UInt8]
    private let starts: [Int]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        starts = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
    }

    /// - Parameter offset: of a byte.
    package func place(_ offset: Int) -> GraphQLPlace {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        let line = bytes[starts[low]..<min(offset, bytes.count)]
        return GraphQLPlace(line: low + 1, column: String(decoding: line, as: UTF8.self).count + 1)
    }
}
