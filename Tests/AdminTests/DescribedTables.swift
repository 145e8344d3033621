import Admin
import JSON

/// The tables of the admin interface as schemas of OpenAPI.
enum DescribedTables {
    /// A document whose schemas of bodies and responses are made from the tables; all else stays.
    static func described(_ document: JSONValue) -> String {
        var tables: [String: JSONValue] = [:]
        for form in AdminRoute.all.flatMap(\.forms) {
            if let body = form.body { add(body, isBody: true, to: &tables) }
            if let reply = form.reply { add(reply, isBody: false, to: &tables) }
        }
        var document = document
        for (tag, route) in AdminRoute.groups.flatMap({ group in group.routes.map { (group.name, $0) } }) {
            let operation = ["paths", route.path, route.method.lowercased()]
            tell(route, tag, operation, &document)
            let media = ["content", "application/json", "schema"]
            let bodies = route.forms.compactMap(\.body)
            if !bodies.isEmpty { document.set(anyOf(bodies), operation + ["requestBody"] + media) }
            let replies = route.forms.compactMap(\.reply)
            if !replies.isEmpty { document.set(anyOf(replies), operation + ["responses", "200"] + media) }
            // Header fields stay.
            let written = document["paths"]?[route.path]?[route.method.lowercased()]?["parameters"]?.array ?? []
            let fields = written.filter { $0["in"]?.string == "header" }
            let parameters = route.forms.compactMap(\.table).flatMap(parameters) + fields
            document.set(parameters.isEmpty ? nil : json(parameters), operation + ["parameters"])
            document.set(responses(of: route, operation, in: document), operation + ["responses"])
            if let segment = API.segments.first(where: { route.path.hasPrefix($0.prefix + "{") }) {
                document.set(json([self.parameter(segment)]), ["paths", route.path, "parameters"])
            }
        }
        let schemas = document["components"]?["schemas"]?.object?.map(\.key) ?? []
        for (name, schema) in tables.sorted(by: { $0.key < $1.key }) {
            document.set(schema, ["components", "schemas", name])
        }
        // Those that no route has any more.
        for name in schemas where tables[name] == nil && !written.contains(name) {
            document.set(nil, ["components", "schemas", name])
        }
        var writer = JSONWriter(style: .pretty)
        writer.value(document)
        return writer.text + "\n"
    }

    /// Schemas of what other modules write; samples of it are compared with them.
    static let written = ["Problem", "Exchange", "ExchangeDetail", "Body", "Message", "Statistics"]

    /// docs/admin-members.md: a heading and a table for each table of members, in the order of the routes.
    static func page() -> String {
        var sections: [(name: String, members: [any AnyMember])] = []
        func add(_ shape: Shape) {
            switch shape {
            case .list(let inner), .optional(let inner): add(inner)
            case .object(let name, let members):
                guard !members.isEmpty, !sections.contains(where: { $0.name == name }) else { return }
                sections.append((name, members))
                for member in members { add(member.shape) }
            default: break
            }
        }
        for form in AdminRoute.all.flatMap(\.forms) {
            [form.body, form.table, form.reply].compactMap(\.self).forEach(add)
        }
        var text = """
            # The members of the admin interface

            All bodies, queries and responses of the [admin interface](admin.md) that are objects, except for recorded
            exchanges, which are as in the [log](log.md#json-lines). This page is made from the tables of the program.

            """
        for (name, members) in sections.sorted(by: { $0.name < $1.name }) {
            text += "\n## \(name)\n\n| member | value | |\n|---|---|---|\n"
            for member in members {
                let words = member.limits.words.map { "`\($0)`" }.joined(separator: ", ")
                let kind = words.isEmpty ? Self.kind(member.shape) : Self.kind(member.shape) + ": " + words
                let absent = member.isOmitted ? "May be missing." : ""
                let standard = member.defaultValue.map { value in
                    "By default `\(json(value).string ?? String(decoding: bytes(of: value), as: UTF8.self))`."
                }
                let meaning = [member.meaning, standard ?? "", absent].filter { !$0.isEmpty }.joined(separator: " ")
                text += "| `\(member.name)` | \(kind) | \(meaning) |\n".replacing("|  |", with: "| |")
            }
        }
        return text
    }

    private static func bytes(of value: any MemberValue) -> [UInt8] {
        var writer = JSONWriter()
        value.write(to: &writer)
        return writer.bytes
    }

    private static func kind(_ shape: Shape) -> String {
        switch shape {
        case .text: "text"
        case .integer: "whole number"
        case .number: "number"
        case .flag: "true or false"
        case .any: "any JSON"
        case .list(let element): "list: \(kind(element))"
        case .optional(let inner): kind(inner) + ", or null"
        case .object(let name, _): "[\(name)](#\(name.lowercased()))"
        }
    }

