public import JSON

/// A fixed response.
public struct Mock: Sendable {
    public let status: Int
    /// In the order of the file; `content-type` is there whenever there is a body, framing fields never are.
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]
}

extension Mock: LocalSettings {
    public static var key: String { "mock" }

    public var summary: String { "mock: \(status), \(body.count) bytes" }

    public var fingerprint: String { "\(status) \(headers) \(body)" }

    public func writeMembers(to writer: inout JSONWriter) {
        writer.object("mock") {
            $0.member("status", status)
            $0.member("bytes", body.count)
        }
    }
}

extension Mock: LocalSettingsDecoding {
    static var routeKeys: [String] { [key] }

    static var schema: String { ##""mock": { "$ref": "#/$defs/mock" }"## }

    static func decode(_ route: Fields) -> Mock? { route["mock"].flatMap { decodeMock($0, route.reporter) } }
}

/// Fields that say how the response is framed, which Shunt decides.
private let framing = ["content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "trailer", "te"]

private func decodeMock(_ value: JSONValue, _ reporter: Reporter) -> Mock? {
    guard let fields = Fields(value, "a mock", keys: ProfileKeys.mock, reporter) else { return nil }
    let status = decodeStatus(fields)
    var headers = decodeHeaders(fields)
    var body: [UInt8] = []
    var type: String?
    if let json = fields["json"] {
        var writer = JSONWriter()
        writer.value(json)
        body = writer.bytes
        type = "application/json"
        if let text = fields.member("text") {
            reporter.report(text.keyPosition, "the mock has \"json\" and \"text\"", expected: "one of them")
        }
    } else if let text = fields.string("text") {
        body = Array(text.utf8)
        type = "text/plain; charset=utf-8"
    }
    if let type, let status, status == 204 || status == 304 {
        reporter.report(
            fields.place, "a mock with status \(status) has a body (\(type))",
            expected: "none with 204 and 304 (RFC 9110)")
    }
    if let type, !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
        headers.append((name: "content-type", value: type))
    }
    return Mock(status: status ?? 200, headers: headers, body: body)
}

private func decodeStatus(_ fields: Fields) -> Int? {
    guard let value = fields["status"] else { return 200 }
    if let status = value.number?.int64, (200...599).contains(status) { return Int(status) }
    let found = value.number?.text ?? value.kindName
    fields.reporter.report(value.position, "the status is \(found)", expected: "a whole number from 200 to 599")
    return nil
}

private func decodeHeaders(_ fields: Fields) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    for member in fields.object("headers", expected: "an object like { \"Cache-Control\": \"no-store\" }") {
        guard isToken(member.key) else {
            fields.reporter.report(
                member.keyPosition, "\"\(member.key)\" is no field name", expected: "a name like Cache-Control")
            continue
        }
        if framing.contains(member.key.lowercased()) {
            fields.reporter.report(
                member.keyPosition, "the mock sets \"\(member.key)\"", expected: "no framing fields",
                hint: "Shunt sets them to fit the body and the connection")
            continue
        }
        for item in member.value.array ?? [member.value] {
            guard let text = item.string, isFieldValue(text) else {
                fields.reporter.report(
                    item.position, "the value of \"\(member.key)\" cannot be sent",
                    expected: "a string without control characters, or an array of them")
                continue
            }
            headers.append((name: member.key, value: text))
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
