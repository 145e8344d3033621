import JSON
import Protobuf

/// Reads what a mock has under `grpc`.
struct MockCallDecoder {
    private static let maxMessages = 10_000

    private let fields: Fields
    private let path: PathPattern
    private let fills: Bool
    private let method: ProtobufMethod
    private let settings: GRPCSettings
    private var schema: ProtobufSchema { settings.schema }
    private var reporter: Reporter { fields.reporter }

    /// Nil after a report.
    init?(_ fields: Fields, _ path: PathPattern, fills: Bool, of route: Fields, at place: JSONPosition) {
        guard let (method, settings) = decodeMethod(of: route, for: "a mock of a gRPC call", at: place) else {
            return nil
        }
        (self.fields, self.path, self.fills) = (fields, path, fills)
        (self.method, self.settings) = (method, settings)
    }

    /// Nil after a report.
    func call() -> MockCall? {
        guard settings.isKnown else { return .unknown(settings) }
        guard let input = schema.type(of: method, isRequest: true),
            let type = schema.type(of: method, isRequest: false),
            let status = status()
        else { return nil }
        let messages = messages(type)
        // As the file has them: what is wrong with one is told there.
        let count = fields["messages"].map { $0.array?.count ?? 0 } ?? (fields["message"] == nil ? 0 : 1)
        if count != 1, !method.streamsResponses, status == 0 || count > 1 {
            reporter.report(
                fields.place, "\(count) messages for \(method.name), which is \(method.kind)",
                expected: "one \"message\", or a \"status\" that is not OK")
        }
        let error = fields.string("error") ?? ""
        if status == 0, let member = fields.member("error") ?? fields.member("details") {
            reporter.report(
                member, "\"\(member.key)\" of a call whose status is OK",
                expected: "a \"status\" like \"NOT_FOUND\" beside it")
        }
        let details = details(status, error)
        return MockCall(
            method: method, messages: messages, input: input, type: type,
            trailers: GRPC.trailers(status: status, message: error, details: details), status: status)
    }

    private func status() -> Int? {
        guard let value = fields["status"] else { return 0 }
        if let name = value.string, let number = GRPC.statuses.firstIndex(of: name) { return number }
        if let number = value.number?.int64, GRPC.statuses.indices.contains(Int(clamping: number)) {
            return Int(clamping: number)
        }
        return reporter.refuse(
            value, "\(spelling(value)) is no status of gRPC",
            expected: "one of \(GRPC.statuses.joined(separator: ", ")), or 0 to 16")
    }

    private func messages(_ type: ProtobufType) -> [MockCall.Message] {
        if let several = fields.member("messages") {
            if let one = fields.member("message") {
                reporter.report(one, "the mock has \"message\" and \"messages\"", expected: "one of them")
            }
            let items = fields.array("messages")
            if items.isEmpty, several.value.array != nil {
                reporter.report(several.value, "\"messages\" is empty", expected: "at least one message")
            }
            if items.count > Self.maxMessages {
                reporter.report(
                    items[Self.maxMessages], "\"messages\" has \(items.count) messages",
                    expected: "at most \(Self.maxMessages)")
            }
            return items.prefix(Self.maxMessages).compactMap { item in
                guard let one = Fields(item, MockCall.messageKeys, reporter) else { return nil }
                guard let value = one["message"] else {
                    return reporter.refuse(
                        one.place, "a message without \"message\"", expected: one.expected(of: "message"))
                }
                return content(value, type).map { MockCall.Message(delay: decodeDelay(one), content: $0) }
            }
        }
        guard let value = fields["message"] else { return [] }
        return content(value, type).map { [MockCall.Message(delay: nil, content: $0)] } ?? []
    }

    private func content(_ value: JSONValue, _ type: ProtobufType) -> MockCall.Content? {
        if fills {
            let parser = TemplateParser(path: path, form: .jsonText)
            return .template(TemplateJSON.template(value, parser, reporter))
        }
        return bytes(value, type).map { .bytes(GRPC.frame($0)) }
    }

    private func bytes(_ value: JSONValue, _ type: ProtobufType) -> [UInt8]? {
        reporter.reading { () throws(JSONFailure) in try type.bytes(of: value) }
    }

    /// A `google.rpc.Status`, whose fields are the code, the message and the details.
    private func details(_ status: Int, _ error: String) -> [UInt8] {
        let items = fields.array("details")
        guard !items.isEmpty else { return [] }
        var writer = ProtobufWriter()
        writer.varint(1, UInt64(clamping: status))
        if !error.isEmpty { writer.text(2, error) }
        for item in items {
            guard let detail = detail(item) else { continue }
            writer.data(3, detail)
        }
        return writer.bytes
    }

    private func detail(_ item: JSONValue) -> [UInt8]? {
        reporter.reading { () throws(JSONFailure) in try schema.any(item) }
    }
}
