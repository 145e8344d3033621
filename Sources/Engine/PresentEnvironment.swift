import Bytes
import Synchronization

/// The environment that one worker follows, and the requests that wait for a response of it or of an earlier one.
///
/// Confined to its worker.
final class PresentEnvironment {
    private let active: ActiveEnvironment?
    /// nil where a handler responds, or none was followed yet.
    private(set) var environment: Environment?
    private var generation: UInt64 = 0
    /// Requests that wait for their response, of the present environment and of earlier ones.
    private var unanswered = (present: 0, earlier: 0)
    let admittedHosts = Box(AdmittedHosts())
    /// A profile of it has conditions for networks.
    private(set) var shapesNetworks = false

    /// - Parameter active: nil where a handler responds to all requests.
    init(_ active: ActiveEnvironment?) { self.active = active }

    /// Follows a newer one; nil where there is none.
    func next() -> (fresh: Environment, old: Environment?)? {
        guard let active, active.generation.load(ordering: .acquiring) != generation else { return nil }
        return follow(active)
    }

    @inline(never)
    private func follow(_ active: ActiveEnvironment) -> (fresh: Environment, old: Environment?) {
        // Before the environment: a change between the two is followed by the next request.
        generation = active.generation.load(ordering: .acquiring)
        let (fresh, old) = (active.environment, environment)
        environment = fresh
        admittedHosts.value = AdmittedHosts()
        unanswered = (0, unanswered.earlier + unanswered.present)
        shapesNetworks = fresh.shapesNetworks
        return (fresh, old)
    }

    /// A request is routed by it; the result is for ``didAnswer(_:)``, and never 0.
    func didRoute() -> UInt64 {
        unanswered.present += 1
        return generation
    }

    func didAnswer(_ routed: UInt64) {
        if routed == generation { unanswered.present -= 1 } else { unanswered.earlier -= 1 }
    }

    /// Requests that were routed by an earlier one and wait for their response.
    var unansweredEarlier: Int { unanswered.earlier }
}
