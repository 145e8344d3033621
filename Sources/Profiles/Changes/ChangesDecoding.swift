import JSON

/// What a route has under `request`, `response`, `messages`, `inject` and `bridge`; nil where it changes nothing.
func decodeChanges(_ fields: Fields) -> RouteChanges? {
    RouteChanges(
        request: decodeRequest(fields), response: decodeResponseChanges(fields),
        messages: decodeMessageChanges(fields), injection: decodeInjection(fields), bridge: decodeBridge(fields))
}

private func decodeRequest(_ route: Fields) -> RequestChanges? {
    guard let fields = route.fields("request", RequestChanges.keys) else { return nil }
    return RequestChanges(
        headers: decodeHeaderChanges(fields, of: .request), query: decodeQuery(fields), path: decodePath(fields),
        body: decodeBodyChanges(fields))
}

private func decodeResponseChanges(_ route: Fields) -> ResponseChanges? {
    guard let fields = route.fields("response", ResponseChanges.keys) else { return nil }
    return ResponseChanges(
        headers: decodeHeaderChanges(fields, of: .response), status: decodeStatusChange(fields),
        body: decodeBodyChanges(fields))
}

// MARK: Query

private func decodeQuery(_ request: Fields) -> QueryChanges {
    guard let fields = request.fields("query", QueryChanges.keys) else { return QueryChanges() }
    var parameters: [QueryChanges.Parameter] = []
    for member in fields.object("set") {
        guard let text = member.value.string ?? member.value.number?.text ?? member.value.bool.map({ "\($0)" }) else {
            fields.report(
                member.value, "the parameter \"\(member.key)\" is \(member.value.kindName)",
                expected: "a string, a number, true or false; it is escaped as needed")
            continue
        }
        guard !member.key.isEmpty else {
            fields.report(member, "a parameter without a name", expected: "a name like lang")
            continue
        }
        parameters.append(QueryChanges.Parameter(name: member.key, value: text))
    }
    var removed: [String] = []
    for (text, place) in fields.texts("remove", one: "a parameter's name, unescaped") {
        if parameters.contains(where: { $0.name == text }) {
            fields.report(
                place, "the parameter \"\(text)\" is set and removed", expected: "one of them",
                hint: "\"set\" takes the place of all parameters of its name")
        } else if !removed.contains(text) {
            removed.append(text)
        }
    }
    return QueryChanges(remove: removed, set: parameters)
}

// MARK: Path

private func decodePath(_ request: Fields) -> PathChanges {
    var mappings: [PathChanges.Mapping] = []
    for member in request.object("path") {
        let client = request.reporter.attempt(member.keyPosition) { () throws(Refusal) in
            try PathPattern(parsing: member.key)
        }
        guard let text = member.value.string else {
            request.reporter.report(
                member.value, "the path for \"\(member.key)\" is \(member.value.kindName)",
                expected: "a path like \"/v1/*\"")
            continue
        }
        let origin = request.reporter.attempt(member.value.position) { () throws(Refusal) in
            try PathPattern(parsing: text)
        }
        guard let client, let origin else { continue }
        if mappings.contains(where: { $0.client == client }) {
            request.reporter.report(member, "a second path for \(client)", expected: "one, however it is spelled")
        } else if !origin.stars.isNone, origin.stars != client.stars {
            request.reporter.report(
                member.value, "\"\(text)\" and \"\(member.key)\" differ in their `*`",
                expected: "the same ones in both, or none in \"\(text)\"",
                hint: "each `*` stands for what the client's path has there")
        } else {
            mappings.append(PathChanges.Mapping(client: client, origin: origin))
        }
    }
    return PathChanges(mappings)
}

// MARK: Status

private let statuses: ClosedRange<Int64> = 200...599

private func decodeStatusChange(_ response: Fields) -> StatusChange? {
    guard let value = response["status"] else { return nil }
    guard let members = value.object else {
        if let status = status(value, response) { return .all(status) }
        return nil
    }
    var map: [Int: Int] = [:]
    for member in members {
        guard let from = Int64(member.key), statuses.contains(from), from != 206 else {
            response.reporter.report(
                member, "the status \"\(member.key)\" cannot be replaced",
                expected: "a status from 200 to 599, but for 206",
                hint: member.key == "206" ? "a part that is called whole would be stored as whole" : nil)
            continue
        }
        if let to = status(member.value, response) { map[Int(from)] = to }
    }
    return map.isEmpty ? nil : .each(map)
}

private func status(_ value: JSONValue, _ response: Fields) -> Int? {
    if let status = value.number?.int64, statuses.contains(status), status != 206 { return Int(status) }
    let found = value.number?.text ?? value.kindName
    return response.reporter.refuse(
        value, "the status is \(found)", expected: ResponseChanges.keys.expected(of: "status"))
}
