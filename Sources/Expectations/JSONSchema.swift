import JSON
import Platform
import Profiles

/// A stated subset of JSON Schema, draft 2020-12; any other keyword is refused, so that none is passed over in silence.
struct JSONSchema: Sendable {
    private static let keywords: Set<String> = [
        "$schema", "$id", "$comment", "$defs", "$ref", "title", "description", "default", "examples", "deprecated",
        "readOnly", "writeOnly", "format", "type", "enum", "const", "properties", "required", "additionalProperties",
        "minProperties", "maxProperties", "items", "prefixItems", "minItems", "maxItems", "uniqueItems", "minLength",
        "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "allOf", "anyOf",
        "oneOf",
        "not",
    ]
    private static let types = ["null", "boolean", "object", "array", "number", "integer", "string"]
    /// References that lead in circles end here.
    private static let maxDepth = 200

    private let root: JSONValue

    /// Reads a schema, or the file that a text names; nil where a problem was reported.
    static func read(_ value: JSONValue, _ reader: CheckReader) -> JSONSchema? {
        guard let path = value.string else {
            return check(value, value, reader) ? JSONSchema(root: value) : nil
        }
        do throws(FileFailure) {
            let file = reader.reporter.absolute(path)
            let bytes = try reader.read(file)
            do throws(JSONFailure) {
                let schema = try JSONReader.read(bytes)
                let inner = CheckReader(
                    reporter: Reporter(file: path, problems: reader.reporter.problems), read: reader.read)
                return check(schema, schema, inner) ? JSONSchema(root: schema) : nil
            } catch {
                reader.wrong(
                    value, "\(path):\(error.position.line): \(error.message)", expected: error.expected ?? "JSON")
            }
        } catch {
            reader.wrong(value, "\(path) cannot be read: \(error.reason)", expected: "a file with a JSON Schema")
        }
        return nil
    }

    /// Reports what is not understood.
    private static func check(_ schema: JSONValue, _ root: JSONValue, _ reader: CheckReader) -> Bool {
        if schema.bool != nil { return true }
        guard let members = schema.object else {
            reader.wrong(schema, "\(schema.kindName) where a schema should be", expected: "an object, true or false")
            return false
        }
        var isFine = true
        func refuse(_ value: JSONValue, _ what: String, _ expected: String) {
            reader.wrong(value, what, expected: expected)
            isFine = false
        }
        for member in members {
            let value = member.value
            guard keywords.contains(member.key) else {
                reader.reporter.report(
                    member.keyPosition, "\"\(member.key)\" of JSON Schema is not supported",
                    expected: "one of \(keywords.sorted().joined(separator: ", "))")
                isFine = false
                continue
            }
            switch member.key {
            case "properties", "$defs":
                guard let schemas = value.object else {
                    refuse(value, "\"\(member.key)\" is \(value.kindName)", "an object of schemas")
                    break
                }
                for one in schemas where !check(one.value, root, reader) { isFine = false }
            case "items", "additionalProperties", "not": if !check(value, root, reader) { isFine = false }
            case "allOf", "anyOf", "oneOf", "prefixItems":
                guard let schemas = value.array, !schemas.isEmpty else {
                    refuse(value, "\"\(member.key)\" is \(value.kindName)", "a list of schemas")
                    break
                }
                for one in schemas where !check(one, root, reader) { isFine = false }
            case "type":
                let names = value.array?.map(\.string) ?? [value.string]
                if !names.allSatisfy({ $0.map(types.contains) ?? false }) {
                    refuse(value, "a wrong \"type\"", "one of \(types.joined(separator: ", "))")
                }
            case "enum": if value.array == nil { refuse(value, "\"enum\" is \(value.kindName)", "a list of values") }
            case "required":
                if value.array?.allSatisfy({ $0.string != nil }) != true {
                    refuse(value, "a wrong \"required\"", "a list of names")
                }
            case "$ref":
                if value.string.flatMap({ target($0, root) }) == nil {
                    refuse(value, "\"$ref\" leads nowhere", "a place in the same schema, such as \"#/$defs/item\"")
                }
            case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
                if value.number?.double == nil { refuse(value, "\"\(member.key)\" is \(value.kindName)", "a number") }
            case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
                if CheckReader.count(value) == nil {
                    refuse(value, "\"\(member.key)\" is \(value.kindName)", "a count")
                }
            case "uniqueItems":
                if value.bool == nil { refuse(value, "\"uniqueItems\" is \(value.kindName)", "true or false") }
            default: break
            }
        }
        return isFine
    }

    private static func target(_ reference: String, _ root: JSONValue) -> JSONValue? {
        guard reference.hasPrefix("#") else { return nil }
        var value = root
        for part in reference.dropFirst().split(separator: "/") {
            let name = part.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
                .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
            guard
                let next = value[name]
                    ?? Int(name).flatMap({ at in value.array.flatMap { $0.indices.contains(at) ? $0[at] : nil } })
            else { return nil }
            value = next
        }
        return value
    }

    // MARK: Validation

    /// The first difference of a value, with its place; nil if it is valid.
    func difference(_ value: JSONValue) -> String? { difference(root, value, "$", 0) }

