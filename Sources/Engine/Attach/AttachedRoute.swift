import Exchanges
import HTTP
import Profiles
import Reactor

/// Sends requests of a route to the machine of a user, and to what the route names where that machine is gone.
final class AttachedRoute: Sendable {
    /// Bytes of a body that are held, so that an idempotent request can be sent again.
    private static let hold = 64 << 10

    private let attachment: Attachment
    private let responder: OriginResponder
    private let route: RoutePlan

    init(_ attachment: Attachment, _ responder: OriginResponder, _ route: RoutePlan) {
        (self.attachment, self.responder, self.route) = (attachment, responder, route)
    }

    func respond(
        in exchange: ClientExchange, _ step: ChainStep?, else ordinary: any Responder
    ) async throws(EngineFailure) {
        let (keeper, effects) = (exchange.way.keeper, exchange.way.effects)
        // It is not the route's own response, and a debugger may have stopped what responds.
        (exchange.way.keeper, exchange.way.effects, exchange.way.isUntimed) = (nil, PendingEffects(), true)
        let hold = exchange.request.head.method.isIdempotent ? Self.hold : 0
        do throws(EngineFailure) {
            return try await responder.respond(
                in: exchange, ChainStep(fallback: nil, depth: 1, hold: hold, patience: step?.patience))
        } catch {
            guard canBeSentElsewhere(exchange, after: error) else { throw failure(after: error, in: exchange) }
            exchange.metrics.incidents = exchange.metrics.incidents.adding(
                Exchange.Attempt(origin: attachment.name, outcome: error.message))
            exchange.metrics.trace?.endAttempt(
                after: exchange.metrics.clock.elapsed(exchange.state.core.now), failure: error.place)
        }
        (exchange.way.keeper, exchange.way.effects) = (keeper, effects)
        exchange.way.isUntimed = route.isUntimed
        try await ordinary.respond(in: exchange, step)
    }

    /// What was not sent, or not processed, or may be sent twice (RFC 9110 9.2.2).
    private func canBeSentElsewhere(_ exchange: ClientExchange, after failure: EngineFailure) -> Bool {
        guard failure.side == .origin, !failure.kind.isCutOff, !exchange.metrics.hasResponseBegun,
            !exchange.body.isSpent
        else { return false }
        return failure.kind.isRefused || failure.hasConnectFailed
            || (failure.stage == .send || failure.stage == .wait) && exchange.request.head.method.isIdempotent
    }

    private func failure(after failure: EngineFailure, in exchange: ClientExchange) -> EngineFailure {
        guard failure.side == .origin, failure.stage == .send || failure.stage == .wait else { return failure }
        return EngineFailure(
            .origin, failure.stage, status: failure.status,
            "\(attachment.name), which is attached for \(attachment.path), did not respond: \(failure.message)",
            advice: "The request may have been processed, so it was not sent to the route's own origin. Send it again.")
    }
}
