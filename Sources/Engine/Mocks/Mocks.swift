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
        var rates: [RateWindows.Key: RateWindows] = [:]
        /// By profile: a route that several profiles inherit has a collection in each of them.
        var collections: [String: [MockKey?: KeptCollection]] = [:]
    }

    private let state: Mutex<State>
    /// What stand-ins for APNs have accepted.
    let pushes: ReceivedPushes
    let pushHabits: PushHabits
    /// What makes provider tokens for APNs.
    let signers: PushSigners
    /// What profiles put into requests.
    let tokens: ProfileTokens
    /// The servers of origins that Shunt starts.
    package let programs: OriginPrograms
    /// The servers that are asked for their schemas.
    let reflections: Reflections
    /// The memory for items that are added to collections.
    private let held: HeldBodies
    static let collectionMemory = 64 << 20
    /// The seed of mocks that have none of their own.
    let seed: UInt64
    /// The time that templates use, in microseconds since 1970; nil for the clock's.
    let time: Int64?

    /// - Parameters:
    ///   - switches: the switches of an earlier run.
    ///   - seed: what chance follows from in mocks without a seed of their own; nil for any.
    public init(restoring switches: MockSwitches = MockSwitches(), seed: UInt64? = nil, time: Int64? = nil) {
        self.seed = seed ?? .random(in: .min ... .max)
        self.time = time
        (pushes, pushHabits, signers) = (ReceivedPushes(), PushHabits(), PushSigners())
        (tokens, programs, reflections) = (ProfileTokens(), OriginPrograms(), Reflections())
        held = HeldBodies(limit: Self.collectionMemory)
        state = Mutex(State(switches: switches))
    }

    /// Counters, sequences and states of their own; all else is that of `other`, since it belongs to the whole process.
    init(apartFrom other: Mocks) {
        (seed, time) = (other.seed, other.time)
        (pushes, pushHabits, signers) = (other.pushes, other.pushHabits, other.signers)
        (tokens, programs, held) = (other.tokens, other.programs, other.held)
        reflections = other.reflections
        state = Mutex(State(switches: MockSwitches()))
    }

    public var switches: MockSwitches { state.withLock { $0.switches } }

    func change<Failure>(_ body: (inout MockSwitches) throws(Failure) -> Void) throws(Failure) {
        try state.withLock { (state) throws(Failure) in try body(&state.switches) }
    }

    /// - Parameter overlay: routes of a session over the profile, whose scenarios are the same by their names.
    func scenarios(of profile: Profile, and overlay: Profile? = nil) -> Scenarios {
        let beginnings = (overlay?.scenarios ?? [:]).merging(profile.scenarios) { _, base in base }
        return state.withLock { state in
            if let known = state.scenarios[profile.name] {
                known.renew(beginnings)
                return known
            }
            let scenarios = Scenarios(beginnings)
            state.scenarios[profile.name] = scenarios
            return scenarios
        }
    }

    /// What the collection of a route has become.
    func collection(of key: MockKey?, in profile: String) -> KeptCollection {
        state.withLock { state in
            if let known = state.collections[profile]?[key] { return known }
            let kept = KeptCollection(held)
            state.collections[profile, default: [:]][key] = kept
            return kept
        }
    }

    /// The largest number of rate limits counted at a time, including rate limits of routes that a reload has changed.
    private static let maxRates = 1000

    func rateWindows(of key: RateWindows.Key) -> RateWindows {
        state.withLock { state in
            if let known = state.rates[key] { return known }
            if state.rates.count >= Self.maxRates { state.rates = [:] }
            let windows = RateWindows()
            state.rates[key] = windows
            return windows
        }
    }

    /// The windows of a profile's rate limits begin anew.
    func resetRates(of profile: String) {
        state.withLock { state in state.rates = state.rates.filter { $0.key.profile != profile } }
    }

    /// The collections of a profile are as they began: that of one route, or all.
    func resetCollections(of profile: String, where isMeant: (MockKey?) -> Bool) {
        let kept = state.withLock { $0.collections[profile] } ?? [:]
        for (key, collection) in kept where isMeant(key) { collection.reset() }
    }

    /// Sequences, scenarios, rate limits and collections begin anew, and counters at 0.
    func reset() {
        state.withLock { state in
            (state.records, state.rates) = ([:], [:])
            for scenarios in state.scenarios.values { scenarios.reset() }
            for collection in state.collections.values.flatMap(\.values) { collection.reset() }
        }
    }

    func forget(_ key: MockKey) {
        state.withLock { state in
            state.records[key] = nil
            for profile in state.collections.keys { state.collections[profile]?[key] = nil }
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
