import Bytes
import JSON
import Patterns

/// Constants, numbers and strings.
extension SchemaRun {
    mutating func allows(_ values: UnsafePointer<SchemaValues>, _ number: Int, _ at: Int) -> Bool {
        if values.pointee.names != nil {
            let isText = entries[at].kind == .string || entries[at].kind == .escapedString
            let place = isText ? withKey(at) { values.pointee.names?.find($0, guess: 0) } : nil
            return place != nil || failValues(values, number, at)
        }
        var candidates = values.pointee.all
        if !values.pointee.byHash.isEmpty {
            guard spend(Int(entries[at].next) - at, number) else { return false }
            candidates = values.pointee.byHash[tape.hash(at)] ?? []
        }
        for one in candidates {
            guard spend(1, number) else { return false }
            if values.pointee.tape.isEqual(one, to: tape, at) { return true }
        }
        return failValues(values, number, at)
    }

    private mutating func failValues(_ values: UnsafePointer<SchemaValues>, _ number: Int, _ at: Int) -> Bool {
        guard wanted > 0 else { return false }
        let values = values.pointee
        let texts = values.all.prefix(20).map { values.tape.source($0) }.joined(separator: ", ")
        let more = values.all.count > 20 ? " and \(values.all.count - 20) more" : ""
        return fail(number, values.isConstant ? "const" : "enum") {
            " is \($0.shown(at)), not \(values.isConstant ? "" : "one of ")\(texts)\(more)"
        }
    }

    mutating func holds(_ rules: UnsafePointer<NumberRules>, _ number: Int, _ at: Int) -> Bool {
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
        if let low = rules.pointee.minimum, isBelow(low) {
            return fail(number, "minimum", " is \(text), below \(low.number.text)")
        }
        if let high = rules.pointee.maximum, isAbove(high) {
            return fail(number, "maximum", " is \(text), above \(high.number.text)")
        }
        if let low = rules.pointee.exclusiveMinimum, !isAbove(low) {
            return fail(number, keyword(number, "exclusiveMinimum"), " is \(text), not above \(low.number.text)")
        }
        if let high = rules.pointee.exclusiveMaximum, !isBelow(high) {
            return fail(number, keyword(number, "exclusiveMaximum"), " is \(text), not below \(high.number.text)")
        }
        if let unit = rules.pointee.unit, !JSONNumber(json: text).isMultiple(of: unit) {
            return fail(number, "multipleOf", " is \(text), no multiple of \(unit.text)")
        }
        return true
    }

    /// An integer of a few digits, as most are, without making text of it.
    func smallInteger(_ at: Int) -> Int64? {
        let entry = entries[at]
        guard entry.kind == .integer, entry.count <= 18 else { return nil }
        var value: Int64 = 0
        for byte in UnsafeBufferPointer(start: bytes + Int(entry.start), count: Int(entry.count)) {
            if byte != UInt8(ascii: "-") { value = value &* 10 &+ Int64(byte &- 0x30) }
        }
        return bytes[Int(entry.start)] == UInt8(ascii: "-") ? -value : value
    }

    func keyword(_ number: Int, _ name: String) -> String {
        nodes[number].source.value[name] == nil ? "" : name
    }

    mutating func holds(_ rules: UnsafePointer<StringRules>, _ number: Int, _ at: Int) -> Bool {
        if rules.pointee.minLength != nil || rules.pointee.maxLength != nil {
            // A character has one to four bytes, so that most texts need not be counted.
            let size = Int(entries[at].count)
            let isSure =
                entries[at].kind == .string && (size + 3) / 4 >= rules.pointee.minLength ?? 0
                && size <= rules.pointee.maxLength ?? .max
            guard
                isSure
                    || holdsCount(
                        length(at), rules.pointee.minLength, rules.pointee.maxLength, number, ("Length", "characters"))
            else {
                return false
            }
        }
        if let (text, pattern) = rules.pointee.pattern {
            guard isFound(pattern, number, at) else {
                return fail(number, "pattern") { " is \($0.shown(at)), which does not match \(text)" }
            }
        }
        if let format = rules.pointee.format, !format.holds(tape.text(at)) {
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
