import Profiles
import Synchronization

/// The states of a profile's scenarios; a reload keeps them.
///
/// Shared by all threads.
final class Scenarios: Sendable {
    private let states = Mutex<[String: String]>([:])
    private let beginnings: Mutex<[String: String]>
    /// Held while the end of a response is sent that changes a state: a client that has it finds the state changed.
    private static let sending = Mutex(())

    /// - Parameter beginnings: the state in which each begins.
    init(_ beginnings: [String: String]) { self.beginnings = Mutex(beginnings) }

    /// Takes over a profile that was read anew.
    func renew(_ known: [String: String]) {
        beginnings.withLock { $0 = known }
        states.withLock { states in states = states.filter { known[$0.key] != nil } }
    }

    func state(of scenario: String) -> String? {
        Self.sending.withLock { _ in states.withLock { $0[scenario] } } ?? beginnings.withLock { $0[scenario] }
    }

    /// Sends as much of a response as can be sent, and changes the states of scenarios if that was the end of it.
    static func change(
        by effects: [RouteEffects], when send: () throws(ChannelFailure) -> Bool
    ) throws(ChannelFailure) -> Bool {
        try sending.withLock { _ throws(ChannelFailure) in
            guard try send() else { return false }
            for effect in effects {
                guard let change = effect.change else { continue }
                effect.scenarios.states.withLock { $0[change.scenario] = change.state }
            }
            return true
        }
    }

    /// Sets states that are known from elsewhere.
    func set(_ known: [String: String]) { states.withLock { $0 = known } }

    func reset() { states.withLock { $0 = [:] } }

    /// By name, with their states.
    var list: [(name: String, state: String)] {
        let states = states.withLock { $0 }
        return beginnings.withLock { $0 }.map { ($0.key, states[$0.key] ?? $0.value) }.sorted { $0.0 < $1.0 }
    }
}
