import Platform
import Synchronization

/// The last descriptors of the process, which neither connections nor files for responses take.
///
/// The store, reloads and look-ups need some now and then, and libdispatch ends the process if it gets none. The system
/// gives the lowest free number to each descriptor, so a high number means that few are left.
public enum DescriptorReserve {
    private static let size: UInt64 = 64
    private static let first = Atomic<CInt>(0)
    private static let newest = Atomic<CInt>(0)

    /// Whether connections and files have taken all that they may have.
    public static var isReached: Bool {
        let copy = fcntl(2, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return errno == EMFILE || errno == ENFILE }
        defer { SystemCall.close(copy) }
        return !spares(copy)
    }

    /// Whether the reserve is left to others by who has this descriptor.
    static func spares(_ descriptor: CInt) -> Bool {
        newest.store(descriptor, ordering: .relaxed)
        if descriptor < first.load(ordering: .relaxed) { return true }
        // The limit may have been raised.
        guard let limit = DescriptorLimit.current else { return true }
        let start = CInt(clamping: limit - min(size, limit / 4))
        first.store(start, ordering: .relaxed)
        return descriptor < start
    }

    /// The same of the next descriptor, which is not looked at before the reserve is near.
    static var isNear: Bool {
        let distance = CInt(clamping: size)
        return newest.load(ordering: .relaxed) >= first.load(ordering: .relaxed) - distance && isReached
    }
}
