import JSON

/// A response that a document of OpenAPI describes, to be given by a mock.
public struct ContractMock: Sendable {
    public let method: String
    /// For a route: `{name}` where a segment is nothing but a name, `*` where it has more.
    public let path: String
    public let status: Int
    public let mediaType: String?
    public let body: [UInt8]
    /// What a request has to say in its field Prefer (RFC 7240) to get it; nil for the operation's first response.
    public let preference: String?
    /// What is wrong with its body by its schema, which the document's own examples may break.
    public let problem: String?
}

extension APIContract {
    /// For each operation its first good response, and one for each other status and each example that has a name.
    public func mocks(seed: UInt64) -> [ContractMock] {
        items.flatMap { item in
            item.operations.flatMap { mocks(operations[$0], item.base, seed) }
        }
    }

    private func mocks(_ operation: Operation, _ base: String, _ seed: UInt64) -> [ContractMock] {
        var mocks: [ContractMock] = []
        let first = operation.responses.first { $0.status.hasPrefix("2") } ?? operation.responses.first
        for response in [first].compactMap(\.self) + operation.responses.filter({ $0.status != first?.status }) {
            guard let status = Self.status(response.status, isFirst: response.status == first?.status) else { continue }
            let content = response.contents.first { MediaRange.isJSON($0.type) } ?? response.contents.first
            func mock(_ preference: String?, _ example: JSONValue?) -> ContractMock {
                let (body, problem) = body(content, example, seed)
                return ContractMock(
                    method: operation.method, path: Self.routePath(base + operation.path), status: status,
                    mediaType: content.map { $0.type.contains("*") ? "text/plain" : $0.type }, body: body,
                    preference: preference, problem: problem)
            }
            if mocks.isEmpty { mocks.append(mock(nil, content?.examples.first?.value.value)) }
            mocks.append(mock("code=\(status)", content?.examples.first?.value.value))
            for (name, example) in content?.examples ?? [] where !name.isEmpty {
                let preference = "example=\(name)"
                if !mocks.contains(where: { $0.preference == preference }) {
                    mocks.append(mock(preference, example.value))
                }
            }
        }
        return mocks
    }

    /// A status of a range; nil where a mock cannot have it.
    private static func status(_ text: String, isFirst: Bool) -> Int? {
        if text == "default" { return isFirst ? 200 : nil }
        guard let status = text.hasSuffix("XX") ? Int(text.prefix(1) + "00") : Int(text), (200...599).contains(status)
        else { return nil }
        return status
    }

    private static func routePath(_ template: String) -> String {
        template.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            guard segment.contains("{") else { return segment }
            let inner = segment.dropFirst().dropLast()
            let isName =
                segment.hasPrefix("{") && segment.hasSuffix("}") && inner.first?.isLetter == true
                && inner.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x5F || $0 == 0x2D }
            return isName ? segment : "*"
        }.joined(separator: "/")
    }

    private func body(_ content: Content?, _ example: JSONValue?, _ seed: UInt64) -> ([UInt8], String?) {
        guard let content else { return ([], nil) }
        guard MediaRange.isJSON(content.type) else { return (Array((example?.string ?? "text\n").utf8), nil) }
        var value = example
        if value == nil, let schema = content.schema {
            var sample = SchemaSample(graph, direction: .response, seed: seed)
            value = sample.value(of: schema)
        }
        guard let value else { return (Array("{}\n".utf8), nil) }
        var writer = JSONWriter(style: .pretty)
        writer.value(value)
        var problem: String?
        if let schema = content.schema, let tape = try? JSONTape(writer.bytes) {
            let failure = Schema(graph, node: schema).failures(of: tape, direction: .response).first
            problem = failure.map { "\($0.text) (\($0.rule))" }
        }
        return (writer.bytes + [0x0A], problem)
    }
}
