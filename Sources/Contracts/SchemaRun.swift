import JSON

/// One validation: a value, its schema, and how much may still be done.
struct SchemaRun {
    enum Step {
        /// The entry of a key.
        case key(Int)
        case item(Int)
    }

    /// Members or items that a schema has looked at.
    struct Seen {
        /// The first 64, since most values have no more and an array would be allocated for each.
        private var first: UInt64 = 0
        private var others: [UInt64] = []

        func contains(_ index: Int) -> Bool {
            let (word, bit) = (index >> 6 - 1, UInt64(index & 63))
            return word < 0 ? first >> bit & 1 == 1 : word < others.count && others[word] >> bit & 1 == 1
        }

        mutating func insert(_ index: Int) {
            let (word, bit) = (index >> 6 - 1, UInt64(1) << UInt64(index & 63))
            guard word >= 0 else { return first |= bit }
            while others.count <= word { others.append(0) }
            others[word] |= bit
        }

        mutating func formUnion(_ other: Seen) {
            first |= other.first
            while others.count < other.others.count { others.append(0) }
            for word in other.others.indices { others[word] |= other.others[word] }
        }
    }

    /// Schemas for values within values within values, by references or nesting.
    private static let maxDepth = 256
    /// Steps for any value, and for each of its parts.
    private static let (steps, stepsPerEntry) = (200_000, 1000)

    let set: SchemaSet
    let nodes: UnsafeBufferPointer<SchemaNode>
    let tape: JSONTape
    let entries: UnsafePointer<JSONTape.Entry>
    let bytes: UnsafePointer<UInt8>
    let direction: SchemaDirection?
    private let mask: StaticString?
    private var left: Int
    private var depth = 0
    /// Why it was given up, and at which schema.
    var obstacle: (message: String, node: Int)?
    /// The resources that were entered, the outermost first.
    private var scope: [Int] = []
    var path: [Step] = []
    var failures: [SchemaFailure] = []
    /// Failures that are still wanted; none where only the verdict counts.
    var wanted = 0

    init(
        _ set: SchemaSet, _ nodes: UnsafeBufferPointer<SchemaNode>, _ tape: JSONTape,
        _ entries: UnsafePointer<JSONTape.Entry>, _ bytes: UnsafePointer<UInt8>, direction: SchemaDirection?,
        mask: StaticString?
    ) {
        (self.set, self.nodes, self.tape, self.entries, self.bytes) = (set, nodes, tape, entries, bytes)
        (self.direction, self.mask) = (direction, mask)
        left = Self.steps + Self.stepsPerEntry * tape.entries.count
    }

    mutating func failures(of node: Int, most: Int) -> [SchemaFailure] {
        var seen: Seen?
        // Most values are valid, and the verdict alone is had sooner.
        let isValid = holds(node, 0, &seen)
        if isValid, obstacle == nil { return [] }
        if obstacle == nil {
            wanted = most
            left = Self.steps + Self.stepsPerEntry * tape.entries.count
            (depth, scope, path) = (0, [], [])
            _ = holds(node, 0, &seen)
        }
        guard let (message, at) = obstacle else { return failures }
        return failures + [SchemaFailure(path: "$", message: message, keyword: "", rule: set.place(at))]
    }

    // MARK: Failures

    /// Notes a failure; always false.
    mutating func fail(
        _ node: Int, _ keyword: String, _ message: (borrowing SchemaRun) -> String
    ) -> Bool {
        guard wanted > 0 else { return false }
        wanted -= 1
        failures.append(
            SchemaFailure(
                path: pathText, message: message(self), keyword: keyword,
                rule: set.place(node, keyword: keyword.isEmpty ? nil : keyword)))
        return false
    }

    /// The same for a message that needs nothing of the value.
    mutating func fail(_ node: Int, _ keyword: String, _ message: @autoclosure () -> String) -> Bool {
        wanted > 0 ? fail(node, keyword) { _ in message() } : false
    }

    var pathText: String {
        path.reduce("$") { text, step in
            switch step {
            case .key(let at): JSONPath.appending(tape.text(at), to: text)
            case .item(let number): "\(text)[\(number)]"
            }
        }
    }

    /// A short text for a value, else its kind.
    func shown(_ at: Int) -> String {
        let source = tape.source(at)
        guard source.utf8.count > 60 else { return source }
        switch entries[at].kind {
        case .array: return "an array"
        case .object: return "an object"
        case .string, .escapedString: return "a string"
        default: return "a number"
        }
    }

    /// Takes work off the budget; false where none is left.
    @inline(__always)
    mutating func spend(_ steps: Int, _ node: Int) -> Bool {
        left -= steps
        if left >= 0 { return true }
        if obstacle == nil { obstacle = (": the schema takes too many steps for this value", node) }
        return false
    }

    // MARK: Schemas

