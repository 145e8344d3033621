import JSON
import Patterns

/// A compiled schema; other schemas are the numbers of theirs in the list of all.
struct SchemaNode: Sendable {
    /// Kinds of values as bits.
    struct Kinds: OptionSet, Sendable {
        let rawValue: UInt8
        static let null = Kinds(rawValue: 1)
        static let boolean = Kinds(rawValue: 2)
        static let object = Kinds(rawValue: 4)
        static let array = Kinds(rawValue: 8)
        static let number = Kinds(rawValue: 16)
        static let integer = Kinds(rawValue: 32)
        static let string = Kinds(rawValue: 64)

        static let names: [(name: String, kinds: Kinds)] = [
            ("null", .null), ("boolean", .boolean), ("object", .object), ("array", .array), ("number", .number),
            ("integer", .integer), ("string", .string),
        ]
    }

    /// A document, and the place of the schema in it.
    let source: ContractSources.Located
    /// The schema resource (`$id`) that it belongs to.
    let resource: Int
    /// Of a schema that is `true` or `false`.
    var verdict: Bool?
    /// Nil for any.
    var kinds: Kinds?
    var reference: Int?
    var dynamicReference: (node: Int, name: String)?
    var values: SchemaValues?
    var number: Box<NumberRules>?
    var string: Box<StringRules>?
    var array: Box<ArrayRules>?
    var object: Box<ObjectRules>?
    var combination: Box<Combination>?
    var unevaluatedItems: Int?
    var unevaluatedProperties: Int?

    init(_ source: ContractSources.Located, resource: Int) {
        self.source = source
        self.resource = resource
    }
}

/// The values that `enum` or `const` allow.
final class SchemaValues: Sendable {
    let tape: JSONTape
    /// The entries of the values.
    let all: [Int]
    /// The same by their hash, where there are many.
    let byHash: [Int: [Int]]
    let isConstant: Bool
    private static let few = 8

    init(_ values: [JSONValue], isConstant: Bool) throws(JSONFailure) {
        var writer = JSONWriter()
        writer.array { array in for value in values { array.value(value) } }
        tape = try JSONTape(writer.bytes)
        var all: [Int] = []
        var at = 1
        while at < tape.entries.count {
            all.append(at)
            at = Int(tape.entries[at].next)
        }
        self.all = all
        self.isConstant = isConstant
        let tape = tape
        byHash = all.count > Self.few ? Dictionary(grouping: all) { tape.hash($0) } : [:]
    }
}

/// Rules of a schema that few schemas have, apart from it so that all are small.
///
/// They are read in place: a copy would retain each of their parts for each value.
final class Box<Rules: Sendable>: Sendable {
    let rules: Rules

    init(_ rules: Rules) { self.rules = rules }
}

struct NumberRules: Sendable {
    struct Limit: Sendable {
        let number: JSONNumber
        let integer: Int64?
        let double: Double

        init(_ number: JSONNumber) {
            self.number = number
            (integer, double) = (number.int64, Double(number.json) ?? 0)
        }
    }

    var minimum, maximum, exclusiveMinimum, exclusiveMaximum: Limit?
    var unit: JSONNumber?
}

struct StringRules: Sendable {
    var minLength, maxLength: Int?
    var pattern: (text: String, pattern: Pattern)?
    var format: SchemaFormat?
}

struct ArrayRules: Sendable {
    var minItems, maxItems: Int?
    var isUnique = false
    var prefix: [Int] = []
    var items: Int?
    var contains: Int?
    var minContains = 1
    var maxContains: Int?
}

struct ObjectRules: Sendable {
    /// What is said of a member by its name.
    struct Member: Sendable {
        let name: String
        var schema: Int?
        var isRequired = false
        /// In messages of this direction it need not be there (`readOnly` and `writeOnly` of OpenAPI).
        var exempt: SchemaDirection?
    }

    var minProperties, maxProperties: Int?
    var members: [Member] = []
    /// The numbers of `members`.
    var numbers = NameTable([])
    var requiredCount = 0
    var patterns: [(pattern: Pattern, schema: Int)] = []
    var additional: Int?
    var names: Int?
    var dependentRequired: [(name: String, needed: [String])] = []
}

/// Schemas for the same value.
struct Combination: Sendable {
    var all: [Int] = []
    var any: [Int] = []
    var one: [Int] = []
    var not: Int?
    var condition: Int?
    var then: Int?
    var otherwise: Int?
    var dependent: [(name: String, schema: Int)] = []
}

/// Which way a message goes, for members that are only read or only written.
public enum SchemaDirection: Sendable {
    case request, response
}
