import JSON

/// The faults under `fault` of a route: a name, an object, or several of them.
func decodeFaults(_ fields: Fields) -> [Fault] {
    guard let value = fields["fault"] else { return [] }
    let items = value.array ?? [value]
    if items.isEmpty { fields.reporter.report(value.position, "\"fault\" is empty", expected: "at least one fault") }
    return items.compactMap { item in
        if item.string != nil { return kind(item, fields.reporter).map { Fault($0) } }
        guard item.object != nil else {
            fields.wrongKind("fault", item)
            return nil
        }
        return Fields(item, Fault.keys, fields.reporter).flatMap { decodeFault($0) }
    }
}

private func kind(_ value: JSONValue, _ reporter: Reporter) -> Fault.Kind? {
    let names = Fault.Kind.allCases.map(\.rawValue)
    if let kind = value.string.flatMap({ Fault.Kind(rawValue: $0) }) { return kind }
    return reporter.refuse(
        value, "there is no fault \(spelling(value))", expected: "one of \(names.joined(separator: ", "))",
        hint: value.string.flatMap { didYouMean($0, among: names) })
}

private func decodeFault(_ fields: Fields) -> Fault? {
    guard let value = fields["kind"] else {
        return fields.refuse(fields.place, "a fault without \"kind\"", expected: "one like \"reset\"")
    }
    guard let kind = kind(value, fields.reporter) else { return nil }
    let own = kind.keys
    for member in fields.members
    where !(["kind", "probability", "seed"] + own).contains(member.key) && Fault.keys[member.key] != nil {
        fields.reporter.report(
            member.keyPosition, "\"\(member.key)\" does not belong to the fault \"\(kind.rawValue)\"",
            expected: own.isEmpty
                ? "\"probability\" and \"seed\" alone" : own.map { "\"\($0)\"" }.joined(separator: " or "))
    }
    if let at = fields["at"], fields["after"] != nil {
        fields.report(at, "\"at\" and \"after\" exclude each other", expected: "one of them")
    }
    var fault = Fault(kind)
    Fault.keys.read(fields, into: &fault)
    return fault
}

extension Fault.Kind {
    /// The keys of this kind, beside the keys of every fault.
    fileprivate var keys: [String] {
        switch self {
        case .reset, .close: ["at", "after"]
        case .truncate, .streamReset: ["after"]
        case .slow: ["rate"]
        case .slice: ["size", "time"]
        case .hang, .slowClose, .connect: ["time"]
        case .status: ["status"]
        case .rateLimit: ["limit", "window", "by", "status", "retryAfter", "fields"]
        case .corrupt, .dns, .tls, .goaway: []
        }
    }
}

extension Fault.Place {
    /// Those that have a name.
    private static let names: [(name: String, place: Fault.Place)] = [
        ("before-head", .beforeHead), ("in-head", .inHead), ("after-head", .after(0)),
    ]

    static let named = {
        let spellings = ValueKind<String>.one(of: names.map(\.name))
        return ValueKind<Fault.Place>(
            expected: spellings.expected, schema: spellings.schema,
            parse: { value in names.first { $0.name == value.string }?.place },
            hint: { $0.string.flatMap { didYouMean($0, among: names.map(\.name)) } },
            text: { place in names.first { $0.place == place }.map { "\"\($0.name)\"" } ?? "" },
            write: { $1.value("\($0)") })
    }()

    static let counted = {
        let bytes = ValueKind<Int>.size(0...1 << 30, like: "10kB", of: "bytes of the body")
        return ValueKind<Fault.Place>(
            expected: bytes.expected, schema: bytes.schema, parse: { bytes.parse($0).map { .after($0) } },
            text: { "\($0)" }, write: { $1.value("\($0)") })
    }()
}