    /// The parameters of a query.
    private static func parameters(_ table: Shape) -> [JSONValue] {
        guard case .object(_, let members) = table else { return [] }
        return members.map { member in
            var schema = Self.schema(member, isBody: false).object?.map { ($0.key, $0.value) } ?? []
            schema.removeAll { $0.0 == "description" }
            // A parameter is absent, and never null.
            schema = schema.map { $0.0 == "type" ? ("type", $0.1.array?.first ?? $0.1) : $0 }
            if case .text = member.shape.required {
                schema = schema.map { $0.0 == "maximum" ? ("maxLength", $0.1) : $0 }
            }
            if let value = member.defaultValue { schema.append(("default", json(value))) }
            var parts = [("name", json(member.name)), ("in", json("query"))]
            if !member.isOptional { parts.append(("required", json(kind: .bool(true)))) }
            if !member.meaning.isEmpty { parts.append(("description", json(member.meaning))) }
            return json(parts + [("schema", json(schema))])
        }
    }

    private static func parameter(_ segment: PathSegment) -> JSONValue {
        let schema =
            segment.pattern.map { [("type", json("string")), ("pattern", json($0))] }
            ?? [("type", json("integer")), ("format", json("int64")), ("minimum", json(1))]
        return json([
            ("name", json("id")), ("in", json("path")), ("required", json(kind: .bool(true))),
            ("description", json(segment.meaning)), ("schema", json(schema)),
        ])
    }

    /// Why every request may be refused, and what is written of a refusal with this status.
    private static let refusals = [
        400: "Wrong", 401: "NoToken", 403: "Forbidden", 404: "Missing", 409: "Impossible", 413: "TooLong",
        414: "LongTarget", 415: "NotJSON", 422: "Invalid", 429: "TooMany", 431: "LongHead", 500: "Failed",
        502: "NoResponse", 503: "Busy", 507: "NotWritten",
    ]
    static let always: Set<Int> = [400, 401, 403, 414, 429, 431, 503]

