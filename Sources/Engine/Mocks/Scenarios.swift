import Profiles
import Synchronization

/// The states of a profile's scenarios; a reload keeps them.
///
/// Shared by all threads.
final class Scenarios: Sendable {
    private let states = Mutex<[String: String]>([:])
    private let beginnings: Mutex<[String: String]>

    init(_ profile: Profile) { beginnings = Mutex(profile.scenarios) }

    /// Takes over a profile that was read anew.
    func renew(_ profile: Profile) {
        let known = profile.scenarios
        beginnings.withLock { $0 = known }
        states.withLock { states in states = states.filter { known[$0.key] != nil } }
    }

    func state(of scenario: String) -> String? {
        states.withLock { $0[scenario] } ?? beginnings.withLock { $0[scenario] }
    }

    func enter(_ change: StateChange) { states.withLock { $0[change.scenario] = change.state } }

    func reset() { states.withLock { $0 = [:] } }

    /// By name, with their states.
    var list: [(name: String, state: String)] {
        let states = states.withLock { $0 }
        return beginnings.withLock { $0 }.map { ($0.key, states[$0.key] ?? $0.value) }.sorted { $0.0 < $1.0 }
    }
}
