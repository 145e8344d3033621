import Synchronization

/// A clock that stands still until a test moves it.
public final class VirtualClock: Sendable {
    /// Nanoseconds; not near 0, which some take for "never set".
    private let nanoseconds = Atomic<UInt64>(1_000_000_000_000)

    public init() {}

    public var now: UInt64 { nanoseconds.load(ordering: .acquiring) }

    public func advance(by seconds: Double) {
        nanoseconds.add(UInt64((seconds * 1e9).rounded()), ordering: .acquiringAndReleasing)
    }
}
