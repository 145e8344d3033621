import Cluster
import Engine
import Profiles
import Reactor
import Synchronization

/// What is switched while Shunt runs: that of this proxy, or that of all nodes of a cluster.
///
/// A change of a cluster may have to be made anew, on what another node has changed meanwhile: it has no effects but
/// these.
protocol Switchboard: AnyObject {
    var active: String { get }
    var devices: Devices { get }
    func use(_ profile: String) throws(ProxyError)
    /// - Returns: the entry, if its end is known already.
    func unlock(_ profile: String, seconds: Int, reason: String) throws(UnlockFailure) -> Unlocking
    func change(_ change: MockChange, _ names: [String]?, of profile: Profile, for device: String?) throws(UnknownMock)
    func choose(_ conditions: NetworkConditions?, for device: String?, seconds: Int?) -> NetworkChoice
    func forgetNetwork(of device: String?) -> Bool
}

/// This proxy's own.
final class OwnSwitchboard: Switchboard {
    private let proxy: Proxy

    init(_ proxy: Proxy) { self.proxy = proxy }

    var active: String { proxy.profiles?.active ?? "" }
    var devices: Devices { proxy.devices }

    func use(_ profile: String) throws(ProxyError) { try proxy.use(profile) }

    func unlock(_ profile: String, seconds: Int, reason: String) throws(UnlockFailure) -> Unlocking {
        try proxy.locks.unlock(profile, seconds: seconds, reason: reason)
    }

    func change(
        _ change: MockChange, _ names: [String]?, of profile: Profile, for device: String?
    ) throws(UnknownMock) { try proxy.change(change, names, of: profile, for: device) }

    func choose(_ conditions: NetworkConditions?, for device: String?, seconds: Int?) -> NetworkChoice {
        proxy.networks.choose(conditions, for: device, seconds: seconds)
    }

    func forgetNetwork(of device: String?) -> Bool { proxy.networks.forget(device: device) }
}

/// That of a cluster, on a state that is written into the database afterwards.
final class SharedSwitchboard: Switchboard {
    private(set) var state: ClusterState
    private let moment: ClusterMoment
    private let proxy: Proxy
    let devices: Devices
    /// Why the state cannot be changed like this.
    private(set) var refusal: ClusterRefusal?

    init(_ state: ClusterState, _ moment: ClusterMoment, _ proxy: Proxy) {
        (self.state, self.moment, self.proxy) = (state, moment, proxy)
        devices = state.deviceBoard
    }

    /// The state with the changes of devices.
    var result: ClusterState {
        var result = state
        result.replace(devices)
        return result
    }

    var active: String { state.active }

    func use(_ profile: String) throws(ProxyError) {
        guard let library = proxy.profiles?.library, library[profile] != nil else {
            let library = proxy.profiles?.library
            throw .noSuchProfile(
                profile, known: library?.profiles.map(\.name) ?? [], nearest: library?.nearestName(to: profile))
        }
        state.active = profile
    }

    func unlock(_ profile: String, seconds: Int, reason: String) throws(UnlockFailure) -> Unlocking {
        let reason = try Locks.checked(reason, seconds: seconds)
        do throws(ClusterRefusal) { try state.unlock(profile, seconds: seconds, reason: reason, at: moment) } catch {
            refusal = error
        }
        return Unlocking(
            profile: profile, reason: reason, seconds: seconds,
            until: Instant.now().after(UInt64(seconds) * 1_000_000_000))
    }

    /// Sequences and counters are each node's own, and begin anew on this one alone.
    func change(
        _ change: MockChange, _ names: [String]?, of profile: Profile, for device: String?
    ) throws(UnknownMock) {
        if change == .reset { return try proxy.change(change, names, of: profile, for: device) }
        var switches = state.mockSwitches
        try switches.apply(change, names, of: profile, for: device)
        state.mocks = ClusterState.mocks(switches)
    }

    func choose(_ conditions: NetworkConditions?, for device: String?, seconds: Int?) -> NetworkChoice {
        state.choose(network: conditions?.name, for: device, seconds: seconds, at: moment)
        return NetworkChoice(
            conditions: conditions, device: device,
            until: seconds.map { Instant.now().after(UInt64($0) * 1_000_000_000) })
    }

    func forgetNetwork(of device: String?) -> Bool { state.forgetNetwork(of: device) }
}

/// Makes changes on this proxy, or by way of the database on all nodes of its cluster.
struct Changes: Sendable {
    let proxy: Proxy
    /// nil for a Shunt of its own.
    let cluster: ClusterMember?

    /// - Returns: what `body` returns, and the revision that has it; nil without a cluster.
    func make<R: Sendable>(
        _ body: @escaping @Sendable (any Switchboard) throws -> R
    ) async throws -> (R, ClusterSnapshot?) {
        guard let cluster else { return (try body(OwnSwitchboard(proxy)), nil) }
        let outcome = ChangeOutcome<R>()
        let proxy = proxy
        do throws(ClusterRefusal) {
            let snapshot = try await cluster.change { (state, moment) throws(ClusterRefusal) in
                let board = SharedSwitchboard(state, moment, proxy)
                let made = Result { try body(board) }
                outcome.result.withLock { $0 = made }
                if case .failure = made { throw .abandoned }
                if let refusal = board.refusal { throw refusal }
                state = board.result
            }
            if case .success(let value) = outcome.result.withLock({ $0 }) { return (value, snapshot) }
            throw .busy
        } catch {
            if error == .abandoned, case .failure(let refusal) = outcome.result.withLock({ $0 }) { throw refusal }
            throw error
        }
    }
}

private final class ChangeOutcome<R: Sendable>: Sendable {
    let result = Mutex<Result<R, any Error>?>(nil)
}

extension AdminRefusal {
    init(_ refusal: ClusterRefusal) {
        let status =
            switch refusal {
            case .away, .unknown, .busy, .stopping, .abandoned: 503
            case .database, .unreadable: 500
            case .lockedMeanwhile, .tooLarge: 409
            }
        self.init(status, refusal.message, advice: refusal.advice)
    }
}
