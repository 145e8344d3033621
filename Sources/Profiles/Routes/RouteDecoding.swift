import JSON

/// Where routes are written.
enum RouteWriting: Sendable {
    case file
    /// The command line, or a session over a profile: one profile alone may be what responds, and commands come from
    /// files alone.
    case run, session(over: String)

    var isFile: Bool { if case .file = self { true } else { false } }
}

/// All routes that could be read; routes that tie are reported, by both their lines.
func decodeRoutes(_ values: [JSONValue], _ writing: RouteWriting, _ reporter: Reporter) -> [RouteSource] {
    var routes: [RouteSource] = []
    var byPlace: [RoutePattern.Place: [Int]] = [:]
    for (value, route) in zip(values, decodeEach(values, writing, reporter)) {
        guard let route else { continue }
        let alike = byPlace[route.pattern.placed, default: []].lazy.map { routes[$0] }
        if let twin = alike.first(where: { $0.pattern.overlaps(route.pattern) }) {
            reporter.report(
                value,
                "the route \(route.pattern.label) matches the same requests as the one on line \(twin.place.line)",
                expected: "one of them to be more specific",
                hint: "change its host, path, method or headers, or remove one")
        }
        byPlace[route.pattern.placed, default: []].append(routes.count)
        routes.append(route)
    }
    nameRoutes(&routes, reporter)
    checkPassthrough(routes, reporter)
    return routes
}

/// Decodes on all cores: 10,000 routes are most of a start's time.
private func decodeEach(_ values: [JSONValue], _ writing: RouteWriting, _ reporter: Reporter) -> [RouteSource?] {
    let (file, directory) = (reporter.file, reporter.profilesDirectory)
    let slices = concurrentMap(values, sliceSize: 500) { slice in
        let problems = ProblemList()
        let own = Reporter(file: file, problems: problems, profilesDirectory: directory)
        return (routes: slice.map { decodeRoute($0, writing, own) }, found: problems.findings)
    }
    for slice in slices { reporter.problems.add(slice.found) }
    return slices.flatMap(\.routes)
}

/// Gives each route that Shunt responds to itself a name, where it has none.
private func nameRoutes(_ routes: inout [RouteSource], _ reporter: Reporter) {
    var lines: [String: Int] = [:]
    for route in routes {
        guard let name = route.name else { continue }
        if let line = lines[name] {
            reporter.report(
                route.place, "the route on line \(line) has the name \"\(name)\" already",
                expected: "a name of its own for each route")
        }
        lines[name] = route.place.line
    }
    let nameless = routes.indices.filter { routes[$0].name == nil && routes[$0].isLocal }
    let names = RouteNames.made(for: nameless.map { routes[$0].pattern }, taken: Set(lines.keys))
    for (at, name) in zip(nameless, names) { routes[at] = routes[at].named(name) }
}

/// A route as its keys are read, one by one.
struct DecodedRoute: Sendable {
    var settings = RouteSettings(pattern: RoutePattern(host: .any, path: .any, methods: [], fields: []))
    var client = ClientSource()
}

private func decodeRoute(_ value: JSONValue, _ writing: RouteWriting, _ reporter: Reporter) -> RouteSource? {
    guard let fields = Fields(value, DecodedRoute.keys, reporter) else { return nil }
    var route = DecodedRoute()
    DecodedRoute.keys.read(fields, into: &route)
    let host = pattern("host", fields, default: .any) { text throws(Refusal) in
        try HostPattern(parsing: text, allowsLoopback: false)
    }
    let hasItems = fields["mock"]?[MockCollection.key] != nil
    let path = pattern("path", fields, default: .any) { text throws(Refusal) in
        let path = try PathPattern(parsing: text)
        return hasItems ? path.withAllBelow : path
    }
    let (methods, conditions) = (decodeMethods(fields), decodeConditions(fields))
    let match = decodeMatch(fields)?.ofCalls(fields)
    let response = decodeResponse(fields, writing)
    route.settings.first = LocalResponders.first(fields)?.decode(fields)
    route.settings.name = decodeRouteName(fields)
    route.settings.then = decodeThen(fields)
    route.settings.changes = decodeChanges(fields)
    route.settings.grpc = decodeGRPC(fields)
    route.settings.isPassthrough = decodePassthrough(fields, host, response)
    let offline = decodeRouteOffline(fields, response)
    guard let response, let host, let path, let methods, let conditions, let match else { return nil }
    route.settings.pattern = RoutePattern(
        host: host, path: path, methods: methods, fields: conditions,
        conditions: match.filter { !$0.needsBody } + match.filter(\.needsBody))
    var hasher = Hasher()
    value.hashContent(into: &hasher)
    route.settings.content = hasher.finalize()
    return RouteSource(
        route.settings, response: response, offline: offline, client: route.client, place: value.position)
}

/// Where Shunt itself responds there is no origin that could be out of reach.
private func decodeRouteOffline(_ fields: Fields, _ response: RouteSource.Response?) -> OfflineSource? {
    guard let offline = decodeOffline(fields, of: "a route") else { return nil }
    if case .local? = response, offline.settings != nil {
        fields.report(
            fields.member("offline"), "\"offline\" in a route without an origin", expected: "it beside \"origin\"")
    }
    return offline
}

private func pattern<Pattern>(
    _ key: String, _ fields: Fields, default: Pattern, _ parse: (String) throws(Refusal) -> Pattern
) -> Pattern? {
    guard let value = fields[key] else { return `default` }
    guard let text = fields.string(key) else { return nil }
    return fields.reporter.attempt(value.position) { () throws(Refusal) in try parse(text) }
}

private func decodeMethods(_ fields: Fields) -> [String]? {
    guard let value = fields["method"] else { return [] }
    let items = value.array ?? [value]
    var methods: [String] = []
    for item in items {
        guard let method = item.string else {
            fields.wrongKind("method", item)
            return nil
        }
        guard isToken(method) else {
            return fields.refuse(item, "\"\(method)\" is no method", expected: "a method like \"GET\"")
        }
        // Methods are case-sensitive (RFC 9110, 9.1), so `get` would wait for a request that never comes.
        guard method == method.uppercased() else {
            return fields.refuse(
                item, "the method \"\(method)\" is not in upper case", expected: "\"\(method.uppercased())\"")
        }
        if !methods.contains(method) { methods.append(method) }
    }
    if methods.isEmpty {
        return fields.refuse(
            value, "\"method\" is empty", expected: "at least one method", hint: "without the key, any will do")
    }
    return methods
}

private func decodeConditions(_ fields: Fields) -> [FieldCondition]? {
    var conditions: [FieldCondition] = []
    var isComplete = true
    for member in fields.object("headers") {
        let name = Array(member.key.lowercased().utf8)
        let value: [UInt8]?
        switch member.value.kind {
        case .bool(true): value = nil
        case .string(let text) where isFieldValue(text): value = Array(text.utf8)
        default:
            fields.report(
                member.value, "the condition for \"\(member.key)\" is \(condition(member.value))",
                expected: "the value as a string, or true for any value")
            isComplete = false
            continue
        }
        if !isToken(member.key) {
            fields.report(member, "\"\(member.key)\" is no field name", expected: "a name like X-Beta")
            isComplete = false
        } else if conditions.contains(where: { $0.name == name }) {
            fields.report(member, "a second condition for \"\(member.key)\"", expected: "one per field, in any case")
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
