import JSON

/// Values of documents, and those of variables.
extension GraphQLCheck {
    /// What a value is instead of one of a type: `"x", not Int`; nil where it is one.
    mutating func problem(_ value: GraphQLValue, _ type: GraphQLTypeReference, hasDefault: Bool) -> String? {
        if case .variable(let name) = value {
            used.insert(name)
            guard let variable = variables[name] else { return "the variable \(name), which is not defined" }
            let isGiven = variable.usual.map { if case .null = $0 { false } else { true } } ?? false
            return Self.fits(variable.type, type, isNeverNull: isGiven || hasDefault)
                ? nil : "the variable \(name) of type \(variable.type), not \(type)"
        }
        switch type {
        case .nonNull(let inner):
            if case .null = value { return "null, not \(type)" }
            return problem(value, inner, hasDefault: false)
        case .list(let item):
            if case .null = value { return nil }
            guard case .list(let items) = value else { return problem(value, item, hasDefault: false) }
            for one in items { if let problem = problem(one, item, hasDefault: false) { return problem } }
            return nil
        case .named(let name):
            if case .null = value { return nil }
            guard let definition = schema.types[name] else { return nil }
            return problem(value, definition)
        }
    }

    mutating func problem(_ value: GraphQLValue, _ type: GraphQLSchema.TypeDefinition) -> String? {
        let isFine: Bool
        switch (type.kind, value) {
        case (.enumeration, .name(let name)): isFine = type.values.contains { $0.name == name }
        case (.input, .object(let members)):
            var known: Set<String> = []
            for member in members {
                guard known.insert(member.name).inserted else { return "an object with \(member.name) twice" }
                guard let input = type.inputs.first(where: { $0.name == member.name }) else {
                    return "an object with \(member.name), which \(type.name) does not have"
                }
                if let problem = problem(member.value, input.type, hasDefault: input.hasDefault) {
                    return "an object whose \(member.name) is \(problem)"
                }
            }
            let missing = type.inputs.first { input in
                input.isRequired && !members.contains { $0.name == input.name }
            }
            return missing.map { "an object without \($0.name), which \(type.name) needs" }
        case (.scalar, _) where !GraphQLSchema.scalars.contains(type.name):
            note(value)
            isFine = true
        case (.scalar, .int(let text)):
            isFine = type.name == "Int" ? Int32(text) != nil : type.name == "Float" || type.name == "ID"
        case (.scalar, .float): isFine = type.name == "Float"
        case (.scalar, .string): isFine = type.name == "String" || type.name == "ID"
        case (.scalar, .bool): isFine = type.name == "Boolean"
        default: isFine = false
        }
        return isFine ? nil : "\(value.text.prefix(80)), not \(type.name)"
    }

    /// Whether a variable may stand where a type is wanted (section 5.8.5).
    private static func fits(
        _ variable: GraphQLTypeReference, _ wanted: GraphQLTypeReference, isNeverNull: Bool = false
    ) -> Bool {
        switch (variable, wanted) {
        case (.nonNull(let one), .nonNull(let other)): fits(one, other)
        case (_, .nonNull(let other)): isNeverNull && fits(variable, other)
        case (.nonNull(let one), _): fits(one, wanted)
        case (.list(let one), .list(let other)): fits(one, other)
        case (.named(let one), .named(let other)): one == other
        default: false
        }
    }

    mutating func check(values: JSONValue?, of operation: GraphQLDocument.Operation) {
        for variable in operation.variables {
            let value = values?[variable.name]
            if value == nil, variable.usual != nil { continue }
            if value == nil, case .nonNull = variable.type {
                fail(variable.place, "it is missing", part: "the variable \(variable.name)")
            } else if let value, let problem = problem(value, variable.type) {
                fail(nil, "it is \(problem)", part: "the variable \(variable.name)")
            }
        }
        for member in values?.object ?? [] where variables[member.key] == nil {
            fail(nil, "the operation does not define it", part: "the variable \(member.key)", isWarning: true)
        }
    }

    private func problem(_ value: JSONValue, _ type: GraphQLTypeReference) -> String? {
        switch type {
        case .nonNull(let inner): return value.isNull ? "null, not \(type)" : problem(value, inner)
        case .list(let item):
            if value.isNull { return nil }
            guard let items = value.array else { return problem(value, item) }
            return items.lazy.compactMap { problem($0, item) }.first
        case .named(let name):
            guard !value.isNull, let definition = schema.types[name] else { return nil }
            return problem(value, definition)
        }
    }

    private func problem(_ value: JSONValue, _ type: GraphQLSchema.TypeDefinition) -> String? {
        var isFine = true
        switch type.kind {
        case .enumeration: isFine = value.string.map { name in type.values.contains { $0.name == name } } ?? false
        case .input:
            guard let members = value.object else { return "\(value.kindName), not \(type.name)" }
            for member in members {
                guard let input = type.inputs.first(where: { $0.name == member.key }) else {
                    return "an object with \(member.key), which \(type.name) does not have"
                }
                if let problem = problem(member.value, input.type) {
                    return "an object whose \(member.key) is \(problem)"
                }
            }
            let missing = type.inputs.first { $0.isRequired && value[$0.name] == nil }
            return missing.map { "an object without \($0.name), which \(type.name) needs" }
        case .scalar where GraphQLSchema.scalars.contains(type.name): isFine = GraphQLScalar.isFine(value, type.name)
        default: break
        }
        return isFine ? nil : "\(value.kindName), not \(type.name)"
    }
}

/// Values of JSON as the scalars that every schema has.
enum GraphQLScalar {
    /// A secret that was taken out of recorded traffic may have been anything.
    static func isFine(_ value: JSONValue, _ type: String) -> Bool {
        if let text = value.string, text.hasPrefix("<redacted:") { return true }
        switch type {
        case "Int": return value.number.flatMap { $0.int64 }.map { Int32(exactly: $0) != nil } ?? false
        case "Float": return value.number != nil
        case "String": return value.string != nil
        case "Boolean": return value.bool != nil
        default: return value.string != nil || value.number?.int64 != nil
        }
    }
}
