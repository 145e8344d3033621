public import Reactor
import Redaction
import Synchronization

/// A profile that may be written to for a while.
public struct Unlocking: Sendable, Equatable {
    public let profile: String
    public let reason: String
    /// How long it was unlocked for.
    public let seconds: Int
    public let until: Instant

    public init(profile: String, reason: String, seconds: Int, until: Instant) {
        (self.profile, self.reason, self.seconds, self.until) = (profile, reason, seconds, until)
    }

    /// Whether it is the same one; its end may have been converted from another machine's clock.
    func isSame(as other: Unlocking) -> Bool {
        let distance = until > other.until ? until - other.until : other.until - until
        return profile == other.profile && reason == other.reason && seconds == other.seconds
            && distance < 5 * Limits.second
    }

    /// The remaining seconds, rounded up.
    public func secondsLeft(now: Instant = .now()) -> Int {
        now >= until ? 0 : Int(clamping: (until - now - 1) / 1_000_000_000 + 1)
    }
}

/// Why a profile was not unlocked.
public enum UnlockFailure: Error, Sendable, Equatable {
    case seconds(allowed: ClosedRange<Int>)
    /// The reason is blank.
    case noReason
}

/// Which profiles of kind `production` may be written to at the moment.
///
/// Shared by all threads.
public final class Locks: Sendable {
    /// Seconds that a profile may be unlocked for: up to a working day.
    public static let allowed = 1...28_800
    /// Characters of a reason that are kept.
    private static let longestReason = 500

    private let unlocked = Mutex<[String: Unlocking]>([:])
    /// What was ended before its time: other nodes of a cluster may still tell of it.
    private let revoked = Mutex<[Unlocking]>([])
    /// The number of unlocked profiles, so that the lock is not taken while there are none.
    private let count = Atomic<Int>(0)

    public init() {}

    /// What a user enters so that these profiles can be written to for a while.
    static func commands(toUnlock profiles: [String]) -> [String] {
        profiles.map { "shunt unlock \($0) --for 10m --reason \"...\"" }
    }

    public func isUnlocked(_ profile: String, now: Instant = .now()) -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return false }
        return unlocked.withLock { ($0[profile]?.until ?? 0) > now }
    }

    /// Unlocks a profile, or replaces the end and the reason of one that is unlocked.
    @discardableResult
    public func unlock(
        _ profile: String, seconds: Int, reason: String, now: Instant = .now()
    ) throws(UnlockFailure) -> Unlocking {
        let reason = try Self.checked(reason, seconds: seconds)
        let entry = Unlocking(
            profile: profile, reason: reason, seconds: seconds, until: now.after(UInt64(seconds) * 1_000_000_000))
        unlocked.withLock {
            $0[profile] = entry
            count.store($0.count, ordering: .relaxed)
        }
        return entry
    }

    /// The reason as it is kept, if a profile may be unlocked for it and for so long.
    /// - Parameter isNew: people have just written it, so that secrets in it are replaced.
    package static func checked(
        _ reason: String, seconds: Int, isNew: Bool = true
    ) throws(UnlockFailure) -> String {
        guard allowed.contains(seconds) else { throw .seconds(allowed: allowed) }
        guard reason.contains(where: { !$0.isWhitespace }) else { throw .noReason }
        guard isNew else { return line(reason) }
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        return line(Redactor(key: key).redact(text: reason))
    }

    /// Unlocks exactly these profiles.
    package func replace(with entries: [Unlocking]) {
        let revoked = revoked.withLock { $0 }
        let entries = entries.filter { entry in !revoked.contains { $0.isSame(as: entry) } }
        unlocked.withLock {
            $0 = Dictionary(entries.map { ($0.profile, $0) }) { $1 }
            count.store($0.count, ordering: .relaxed)
        }
    }

    /// A text as one line of a log: a terminal must not obey what is in it.
    private static func line(_ text: String) -> String {
        var line = ""
        for scalar in text.unicodeScalars.prefix(longestReason) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: line.unicodeScalars.append(" ")
            default: line.unicodeScalars.append(scalar)
            }
        }
        return line
    }

    /// Locks a profile again; nil when it was not unlocked.
    @discardableResult
    public func lock(_ profile: String, now: Instant = .now()) -> Unlocking? {
        unlocked.withLock {
            let entry = $0.removeValue(forKey: profile)
            count.store($0.count, ordering: .relaxed)
            return entry.flatMap { $0.until > now ? $0 : nil }
        }
    }

    /// Locks a profile whose name stands for something else now; nil when it was not unlocked.
    func revoke(_ profile: String, now: Instant = .now()) -> Unlocking? {
        guard let entry = lock(profile, now: now) else { return nil }
        revoked.withLock { revoked in
            revoked.removeAll { $0.until <= now }
            revoked.append(entry)
        }
        return entry
    }

    /// The unlocked profiles, by name.
    public func list(now: Instant = .now()) -> [Unlocking] {
        unlocked.withLock { $0.values.filter { $0.until > now } }.sorted { $0.profile < $1.profile }
    }

    /// Removes the entries that have expired and returns them, each once, for the log.
    public func expire(now: Instant = .now()) -> [Unlocking] {
        unlocked.withLock { unlocked in
            let over = unlocked.values.filter { $0.until <= now }
            for entry in over { unlocked[entry.profile] = nil }
            count.store(unlocked.count, ordering: .relaxed)
            return over.sorted { $0.profile < $1.profile }
        }
    }
}
