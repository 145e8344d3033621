import Bytes
import GraphQL
import HTTP
import JSON
import Profiles
import Rewriting

/// A response of a mock, made ready to be sent.
final class PreparedMock: Sendable {
    /// What is sent instead of the head's own body.
    private enum Source {
        case none
        case template(MockTemplate)
        case file(MockFileReading<MockFileBody>)
        case schema(MockFileReading<GraphQLSchema>, seed: UInt64)
        case events(MockEvents)
        case webSocket(PreparedConversation)
        case collection(PreparedCollection)
        case call(MockCall)
    }

    /// Without its body, where that is made for each request.
    let head: LocalResponse
    let delay: MockDelay?
    private let source: Source
    /// Fields that are made for each request.
    private let fields: [(name: String, value: MockTemplate)]
    /// Marks fields that are made for each request; nil where there is nothing to mark.
    private let cache: CacheRules?

    /// - Parameters:
    ///   - names: fields that a step writes.
    ///   - owner: of the items of a collection.
    init(
        _ response: MockResponse, dropping names: FieldNameSet, _ cache: CacheRules?, _ owner: PreparedCollection.Owner
    ) {
        delay = response.delay
        var bytes: [UInt8] = []
        switch response.body {
        case .bytes(let all): (bytes, source) = (all, .none)
        case .template(let template): source = .template(template)
        case .file(let file): source = .file(MockFileReading(file))
        case .schema(let file, let seed):
            source = .schema(
                MockFileReading(file) { (bytes) throws(MockFile.Failure) in try file.schema(of: bytes) }, seed: seed)
        case .events(let events): source = .events(events)
        case .webSocket(let conversation): source = .webSocket(PreparedConversation(conversation))
        case .collection(let collection): source = .collection(PreparedCollection(collection, owner))
        case .call(let call): source = .call(call)
        }
        let head = LocalResponse(response, body: bytes, dropping: names)
        fields = response.filledHeaders.filter { LocalResponse.isKept($0.name, dropping: names) }
        self.cache = fields.isEmpty ? nil : cache
        self.head = fields.isEmpty ? head.marked(by: cache) : head
    }

    /// Every request gets the same at once.
    var isPlain: Bool {
        if case .none = source { return delay == nil && fields.isEmpty }
        return false
    }

    var isStream: Bool { events != nil || conversation != nil || call != nil }

    /// What follows the head as a stream; nil where there is a body as usual.
    var events: MockEvents? { if case .events(let events) = source { events } else { nil } }
    var call: MockCall? { if case .call(let call) = source { call } else { nil } }
    var conversation: PreparedConversation? {
        if case .webSocket(let conversation) = source { conversation } else { nil }
    }

    /// - Parameter time: what templates take for it; nil for the clock's.
    func response(
        in exchange: ClientExchange, turn: UInt64, _ chance: MockChance, _ time: Int64?
    ) async throws(EngineFailure) -> LocalResponse {
        var (response, template): (LocalResponse, MockTemplate?) = (head, nil)
        switch source {
        case .none, .events, .webSocket, .call: break
        case .collection(let collection): return try await collection.response(in: exchange, head)
        case .template(let own): template = own
        case .file(let file):
            let known = try await file.content(for: exchange)
            (response.body, template) = (known.bytes, known.template)
        case .schema(let file, let seed):
            response.body = try await Self.sample(file.content(for: exchange), seed, exchange)
        }
        let needsBody =
            template?.needsBody == true || events?.needsBody == true || call?.needsBody == true
            || fields.contains { $0.value.needsBody }
        if needsBody, !exchange.request.lookahead.isBodyRead {
            let ahead = BodyAhead(exchange: exchange)
            if let call { try await ahead.readMessage(call.input) } else { try await ahead.readJSON() }
        }
        guard template != nil || !fields.isEmpty else { return response }
        var renderer = TemplateRenderer(exchange, turn: turn, chance, time)
        if let template { response.body = renderer.render(template) }
        for field in fields {
            response.fields += "\(field.name): ".utf8
            response.fields += Self.fieldValue(renderer.render(field.value)) + [0x0D, 0x0A]
        }
        return response.marked(by: cache)
    }

    /// The response to the calls of a request by a schema, made on another thread, since it may have many values.
    private static func sample(
        _ schema: GraphQLSchema, _ seed: UInt64, _ exchange: ClientExchange
    ) async throws(EngineFailure) -> [UInt8] {
        if !exchange.request.lookahead.isBodyRead { try await BodyAhead(exchange: exchange).readJSON() }
        let view = RequestView(exchange.client, exchange.request, scenarios: nil)
        let (calls, isBatch) = (view.calls, view.json?.array != nil)
        return try await exchange.body.perform(size: .max) {
            GraphQLSample(schema, seed: seed).response(to: calls, isBatch: isBatch)
        }
    }

    /// Without what would end the field, or is not allowed in it (RFC 9110 5.5).
    private static func fieldValue(_ bytes: [UInt8]) -> [UInt8] {
        var value = bytes.filter { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }[...]
        while let first = value.first, ByteSearch.isBlank(first) { value.removeFirst() }
        while let last = value.last, ByteSearch.isBlank(last) { value.removeLast() }
        return Array(value)
    }
}
