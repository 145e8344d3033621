import HTTP
import JSON
import Platform

extension Mock: LocalSettingsDecoding {
    static let routeKeys = [
        Key<DecodedRoute>.own(
            key, "an object like { \"json\": {} }", Schema.object("mock"),
            "A response of Shunt itself, or several in turn or at random.", see: "mocks.md", beside: .only(key))
    ]

    static func decode(_ route: Fields) -> Mock? { route["mock"].flatMap { decodeMock($0, of: route) } }
}

/// The route of a mock.
private struct MockScope {
    let path: PathPattern
    let route: Fields
}

/// Fields that say how the response is framed, which Shunt decides.
private let framing = ["content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "trailer", "te"]

/// The route's own path, which names segments for templates; what is wrong with it is reported elsewhere.
private func pathPattern(_ route: Fields) -> PathPattern {
    let mock = route["mock"]
    let hasTemplate = ([mock, mock?["then"]] + (mock?["responses"]?.array ?? [])).contains { $0?["template"] != nil }
    guard hasTemplate, let text = route["path"]?.string, let path = try? PathPattern(parsing: text) else { return .any }
    return path
}

private func decodeMock(_ value: JSONValue, of route: Fields) -> Mock? {
    guard let fields = Fields(value, Mock.keys, route.reporter) else { return nil }
    let scope = MockScope(path: pathPattern(route), route: route)
    let then = Webhook.decode(fields, scope.path)
    var mock = fields[MockCollection.key] == nil ? decodeMock(fields, scope) : decodeCollection(fields, of: route)
    mock?.then = then
    return mock
}

/// A mock whose responses its profile has.
private func decodeMock(_ fields: Fields, _ scope: MockScope) -> Mock? {
    let seed = decodeSeed(fields)
    if let responses = fields.member("responses") { return decodeResponses(responses, beside: fields, scope, seed) }
    let statuses = decodeStatuses(fields)
    let responses = statuses.all.map { status in
        decodeMockResponse(fields, scope, status: status, delay: decodeDelay(fields))
    }
    guard !responses.isEmpty else { return nil }
    return Mock(responses: responses, order: statuses.order, seed: seed)
}

/// A mock whose responses follow from its requests.
private func decodeCollection(_ fields: Fields, of route: Fields) -> Mock? {
    let path = route["path"]?.string.flatMap { try? PathPattern(parsing: $0) }?.withAllBelow
    let headers = decodeHeaders(fields)
    for header in headers where ["content-type", "etag", "location", "link"].contains(header.name.lowercased()) {
        fields.report(
            header.place, "\"\(header.name)\" beside \"collection\"", expected: "other fields: Shunt writes this one")
    }
    let (body, _) = decodeMockBody(
        fields, MockScope(path: .any, route: route), type: nil, fillsHeaders: false, collectionPath: path)
    let response = MockResponse(
        status: 200, headers: headers.map { ($0.name, $0.value) }, filledHeaders: [], body: body,
        delay: decodeDelay(fields))
    return Mock(responses: [response], order: .once, seed: decodeSeed(fields))
}

/// The responses of a mock that lists them.
private func decodeResponses(_ member: JSONMember, beside fields: Fields, _ scope: MockScope, _ seed: UInt64?) -> Mock?
{
    let reporter = fields.reporter
    for key in ["status", "headers", "json", "text", "file", "events", "webSocket", "grpc", "graphql", "template"] {
        guard let other = fields.member(key) else { continue }
        reporter.report(other, "\"\(key)\" beside \"responses\"", expected: "it in each of the responses")
    }
    let items = fields.array("responses")
    if member.value.array?.isEmpty == true {
        reporter.report(member.value, "\"responses\" is empty", expected: "at least one response")
    }
    let delay = decodeDelay(fields)
    var (responses, weights): ([MockResponse], [Double]) = ([], [])
    for item in items {
        guard let one = Fields(item, Mock.responseKeys, reporter) else { continue }
        let status = one["status"].map { decodeStatus($0, reporter) } ?? 200
        responses.append(decodeMockResponse(one, scope, status: status ?? 200, delay: decodeDelay(one) ?? delay))
        if let weight = one["weight"] { weights.append(decodeWeight(weight, reporter)) }
    }
    guard !responses.isEmpty else { return nil }
    if !weights.isEmpty, weights.count < responses.count {
        return reporter.refuse(
            member, "some of the responses have a \"weight\"", expected: "all of them or none to have one")
    }
    let order: MockOrder = weights.isEmpty ? decodeLoop(fields) : .weighted(weights)
    if let loop = fields.member("loop"), !weights.isEmpty { reportLoop(loop, reporter) }
    return Mock(responses: responses, order: order, seed: seed)
}

/// One response without its status: `fields` are those of the mock, or of one of its responses.
private func decodeMockResponse(_ fields: Fields, _ scope: MockScope, status: Int, delay: MockDelay?) -> MockResponse {
    let isTemplate = fields.bool("template") == true
    let given = decodeHeaders(fields)
    let filled = isTemplate ? given.filter { $0.value.contains("{{") && !isContentType($0.name) } : []
    var headers = given.filter { header in !filled.contains { $0.name == header.name && $0.value == header.value } }
        .map { (name: $0.name, value: $0.value) }
    if isTemplate, let type = given.first(where: { isContentType($0.name) && $0.value.contains("{{") }) {
        fields.report(
            type.place, "the Content-Type has a place to be filled", expected: "a fixed one",
            hint: "it says how what is filled into the body is escaped")
    }
    let parser = TemplateParser(path: scope.path, form: .plain)
    let filledHeaders = filled.compactMap { header in
        parser.template(header.value, at: header.place, fields.reporter).map { (name: header.name, value: $0) }
    }
    let (body, type) = decodeMockBody(
        fields, scope, type: headers.first { isContentType($0.name) }?.value, fillsHeaders: !filled.isEmpty)
    if let type, status == 204 || status == 304 {
        fields.report(
            fields.place, "a mock with status \(status) has a body (\(type))",
            expected: "none with 204 and 304 (RFC 9110)")
    }
    if let type, !headers.contains(where: { isContentType($0.name) }) {
        headers.append((name: "content-type", value: type))
    }
    return MockResponse(status: status, headers: headers, filledHeaders: filledHeaders, body: body, delay: delay)
}

private func isContentType(_ name: String) -> Bool { name.lowercased() == "content-type" }

/// The body with its media type, which is nil without a body.
///
/// - Parameters:
///   - type: the media type that the headers name.
///   - fillsHeaders: there are templates outside of the body.
///   - collectionPath: the path of a route with a collection.
private func decodeMockBody(
    _ fields: Fields, _ scope: MockScope, type: String?, fillsHeaders: Bool, collectionPath: PathPattern? = nil
) -> (body: MockBody, type: String?) {
    let given = ["json", "text", "file", "events", "webSocket", "grpc", "graphql", MockCollection.key].compactMap {
        fields.member($0)
    }
    if given.count > 1 {
        fields.report(given[1], "the mock has \"\(given[0].key)\" and \"\(given[1].key)\"", expected: "one of them")
    }
    if fields[MockCollection.key] != nil {
        return (MockCollection.decode(fields, at: collectionPath).map { .collection($0) } ?? .bytes([]), nil)
    }
    let isTemplate = fields.bool("template") == true
    if isTemplate, given.isEmpty, !fillsHeaders, let template = fields.member("template") {
        fields.reporter.report(
            template.keyPosition, "\"template\" without a body or a header to be filled",
            expected:
                "it beside \"json\", \"text\", \"file\", \"events\", \"webSocket\", \"grpc\" or \"headers\" with places like {{path.id}}"
        )
    }
    let parser = { (usual: String) in TemplateParser(path: scope.path, form: .of(type: type ?? usual)) }
    if let json = fields["json"] {
        let usual = "application/json"
        if isTemplate {
            let parser = TemplateParser(path: scope.path, form: .jsonText)
            return (.template(TemplateJSON.template(json, parser, fields.reporter)), usual)
        }
        return (.bytes(JSONWriter.bytes(of: json)), usual)
    }
    if let value = fields["text"], let text = fields.string("text") {
        let usual = "text/plain; charset=utf-8"
        guard isTemplate else { return (.bytes(Array(text.utf8)), usual) }
        let template = parser(usual).template(text, at: value.position, fields.reporter)
        return (.template(template ?? MockTemplate(parts: [])), usual)
    }
    if fields["events"] != nil {
        let events = fields.fields("events", MockEvents.keys).flatMap {
            ScriptDecoder(scope.path, fills: isTemplate, $0).events()
        }
        return (events.map { .events($0) } ?? .bytes([]), "text/event-stream")
    }
    if fields["webSocket"] != nil {
        if let status = fields.member("status") {
            fields.report(status, "\"status\" beside \"webSocket\"", expected: "none: a WebSocket begins with 101")
        }
        let conversation = fields.fields("webSocket", MockConversation.keys)
            .flatMap { ScriptDecoder(scope.path, fills: isTemplate, $0).conversation() }
        return (conversation.map { .webSocket($0) } ?? .bytes([]), nil)
    }
    if let value = fields["grpc"] {
        if let status = fields.member("status") {
            fields.report(status, "\"status\" beside \"grpc\"", expected: "the status of the call within \"grpc\"")
        }
        let call = fields.fields("grpc", MockCall.keys)
            .flatMap { MockCallDecoder($0, scope.path, fills: isTemplate, of: scope.route, at: value.position)?.call() }
        return (call.map { .call($0) } ?? .bytes([]), nil)
    }
    if fields["graphql"] != nil {
        let file = decodeMockFile(fields, "graphql", nil)
        if let file, let bytes = try? file.read() {
            do throws(MockFile.Failure) { _ = try file.schema(of: bytes) } catch {
                fields.report(
                    fields["graphql"], "the file \(file.name) \(error.reason)",
                    expected: "a document of types, or an introspection")
            }
        }
        let seed = UInt64(clamping: fields["seed"]?.number?.int64 ?? 1)
        return (file.map { .schema($0, seed: seed) } ?? .bytes([]), "application/json")
    }
    guard let name = fields["file"]?.string else {
        _ = fields.string("file")
        return (.bytes([]), nil)
    }
    let usual = MediaTypes.type(ofFile: name)
    let file = decodeMockFile(fields, "file", isTemplate ? parser(usual) : nil)
    return (file.map { .file($0) } ?? .bytes([]), usual)
}

func decodeMockFile(_ fields: Fields, _ key: String, _ template: TemplateParser?) -> MockFile? {
    guard let value = fields[key], let name = fields.string(key) else { return nil }
    guard let path = fields.reporter.readable(name, at: value.position, "the mock's file ") else { return nil }
    let file = MockFile(name: name, path: path, template: template)
    guard let template else { return file }
    // Of a file that cannot be read requests tell.
    guard let bytes = try? file.read() else { return file }
    let text = String(decoding: bytes, as: UTF8.self)
    do throws(TemplateParser.Failure) { _ = try template.parse(text) } catch {
        let (line, column) = MockFile.place(of: error.offset, in: text)
        let reporter = Reporter(file: path, problems: fields.reporter.problems)
        reporter.report(JSONPosition(offset: error.offset, line: line, column: column), error.refusal)
    }
    return file
}

/// The statuses of a mock that are responded in turn or by chance; none after a report.
private func decodeStatuses(_ fields: Fields) -> (all: [Int], order: MockOrder) {
    let reporter = fields.reporter
    guard let value = fields["status"] else { return ([200], decodeLoop(fields, hasSeveral: false)) }
    if let items = value.array {
        let statuses = items.compactMap { decodeStatus($0, reporter) }
        if items.isEmpty { reporter.report(value.position, "\"status\" is empty", expected: "at least one status") }
        return (statuses.count == items.count ? statuses : [], decodeLoop(fields))
    }
    guard let members = value.object else {
        return (decodeStatus(value, reporter).map { [$0] } ?? [], decodeLoop(fields, hasSeveral: false))
    }
    if let loop = fields.member("loop") { reportLoop(loop, reporter) }
    if members.isEmpty {
        reporter.report(value, "\"status\" is empty", expected: "statuses with weights like { \"200\": 9, \"503\": 1 }")
    }
    var (statuses, weights): ([Int], [Double]) = ([], [])
    for member in members {
        let weight = decodeWeight(member.value, reporter)
        guard let status = Int(member.key), (200...599).contains(status) else {
            reporter.report(member, "the status is \"\(member.key)\"", expected: "a whole number from 200 to 599")
            continue
        }
        statuses.append(status)
        weights.append(weight)
    }
    return (statuses, .weighted(weights))
}

private func decodeStatus(_ value: JSONValue, _ reporter: Reporter) -> Int? {
    if let status = value.number?.int64, (200...599).contains(status) { return Int(status) }
    let found = value.number?.text ?? value.kindName
    return reporter.refuse(value, "the status is \(found)", expected: "a whole number from 200 to 599")
}

private func decodeWeight(_ value: JSONValue, _ reporter: Reporter) -> Double {
    if let weight = Mock.weightKind.parse(value) { return weight }
    reporter.report(value, "the weight is \(spelling(value))", expected: Mock.weightKind.expected)
    return 1
}

/// - Parameter hasSeveral: there is something to begin again with.
private func decodeLoop(_ fields: Fields, hasSeveral: Bool = true) -> MockOrder {
    if let loop = fields.member("loop"), !hasSeveral {
        fields.report(loop, "\"loop\" beside one response", expected: "it beside several, like [503, 503, 200]")
    }
    return fields.bool("loop") == true ? .loop : .once
}

private func reportLoop(_ loop: JSONMember, _ reporter: Reporter) {
    reporter.report(loop, "\"loop\" beside weights", expected: "one of them", hint: "responses by chance have no order")
}

private func decodeSeed(_ fields: Fields) -> UInt64? {
    fields.member("seed").flatMap { ValueKind<UInt64>.seed.read($0, fields) }
}

private func decodeHeaders(_ fields: Fields) -> [(name: String, value: String, place: JSONPosition)] {
    var headers: [(name: String, value: String, place: JSONPosition)] = []
    for member in fields.object("headers") {
        guard isToken(member.key) else {
            fields.report(member, "\"\(member.key)\" is no field name", expected: "a name like Cache-Control")
            continue
        }
        if framing.contains(member.key.lowercased()) {
            fields.report(
                member, "the mock sets \"\(member.key)\"", expected: "no framing fields",
                hint: "Shunt sets them to fit the body and the connection")
            continue
        }
        for item in member.value.array ?? [member.value] {
            guard let text = item.string, isFieldValue(text) else {
                fields.report(
                    item, "the value of \"\(member.key)\" cannot be sent",
                    expected: "a string without control characters, or an array of them")
                continue
            }
            headers.append((name: member.key, value: text, place: item.position))
        }
    }
    return headers
}

/// RFC 9110, 5.6.2.
func isToken(_ text: String) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
}

/// RFC 9110, 5.5: no control characters, no space at the ends; UTF-8 is let through.
func isFieldValue(_ text: String) -> Bool {
    let bytes = text.utf8
    let isBlank: (UInt8?) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    return bytes.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 } && !isBlank(bytes.first)
        && !isBlank(bytes.last)
}
