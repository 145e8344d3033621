import JSON
import Patterns

/// A compiled schema; it names other schemas by their number in the list of all.
///
/// Unchecked: what its addresses point to is never changed once the schema is compiled.
struct SchemaNode: @unchecked Sendable {
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
    /// Rules that few schemas have, apart from it so that all are small.
    ///
    /// They live as long as the ``SchemaRules``.
    var values: UnsafePointer<SchemaValues>?
    var number: UnsafePointer<NumberRules>?
    /// Of ``number``.
    var integers: ClosedRange<Int64>?
    var string: UnsafePointer<StringRules>?
    var array: UnsafePointer<ArrayRules>?
    var object: UnsafePointer<ObjectRules>?
    var combination: UnsafePointer<Combination>?
    var unevaluatedItems: Int?
    var unevaluatedProperties: Int?

    init(_ source: ContractSources.Located, resource: Int) {
        self.source = source
        self.resource = resource
    }
}

/// The values that `enum` or `const` allow.
struct SchemaValues: Sendable {
    let tape: JSONTape
    /// The entries of the values.
    let all: [Int]
    /// Where all of them are strings.
    let names: NameTable?
    /// The values by their hash, where there are many.
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
        let texts = values.compactMap(\.string)
        names = texts.count == values.count ? NameTable(texts) : nil
        byHash = names == nil && all.count > Self.few ? Dictionary(grouping: all) { [tape] in tape.hash($0) } : [:]
    }
}

/// Owns the rules of compiled schemas, each at an address of its own.
///
/// Schemas hold the addresses: a reference to an object would be retained and released for each value, which took a
/// quarter of a validation's time. Unchecked: rules are added while one thread compiles, and only read afterwards.
final class SchemaRules: @unchecked Sendable {
    private final class Place<Rules> {
        let address = UnsafeMutablePointer<Rules>.allocate(capacity: 1)

        init(_ rules: Rules) { address.initialize(to: rules) }

        deinit {
            address.deinitialize(count: 1)
            address.deallocate()
        }
    }

    /// Not changed any more once a ``SchemaSet`` has them.
    private var places: [AnyObject] = []

    func add<Rules: Sendable>(_ rules: Rules) -> UnsafePointer<Rules> {
        let place = Place(rules)
        places.append(place)
        return UnsafePointer(place.address)
    }
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

    /// The integers that surely fit, which most numbers are among.
    var integers: ClosedRange<Int64>? {
        func bound(_ limit: Limit?, _ none: Int64, _ step: Int64 = 0) -> Int64? {
            guard let limit else { return none }
            return limit.integer.flatMap { $0.addingReportingOverflow(step).overflow ? nil : $0 + step }
        }
        guard unit == nil, let low = bound(minimum, .min), let high = bound(maximum, .max),
            let above = bound(exclusiveMinimum, .min, 1), let below = bound(exclusiveMaximum, .max, -1),
            max(low, above) <= min(high, below)
        else { return nil }
        return max(low, above)...min(high, below)
    }
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
