public import JSON

/// What JSON is made of, without its values: types, and the members of objects.
///
/// The items of an array have one shape in common. A `null` says nothing of what else may stand in its place.
public struct JSONShape: Sendable, Equatable {
    /// The names that differences have for them.
    fileprivate enum Kind: String, Comparable {
        case array, boolean, number, object, string

        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    fileprivate struct Member: Equatable {
        var shape: JSONShape
        /// Some of the objects lack it.
        var isOptional = false
    }

    /// Empty where nothing but `null` was seen; several where the items of an array differ in type.
    private var kinds: Set<Kind> = []
    /// What the items have in common: one shape where there was an array. (A struct cannot contain itself.)
    private var items: [JSONShape] = []
    private var members: [String: Member] = [:]

    private init() {}

    public init(_ value: JSONValue) {
        switch value.kind {
        case .null: break
        case .bool: kinds = [.boolean]
        case .number: kinds = [.number]
        case .string: kinds = [.string]
        case .array(let values):
            kinds = [.array]
            items = [values.reduce(into: JSONShape()) { $0.merge(JSONShape($1)) }]
        case .object(let all):
            kinds = [.object]
            for member in all { members[member.key] = Member(shape: JSONShape(member.value)) }
        }
    }

    /// Takes in what another value in the same place is made of.
    package mutating func merge(_ other: JSONShape) {
        if kinds.contains(.object), other.kinds.contains(.object) {
            for name in members.keys where other.members[name] == nil { members[name]?.isOptional = true }
            for (name, member) in other.members {
                members[name, default: Member(shape: JSONShape(), isOptional: true)].merge(member)
            }
        } else if other.kinds.contains(.object) {
            members = other.members
        }
        if let shape = other.items.first { if items.isEmpty { items = [shape] } else { items[0].merge(shape) } }
        kinds.formUnion(other.kinds)
    }

    /// `number`, `array or object`, `null`.
    fileprivate var text: String { kinds.isEmpty ? "null" : kinds.sorted().map(\.rawValue).joined(separator: " or ") }
}

extension JSONShape.Member {
    fileprivate mutating func merge(_ other: JSONShape.Member) {
        shape.merge(other.shape)
        isOptional = isOptional || other.isOptional
    }

    fileprivate var text: String { shape.text + (isOptional ? ", not in every item" : "") }
}

extension JSONShape {
    /// In what `new` differs, by place: `old` and `new` are types, and nil where there is no such member.
    ///
    /// A member that some objects lack here may be missing there, and a `null` fits every type.
    public func differences(from new: JSONShape) -> [ResponseDifference] {
        var found: [ResponseDifference] = []
        compare(new, at: "$", &found)
        return found
    }

    private func compare(_ new: JSONShape, at place: String, _ found: inout [ResponseDifference]) {
        if !kinds.isEmpty, !new.kinds.isSubset(of: kinds) { found.append(.shape(place, text, new.text)) }
        if let mine = items.first, let theirs = new.items.first { mine.compare(theirs, at: place + "[*]", &found) }
        guard kinds.contains(.object), new.kinds.contains(.object) else { return }
        for name in Set(members.keys).union(new.members.keys).sorted() {
            let place = JSONPath.appending(name, to: place)
            switch (members[name], new.members[name]) {
            case (let old?, let new?):
                if new.isOptional, !old.isOptional { found.append(.shape(place, old.text, new.text)) }
                old.shape.compare(new.shape, at: place, &found)
            case (let old?, nil):
                if !old.isOptional { found.append(.shape(place, old.text, nil)) }
            case (nil, let new): found.append(.shape(place, nil, new?.text))
            }
        }
    }
}

extension ResponseDifference {
    fileprivate static func shape(_ place: String, _ old: String?, _ new: String?) -> ResponseDifference {
        ResponseDifference(part: .body, place: place, old: old, new: new)
    }
}
