import Synchronization

/// A value that several threads may read and change.
public final class Kept<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    public init(_ value: Value) { content = Mutex(value) }

    public var value: Value { content.withLock { $0 } }
    public func change(_ body: @Sendable (inout sending Value) -> Void) { content.withLock { body(&$0) } }
}