    private func difference(_ schema: JSONValue, _ value: JSONValue, _ place: String, _ depth: Int) -> String? {
        if let flag = schema.bool { return flag ? nil : "\(place) may not be there" }
        guard depth < Self.maxDepth else { return "\(place): the schema refers to itself without end" }
        if let target = schema["$ref"]?.string.flatMap({ Self.target($0, root) }),
            let difference = difference(target, value, place, depth + 1)
        {
            return difference
        }
        if let type = schema["type"] {
            let names = type.array?.compactMap(\.string) ?? [type.string ?? ""]
            guard names.contains(where: { Self.isKind($0, value) }) else {
                return "\(place) is \(Self.text(value)), not \(names.joined(separator: " or "))"
            }
        }
        if let constant = schema["const"], !constant.isEqual(to: value) {
            return "\(place) is \(Self.text(value)), not \(Self.text(constant))"
        }
        if let values = schema["enum"]?.array, !values.contains(where: { $0.isEqual(to: value) }) {
            return "\(place) is \(Self.text(value)), not one of \(values.map(Self.text).joined(separator: ", "))"
        }
        return numberDifference(schema, value, place) ?? textDifference(schema, value, place)
            ?? arrayDifference(schema, value, place, depth) ?? objectDifference(schema, value, place, depth)
            ?? combinedDifference(schema, value, place, depth)
    }

    private func numberDifference(_ schema: JSONValue, _ value: JSONValue, _ place: String) -> String? {
        guard let number = value.number?.double else { return nil }
        func limit(_ key: String) -> Double? { schema[key]?.number?.double }
        if let low = limit("minimum"), number < low {
            return "\(place) is \(Self.text(value)), below \(Self.text(schema["minimum"]))"
        }
        if let high = limit("maximum"), number > high {
            return "\(place) is \(Self.text(value)), above \(Self.text(schema["maximum"]))"
        }
        if let low = limit("exclusiveMinimum"), number <= low {
            return "\(place) is \(Self.text(value)), not above \(Self.text(schema["exclusiveMinimum"]))"
        }
        if let high = limit("exclusiveMaximum"), number >= high {
            return "\(place) is \(Self.text(value)), not below \(Self.text(schema["exclusiveMaximum"]))"
        }
        if let unit = schema["multipleOf"]?.number, unit.double ?? 0 > 0, value.number?.isMultiple(of: unit) == false {
            return "\(place) is \(Self.text(value)), no multiple of \(Self.text(schema["multipleOf"]))"
        }
        return nil
    }

    private func textDifference(_ schema: JSONValue, _ value: JSONValue, _ place: String) -> String? {
        guard let text = value.string else { return nil }
        let count = text.unicodeScalars.count
        if let low = schema["minLength"]?.number?.int64, count < low {
            return "\(place) has \(count) characters, not \(low)"
        }
        if let high = schema["maxLength"]?.number?.int64, count > high {
            return "\(place) has \(count) characters, more than \(high)"
        }
        return nil
    }

    private func arrayDifference(_ schema: JSONValue, _ value: JSONValue, _ place: String, _ depth: Int) -> String? {
        guard let items = value.array else { return nil }
        if let low = schema["minItems"]?.number?.int64, items.count < low {
            return "\(place) has \(items.count) items, not \(low)"
        }
        if let high = schema["maxItems"]?.number?.int64, items.count > high {
            return "\(place) has \(items.count) items, more than \(high)"
        }
        if schema["uniqueItems"]?.bool == true {
            for (at, item) in items.enumerated() {
                if items[..<at].contains(where: { $0.isEqual(to: item) }) {
                    return "\(place)[\(at)] is there twice"
                }
            }
        }
        let first = schema["prefixItems"]?.array ?? []
        for (at, item) in items.enumerated() {
            guard let one = at < first.count ? first[at] : schema["items"] else { continue }
            if let difference = difference(one, item, "\(place)[\(at)]", depth + 1) { return difference }
        }
        return nil
    }

    private func objectDifference(_ schema: JSONValue, _ value: JSONValue, _ place: String, _ depth: Int) -> String? {
        guard let members = value.object else { return nil }
        for name in schema["required"]?.array?.compactMap(\.string) ?? [] where value[name] == nil {
            return "\(place) has no member \(name)"
        }
        if let low = schema["minProperties"]?.number?.int64, members.count < low {
            return "\(place) has \(members.count) members, not \(low)"
        }
        if let high = schema["maxProperties"]?.number?.int64, members.count > high {
            return "\(place) has \(members.count) members, more than \(high)"
        }
        for member in members {
            guard let one = schema["properties"]?[member.key] ?? schema["additionalProperties"] else { continue }
            if let difference = difference(one, member.value, "\(place).\(member.key)", depth + 1) { return difference }
        }
        return nil
    }

    private func combinedDifference(_ schema: JSONValue, _ value: JSONValue, _ place: String, _ depth: Int) -> String? {
        for one in schema["allOf"]?.array ?? [] {
            if let difference = difference(one, value, place, depth + 1) { return difference }
        }
        if let any = schema["anyOf"]?.array, !any.contains(where: { difference($0, value, place, depth + 1) == nil }) {
            return "\(place) fits none of anyOf: \(any.first.flatMap { difference($0, value, place, depth + 1) } ?? "")"
        }
        if let one = schema["oneOf"]?.array {
            let count = one.count { difference($0, value, place, depth + 1) == nil }
            if count != 1 { return "\(place) fits \(count) of oneOf, not one" }
        }
        if let not = schema["not"], difference(not, value, place, depth + 1) == nil {
            return "\(place) fits what it may not"
        }
        return nil
    }

    private static func isKind(_ name: String, _ value: JSONValue) -> Bool {
        switch (name, value.kind) {
        case ("null", .null), ("boolean", .bool), ("object", .object), ("array", .array), ("number", .number),
            ("string", .string):
            true
        case ("integer", .number(let number)): number.double.map { $0 == $0.rounded() } ?? false
        default: false
        }
    }

    private static func text(_ value: JSONValue?) -> String {
        guard let value else { return "nothing" }
        var writer = JSONWriter()
        writer.value(value)
        return writer.text.utf8.count > 60 ? value.kindName : writer.text
    }
}
