import HTTP
import Profiles
import Reactor
import Traffic

extension ClientExchange {
    /// Chains may lead into chains, of other profiles too, but not for ever.
    private static let mostChains = 8

    /// Asks one after the other until one answers.
    @inline(never)
    func answerByChain(
        _ route: RoutePlan, _ environment: Environment, _ turn: Turn?
    ) async throws(EngineFailure) {
        guard case .chain(let hops, let fallback) = route.answer else { return }
        let depth = turn?.depth ?? 0
        guard depth < Self.mostChains else {
            throw EngineFailure(
                .proxy, .route, status: 508, "profiles leave \(route.route.label) to each other in a circle",
                advice: "Let the last one's route name an origin.")
        }
        // What is not held cannot be sent twice.
        if fallback.hold > 0 { try await hold(most: fallback.hold) }
        for (index, hop) in hops.enumerated() {
            // The last one's word is final, unless this chain is itself a hop.
            let rule = index < hops.count - 1 ? fallback : turn?.fallback
            do throws(EngineFailure) {
                return try await ask(hop, route, environment, Turn(fallback: rule, depth: depth + 1))
            } catch {
                guard rule != nil, canAskAnother(after: error) else { throw error }
                if index == hops.count - 1 { throw error }
                notes.hops.append(Exchange.Hop(origin: name(of: hop, environment), outcome: error.message))
            }
        }
    }

    private func ask(
        _ hop: RoutePlan.Hop, _ route: RoutePlan, _ environment: Environment, _ turn: Turn
    ) async throws(EngineFailure) {
        switch hop {
        case .origin(let use):
            if let guarded = use.guarded { try await admit(by: guarded, route) }
            let pool = state.pool(use.index, of: environment)
            if turn.fallback != nil && pool.restsUntil > state.core.now {
                throw EngineFailure(
                    .origin, .connect, status: 502, "passed over, for it could not be reached a moment ago")
            }
            do throws(EngineFailure) {
                try await relay(through: pool, use, turn)
            } catch {
                if let fallback = turn.fallback, error.side == .origin, error.isUnreached {
                    pool.restsUntil = state.core.now.after(fallback.remember)
                }
                throw error
            }
            endExchange(status: answer.status)
        case .profile(let name):
            guard let plan = environment.plan(named: name) else {
                throw EngineFailure(.proxy, .route, status: 502, "there is no profile \(name)")
            }
            try await answer(by: try chooseRoute(plan), in: environment, turn)
        }
    }

    /// Whether the request can go to somebody else after this.
    ///
    /// Once it was sent whole, only one that means the same twice is sent again (RFC 9110 9.2.2); a refusal by status
    /// says that nothing was done. A certificate that is not trusted is no reason: it would go unnoticed.
    private func canAskAnother(after failure: EngineFailure) -> Bool {
        guard !notes.hasAnswerBegun, !isContentSpent else { return false }
        if failure.isDeclined { return true }
        if failure.side == .client { return failure.stage == .route && failure.status == 404 }
        guard failure.side == .origin else { return false }
        return failure.isUnreached
            || (failure.stage == .send || failure.stage == .wait) && request.method.isIdempotent
    }

    private func name(of hop: RoutePlan.Hop, _ environment: Environment) -> String {
        switch hop {
        case .origin(let use): environment.origins[use.index].address.description
        case .profile(let name): "profile:\(name)"
        }
    }

    /// A `Shunt-Answered-By` field line with those that were asked before.
    func withHops(_ answeredBy: [UInt8]) -> [UInt8] {
        guard !notes.hops.isEmpty else { return answeredBy }
        var line = Array(answeredBy.dropLast(2))
        line += "; tried=\"".utf8
        // What a quoted-string cannot hold (RFC 9110 5.6.4), and no more than anybody would read.
        for byte in notes.hops.map({ "\($0.origin) \($0.outcome)" }).joined(separator: ", ").utf8.prefix(1024) {
            let isPlain = byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            line.append(isPlain ? byte : UInt8(ascii: "?"))
        }
        return line + "\"\r\n".utf8
    }
}
