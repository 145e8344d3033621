import Bytes
import Exchanges
import HTTP
import Platform
import Profiles
import Push
import Reactor
import Rewriting

/// A stand-in for APNs.
final class PushResponder: RouteResponder {
    private let rules: PushRules
    private let received: ReceivedPushes
    private let habits: PushHabits
    private let profile: String
    private let answeredBy: [UInt8]

    private init(
        _ rules: PushRules, _ received: ReceivedPushes, _ habits: PushHabits, profile: String, answeredBy: [UInt8]
    ) {
        (self.rules, self.received, self.habits) = (rules, received, habits)
        (self.profile, self.answeredBy) = (profile, answeredBy)
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> PushResponder? {
        guard case .local(let push as PushSettings) = route.responder else { return nil }
        return PushResponder(
            push.rules, compiler.pushes, compiler.pushHabits, profile: profile.name,
            answeredBy: RoutePlan.answeredBy(route, in: profile, more: "; push"))
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard let stream = exchange.client.channel.base as? StreamChannel else { throw .withoutHTTP2 }
        try await exchange.body.buffer(max: PushRules.maxBody + 1, exchange.recording)
        let response = response(to: exchange, on: stream.connection)
        try step.decline(response.status, of: "the stand-in for APNs")
        exchange.metrics.willRespond(as: "push")
        if let buffered = exchange.body.buffered { exchange.metrics.bytes.request = UInt64(buffered.bytes.count) }
        await exchange.respond(response, extra: exchange.answeredBy(answeredBy))
    }

    @inline(never)
    private func response(to exchange: ClientExchange, on connection: HTTP2Connection) -> LocalResponse {
        let session = connection.provider ?? ProviderSession()
        connection.provider = session
        let request = PushRequest(exchange)
        for warning in PushWarning.found(in: request.fields, bytes: request.body?.count ?? .max / 10) {
            exchange.metrics.changes.insert(RewriteChanges(warning))
        }
        do throws(PushRefusal) {
            if exchange.state.isDraining { throw PushRefusal(.shutdown) }
            let target = try rules.check(request, in: session, now: exchange.state.clock())
            for warning in habits.note(client: exchange.client.peer?.host ?? "", session, now: exchange.state.clock()) {
                exchange.metrics.changes.insert(RewriteChanges(warning))
            }
            let (id, unique) = received.add(
                to: target, request.fields, payload: request.body ?? [], profile: profile, time: wallClock())
            return LocalResponse(
                status: 200, fields: Array("apns-id: \(id)\r\napns-unique-id: \(unique)\r\n".utf8), body: [])
        } catch {
            // One that is malformed is not sent back.
            let given = error.reason == .badMessageID ? nil : request.fields.id
            return LocalResponse(
                status: error.reason.status,
                fields: Array("apns-id: \(given ?? received.makeID())\r\nContent-Type: application/json\r\n".utf8),
                body: error.reason.body(timestamp: error.timestamp))
        }
    }
}

extension PushRequest {
    /// The request as its route sends it on.
    init(_ exchange: ClientExchange) {
        let sent = exchange.request.sent
        var fields = PushFields()
        for field in sent.head.fields where field.id == .other || field.id == .authorization {
            // Most names of other fields begin otherwise, and need no text.
            let name = field.name
            guard
                field.id == .authorization || name.count > 4 && sent.bytes[name.lowerBound] | 0x20 == UInt8(ascii: "a")
            else { continue }
            fields.take(sent.text(name), sent.text(field.value))
        }
        let buffered = exchange.body.buffered
        self.init(
            method: sent.text(sent.head.methodRange),
            path: sent.text(sent.head.pathAndQuery), fields: fields,
            body: exchange.request.head.framing == .none
                ? [] : buffered?.isComplete == true ? buffered?.bytes : nil)
    }
}

extension RewriteChanges {
    fileprivate init(_ warning: PushWarning) {
        self =
            switch warning {
            case .noType: .pushWithoutType
            case .backgroundPriority: .pushPriority
            case .payloadNearLimit: .pushPayload
            case .connectionPerPush: .pushConnection
            case .tokenRenewedOften: .pushToken
            }
    }
}

extension EngineFailure {
    fileprivate static var withoutHTTP2: EngineFailure {
        EngineFailure(
            .client, .route, status: 505, "APNs speaks HTTP/2 alone, and this request came in HTTP/1.1",
            advice: "Let the client use HTTP/2: by ALPN over TLS, or with prior knowledge over plain TCP.")
    }
}