    /// Its name, its tag, and what it does: the usual form's first sentence, and all that follows.
    private static func tell(_ route: AdminRoute, _ tag: String, _ operation: [String], _ document: inout JSONValue) {
        guard let usual = route.forms.last else { return }
        let plain = usual.meaning.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.1 }
        let sentences = plain.split(separator: ". ", maxSplits: 1)
        let others = route.forms.dropLast().map { "With `\($0.mark ?? "")`: \(lowercased($0.meaning))" }
        let description = (sentences.dropFirst().map(String.init) + others).joined(separator: " ")
        let summary = sentences[0].hasSuffix(".") ? String(sentences[0]) : sentences[0] + "."
        for (key, value) in [
            ("operationId", usual.name), ("summary", summary),
            ("description", description.isEmpty ? nil : description),
        ] {
            document.set(value.map { json($0) }, operation + [key])
        }
        document.set(json([json(tag)]), operation + ["tags"])
    }

    private static func lowercased(_ text: String) -> String { text.prefix(1).lowercased() + text.dropFirst() }

    /// docs/admin.md with a table of the routes of each group that `<!-- requests: … -->` names.
    static func withRequests(_ page: String) -> String {
        var (lines, isTable): ([Substring], Bool) = ([], false)
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if isTable, line.hasPrefix("|") { continue }
            isTable = false
            lines.append(line)
            guard let mark = line.firstMatch(of: /<!-- requests: (.*) -->/) else { continue }
            isTable = true
            let names = mark.1.split(separator: " ").map(String.init)
            lines += ["| request | what it does | body or query | response |", "|---|---|---|---|"]
            for route in names.flatMap({ name in AdminRoute.groups.first { $0.name == name }?.routes ?? [] }) {
                lines += route.forms.reversed().map { row($0, of: route)[...] }
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func row(_ form: AdminForm, of route: AdminRoute) -> String {
        let meaning = form.mark.map { "With `\($0)`: " + lowercased(form.meaning) } ?? form.meaning
        let links = [form.body ?? form.table, form.reply].map { shape -> String in
            guard case .object(let name, let members)? = shape, !members.isEmpty else { return "" }
            return "[\(name)](admin-members.md#\(name.lowercased()))"
        }
        let cells = ["`\(route.method) \(route.path)`", meaning.replacing("admin.md#", with: "#")] + links
        return "|" + cells.map { $0.isEmpty ? " |" : " \($0) |" }.joined()
    }

    /// What a route may respond, with what stands in the document about it.
    private static func responses(of route: AdminRoute, _ operation: [String], in document: JSONValue) -> JSONValue {
        let told = operation.reduce(document) { $0[$1] ?? $0 }["responses"]
        let bodies: Set<Int> = route.method == "POST" ? [413, 415] : []
        let statuses = always.union(bodies).union(route.forms.flatMap(\.statuses))
        var good = told?.object?.filter { ["200", "101"].contains($0.key) }.map { ($0.key, $0.value) } ?? []
        if !good.contains(where: { $0.1["description"] != nil }) {
            let content = good.first?.1.object?.map { ($0.key, $0.value) } ?? []
            good = [("200", json([("description", json("Done."))] + content))]
        }
        return json(
            good
                + statuses.sorted().map { status in
                    let reference = [("$ref", json("#/components/responses/\(refusals[status] ?? "Missing")"))]
                    return ("\(status)", told?["\(status)"] ?? json(reference))
                })
    }

    private static func anyOf(_ shapes: [Shape]) -> JSONValue {
        let names = shapes.map(schema).reduce(into: [JSONValue]()) { list, next in
            if !list.contains(where: { $0["$ref"]?.string == next["$ref"]?.string }) { list.append(next) }
        }
        return names.count == 1 ? names[0] : json([("anyOf", json(names))])
    }

    private static func add(_ shape: Shape, isBody: Bool, to tables: inout [String: JSONValue]) {
        switch shape {
        case .list(let inner), .optional(let inner): add(inner, isBody: isBody, to: &tables)
        case .object(let name, let members):
            guard tables[name] == nil else { return }
            let required = members.filter { isBody ? !$0.isOptional : !$0.isOmitted }.map { json($0.name) }
            var parts = [
                ("type", json("object")), ("properties", json(members.map { ($0.name, schema($0, isBody: isBody)) })),
                ("required", json(required)),
            ]
            if isBody { parts.append(("additionalProperties", json(kind: .bool(false)))) }
            tables[name] = json(parts)
            for member in members { add(member.shape, isBody: isBody, to: &tables) }
        default: break
        }
    }

    private static func schema(_ member: any AnyMember, isBody: Bool) -> JSONValue {
        let shape = member.isOmitted ? member.shape.required : member.shape
        var parts = schema(shape).object?.map { ($0.key, $0.value) } ?? []
        func put(_ name: String, _ value: JSONValue) { parts.append((name, value)) }
        if let min = member.limits.min { put("minimum", json(min)) }
        if let max = member.limits.max { put("maximum", json(max)) }
        if !member.limits.words.isEmpty {
            let isOptional = if case .optional = shape { true } else { false }
            var words = member.limits.words.map { json($0) }
            if case .list = shape.required {
                let items = json([("type", json("string")), ("enum", json(words))])
                parts = parts.map { $0.0 == "items" ? ("items", items) : $0 }
            } else {
                if isOptional { words.append(json(kind: .null)) }
                put("enum", json(words))
            }
        }
        if isBody, case .list = shape { put("minItems", json(1)) }
        if !member.meaning.isEmpty { put("description", json(member.meaning)) }
        return json(parts)
    }

    private static func schema(_ shape: Shape) -> JSONValue {
        switch shape {
        case .text: json([("type", json("string"))])
        case .integer: json([("type", json("integer"))])
        case .number: json([("type", json("number"))])
        case .flag: json([("type", json("boolean"))])
        case .any: json([(String, JSONValue)]())
        case .list(let element): json([("type", json("array")), ("items", schema(element))])
        case .object(let name, _): json([("$ref", json("#/components/schemas/\(name)"))])
        case .optional(let inner): optional(schema(inner))
        }
    }

    private static func optional(_ schema: JSONValue) -> JSONValue {
        guard let type = schema["type"] else {
            return json([("anyOf", json([schema, json([("type", json("null"))])]))])
        }
        return json((schema.object ?? []).map { ($0.key, $0.key == "type" ? json([type, json("null")]) : $0.value) })
    }

    private static func json(kind: JSONValue.Kind) -> JSONValue {
        JSONValue(kind: kind, position: JSONPosition(offset: 0, line: 1, column: 1))
    }

    private static func json(_ value: any MemberValue) -> JSONValue {
        (try? JSONReader.read(bytes(of: value), dialect: .strict)) ?? json(kind: .null)
    }

    private static func json(_ text: String) -> JSONValue { json(kind: .string(text)) }
    private static func json(_ number: Int) -> JSONValue { json(kind: .number(JSONNumber(Int64(number)))) }
    private static func json(_ list: [JSONValue]) -> JSONValue { json(kind: .array(list)) }

    private static func json(_ members: [(String, JSONValue)]) -> JSONValue {
        let place = JSONPosition(offset: 0, line: 1, column: 1)
        return json(kind: .object(members.map { JSONMember(key: $0.0, keyPosition: place, value: $0.1) }))
    }
}

extension JSONValue {
    /// Puts a value where a path leads, and makes the objects on the way; nil takes it away.
    fileprivate mutating func set(_ value: JSONValue?, _ path: [String]) {
        guard let key = path.first else { return }
        var members = object ?? []
        let index = members.firstIndex { $0.key == key }
        if path.count == 1, value == nil {
            if let index { members.remove(at: index) }
        } else {
            var child = index.map { members[$0].value } ?? JSONValue(kind: .object([]), position: position)
            if path.count == 1, let value { child = value } else { child.set(value, Array(path.dropFirst())) }
            let member = JSONMember(key: key, keyPosition: position, value: child)
            if let index { members[index] = member } else { members.append(member) }
        }
        self = JSONValue(kind: .object(members), position: position)
    }
}
