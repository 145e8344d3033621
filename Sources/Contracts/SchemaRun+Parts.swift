import Bytes
import JSON

/// Arrays and objects, whose parts have schemas of their own.
extension SchemaRun {
    mutating func holds(_ rules: UnsafePointer<ArrayRules>, _ number: Int, _ at: Int, _ seen: inout Seen?) -> Bool {
        let count = Int(entries[at].count)
        var isValid = holdsCount(count, rules.pointee.minItems, rules.pointee.maxItems, number, ("Items", "items"))
        guard isValid || wanted > 0 else { return false }
        var matches = 0
        var item = at + 1
        for index in 0..<count {
            if let one = index < rules.pointee.prefix.count ? rules.pointee.prefix[index] : rules.pointee.items {
                seen?.insert(index)
                if !holdsInside(one, item, .item(index)) { isValid = false }
            }
            if let one = rules.pointee.contains, isQuietlyValid(one, item) {
                matches += 1
                seen?.insert(index)
            }
            guard obstacle == nil, isValid || wanted > 0 else { return false }
            item = Int(entries[item].next)
        }
        if rules.pointee.contains != nil {
            if matches < rules.pointee.minContains {
                let wanted = rules.pointee.minContains == 1 ? "no item" : "\(matches) items"
                isValid = fail(
                    number, "contains",
                    " has \(wanted) that `contains` asks for"
                        + (rules.pointee.minContains == 1 ? "" : ", not \(rules.pointee.minContains)"))
            }
            if let high = rules.pointee.maxContains, matches > high {
                isValid = fail(
                    number, "maxContains", " has \(matches) items that `contains` asks for, more than \(high)")
            }
        }
        if rules.pointee.isUnique, isValid || wanted > 0, let twin = twin(in: at, number) {
            path.append(.item(twin))
            isValid = fail(number, "uniqueItems", " is there twice")
            path.removeLast()
        }
        return isValid
    }

    /// The first item that is equal to one before it.
    mutating func twin(in at: Int, _ number: Int) -> Int? {
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

    @inline(__always)
    func withKey<Result>(_ at: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let entry = entries[at]
        guard entry.kind == .string else { return tape.content(at).withUnsafeBufferPointer(body) }
        return body(UnsafeBufferPointer(start: bytes + Int(entry.start), count: Int(entry.count)))
    }

    mutating func holds(_ rules: UnsafePointer<ObjectRules>, _ number: Int, _ at: Int, _ seen: inout Seen?) -> Bool {
        let count = Int(entries[at].count)
        var isValid = holdsCount(
            count, rules.pointee.minProperties, rules.pointee.maxProperties, number, ("Properties", "members"))
        guard isValid || wanted > 0 else { return false }
        var present = Seen()
        // Most objects have their members in the order in which the schema has them.
        var (found, guess) = (0, 0)
        var key = at + 1
        for index in 0..<count {
            let value = key + 1
            var isNamed = false
            if let member = withKey(key, { rules.pointee.numbers.find($0, guess: guess) }) {
                guess = member + 1
                if rules.pointee.members[member].isRequired, !present.contains(member) {
                    present.insert(member)
                    found += 1
                }
                if let schema = rules.pointee.members[member].schema {
                    isNamed = true
                    if !holdsInside(schema, value, .key(key)) { isValid = false }
                }
            }
            for (pattern, schema) in rules.pointee.patterns {
                guard isFound(pattern, number, key) else { continue }
                isNamed = true
                if !holdsInside(schema, value, .key(key)) { isValid = false }
            }
            if !isNamed, let schema = rules.pointee.additional {
                isNamed = true
                if !holdsInside(schema, value, .key(key)) { isValid = false }
            }
            if isNamed { seen?.insert(index) }
            if let names = rules.pointee.names, !isQuietlyValid(names, key) {
                isValid = fail(number, "propertyNames") {
                    " has a member \($0.tape.text(key)), which is no name for one"
                }
            }
            guard obstacle == nil, isValid || wanted > 0 else { return false }
            key = Int(entries[value].next)
        }
        if found < rules.pointee.requiredCount {
            for (index, member) in rules.pointee.members.enumerated()
            where member.isRequired && !present.contains(index) {
                if member.exempt != nil, member.exempt == direction { continue }
                isValid = fail(number, "required", " has no member \(member.name)")
            }
        }
        for (name, needed) in rules.pointee.dependentRequired where has(name, at) {
            for other in needed where !has(other, at) {
                isValid = fail(number, "dependentRequired", " has \(name), but no member \(other)")
            }
        }
        return isValid
    }

    func has(_ name: String, _ at: Int) -> Bool {
        let wanted = Array(name.utf8)
        return tape.members(at).contains { key, _ in withKey(key) { $0.elementsEqual(wanted) } }
    }
}
