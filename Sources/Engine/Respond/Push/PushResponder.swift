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
    private let sender: LocalSender

    private init(_ rules: PushRules, _ mocks: Mocks, of route: Route, in profile: Profile) {
        (self.rules, received, habits, self.profile) = (rules, mocks.pushes, mocks.pushHabits, profile.name)
        sender = LocalSender("push", of: route, in: profile)
    }

    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> PushResponder? {
        guard case .local(let push as PushSettings) = route.responder else { return nil }
        return PushResponder(push.rules, compiler.mocks, of: route, in: profile)
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard exchange.client.channel.isStream else { throw .withoutHTTP2 }
        try await exchange.body.buffer(max: PushRules.maxBody + 1, exchange.recording)
        try await sender.send(
            response(to: exchange), in: exchange, step, of: "the stand-in for APNs")
    }

    @inline(never)
    private func response(to exchange: ClientExchange) -> LocalResponse {
        let session = exchange.client.connected.provider ?? ProviderSession()
        exchange.client.connected.provider = session
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
            return LocalResponse(200, "apns-id: \(id)\r\napns-unique-id: \(unique)\r\n")
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
        let sent = exchange.sent
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
