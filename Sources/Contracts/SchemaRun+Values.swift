import Bytes
import JSON
import Patterns

/// Constants, numbers and strings.
extension SchemaRun {
    mutating func allows(_ values: SchemaValues, _ number: Int, _ at: Int) -> Bool {
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

    mutating func holds(_ box: Box<NumberRules>, _ number: Int, _ at: Int) -> Bool {
        let text = tape.text(at)
        let integer = Int64(text)
        func isBelow(_ limit: NumberRules.Limit) -> Bool {
            if let integer, let other = limit.integer { return integer < other }
            return Double(text) ?? 0 < limit.double
        }
        func isAbove(_ limit: NumberRules.Limit) -> Bool {
            if let integer, let other = limit.integer { return integer > other }
            return Double(text) ?? 0 > limit.double
        }
        if let low = box.rules.minimum, isBelow(low) {
            return fail(number, "minimum", " is \(text), below \(low.number.text)")
        }
        if let high = box.rules.maximum, isAbove(high) {
            return fail(number, "maximum", " is \(text), above \(high.number.text)")
        }
        if let low = box.rules.exclusiveMinimum, !isAbove(low) {
            return fail(number, keyword(number, "exclusiveMinimum"), " is \(text), not above \(low.number.text)")
        }
        if let high = box.rules.exclusiveMaximum, !isBelow(high) {
            return fail(number, keyword(number, "exclusiveMaximum"), " is \(text), not below \(high.number.text)")
        }
        if let unit = box.rules.unit, !JSONNumber(json: text).isMultiple(of: unit) {
            return fail(number, "multipleOf", " is \(text), no multiple of \(unit.text)")
        }
        return true
    }

    func keyword(_ number: Int, _ name: String) -> String {
        nodes[number].source.value[name] == nil ? "" : name
    }

    mutating func holds(_ box: Box<StringRules>, _ number: Int, _ at: Int) -> Bool {
        if box.rules.minLength != nil || box.rules.maxLength != nil {
            guard holdsCount(length(at), box.rules.minLength, box.rules.maxLength, number, ("Length", "characters"))
            else {
                return false
            }
        }
        if let (text, pattern) = box.rules.pattern {
            guard isFound(pattern, number, at) else {
                return fail(number, "pattern") { " is \($0.shown(at)), which does not match \(text)" }
            }
        }
        if let format = box.rules.format, !format.holds(tape.text(at)) {
            return fail(number, "format") { " is \($0.shown(at)), no \(format.rawValue)" }
        }
        return true
    }

    /// Whether there are enough of something, and not too many.
    ///
    /// - Parameter names: how keywords and messages name it.
    mutating func holdsCount(
        _ count: Int, _ low: Int?, _ high: Int?, _ number: Int, _ names: (keyword: StaticString, noun: StaticString)
    ) -> Bool {
        if let low, count < low {
            return fail(number, "min\(names.keyword)", " has \(count) \(names.noun), not \(low)")
        }
        if let high, count > high {
            return fail(number, "max\(names.keyword)", " has \(count) \(names.noun), more than \(high)")
        }
        return true
    }

    /// In Unicode characters.
    func length(_ at: Int) -> Int {
        let entry = entries[at]
        guard entry.kind == .string else { return tape.content(at).count { $0 & 0xC0 != 0x80 } }
        return UnsafeBufferPointer(start: bytes + Int(entry.start), count: Int(entry.count)).count { $0 & 0xC0 != 0x80 }
    }

    mutating func isFound(_ pattern: Pattern, _ number: Int, _ at: Int) -> Bool {
        let entry = entries[at]
        guard spend(Int(entry.count) * max(1, pattern.cost) / 32, number) else { return false }
        guard entry.kind == .string else {
            return tape.content(at).withUnsafeBytes { pattern.isFound(in: $0) }
        }
        return pattern.isFound(in: UnsafeRawBufferPointer(start: bytes + Int(entry.start), count: Int(entry.count)))
    }
}
