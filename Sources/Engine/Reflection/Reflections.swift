import Profiles
import Reactor
import Synchronization

/// What has become of asking servers for their schemas.
///
/// Shared by all threads.
final class Reflections: Sendable {
    private struct Entry {
        /// It is to be asked; nil where it has been.
        var isWanted = true
        var trials = 0
        /// Before this it is not asked again.
        var next: Instant = 0
        var ended: Instant = 0
        var result: ReflectionStatus.Result?
        /// Profiles are read again because of what it said; that is no reason to ask once more.
        var wrote: Instant?

        mutating func wish() {
            (isWanted, trials) = (true, 0)
            next = min(next, ended.after(Reflections.pause))
        }
    }

    private let entries = Mutex<[OriginAddress: Entry]>([:])
    private let wake = Mutex<(@Sendable () -> Void)?>(nil)
    /// Nanoseconds between two questions to a server, and the longest pause after failures.
    private static let (pause, longestPause) = (2 * Limits.second, 60 * Limits.second)
    /// Nanoseconds within which profiles are read again.
    private static let reading = 10 * Limits.second

    /// - Parameter body: called when a server is to be asked; nil for nothing.
    func onWish(_ body: (@Sendable () -> Void)?) { wake.withLock { $0 = body } }

    private func tell() { wake.withLock { $0 }?() }

    /// The server that is asked next, or when one may be.
    func next(of plans: [ReflectionPlan], now: Instant) -> (due: ReflectionPlan?, time: Instant) {
        entries.withLock { entries in
            entries = entries.filter { entry in plans.contains { $0.address == entry.key } }
            var time = Instant.never
            for plan in plans {
                let entry = entries[plan.address, default: Entry()]
                guard entry.isWanted else { continue }
                if entry.next <= now { return (plan, now) }
                time = min(time, entry.next)
            }
            return (nil, time)
        }
    }

    func end(_ plan: ReflectionPlan, _ result: ReflectionStatus.Result, hasWritten: Bool, now: Instant) {
        entries.withLock { entries in
            var entry = entries[plan.address, default: Entry()]
            if case .failed = result {
                entry.next = now.after(min(Self.longestPause, Self.pause << min(entry.trials, 6)))
                entry.trials += 1
                // What it said before still counts.
                entry.isWanted = true
            } else {
                (entry.isWanted, entry.trials, entry.next) = (false, 0, now.after(Self.pause))
            }
            (entry.result, entry.ended) = (result, now)
            if hasWritten { entry.wrote = now }
            entries[plan.address] = entry
        }
    }

    /// Profiles were read again: all are asked once more.
    func didReplace(now: Instant) {
        entries.withLock { entries in
            for address in entries.keys {
                if let wrote = entries[address]?.wrote.take(), now < wrote.after(Self.reading) { continue }
                entries[address]?.wish()
            }
        }
        tell()
    }

    /// A connection was opened: the server may be a new one.
    func didConnect(_ address: OriginAddress) {
        let isWish = entries.withLock { entries in
            guard !entries.isEmpty else { return false }
            var isWish = false
            for known in entries.keys where known.host == address.host && known.port == address.port {
                entries[known]?.wish()
                isWish = true
            }
            return isWish
        }
        if isWish { tell() }
    }

    func status(of plans: [ReflectionPlan]) -> [ReflectionStatus] {
        entries.withLock { entries in
            plans.map {
                ReflectionStatus(
                    origin: $0.reflection.origin, profile: $0.route.profileName, result: entries[$0.address]?.result)
            }
        }
    }
}

/// What is known of a server that is asked for its schema.
public struct ReflectionStatus: Sendable {
    public enum Result: Sendable {
        case known(services: Int, methods: Int)
        case failed(String, advice: String?)
    }

    /// Its URL.
    public let origin: String
    /// The profile as whose route it is asked.
    public let profile: String
    /// nil before it was asked.
    public let result: Result?
}
