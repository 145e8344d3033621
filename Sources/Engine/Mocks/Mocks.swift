import Profiles
import Push
import Synchronization

/// The state of mocks while a proxy runs: which are off, and their counters.
///
/// Shared by all threads.
public final class Mocks: Sendable {
    private struct State {
        var switches: MockSwitches
        var records: [MockKey: (record: MockRecord, shape: MockShape?)] = [:]
        /// By profile.
        var scenarios: [String: Scenarios] = [:]
    }

    private let state: Mutex<State>
    /// What stand-ins for APNs have accepted.
    let pushes = ReceivedPushes()
    let pushHabits = PushHabits()
    /// What makes provider tokens for APNs.
    let signers = PushSigners()
    /// What profiles put into requests.
    let tokens = ProfileTokens()
    /// The servers of origins that Shunt starts.
    let programs = OriginPrograms()
    /// Where mocks begin that have no seed.
    let seed: UInt64
    /// What templates take for the time, in microseconds since 1970; nil for the clock's.
    let time: Int64?

    /// - Parameters:
    ///   - switches: the switches of an earlier run.
    ///   - seed: what chance follows from in mocks without a seed of their own; nil for any.
    public init(restoring switches: MockSwitches = MockSwitches(), seed: UInt64? = nil, time: Int64? = nil) {
        self.seed = seed ?? .random(in: .min ... .max)
        self.time = time
        state = Mutex(State(switches: switches))
    }

    public var switches: MockSwitches { state.withLock { $0.switches } }

    func change<Failure>(_ body: (inout MockSwitches) throws(Failure) -> Void) throws(Failure) {
        try state.withLock { (state) throws(Failure) in try body(&state.switches) }
    }

    func scenarios(of profile: Profile) -> Scenarios {
        state.withLock { state in
            if let known = state.scenarios[profile.name] {
                known.renew(profile)
                return known
            }
            let scenarios = Scenarios(profile)
            state.scenarios[profile.name] = scenarios
            return scenarios
        }
    }

    func scenarios(named profile: String) -> Scenarios? { state.withLock { $0.scenarios[profile] } }

    func record(of key: MockKey) -> MockRecord? { state.withLock { $0.records[key]?.record } }

    /// The record of a mock, created if there is none; a mock with another order of responses begins anew.
    func record(of key: MockKey, shape: MockShape?) -> MockRecord {
        state.withLock { state in
            let known = state.records[key]
            let record = known?.record ?? MockRecord()
            if let known, known.shape != shape { record.restart() }
            state.records[key] = (record, shape)
            return record
        }
    }
}
