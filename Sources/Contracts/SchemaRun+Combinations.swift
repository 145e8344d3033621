import JSON

/// Schemas of which a value has to fit all, some or none.
extension SchemaRun {
    mutating func holds(_ rules: UnsafePointer<Combination>, _ number: Int, _ at: Int, _ seen: inout Seen?) -> Bool {
        var isValid = true
        for one in rules.pointee.all where !holds(one, at, &seen) {
            isValid = false
            if wanted == 0 { return false }
        }
        if !rules.pointee.any.isEmpty {
            var fits = false
            // Only what a schema has looked at needs all of them.
            for one in rules.pointee.any where (!fits || seen != nil) && isQuietlyValid(one, at, &seen) { fits = true }
            if !fits {
                guard obstacle == nil else { return false }
                let why = firstFailure(rules.pointee.any, at)
                isValid = fail(number, "anyOf", " fits none of anyOf: \(why)")
            }
        }
        if !rules.pointee.one.isEmpty {
            var count = 0
            for one in rules.pointee.one where isQuietlyValid(one, at, &seen) { count += 1 }
            if count != 1 {
                guard obstacle == nil else { return false }
                let why = count == 0 ? ": \(firstFailure(rules.pointee.one, at))" : ""
                isValid = fail(number, "oneOf", " fits \(count) of oneOf, not one\(why)")
            }
        }
        guard isValid || wanted > 0 else { return false }
        if let not = rules.pointee.not, isQuietlyValid(not, at) {
            isValid = fail(number, "not", " fits what it may not")
        }
        if let condition = rules.pointee.condition {
            let branch = isQuietlyValid(condition, at, &seen) ? rules.pointee.then : rules.pointee.otherwise
            if let branch, !holds(branch, at, &seen) { isValid = false }
        }
        if !rules.pointee.dependent.isEmpty, entries[at].kind == .object {
            for (name, schema) in rules.pointee.dependent where has(name, at) {
                if !holds(schema, at, &seen) { isValid = false }
            }
        }
        return isValid && obstacle == nil
    }

    /// What is wrong by the schema that comes nearest: the first of those that want the same kind of value.
    mutating func firstFailure(_ schemas: [Int], _ at: Int) -> String {
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

    mutating func holdsUnevaluated(
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
