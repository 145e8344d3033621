import JSON

/// All routes of a profile that could be read; routes that tie are reported, by both their lines.
func decodeRoutes(_ fields: Fields) -> [RouteSource] {
    var routes: [RouteSource] = []
    for value in fields.array("routes", expected: "an array of routes") {
        guard let route = decodeRoute(value, fields.reporter) else { continue }
        if let twin = routes.first(where: { $0.pattern.overlaps(route.pattern) }) {
            fields.reporter.report(
                value.position,
                "the route \(route.pattern.label) matches the same requests as the one on line \(twin.place.line)",
                expected: "one of them to be more specific",
                hint: "change its host, path, method or headers, or remove one")
        }
        routes.append(route)
    }
    return routes
}

private func decodeRoute(_ value: JSONValue, _ reporter: Reporter) -> RouteSource? {
    guard let fields = Fields(value, "a route", keys: ProfileKeys.route, reporter) else { return nil }
    let host = pattern("host", "a host pattern", fields, default: .any) { text throws(Refusal) in
        try HostPattern(parsing: text, allowsLoopback: false)
    }
    let path = pattern("path", "a path pattern", fields, default: .any) { text throws(Refusal) in
        try PathPattern(parsing: text)
    }
    let methods = decodeMethods(fields)
    let conditions = decodeConditions(fields)
    guard let answer = decodeAnswer(fields), let host, let path, let methods, let conditions else { return nil }
    return RouteSource(
        pattern: RoutePattern(host: host, path: path, methods: methods, fields: conditions), answer: answer,
        place: value.position)
}

private func pattern<Pattern>(
    _ key: String, _ expected: String, _ fields: Fields, default: Pattern,
    _ parse: (String) throws(Refusal) -> Pattern
) -> Pattern? {
    guard let value = fields[key] else { return `default` }
    guard let text = fields.string(key, expected: expected) else { return nil }
    return fields.reporter.attempt(value.position) { () throws(Refusal) in try parse(text) }
}

private func decodeMethods(_ fields: Fields) -> [String]? {
    guard let value = fields["method"] else { return [] }
    let items = value.array ?? [value]
    var methods: [String] = []
    for item in items {
        guard let method = item.string else {
            fields.wrongKind("method", item, "a method like \"GET\", or an array of them")
            return nil
        }
        guard isToken(method) else {
            fields.reporter.report(item.position, "\"\(method)\" is no method", expected: "a method like \"GET\"")
            return nil
        }
        // Methods are case-sensitive (RFC 9110, 9.1), so `get` would wait for a request that never comes.
        guard method == method.uppercased() else {
            fields.reporter.report(
                item.position, "the method \"\(method)\" is not in upper case", expected: "\"\(method.uppercased())\"")
            return nil
        }
        if !methods.contains(method) { methods.append(method) }
    }
    if methods.isEmpty {
        fields.reporter.report(
            value.position, "\"method\" is empty", expected: "at least one method", hint: "without the key, any will do"
        )
        return nil
    }
    return methods
}

private func decodeConditions(_ fields: Fields) -> [FieldCondition]? {
    var conditions: [FieldCondition] = []
    var isComplete = true
    for member in fields.object("headers", expected: "an object like { \"X-Beta\": \"1\" }") {
        let name = Array(member.key.lowercased().utf8)
        let value: [UInt8]?
        switch member.value.kind {
        case .bool(true): value = nil
        case .string(let text) where isFieldValue(text): value = Array(text.utf8)
        default:
            fields.reporter.report(
                member.value.position, "the condition for \"\(member.key)\" is \(condition(member.value))",
                expected: "the value as a string, or true for any value")
            isComplete = false
            continue
        }
        if !isToken(member.key) {
            fields.reporter.report(
                member.keyPosition, "\"\(member.key)\" is no field name", expected: "a name like X-Beta")
            isComplete = false
        } else if conditions.contains(where: { $0.name == name }) {
            fields.reporter.report(
                member.keyPosition, "a second condition for \"\(member.key)\"", expected: "one per field, in any case")
            isComplete = false
        }
        conditions.append(FieldCondition(name: name, value: value))
    }
    return isComplete ? conditions : nil
}

private func condition(_ value: JSONValue) -> String {
    switch value.kind {
    case .bool: "false"
    case .string: "a string with control characters or spaces at its ends"
    default: value.kindName
    }
}

private func decodeAnswer(_ fields: Fields) -> RouteSource.Answer? {
    let reporter = fields.reporter
    if let preserve = fields.member("preserveHost"), fields["mock"] != nil {
        reporter.report(preserve.keyPosition, "\"preserveHost\" beside a mock", expected: "it beside an origin")
    }
    let preserveHost = fields.bool("preserveHost") ?? false
    switch (fields["origin"], fields.member("mock")) {
    case (nil, nil):
        reporter.report(
            fields.place, "the route has nothing that answers", expected: "\"origin\" or \"mock\"",
            hint: "for example \"origin\": \"https://localhost:3000\"")
        return nil
    case (_?, let mock?):
        reporter.report(mock.keyPosition, "the route has an origin and a mock", expected: "one of them")
        return nil
    case (nil, let mock?): return decodeMock(mock.value, reporter).map { .mock($0) }
    case (let value?, nil):
        guard let text = fields.string("origin", expected: "a URL like \"https://localhost:3000\"") else { return nil }
        return reporter.attempt(value.position) { () throws(Refusal) in try OriginURL(parsing: text) }
            .map { .origin($0, preserveHost: preserveHost) }
    }
}
