import JSON

/// Which way a message goes.
enum MessageDirection: String {
    case request, response
}

/// Names of fields that no profile changes, with the reason.
private let refusals: [(names: [String], direction: MessageDirection?, reason: String)] = [
    (["content-length", "transfer-encoding", "trailer", "te"], nil, "Shunt frames each message to fit its connection"),
    (
        ["connection", "keep-alive", "proxy-connection", "upgrade", "http2-settings"], nil,
        "it concerns one connection, and Shunt has one on each side"
    ),
    (
        ["host"], .request,
        "origins and routes go by it: \"origin\" names another host, \"preserveHost\" keeps the client's"
    ),
    (["expect"], .request, "it decides when the body is sent"),
    (["max-forwards", "via"], .request, "Shunt counts with it how often a request has passed"),
    (["sec-websocket-key", "sec-websocket-accept"], nil, "it belongs to the handshake of one connection"),
    (["shunt-profile"], .request, "it chose the profile that the route stands in"),
    (["shunt-attach"], .request, "it names a machine that responds in place of the origin"),
    (["shunt-answered-by"], nil, "it says who responded"),
]

/// What a message has under `headers`.
func decodeHeaderChanges(_ message: Fields, of direction: MessageDirection) -> HeaderChanges {
    guard let fields = message.fields("headers", HeaderChanges.keys, "the \"headers\" of a \(direction.rawValue)")
    else { return HeaderChanges() }
    let set = lines("set", fields, direction)
    let add = lines("add", fields, direction)
    var removed: [String] = []
    for (text, place) in fields.texts("remove", one: "a name like \"X-Debug\"") {
        guard checkFieldName(text, place, fields, direction) else { continue }
        if set.contains(where: { $0.name.lowercased() == text.lowercased() }) {
            fields.report(
                place, "the field \"\(text)\" is set and removed", expected: "one of them",
                hint: "\"set\" takes the place of all fields of its name")
        } else if !removed.contains(text.lowercased()) {
            removed.append(text.lowercased())
        }
    }
    return HeaderChanges(remove: removed, set: set, add: add)
}

private func lines(_ key: String, _ fields: Fields, _ direction: MessageDirection) -> [HeaderChanges.Field] {
    var lines: [HeaderChanges.Field] = []
    var names: Set<String> = []
    for member in fields.object(key) {
        guard checkFieldName(member.key, member.keyPosition, fields, direction) else { continue }
        guard names.insert(member.key.lowercased()).inserted else {
            fields.report(
                member, "a second value for \"\(member.key)\"", expected: "one member per field, in any case",
                hint: "several values go into an array")
            continue
        }
        for item in member.value.array ?? [member.value] {
            guard let text = item.string, isFieldValue(text) else {
                fields.report(
                    item, "the value of \"\(member.key)\" cannot be sent",
                    expected: "a string without control characters and without spaces at its ends, or an array of them")
                continue
            }
            lines.append(HeaderChanges.Field(name: member.key, value: text))
        }
    }
    return lines
}

/// Reports a name that is not valid, or that profiles may not change.
func checkFieldName(_ name: String, _ place: JSONPosition, _ fields: Fields, _ direction: MessageDirection) -> Bool {
    guard isToken(name) else {
        let isPseudo = name.hasPrefix(":")
        fields.report(
            place, "\"\(name)\" is no field name", expected: "a name like X-Debug",
            hint: isPseudo ? "HTTP/2 calls the method, the path and the host so: other keys change them" : nil)
        return false
    }
    let refusal = refusals.first {
        $0.names.contains(name.lowercased()) && ($0.direction == nil || $0.direction == direction)
    }
    guard let refusal else { return true }
    fields.report(
        place, "the field \"\(name)\" of a \(direction.rawValue) cannot be changed", expected: "another field",
        hint: refusal.reason)
    return false
}
