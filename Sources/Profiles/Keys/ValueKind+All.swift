import JSON

extension ValueKind where Value == Bool {
    static var flag: ValueKind {
        ValueKind(
            expected: "true or false", schema: Schema.flag, parse: { $0.bool }, text: { "\($0)" },
            write: { $1.value($0) })
    }
}

extension ValueKind where Value == Int {
    static func whole(_ range: ClosedRange<Int>, _ what: String = "a whole number") -> ValueKind {
        ValueKind(
            expected: range.upperBound == .max
                ? "\(what) from \(range.lowerBound)" : "\(what) from \(range.lowerBound) to \(range.upperBound)",
            schema: Schema.whole(range),
            parse: { value in value.number?.int64.flatMap { range.contains(Int($0)) ? Int($0) : nil } },
            text: { "\($0)" }, write: { $1.value($0) })
    }

    static func one(of numbers: [Int]) -> ValueKind {
        let names = numbers.map { "\($0)" }
        return ValueKind(
            expected: "one of \(names.joined(separator: ", "))",
            schema: "\"enum\": [\(names.joined(separator: ", "))]",
            parse: { value in value.number?.int64.flatMap { numbers.contains(Int($0)) ? Int($0) : nil } },
            text: { "\($0)" }, write: { $1.value($0) })
    }

    /// A number of bytes, or a text like `64kB`.
    static func size(_ range: ClosedRange<Int>, like example: String, of what: String = "bytes") -> ValueKind {
        ValueKind(
            expected: "\(what) from \(text(range.lowerBound)) to \(text(range.upperBound)), like \"\(example)\"",
            schema: Schema.any(Schema.whole(range), Schema.size),
            parse: { value in
                let size =
                    value.number?.int64.flatMap { Int(exactly: $0) } ?? value.string.flatMap { Quantity.size($0) }
                return size.flatMap { range.contains($0) ? $0 : nil }
            },
            text: { "\"\(text($0))\"" }, write: { $1.value($0) })
    }

    private static func text(_ bytes: Int) -> String {
        let text = Quantity.sizeText(bytes)
        guard let unit = text.last, unit.isLetter else { return text }
        return text.dropLast() + (unit == "k" ? "kB" : unit.uppercased() + "B")
    }

    /// Millionths, written as a percentage.
    static func share(_ max: Int, of what: String) -> ValueKind {
        ValueKind(
            expected: "a share of \(what) from 0% to \(Quantity.percentText(max)), like \"1%\"",
            schema: Schema.pattern("^[0-9.]+%$"),
            parse: { $0.string.flatMap { Quantity.percent($0) }.flatMap { $0 <= max ? $0 : nil } },
            hint: { $0.number == nil ? nil : "a share is a text with its sign" },
            text: { "\"\(Quantity.percentText($0))\"" }, write: { $1.value($0) })
    }
}

extension ValueKind where Value == Double {
    /// A number above 0.
    static func above0(_ max: Int, like example: String) -> ValueKind {
        ValueKind(
            expected: "a number above 0 like \(example), at most \(max)",
            schema: "\"type\": \"number\", \"exclusiveMinimum\": 0, \"maximum\": \(max)",
            parse: { value in value.number?.double.flatMap { $0 > 0 && $0 <= Double(max) ? $0 : nil } },
            text: { $0 == $0.rounded() ? "\(Int($0))" : "\($0)" }, write: { $1.value($0) })
    }
}

extension ValueKind where Value == UInt64 {
    /// What random choices begin with.
    static var seed: ValueKind {
        ValueKind(
            expected: "a whole number from 0", schema: Schema.whole(0...(.max)),
            parse: { value in value.number?.int64.flatMap { UInt64(exactly: $0) } }, text: { "\($0)" },
            write: { $1.value(Int(clamping: $0)) })
    }

    /// Nanoseconds.
    ///
    /// - Parameters:
    ///   - first: the shortest, as profiles have it.
    ///   - last: the longest.
    static func time(_ first: String, _ last: String, like example: String) -> ValueKind {
        let range = (Quantity.duration(first) ?? 0)...(Quantity.duration(last) ?? 0)
        return ValueKind(
            expected: "a time from \(first) to \(last), like \"\(example)\"", schema: Schema.time,
            parse: { $0.string.flatMap { Quantity.duration($0) }.flatMap { range.contains($0) ? $0 : nil } },
            hint: { $0.number == nil ? nil : "a time is a text with its unit" },
            text: { "\"\(Quantity.durationText($0))\"" }, write: { $1.value(Int($0 / 1_000_000)) })
    }

    /// Bits per second.
    static func rate(_ first: String, _ last: String, like example: String) -> ValueKind {
        let range = (Quantity.rate(first) ?? 0)...(Quantity.rate(last) ?? 0)
        return ValueKind(
            expected: "a rate from \(first) to \(last), like \"\(example)\"",
            schema: Schema.pattern("^[0-9.]+[kMG]?bit/s$"),
            parse: { $0.string.flatMap { Quantity.rate($0) }.flatMap { range.contains($0) ? $0 : nil } },
            hint: { $0.number == nil ? nil : "a rate is a text with its unit" },
            text: { "\"\(Quantity.rateText($0))\"" }, write: { $1.value(Int(clamping: $0)) })
    }
}

extension ValueKind where Value: RawRepresentable & CaseIterable & SendableMetatype, Value.RawValue == String {
    /// One of the names of a type.
    static var choice: ValueKind {
        let names = Value.allCases.map(\.rawValue)
        return ValueKind(
            expected: "one of " + names.map { "\"\($0)\"" }.joined(separator: ", "), schema: Schema.one(of: names),
            parse: { $0.string.flatMap { Value(rawValue: $0) } },
            hint: { $0.string.flatMap { didYouMean($0, among: names) } },
            text: { "\"\($0.rawValue)\"" }, write: { $1.value($0.rawValue) })
    }
}

extension ValueKind where Value == String {
    /// A text that `isFine` accepts.
    static func text(
        _ expected: String = "a text", schema: String = Schema.text, hint: String? = nil,
        _ isFine: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> ValueKind {
        ValueKind(
            expected: expected, schema: schema, parse: { $0.string.flatMap { isFine($0) ? $0 : nil } },
            hint: { $0.string?.isEmpty == false ? hint : nil }, text: { "\"\($0)\"" }, write: { $1.value($0) })
    }

    static func one(of names: [String]) -> ValueKind {
        ValueKind(
            expected: "one of " + names.map { "\"\($0)\"" }.joined(separator: ", "), schema: Schema.one(of: names),
            parse: { $0.string.flatMap { names.contains($0) ? $0 : nil } },
            hint: { $0.string.flatMap { $0.contains(where: \.isLetter) ? didYouMean($0, among: names) : nil } },
            text: { "\"\($0)\"" },
            write: { $1.value($0) })
    }
}
