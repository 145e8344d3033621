import Bytes
import JSON
import Patterns

/// One validation: a value, its schema, and how much may still be done.
struct SchemaRun {
    private enum Step {
        /// The entry of a key.
        case key(Int)
        case item(Int)
    }

    /// Members or items that a schema has looked at.
    struct Seen {
        private var words: [UInt64] = []

        func contains(_ index: Int) -> Bool {
            index >> 6 < words.count && words[index >> 6] >> UInt64(index & 63) & 1 == 1
        }

        mutating func insert(_ index: Int) {
            while words.count <= index >> 6 { words.append(0) }
            words[index >> 6] |= 1 << UInt64(index & 63)
        }

        mutating func formUnion(_ other: Seen) {
            while words.count < other.words.count { words.append(0) }
            for index in other.words.indices { words[index] |= other.words[index] }
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
    private let direction: SchemaDirection?
    private let mask: StaticString?
    private var left: Int
    private var depth = 0
    /// Why it was given up, and at which schema.
    private var obstacle: (message: String, node: Int)?
    /// The resources that were entered, the outermost first.
    private var scope: [Int] = []
    private var path: [Step] = []
    private var failures: [SchemaFailure] = []
    /// Failures that are still wanted; none where only the verdict counts.
    private var wanted = 0

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
    private mutating func fail(
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
    private mutating func fail(_ node: Int, _ keyword: String, _ message: @autoclosure () -> String) -> Bool {
        wanted > 0 ? fail(node, keyword) { _ in message() } : false
    }

    private var pathText: String {
        path.reduce("$") { text, step in
            switch step {
            case .key(let at): JSONPath.appending(tape.text(at), to: text)
            case .item(let number): "\(text)[\(number)]"
            }
        }
    }

    /// A short text for a value, else its kind.
    private func shown(_ at: Int) -> String {
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
    private mutating func spend(_ steps: Int, _ node: Int) -> Bool {
        left -= steps
        if left >= 0 { return true }
        if obstacle == nil { obstacle = (": the schema takes too many steps for this value", node) }
        return false
    }

    // MARK: Schemas

    private mutating func holds(_ number: Int, _ at: Int, _ seen: inout Seen?) -> Bool {
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

    private mutating func holds(
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
                if let rules = node.pointee.number, !holds(rules.rules, number, at) { isValid = false }
            case .string, .escapedString:
                if let rules = node.pointee.string, !holds(rules.rules, number, at) { isValid = false }
            case .array:
                if let rules = node.pointee.array, !holds(rules, number, at, &own) { isValid = false }
            case .object:
                if let rules = node.pointee.object, !holds(rules, number, at, &own) { isValid = false }
            default: break
            }
        }
        if isValid || wanted > 0, let rules = node.pointee.combination, !holds(rules.rules, number, at, &own) {
            isValid = false
        }
        // What a schema that fails has looked at does not count.
        guard own != nil, isValid else { return isValid }
        if wantsUnevaluated, !holdsUnevaluated(node, number, at, &own) { isValid = false }
        if isValid, seen != nil, let own { seen?.formUnion(own) }
        return isValid
    }

    private func dynamicTarget(_ name: String) -> Int? {
        for resource in scope {
            if let found = set.resources[resource].dynamicAnchors[name] { return found }
        }
        return nil
    }

    @inline(__always)
    private func fits(_ kinds: SchemaNode.Kinds, _ at: Int) -> Bool {
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

    private func isWhole(_ at: Int) -> Bool {
        guard let value = Double(tape.text(at)) else { return false }
        return value == value.rounded()
    }

    private func isMasked(_ at: Int) -> Bool {
        guard let mask, entries[at].kind == .string || entries[at].kind == .escapedString else { return false }
        let content = tape.content(at)
        return content.indices.contains { start in
            content[start...].starts(with: UnsafeBufferPointer(start: mask.utf8Start, count: mask.utf8CodeUnitCount))
        }
    }

    // MARK: Values

    private mutating func allows(_ values: SchemaValues, _ number: Int, _ at: Int) -> Bool {
        var candidates = values.all
        if !values.byHash.isEmpty {
            guard spend(Int(entries[at].next) - at, number) else { return false }
            candidates = values.byHash[tape.hash(at)] ?? []
        }
        for one in candidates {
            guard spend(1, number) else { return false }
            if values.tape.isEqual(one, to: tape, at) { return true }
        }
        guard wanted > 0 else { return false }
        let texts = values.all.prefix(20).map { values.tape.source($0) }.joined(separator: ", ")
        let more = values.all.count > 20 ? " and \(values.all.count - 20) more" : ""
        return fail(number, values.isConstant ? "const" : "enum") {
            " is \($0.shown(at)), not \(values.isConstant ? "" : "one of ")\(texts)\(more)"
        }
    }

    private mutating func holds(_ rules: NumberRules, _ number: Int, _ at: Int) -> Bool {
        let text = tape.text(at)
        let (integer, double) = (Int64(text), Double(text) ?? 0)
        func isBelow(_ limit: NumberRules.Limit) -> Bool {
            if let integer, let other = limit.integer { return integer < other }
            return double < limit.double
        }
        func isAbove(_ limit: NumberRules.Limit) -> Bool {
            if let integer, let other = limit.integer { return integer > other }
            return double > limit.double
        }
        if let low = rules.minimum, isBelow(low) {
            return fail(number, "minimum", " is \(text), below \(low.number.text)")
        }
        if let high = rules.maximum, isAbove(high) {
            return fail(number, "maximum", " is \(text), above \(high.number.text)")
        }
        if let low = rules.exclusiveMinimum, !isAbove(low) {
            return fail(number, keyword(number, "exclusiveMinimum"), " is \(text), not above \(low.number.text)")
        }
        if let high = rules.exclusiveMaximum, !isBelow(high) {
            return fail(number, keyword(number, "exclusiveMaximum"), " is \(text), not below \(high.number.text)")
        }
        if let unit = rules.unit, !JSONNumber(json: text).isMultiple(of: unit) {
            return fail(number, "multipleOf", " is \(text), no multiple of \(unit.text)")
        }
        return true
    }

    private func keyword(_ number: Int, _ name: String) -> String {
        nodes[number].source.value[name] == nil ? "" : name
    }

    private mutating func holds(_ rules: StringRules, _ number: Int, _ at: Int) -> Bool {
        if rules.minLength != nil || rules.maxLength != nil {
            let count = length(at)
            if let low = rules.minLength, count < low {
                return fail(number, "minLength", " has \(count) characters, not \(low)")
            }
            if let high = rules.maxLength, count > high {
                return fail(number, "maxLength", " has \(count) characters, more than \(high)")
            }
        }
        if let (text, pattern) = rules.pattern {
            guard isFound(pattern, number, at) else {
                return fail(number, "pattern") { " is \($0.shown(at)), which does not match \(text)" }
            }
        }
        if let format = rules.format, !format.holds(tape.text(at)) {
            return fail(number, "format") { " is \($0.shown(at)), no \(format.rawValue)" }
        }
        return true
    }

    /// In Unicode characters.
    private func length(_ at: Int) -> Int {
        let entry = entries[at]
        guard entry.kind == .string else { return tape.content(at).count { $0 & 0xC0 != 0x80 } }
        return UnsafeBufferPointer(start: bytes + Int(entry.start), count: Int(entry.count)).count { $0 & 0xC0 != 0x80 }
    }

    private mutating func isFound(_ pattern: Pattern, _ number: Int, _ at: Int) -> Bool {
        let entry = entries[at]
        guard spend(Int(entry.count) * max(1, pattern.cost) / 32, number) else { return false }
        guard entry.kind == .string else {
            return tape.content(at).withUnsafeBytes { pattern.isFound(in: $0) }
        }
        return pattern.isFound(in: UnsafeRawBufferPointer(start: bytes + Int(entry.start), count: Int(entry.count)))
    }

    // MARK: Arrays

    private mutating func holds(_ box: Box<ArrayRules>, _ number: Int, _ at: Int, _ seen: inout Seen?) -> Bool {
        let rules = box.rules
        let count = Int(entries[at].count)
        var isValid = true
        if let low = rules.minItems, count < low {
            isValid = fail(number, "minItems", " has \(count) items, not \(low)")
        }
        if let high = rules.maxItems, count > high {
            isValid = fail(number, "maxItems", " has \(count) items, more than \(high)")
        }
        guard isValid || wanted > 0 else { return false }
        var matches = 0
        var item = at + 1
        for index in 0..<count {
            if let one = index < rules.prefix.count ? rules.prefix[index] : rules.items {
                seen?.insert(index)
                if !holdsInside(one, item, .item(index)) { isValid = false }
            }
            if let one = rules.contains, isQuietlyValid(one, item) {
                matches += 1
                seen?.insert(index)
            }
            guard obstacle == nil, isValid || wanted > 0 else { return false }
            item = Int(entries[item].next)
        }
        if rules.contains != nil {
            if matches < rules.minContains {
                let wanted = rules.minContains == 1 ? "no item" : "\(matches) items"
                isValid = fail(
                    number, "contains",
                    " has \(wanted) that `contains` asks for"
                        + (rules.minContains == 1 ? "" : ", not \(rules.minContains)"))
            }
            if let high = rules.maxContains, matches > high {
                isValid = fail(
                    number, "maxContains", " has \(matches) items that `contains` asks for, more than \(high)")
            }
        }
        if rules.isUnique, isValid || wanted > 0, let twin = twin(in: at, number) {
            path.append(.item(twin))
            isValid = fail(number, "uniqueItems", " is there twice")
            path.removeLast()
        }
        return isValid
    }

    /// The first item that is equal to one before it.
    private mutating func twin(in at: Int, _ number: Int) -> Int? {
        guard spend(Int(entries[at].next) - at, number) else { return nil }
        var byHash: [Int: [Int]] = [:]
        for (index, item) in tape.items(at).enumerated() {
            let hash = tape.hash(item)
            for other in byHash[hash] ?? [] {
                guard spend(Int(entries[item].next) - item, number) else { return nil }
                if tape.isEqual(other, to: tape, item) { return index }
            }
            byHash[hash, default: []].append(item)
        }
        return nil
    }

    /// Whether a value within this one fits.
    @inline(__always)
    private mutating func holdsInside(_ node: Int, _ at: Int, _ step: @autoclosure () -> Step) -> Bool {
        var nothing: Seen?
        guard wanted > 0 else { return holds(node, at, &nothing) }
        path.append(step())
        defer { path.removeLast() }
        return holds(node, at, &nothing)
    }

    private mutating func isQuietlyValid(_ node: Int, _ at: Int) -> Bool {
        var nothing: Seen?
        return isQuietlyValid(node, at, &nothing)
    }

    /// The verdict alone.
    private mutating func isQuietlyValid(_ node: Int, _ at: Int, _ seen: inout Seen?) -> Bool {
        let outer = wanted
        wanted = 0
        defer { wanted = outer }
        return holds(node, at, &seen)
    }

    // MARK: Objects

    @inline(__always)
    private func withKey<Result>(_ at: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let entry = entries[at]
        guard entry.kind == .string else { return tape.content(at).withUnsafeBufferPointer(body) }
        return body(UnsafeBufferPointer(start: bytes + Int(entry.start), count: Int(entry.count)))
    }

    private mutating func holds(_ box: Box<ObjectRules>, _ number: Int, _ at: Int, _ seen: inout Seen?) -> Bool {
        let rules = box.rules
        let count = Int(entries[at].count)
        var isValid = true
        if let low = rules.minProperties, count < low {
            isValid = fail(number, "minProperties", " has \(count) members, not \(low)")
        }
        if let high = rules.maxProperties, count > high {
            isValid = fail(number, "maxProperties", " has \(count) members, more than \(high)")
        }
        guard isValid || wanted > 0 else { return false }
        var present = Seen()
        var found = 0
        var key = at + 1
        for index in 0..<count {
            let value = key + 1
            var isNamed = false
            if let member = withKey(key, { rules.numbers.find($0) }) {
                if rules.members[member].isRequired, !present.contains(member) {
                    present.insert(member)
                    found += 1
                }
                if let schema = rules.members[member].schema {
                    isNamed = true
                    if !holdsInside(schema, value, .key(key)) { isValid = false }
                }
            }
            for (pattern, schema) in rules.patterns {
                guard isFound(pattern, number, key) else { continue }
                isNamed = true
                if !holdsInside(schema, value, .key(key)) { isValid = false }
            }
            if !isNamed, let schema = rules.additional {
                isNamed = true
                if !holdsInside(schema, value, .key(key)) { isValid = false }
            }
            if isNamed { seen?.insert(index) }
            if let names = rules.names, !isQuietlyValid(names, key) {
                isValid = fail(number, "propertyNames") {
                    " has a member \($0.tape.text(key)), which is no name for one"
                }
            }
            guard obstacle == nil, isValid || wanted > 0 else { return false }
            key = Int(entries[value].next)
        }
        if found < rules.requiredCount {
            for (index, member) in rules.members.enumerated() where member.isRequired && !present.contains(index) {
                if member.exempt != nil, member.exempt == direction { continue }
                isValid = fail(number, "required", " has no member \(member.name)")
            }
        }
        for (name, needed) in rules.dependentRequired where has(name, at) {
            for other in needed where !has(other, at) {
                isValid = fail(number, "dependentRequired", " has \(name), but no member \(other)")
            }
        }
        return isValid
    }

    private func has(_ name: String, _ at: Int) -> Bool {
        let wanted = Array(name.utf8)
        return tape.members(at).contains { key, _ in withKey(key) { $0.elementsEqual(wanted) } }
    }

    // MARK: Combinations

    private mutating func holds(_ rules: Combination, _ number: Int, _ at: Int, _ seen: inout Seen?) -> Bool {
        var isValid = true
        for one in rules.all where !holds(one, at, &seen) {
            isValid = false
            if wanted == 0 { return false }
        }
        if !rules.any.isEmpty {
            var fits = false
            // Only what a schema has looked at needs all of them.
            for one in rules.any where (!fits || seen != nil) && isQuietlyValid(one, at, &seen) { fits = true }
            if !fits {
                guard obstacle == nil else { return false }
                let why = firstFailure(rules.any, at)
                isValid = fail(number, "anyOf", " fits none of anyOf: \(why)")
            }
        }
        if !rules.one.isEmpty {
            var count = 0
            for one in rules.one where isQuietlyValid(one, at, &seen) { count += 1 }
            if count != 1 {
                guard obstacle == nil else { return false }
                let why = count == 0 ? ": \(firstFailure(rules.one, at))" : ""
                isValid = fail(number, "oneOf", " fits \(count) of oneOf, not one\(why)")
            }
        }
        guard isValid || wanted > 0 else { return false }
        if let not = rules.not, isQuietlyValid(not, at) {
            isValid = fail(number, "not", " fits what it may not")
        }
        if let condition = rules.condition {
            let branch = isQuietlyValid(condition, at, &seen) ? rules.then : rules.otherwise
            if let branch, !holds(branch, at, &seen) { isValid = false }
        }
        if !rules.dependent.isEmpty, entries[at].kind == .object {
            for (name, schema) in rules.dependent where has(name, at) {
                if !holds(schema, at, &seen) { isValid = false }
            }
        }
        return isValid && obstacle == nil
    }

    /// What is wrong by the schema that comes nearest: the first of those that want the same kind of value.
    private mutating func firstFailure(_ schemas: [Int], _ at: Int) -> String {
        guard wanted > 0 else { return "" }
        let (outer, count) = (wanted, failures.count)
        defer {
            wanted = outer
            failures.removeSubrange(count...)
        }
        var first: String?
        for schema in schemas {
            wanted = 1
            var nothing: Seen?
            _ = holds(schema, at, &nothing)
            guard failures.count > count, let failure = failures.last else { continue }
            failures.removeSubrange(count...)
            if failure.keyword != "type" || failure.path != pathText { return failure.text }
            first = first ?? failure.text
        }
        return first ?? ""
    }

    private mutating func holdsUnevaluated(
        _ node: UnsafePointer<SchemaNode>, _ number: Int, _ at: Int, _ own: inout Seen?
    ) -> Bool {
        var isValid = true
        if let schema = node.pointee.unevaluatedItems, entries[at].kind == .array {
            for (index, item) in tape.items(at).enumerated() where own?.contains(index) == false {
                if !holdsInside(schema, item, .item(index)) { isValid = false }
                own?.insert(index)
            }
        }
        if let schema = node.pointee.unevaluatedProperties, entries[at].kind == .object {
            for (index, member) in tape.members(at).enumerated() where own?.contains(index) == false {
                if !holdsInside(schema, member.value, .key(member.key)) { isValid = false }
                own?.insert(index)
            }
        }
        return isValid
    }
}
