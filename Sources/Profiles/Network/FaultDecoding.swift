import JSON

private let millisecond: UInt64 = 1_000_000

/// The faults under `fault` of a route: a name, an object, or several of them.
func decodeFaults(_ fields: Fields) -> [Fault] {
    guard let value = fields["fault"] else { return [] }
    let items = value.array ?? [value]
    if items.isEmpty {
        fields.reporter.report(value.position, "\"fault\" is empty", expected: "at least one fault")
    }
    return items.compactMap { item in
        if let name = item.string { return kind(name, item, fields.reporter).map { Fault($0) } }
        guard item.object != nil else {
            fields.wrongKind("fault", item, "a fault like \"reset\", or an object like { \"kind\": \"reset\" }")
            return nil
        }
        return Fields(item, "a fault", keys: ProfileKeys.fault, fields.reporter).flatMap {
            FaultDecoding(fields: $0).fault()
        }
    }
}

private func kind(_ name: String, _ value: JSONValue, _ reporter: Reporter) -> Fault.Kind? {
    if let kind = Fault.Kind(rawValue: name) { return kind }
    let names = Fault.Kind.allCases.map(\.rawValue)
    reporter.report(
        value.position, "there is no fault \"\(name)\"", expected: "one of \(names.joined(separator: ", "))",
        hint: didYouMean(name, among: names))
    return nil
}

private struct FaultDecoding {
    let fields: Fields

    /// The keys that a kind has beside those of all.
    private static func keys(_ kind: Fault.Kind) -> [String] {
        switch kind {
        case .reset, .close: ["at", "after"]
        case .truncate, .streamReset: ["after"]
        case .slow: ["rate"]
        case .slice: ["size", "time"]
        case .hang, .slowClose, .connect: ["time"]
        case .status: ["status"]
        case .corrupt, .dns, .tls, .goaway: []
        }
    }

    func fault() -> Fault? {
        guard let value = fields["kind"] else {
            fields.reporter.report(fields.place, "a fault without \"kind\"", expected: "one like \"reset\"")
            return nil
        }
        guard let name = fields.string("kind", expected: "a fault like \"reset\""),
            let kind = kind(name, value, fields.reporter)
        else { return nil }
        let own = Self.keys(kind)
        for key in ProfileKeys.fault.dropFirst(3) where !own.contains(key) {
            guard let member = fields.member(key) else { continue }
            fields.reporter.report(
                member.keyPosition, "\"\(key)\" does not belong to the fault \"\(kind.rawValue)\"",
                expected: own.isEmpty
                    ? "\"probability\" and \"seed\" alone"
                    : own.map { "\"\($0)\"" }.joined(
                        separator: " or "))
        }
        var fault = Fault(kind)
        if let probability = probability() { fault.probability = probability }
        if let seed = number("seed", 0...Int64.max, "a whole number from 0") { fault.seed = UInt64(seed) }
        if let place = place() { fault.place = place }
        if let status = number("status", 200...599, "a whole number from 200 to 599") { fault.status = Int(status) }
        if let rate = rate() { fault.rate = rate }
        if let size = size("size", 1...1 << 20, "from 1 to 1MB, like 64") { fault.size = size }
        if let time = time() { fault.time = time }
        return fault
    }

    private func probability() -> Double? {
        guard let value = fields["probability"] else { return nil }
        if let number = value.number.flatMap({ Double($0.text) }), number > 0, number <= 1 { return number }
        fields.reporter.report(
            value.position, "\"probability\" is \(spelling(value))", expected: "a number above 0, at most 1, like 0.2")
        return nil
    }

    private func number(_ key: String, _ range: ClosedRange<Int64>, _ expected: String) -> Int64? {
        guard let value = fields[key] else { return nil }
        if let number = value.number?.int64, range.contains(number) { return number }
        fields.reporter.report(value.position, "\"\(key)\" is \(spelling(value))", expected: expected)
        return nil
    }

    private func size(_ key: String, _ range: ClosedRange<Int>, _ expected: String) -> Int? {
        guard let value = fields[key] else { return nil }
        let size = value.number?.int64.flatMap { Int(exactly: $0) } ?? value.string.flatMap { Quantity.size($0) }
        if let size, range.contains(size) { return size }
        fields.reporter.report(
            value.position, "\"\(key)\" is \(spelling(value))", expected: "a number of bytes \(expected)")
        return nil
    }

    private func rate() -> UInt64? {
        guard let value = fields["rate"] else { return nil }
        if let rate = value.string.flatMap({ Quantity.rate($0) }), (100...1_000_000_000).contains(rate) { return rate }
        fields.reporter.report(
            value.position, "\"rate\" is \(spelling(value))",
            expected: "a rate from 100bit/s to 1Gbit/s, like \"8kbit/s\"")
        return nil
    }

    private func time() -> UInt64? {
        guard let value = fields["time"] else { return nil }
        let range = millisecond...600_000 * millisecond
        if let time = value.string.flatMap({ Quantity.duration($0) }), range.contains(time) { return time }
        fields.reporter.report(
            value.position, "\"time\" is \(spelling(value))", expected: "a time from 1ms to 10m, like \"5s\"")
        return nil
    }

    private func place() -> Fault.Place? {
        let places: [(String, Fault.Place)] = [
            ("before-head", .beforeHead), ("in-head", .inHead), ("after-head", .after(0)),
        ]
        if let value = fields["at"] {
            if fields["after"] != nil {
                fields.reporter.report(
                    value.position, "\"at\" and \"after\" exclude each other", expected: "one of them")
                return nil
            }
            if let found = places.first(where: { $0.0 == value.string }) { return found.1 }
            fields.reporter.report(
                value.position, "\"at\" is \(spelling(value))",
                expected: "one of \(places.map { "\"\($0.0)\"" }.joined(separator: ", "))",
                hint: value.string.flatMap { didYouMean($0, among: places.map(\.0)) })
            return nil
        }
        return size("after", 0...1 << 30, "of the body, up to 1GB, like \"10kB\"").map { .after($0) }
    }
}
