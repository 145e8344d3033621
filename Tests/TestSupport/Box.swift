import Synchronization

/// A string that one thread puts in and another takes out.
public final class Box: Sendable {
    private let value = Mutex("")

    public init() {}
    public func put(_ text: String) { value.withLock { $0 = text } }
    public func take() -> String { value.withLock { $0 } }
}
