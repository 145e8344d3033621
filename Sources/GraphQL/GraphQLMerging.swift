/// Whether fields of one name in the response can be one field of it (section 5.3.2).
///
/// Each set of fields that can come together is looked at once, all fields of one name at a time instead of in pairs.
struct GraphQLMerging {
    /// A field where it stands.
    private struct Place {
        let field: GraphQLDocument.Field
        let parent: GraphQLSchema.TypeDefinition?
        /// nil where the schema does not say.
        let type: GraphQLTypeReference?
    }

    let schema: GraphQLSchema
    let document: GraphQLDocument
    let lines: GraphQLLines
    private var found: [(place: Int, message: String)] = []
    /// Sets of fields that were looked at, by the places of the fields.
    private var shapes: Set<[Int]> = []
    private var names: Set<[Int]> = []
    /// Fields that may still be looked at: sets may overlap in more ways than anybody writes down.
    private var left = 200_000
    private static let most = 100

    init(schema: GraphQLSchema, document: GraphQLDocument, lines: GraphQLLines) {
        (self.schema, self.document, self.lines) = (schema, document, lines)
    }

    /// Whether there were too many.
    var isGivenUp: Bool { left < 0 }

    mutating func conflicts(
        in selections: [GraphQLDocument.Selection], of type: GraphQLSchema.TypeDefinition
    ) -> [(place: Int, message: String)] {
        let fields = fields([(selections, type)])
        checkNames(fields)
        checkShapes(fields)
        return found
    }

    // MARK: Sets

    /// The fields of several selection sets, through fragments.
    private mutating func fields(
        _ sets: [(selections: [GraphQLDocument.Selection], type: GraphQLSchema.TypeDefinition?)]
    ) -> [Place] {
        var places: [Place] = []
        var spread: Set<String> = []
        for (selections, type) in sets { add(selections, of: type, to: &places, &spread) }
        return places
    }

    private mutating func add(
        _ selections: [GraphQLDocument.Selection], of type: GraphQLSchema.TypeDefinition?, to places: inout [Place],
        _ spread: inout Set<String>
    ) {
        for selection in selections {
            left -= 1
            guard left >= 0 else { return }
            switch selection {
            case .field(let field):
                places.append(Place(field: field, parent: type, type: type?.field(field.name)?.type))
            case .inline(let condition, _, let inner, _):
                add(inner, of: condition.map { schema.types[$0] } ?? type, to: &places, &spread)
            case .spread(let name, _, _):
                guard let fragment = document.fragment(name), spread.insert(name).inserted else { continue }
                add(fragment.selections, of: schema.types[fragment.condition], to: &places, &spread)
            }
        }
    }

    private mutating func inner(_ places: [Place]) -> [Place] {
        fields(places.map { ($0.field.selections, $0.type.flatMap { schema.types[$0.name] }) })
    }

    /// Those of each name in the response.
    private func groups(_ places: [Place]) -> [[Place]] {
        var numbers: [String: Int] = [:]
        var groups: [[Place]] = []
        for place in places {
            if let number = numbers[place.field.responseName] {
                groups[number].append(place)
            } else {
                numbers[place.field.responseName] = groups.count
                groups.append([place])
            }
        }
        return groups
    }

    private mutating func note(_ place: Place, _ other: Place, _ message: String) {
        guard found.count < Self.most else { return }
        found.append(
            (place.field.place, "\(message) at \(lines.place(other.field.place)), so that they cannot be one field"))
    }

    // MARK: Rules

    /// Fields that come together in one object are the same field, with the same arguments.
    private mutating func checkNames(_ places: [Place]) {
        guard left >= 0, !places.isEmpty, names.insert(places.map(\.field.place).sorted()).inserted else { return }
        for group in groups(places) {
            // Two objects are never one, and an interface may be each of them.
            let isObject = { (place: Place) in place.parent?.kind == .object }
            let objects = Set(group.filter(isObject).compactMap(\.parent?.name))
            let common = objects.count > 1 ? group.filter { !isObject($0) } : group
            let sets =
                objects.count > 1
                ? objects.sorted().map { name in common + group.filter { isObject($0) && $0.parent?.name == name } }
                : [common]
            for set in sets {
                left -= set.count
                let arguments = Self.text(set[0].field.arguments)
                for other in set.dropFirst() {
                    let name = other.field.responseName
                    if other.field.name != set[0].field.name {
                        note(other, set[0], "\(name) is \(other.field.name), and \(set[0].field.name)")
                    } else if Self.text(other.field.arguments) != arguments {
                        note(other, set[0], "\(name) has other arguments than")
                    }
                }
                checkNames(inner(set))
            }
        }
    }

    /// Fields of one name have values of one shape, also in objects of different types.
    private mutating func checkShapes(_ places: [Place]) {
        guard left >= 0, !places.isEmpty, shapes.insert(places.map(\.field.place).sorted()).inserted else { return }
        for group in groups(places) {
            left -= group.count
            if let first = group.first(where: { $0.type != nil }), let type = first.type {
                for other in group {
                    guard let own = other.type, !haveOneShape(own, type) else { continue }
                    note(other, first, "\(other.field.responseName) is \(own), and \(type)")
                }
            }
            checkShapes(inner(group))
        }
    }

    private func haveOneShape(_ one: GraphQLTypeReference, _ other: GraphQLTypeReference) -> Bool {
        switch (one, other) {
        case (.nonNull(let one), .nonNull(let other)), (.list(let one), .list(let other)):
            return haveOneShape(one, other)
        case (.named(let one), .named(let other)):
            let areComposite = [one, other].map { schema.types[$0]?.isComposite == true }
            return areComposite == [true, true] || one == other
        default: return false
        }
    }

    /// Arguments in one order.
    private static func text(_ arguments: [GraphQLDocument.Argument]) -> String {
        GraphQLValue.object(arguments.map { ($0.name, $0.value) }).sorted.text
    }
}

extension GraphQLValue {
    /// The same value with its members in one order, in which they have no meaning.
    fileprivate var sorted: GraphQLValue {
        switch self {
        case .list(let items): .list(items.map(\.sorted))
        case .object(let members):
            .object(members.map { ($0.name, $0.value.sorted) }.sorted { $0.0 < $1.0 })
        default: self
        }
    }
}
