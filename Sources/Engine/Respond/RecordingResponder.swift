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
    private let route: Route
    private let answeredBy: [UInt8]
    /// Without the addresses of an origin.
    private let rewriting: RewriteRules.Settings
    /// Responds to what was not recorded.
    private let rest: RoutePlan?
    private let record: MockRecord
    /// Replaces the secrets of requests, where those of the recording are replaced.
    private let redactor: Redactor?
    /// Of the origin in whose place it responds; nil where it is that of the recorded URL.
    private let bodyMap: AddressMap?
    /// nil where the recording decides what clients store.
    private let cache: CacheRules?
    private let ready = Mutex<(responses: [Int: RecordedMessage], bytes: Int)>(([:], 0))
    private let origins = Mutex<[OriginName: Origin]>([:])

    /// An origin of recorded responses.
    private struct Origin {
        let plan: OriginPlan
        let rules: RewriteRules
        let map: AddressMap
    }

    private init(
        _ settings: RecordingSettings, of route: Route, in profile: Profile, rest: RoutePlan?,
        _ compiler: EnvironmentCompiler
    ) {
        (self.settings, self.route, self.rest) = (settings, route, rest)
        record = compiler.record(of: route) ?? MockRecord()
        rewriting = compiler.rewriting(of: route, in: profile)
        cache = CacheRules(route, in: profile)
        answeredBy = RoutePlan.answeredBy(route, in: profile, more: "; recording=\(settings.name)")
        bodyMap = settings.origin.map { AddressMap(own: OriginName($0), others: []) }
        // Digests are not compared, so that any key will do.
        let rules = compiler.secrets(of: profile)?.rules ?? RedactionRules()
        redactor =
            settings.index.hasMarks ? Redactor(key: [UInt8](repeating: 0, count: 32), rules: rules) : nil
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> RecordingResponder? {
        guard let settings = route.recording else { return nil }
        let rest =
            route.first as? RecordingSettings == nil
            ? nil : try compiler.plan(route.withoutFirst, in: profile, compiler.mocks.scenarios(of: profile))
        return RecordingResponder(settings, of: route, in: profile, rest: rest, compiler)
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
        case .response(let found, let whole):
            guard let message = choose(found, whole, exchange) else {
                guard let rest else { throw unfit(found) }
                return try await exchange.respond(by: rest, step)
            }
            let isShort = message.body.count <= Self.maxReadyBody
            // Once here, and once in the connection that plays the origin.
            let memory = try isShort ? nil : exchange.state.held.memory(of: 2 * message.body.count)
            defer { withExtendedLifetime(memory) {} }
            try await send(message, in: exchange, step)
        case .webSocket(let replay, let entry):
            exchange.metrics.willRespond(as: "recording")
            await replay.run(in: exchange, answeredBy: exchange.answeredBy(answeredBy(entry)))
        case .spent(let failure), .withheld(let failure):
            guard let rest else { throw failure }
            try await exchange.respond(by: rest, step)
        case .miss(let asked):
            guard let rest else { throw try await miss(asked, exchange) }
            try await exchange.respond(by: rest, step)
        }
    }

    private enum Found: Sendable {
        /// `whole` is what responds where the first one stands for a body that the client does not have.
        case response(RecordedMessage, whole: RecordedMessage?)
        case webSocket(WebSocketReplay, entry: Int)
        case spent(EngineFailure)
        case withheld(EngineFailure)
        case miss(AskedRequest)
    }

    /// The response that a request can be given; nil where none of those that were recorded fits.
    private func choose(
        _ found: RecordedMessage, _ whole: RecordedMessage?, _ exchange: ClientExchange
    ) -> RecordedMessage? {
        let head = exchange.request.head
        let isUsable = found.status != 304 || found.isKnown(to: head, exchange.headBytes, cache)
        guard let message = isUsable ? found : whole else { return nil }
        return message.lacksContent && head.method != .head ? nil : message
    }

    private func find(_ asked: AskedRequest, _ exchange: ClientExchange) async throws(EngineFailure) -> Found {
        let body = asked.body ?? []
        let memory = try body.isEmpty ? nil : exchange.state.held.memory(ofTreeOf: body)
        defer { withExtendedLifetime(memory) {} }
        let record = exchange.request.session?.record(of: route) ?? record
        let found = try await exchange.body.perform(size: max(body.count, settings.index.work(for: asked))) { [self] in
            Result { () throws(EngineFailure) in try find(redacted(asked), record) }
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

    private func find(_ asked: AskedRequest, _ record: MockRecord) throws(EngineFailure) -> Found {
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
                        started: index.file.started(entry), end: settings.end), entry: entry)
            }
            if try index.file.isWithheld(entry) { return .withheld(withheld(entry)) }
            var whole: RecordedMessage?
            if index.file.isConditional(entry) {
                // The body that a 304 stands for came before it, if it was recorded.
                let place = min(turn, group.entries.count - 1)
                let others = Array(group.entries[..<place].reversed()) + Array(group.entries[place...])
                if let other = others.first(where: { !index.file.isConditional($0) }) { whole = try message(other) }
            }
            return .response(try message(entry), whole: whole)
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
        var target = exchange.request.text(head.pathAndQuery)
        if !target.hasPrefix("/") { target = "/" + target }
        var fields = rules.headers.flatMap { name in view.fields(name).map { (name: name, value: $0) } }
        let type = head.field(.contentType).map { exchange.request.text($0.value) } ?? ""
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
            method: exchange.request.upgrade.isWebSocket ? AskedRequest.webSocket : view.method,
            authority: view.meantHost,
            target: target, type: type, body: head.framing == .none ? [] : nil, fields: fields,
            range: head.field(.range).map { exchange.request.text($0.value) })
    }

    @inline(never)
    private func miss(_ asked: AskedRequest, _ exchange: ClientExchange) async throws(EngineFailure) -> EngineFailure {
        let index = settings.index
        let size = index.file.count > Self.manyEntries ? .max : 16 * exchange.headBytes.count + (asked.body?.count ?? 0)
        let nearest = try await exchange.body.perform(size: size) { index.nearest(to: asked) }
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

    @inline(never)
    private func withheld(_ entry: Int) -> EngineFailure {
        EngineFailure(
            .client, .route, status: 404,
            "the recording \(settings.name) has for this request only entry \(entry + 1), without its body: of a text in "
                + "parts no part but the first is recorded, since a secret may begin before it",
            advice: "Record a request without Range: its response is sent to requests for parts, too.")
    }

    private func unfit(_ message: RecordedMessage) -> EngineFailure {
        let what =
            message.status == 304
            ? "304 Not Modified, and the body that it stands for was not recorded"
            : "the response to a HEAD, without the body that a GET gets"
        return EngineFailure(
            .client, .route, status: 404,
            "the recording \(settings.name) has for this request only entry \(message.entry + 1): \(what)",
            advice: message.status == 304
                ? "Record it again with an empty cache: a client that has the response asks whether it has changed."
                : "Record the GET.")
    }

    private func recordedDate(_ entry: Int) -> Int64? {
        let file = settings.index.file
        return (try? file.responseFields(file.entries[entry])).flatMap {
            RecordedDates.recorded($0, started: file.started(entry))
        }
    }

    private func message(_ entry: Int) throws(RecordingFailure) -> RecordedMessage {
        if let known = ready.withLock({ $0.responses[entry] }) { return known }
        let recorded = try settings.index.file.response(entry)
        var (fields, body) = (recorded.fields, recorded.body)
        if let use = settings.use {
            fields = fields.map { ($0.name, String(decoding: use.moved(Array($0.value.utf8)), as: UTF8.self)) }
            if recorded.isText { body = use.moved(body) }
        }
        let message = RecordedMessage(recorded, entry: entry, fields: fields, body: body)
        if message.body.count <= Self.maxReadyBody {
            ready.withLock { ready in
                if ready.bytes + message.size > Self.maxReady { ready = ([:], 0) }
                ready.responses[entry] = message
                ready.bytes += message.size
            }
        }
        return message
    }

    private func send(
        _ message: RecordedMessage, in exchange: ClientExchange, _ step: ChainStep?
    ) async throws(EngineFailure) {
        try step.decline(message.status, of: "the recording")
        var message = message
        if settings.dates == .now, let recorded = recordedDate(message.entry) {
            message.fields = RecordedDates.moved(message.fields, by: wallClock() / 1_000_000 - recorded)
        }
        exchange.metrics.willRespond(as: "recording")
        let isTimed = settings.timing == .recorded
        if isTimed {
            try await exchange.client.wait(RecordedPace.pause(settings.index.file.times(message.entry).wait))
        }
        let (begin, rest) = message.message(
            to: exchange.request.head, exchange.headBytes, cache,
            isTimed ? pieces(of: message.body, message.entry) : nil, settings.end)
        exchange.effects.count(now: exchange.state.clock())
        try await MessageRelay(exchange: exchange, use: use(of: message.entry)).send(begin, rest)
    }

    /// As whose response an entry is sent: that of the origin to which its request went.
    private func use(of entry: Int) -> OriginUse {
        let recorded = settings.index.file.address(entry) ?? (isTLS: false, host: "", port: 80)
        let name = OriginName(isTLS: recorded.isTLS, host: recorded.host, port: recorded.port, basePath: "")
        let origin = origins.withLock { origins in
            if let known = origins[name] { return known }
            let map = AddressMap(own: name, others: [])
            var settings = rewriting
            settings.addresses = map
            let address = OriginAddress(
                isTLS: name.isTLS, host: name.host, port: name.port, basePath: "",
                trust: .default(certificateAuthorities: []))
            let origin = Origin(
                plan: OriginPlan(address, context: nil), rules: RewriteRules(settings), map: map)
            origins[name] = origin
            return origin
        }
        return OriginUse(
            origin.plan, of: route,
            OriginUse.Names(
                rules: origin.rules, bodyMap: bodyMap ?? (route.rewrite.bodies ? origin.map : nil), cache: cache),
            answeredBy: answeredBy(entry))
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
