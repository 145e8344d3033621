import Profiles
import Reactor
import Synchronization

/// The faults and conditions of a route, made ready for the data path.
final class FaultPlan: Sendable {
    private let faults: [Fault]
    let network: NetworkConditions?
    /// The requests so far: chance follows from the seed and the number of the request.
    private let turns = Atomic<UInt64>(0)

    init(_ route: Route) {
        faults = route.faults
        network = route.network
    }

    /// What happens to the next request: the first fault that strikes, if one does, and how long its response waits.
    func strike() -> (fault: Fault?, delay: UInt64) {
        let turn = turns.add(1, ordering: .relaxed).oldValue
        let fault = faults.first { fault in
            if fault.probability >= 1 { return true }
            var chance = MockChance(seed: fault.seed, turn: turn)
            return chance.fraction() < fault.probability
        }
        guard let network else { return (fault, 0) }
        var model = LinkModel(network, turn: turn)
        return (fault, model.oneWay() + model.oneWay())
    }
}
