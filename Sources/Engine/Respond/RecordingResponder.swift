import Bytes
import Exchanges
import HTTP
import Platform
import Profiles
import Recordings
import Redaction
import Rewriting
import Synchronization

/// Responds with what was recorded.
final class RecordingResponder: RouteResponder {
    /// Longer bodies of requests are not compared.
    private static let maxComparedBody = 8 << 20
    /// Responses that are kept ready, in bytes.
    private static let maxReady = 8 << 20
    private static let maxReadyBody = 64 << 10
    /// Entries that are sorted at once, when the first request without one comes.
    private static let manyEntries = 1000

    private let settings: RecordingSettings
    private let answeredBy: [UInt8]
    private let cors: CORSRules?
    /// Responds to what was not recorded.
    private let rest: RoutePlan?
    private let record: MockRecord
    /// Replaces the secrets of requests, where those of the recording are replaced.
    private let redactor: Redactor?
    /// Of the origin in whose place it responds; nil where bodies stay as they are.
    private let addresses: AddressMap?
    /// nil where the recording decides what clients store.
    private let cache: CacheRules?
    private let ready = Mutex<(responses: [Int: LocalResponse], bytes: Int)>(([:], 0))

    private init(
        _ settings: RecordingSettings, _ route: Route, _ record: MockRecord, answeredBy: [UInt8], rest: RoutePlan?,
        secrets: ProfileRedaction?, cache: CacheRules?
    ) {
        self.settings = settings
        self.record = record
        self.cache = cache
        self.answeredBy = answeredBy
        self.rest = rest
        cors = route.cors.map { CORSRules($0) }
        addresses = settings.origin.map { AddressMap(own: OriginName($0), others: []) }
        // Digests are not compared, so that any key will do.
        redactor =
            settings.index.hasMarks
            ? Redactor(key: [UInt8](repeating: 0, count: 32), rules: secrets?.rules ?? RedactionRules()) : nil
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> RecordingResponder? {
        guard let settings = route.recording else { return nil }
        let rest =
            route.first as? RecordingSettings == nil
            ? nil : try compiler.plan(route.withoutFirst, in: profile, compiler.scenarios(of: profile))
        return RecordingResponder(
            settings, route, compiler.record(of: route) ?? MockRecord(),
            answeredBy: RoutePlan.answeredBy(route, in: profile, more: "; recording=\(settings.name)"), rest: rest,
            secrets: compiler.secrets(of: profile), cache: CacheRules(route, in: profile))
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        var asked = asked(exchange)
        // What was not recorded is not held for it: the client may wait for the response before it sends more.
        if settings.index.comparesBody(of: asked) {
            try await exchange.body.buffer(max: Self.maxComparedBody, exchange.recording)
            if exchange.request.head.framing != .none {
                asked.body = exchange.body.isBuffered ? exchange.body.buffered?.bytes : nil
            }
        }
        switch try await find(asked, exchange) {
        case .response(let response, let entry):
            let isShort = response.body.count <= Self.maxReadyBody
            let memory = try isShort ? nil : exchange.memory(of: response.body.count)
            defer { withExtendedLifetime(memory) {} }
            try await send(response, entry, in: exchange, step)
        case .webSocket(let replay, let entry):
            exchange.metrics.willRespond(as: "recording")
            await replay.run(in: exchange, answeredBy: exchange.answeredBy(answeredBy(entry)))
        case .spent(let failure):
            guard let rest else { throw failure }
            try await exchange.respond(by: rest, step)
        case .miss(let asked):
            guard let rest else { throw try await miss(asked, exchange) }
            try await exchange.respond(by: rest, step)
        }
    }

    private enum Found: Sendable {
        case response(LocalResponse, entry: Int)
        case webSocket(WebSocketReplay, entry: Int)
        case spent(EngineFailure)
        case miss(AskedRequest)
    }

    private func find(_ asked: AskedRequest, _ exchange: ClientExchange) async throws(EngineFailure) -> Found {
        let body = asked.body ?? []
        let memory = try body.isEmpty ? nil : exchange.memory(ofTreeOf: body)
        defer { withExtendedLifetime(memory) {} }
        let found = try await exchange.perform(size: max(body.count, settings.index.work(for: asked))) { [self] in
            Result { () throws(EngineFailure) in try find(redacted(asked)) }
        }
        return try found.get()
    }

    /// The same with the secrets of its body replaced.
    private func redacted(_ asked: AskedRequest) -> AskedRequest {
        guard let redactor, let bytes = asked.body, !bytes.isEmpty else { return asked }
        var asked = asked
        var redaction = redactor.body(contentType: asked.type)
        asked.body = redaction.redact(bytes) + redaction.finish()
        return asked
    }

    private func find(_ asked: AskedRequest) throws(EngineFailure) -> Found {
        let index = settings.index
        do throws(RecordingFailure) {
            guard let group = try index.find(asked) else { return .miss(asked) }
            var turn = 0
            if group.entries.count > 1 {
                turn = settings.use?.takeTurn(of: group) ?? record.takeTurn(ofGroup: group.id)
                if turn >= group.entries.count, settings.after == .error { return .spent(spent(group, turn)) }
            }
            let entry = group.entries[min(turn, group.entries.count - 1)]
            settings.use?.didRespond(with: entry)
            if index.file.isWebSocket(entry) {
                return .webSocket(
                    WebSocketReplay(
                        messages: try index.file.messages(entry),
                        subprotocol: try index.file.webSocketProtocol(entry), isTimed: settings.timing == .recorded,
                        started: index.file.started(entry)), entry: entry)
            }
            return .response(try response(entry), entry: entry)
        } catch {
            throw EngineFailure(
                .proxy, .route, status: 500, "the recording \(settings.name) \(error.text)",
                advice: "`shunt recordings show \(settings.name)` lists its entries.")
        }
    }

    /// The request as it is compared, without its body.
    private func asked(_ exchange: ClientExchange) -> AskedRequest {
        let view = RequestView(exchange.client, exchange.request, scenarios: nil)
        let rules = settings.index.rules
        let head = exchange.request.head
        var target = String(exchange.headBytes.extracting(head.pathAndQuery))
        if !target.hasPrefix("/") { target = "/" + target }
        var fields = rules.headers.flatMap { name in view.fields(name).map { (name: name, value: $0) } }
        let type = head.field(.contentType).map { String(exchange.headBytes.extracting($0.value)) } ?? ""
        if let redactor {
            // A target by itself is read in the same way as within a URL.
            target = redactor.redact(url: target)
            fields = fields.map { field in
                let line = redactor.redact(fields: Array("\(field.name): \(field.value)\r\n".utf8))
                return (
                    field.name, String(decoding: line.dropFirst(field.name.utf8.count + 2).dropLast(2), as: UTF8.self)
                )
            }
        }
        return AskedRequest(
            method: exchange.asksForWebSocket ? AskedRequest.webSocket : view.method, authority: view.meantHost,
            target: target, type: type, body: head.framing == .none ? [] : nil, fields: fields)
    }

    @inline(never)
    private func miss(_ asked: AskedRequest, _ exchange: ClientExchange) async throws(EngineFailure) -> EngineFailure {
        let index = settings.index
        let size = index.file.count > Self.manyEntries ? .max : 16 * exchange.headBytes.count + (asked.body?.count ?? 0)
        let nearest = try await exchange.perform(size: size) { index.nearest(to: asked) }
        return EngineFailure(
            .client, .route, status: 404,
            "the recording \(settings.name) has no response to this request; \(nearest)",
            advice: "Record the request, or name what may differ under \"ignore\" of the route.")
    }

    @inline(never)
    private func spent(_ group: RecordingIndex.Group, _ turn: Int) -> EngineFailure {
        EngineFailure(
            .client, .route, status: 404,
            "the recording \(settings.name) has \(group.entries.count) responses to this request, which came "
                + "\(turn + 1) times",
            advice: "\"after\": \"last\" repeats the last one; `shunt mocks reset` begins anew.")
    }

    /// The same with the client's addresses in the body, where the origin's are rewritten.
    private func rewritten(
        _ response: LocalResponse, in exchange: ClientExchange
    ) async throws(EngineFailure) -> LocalResponse {
        guard let addresses, !exchange.request.head.authority.isEmpty,
            let type = FieldLines.values(of: "content-type", in: response.fields).first.map({ Array($0.utf8) })
        else { return response }
        let head = exchange.headBytes
        let (authority, client) = (exchange.request.head.authority.map { head[$0] }, exchange.clientName)
        let body = try await exchange.perform(size: response.body.count) {
            BodyRewriter.make(
                contentType: type.span, contentEncoding: [UInt8]().span, map: addresses, authority: authority,
                client: client)?.whole(response.body)
        }
        return body.map { LocalResponse(response, body: $0) } ?? response
    }

    private func recordedDate(_ entry: Int) -> Int64? {
        let file = settings.index.file
        return (try? file.responseFields(file.entries[entry])).flatMap {
            RecordedDates.recorded($0, started: file.started(entry))
        }
    }

    private func response(_ entry: Int) throws(RecordingFailure) -> LocalResponse {
        if let known = ready.withLock({ $0.responses[entry] }) { return known }
        let recorded = try settings.index.file.response(entry)
        var (fields, body) = (recorded.fields, recorded.body)
        if let use = settings.use {
            fields = fields.map { ($0.name, String(decoding: use.moved(Array($0.value.utf8)), as: UTF8.self)) }
            if recorded.isText { body = use.moved(body) }
        }
        let response = LocalResponse(
            status: recorded.status, headers: fields, body: body,
            dropping: cors == nil ? [] : CORSRules.responseNames
        ).marked(by: cache)
        if response.body.count <= Self.maxReadyBody {
            let size = response.body.count + response.fields.count
            ready.withLock { ready in
                if ready.bytes + size > Self.maxReady { ready = ([:], 0) }
                ready.responses[entry] = response
                ready.bytes += size
            }
        }
        return response
    }

    private func send(
        _ response: LocalResponse, _ entry: Int, in exchange: ClientExchange, _ step: ChainStep?
    ) async throws(EngineFailure) {
        if let fallback = step?.fallback, fallback.statuses.contains(response.status) {
            throw EngineFailure(
                .origin, .wait, status: response.status, "the recording responded \(response.status)", kind: .declined)
        }
        var response = try await rewritten(response, in: exchange)
        if settings.dates == .now, let recorded = recordedDate(entry) {
            let fields = RecordedDates.moved(response.fields, by: wallClock() / 1_000_000 - recorded)
            response = LocalResponse(response, fields: fields)
        }
        exchange.metrics.willRespond(as: "recording")
        if let buffered = exchange.body.buffered { exchange.metrics.bytes.request = UInt64(buffered.bytes.count) }
        let readers = response.namesReaders ? nil : exchange.request.cors ?? cors
        let extra = exchange.answeredBy(answeredBy(entry)) + (readers.map { exchange.corsFields($0) } ?? [])
        guard settings.timing == .recorded else { return await exchange.respond(response, extra: extra) }
        try await exchange.wait(RecordedPace.pause(settings.index.file.times(entry).wait))
        await exchange.respond(response, extra: extra, pieces: pieces(of: response.body, entry))
    }

    private func answeredBy(_ entry: Int) -> [UInt8] {
        Array(answeredBy.dropLast(2)) + Array("; entry=\(entry + 1)\r\n".utf8)
    }

    /// The body's parts in their times.
    private func pieces(of body: [UInt8], _ entry: Int) -> [PacedPiece] {
        let (file, times) = (settings.index.file, settings.index.file.times(entry))
        let begin: Int64 = UntrustedNumber(file.started(entry)).plus(UntrustedNumber(times.wait)).clamped()
        let pace =
            (try? file.messages(entry)).flatMap { RecordedPace(events: body, $0, begin: begin) }
            ?? RecordedPace(count: body.count, receive: times.receive)
        var at = 0
        return pace.parts.map { part in
            defer { at = part.end }
            return PacedPiece(wait: part.wait, bytes: body[at..<part.end])
        }
    }
}