    mutating func holds(_ number: Int, _ at: Int, _ seen: inout Seen?) -> Bool {
        // A compiled schema has one node at least, and names no number beyond its list.
        let node = nodes.baseAddress.unsafelyUnwrapped + number
        if let verdict = node.pointee.verdict { return verdict || fail(number, "", " may not be there") }
        guard obstacle == nil, spend(1, number) else { return false }
        let before = failures.count
        guard depth < Self.maxDepth else {
            obstacle = (": the schema refers to itself without end", number)
            return false
        }
        depth += 1
        let enters = scope.last != node.pointee.resource
        if enters { scope.append(node.pointee.resource) }
        let isValid = holds(node, number, at, &seen)
        if enters { scope.removeLast() }
        depth -= 1
        if !isValid, mask != nil, isMasked(at) {
            wanted += failures.count - before
            failures.removeSubrange(before...)
            return true
        }
        return isValid
    }

    mutating func holds(
        _ node: UnsafePointer<SchemaNode>, _ number: Int, _ at: Int, _ seen: inout Seen?
    ) -> Bool {
        let wantsUnevaluated = node.pointee.unevaluatedItems != nil || node.pointee.unevaluatedProperties != nil
        var own: Seen? = wantsUnevaluated || seen != nil ? Seen() : nil
        var isValid = true
        if let kinds = node.pointee.kinds, !fits(kinds, at) {
            let names = SchemaNode.Kinds.names.filter { kinds.contains($0.kinds) }.map(\.name)
            isValid = fail(number, "type") { " is \($0.shown(at)), not \(names.joined(separator: " or "))" }
            // Nothing else that is said of it would help.
            return isValid
        }
        if let reference = node.pointee.reference, !holds(reference, at, &own) { isValid = false }
        if isValid || wanted > 0, let (target, name) = node.pointee.dynamicReference,
            !holds(dynamicTarget(name) ?? target, at, &own)
        {
            isValid = false
        }
        if isValid || wanted > 0, let values = node.pointee.values, !allows(values, number, at) { isValid = false }
        if isValid || wanted > 0 {
            switch entries[at].kind {
            case .integer, .number:
                if let rules = node.pointee.number {
                    let isSure =
                        node.pointee.integers.flatMap { range in smallInteger(at).map(range.contains) } ?? false
                    if !isSure, !holds(rules, number, at) { isValid = false }
                }
            case .string, .escapedString:
                if let rules = node.pointee.string, !holds(rules, number, at) { isValid = false }
            case .array:
                if let rules = node.pointee.array, !holds(rules, number, at, &own) { isValid = false }
            case .object:
                if let rules = node.pointee.object, !holds(rules, number, at, &own) { isValid = false }
            default: break
            }
        }
        if isValid || wanted > 0, let rules = node.pointee.combination, !holds(rules, number, at, &own) {
            isValid = false
        }
        // What a schema that fails has looked at does not count.
        guard own != nil, isValid else { return isValid }
        if wantsUnevaluated, !holdsUnevaluated(node, number, at, &own) { isValid = false }
        if isValid, seen != nil, let own { seen?.formUnion(own) }
        return isValid
    }

    func dynamicTarget(_ name: String) -> Int? {
        for resource in scope {
            if let found = set.resources[resource].dynamicAnchors[name] { return found }
        }
        return nil
    }

    @inline(__always)
    func fits(_ kinds: SchemaNode.Kinds, _ at: Int) -> Bool {
        switch entries[at].kind {
        case .null: kinds.contains(.null)
        case .isFalse, .isTrue: kinds.contains(.boolean)
        case .integer: kinds.contains(.integer) || kinds.contains(.number)
        case .number: kinds.contains(.number) || kinds.contains(.integer) && isWhole(at)
        case .string, .escapedString: kinds.contains(.string)
        case .array: kinds.contains(.array)
        case .object: kinds.contains(.object)
        }
    }

    func isWhole(_ at: Int) -> Bool {
        guard let value = Double(tape.text(at)) else { return false }
        return value == value.rounded()
    }

    func isMasked(_ at: Int) -> Bool {
        guard let mask, entries[at].kind == .string || entries[at].kind == .escapedString else { return false }
        let content = tape.content(at)
        return content.indices.contains { start in
            content[start...].starts(with: UnsafeBufferPointer(start: mask.utf8Start, count: mask.utf8CodeUnitCount))
        }
    }

    // MARK: Parts

    /// Whether a value within this one fits.
    @inline(__always)
    mutating func holdsInside(_ node: Int, _ at: Int, _ step: @autoclosure () -> Step) -> Bool {
        var nothing: Seen?
        guard wanted > 0 else { return holds(node, at, &nothing) }
        path.append(step())
        defer { path.removeLast() }
        return holds(node, at, &nothing)
    }

    mutating func isQuietlyValid(_ node: Int, _ at: Int) -> Bool {
        var nothing: Seen?
        return isQuietlyValid(node, at, &nothing)
    }

    /// The verdict alone.
    mutating func isQuietlyValid(_ node: Int, _ at: Int, _ seen: inout Seen?) -> Bool {
        let outer = wanted
        wanted = 0
        defer { wanted = outer }
        return holds(node, at, &seen)
    }
}
