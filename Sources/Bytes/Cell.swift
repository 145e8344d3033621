public import Synchronization

/// A number, a flag or an unmanaged reference that an object holds, read and written as a whole by one thread.
///
/// Of a variable that other modules see, the compiler knows neither all readers nor all writers, and has the runtime
/// check each access: 63 instructions, where this takes one. It is no means to share a value between threads, since
/// nothing is ordered by it.
public struct Cell<Value: AtomicRepresentable>: ~Copyable {
    @usableFromInline let stored: Atomic<Value>

    @inlinable
    public init(_ value: consuming Value) { stored = Atomic(value) }
}

// A Bool.
extension Cell where Value.AtomicRepresentation == UInt8.AtomicRepresentation {
    @inlinable public var value: Value {
        get { stored.load(ordering: .relaxed) }
        nonmutating set { stored.store(newValue, ordering: .relaxed) }
    }
}

extension Cell where Value.AtomicRepresentation == UInt32.AtomicRepresentation {
    @inlinable public var value: Value {
        get { stored.load(ordering: .relaxed) }
        nonmutating set { stored.store(newValue, ordering: .relaxed) }
    }
}

// A number or a reference.
extension Cell where Value.AtomicRepresentation == UInt64.AtomicRepresentation {
    @inlinable public var value: Value {
        get { stored.load(ordering: .relaxed) }
        nonmutating set { stored.store(newValue, ordering: .relaxed) }
    }
}
