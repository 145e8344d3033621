import Profiles

/// What the response of a route brings about once it is sent: its mock is counted, and a scenario's state changes.
final class RouteEffects: Wrapper {
    /// nil where nothing is counted.
    let record: MockRecord?
    /// The state of the scenario once the response has ended; nil if it does not change.
    let change: StateChange?
    let scenarios: Scenarios

    init(record: MockRecord?, _ change: StateChange?, _ scenarios: Scenarios) {
        (self.record, self.change, self.scenarios) = (record, change, scenarios)
    }

    func run(_ exchange: ClientExchange, _ step: ChainStep?, _ next: Next) async throws(EngineFailure) {
        guard next.isOwn else { return try await next.run(exchange, step) }
        let mark = exchange.effects.add(effects(in: exchange, of: next.route))
        do throws(EngineFailure) {
            try await next.run(exchange, step)
            exchange.effects.removeAll()
        } catch {
            exchange.effects.removeAll(from: mark)
            throw error
        }
    }
}

extension RouteEffects {
    /// Those of a session are its own.
    private func effects(in exchange: ClientExchange, of plan: RoutePlan) -> RouteEffects {
        guard let session = exchange.request.session else { return self }
        return RouteEffects(
            record: record == nil ? nil : session.record(of: plan.route), change,
            session.scenarios(of: plan.profile))
    }
}

/// The effects of the response that is on its way, of one route within another.
struct PendingEffects {
    private(set) var list: [RouteEffects] = []

    /// Removes them; returns how many there were.
    mutating func add(_ effects: RouteEffects) -> Int {
        list.append(effects)
        return list.count - 1
    }

    mutating func removeAll(from mark: Int = 0) { list.removeSubrange(min(mark, list.count)...) }

    /// Whether the end of the response changes the state of a scenario.
    var changesState: Bool { !list.isEmpty && list.contains { $0.change != nil } }

    /// The response is about to be sent: counts its mocks, and returns what its end brings about.
    mutating func take(now: Int64) -> [RouteEffects] {
        count(now: now)
        defer { removeAll() }
        return list
    }

    /// The same where the response takes the way of an origin's, which changes states with its own end.
    mutating func count(now: Int64) {
        for effects in list { effects.record?.hit(now: now) }
        if !changesState { removeAll() }
    }
}
