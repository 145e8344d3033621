/// A value that an object changes in place, in memory of its own.
///
/// Where the compiler cannot prove that accesses to a property never overlap, the runtime looks each of them up in a
/// list of the thread: 72 instructions. Here a word beside the value counts those under way, for 2 to 4: overlapping
/// accesses end the program all the same. Confined to one thread.
public struct Box<Value: ~Copyable>: ~Copyable {
    @usableFromInline
    struct Content: ~Copyable {
        /// Readers under way; -1 during a change.
        @usableFromInline var users = 0
        @usableFromInline var value: Value

        @inlinable
        init(_ value: consuming Value) { self.value = value }
    }

    @usableFromInline let content: UnsafeMutablePointer<Content>

    @inlinable
    public init(_ value: consuming Value) {
        content = .allocate(capacity: 1)
        content.initialize(to: Content(value))
    }

    @inlinable
    deinit {
        content.deinitialize(count: 1)
        content.deallocate()
    }

    @inlinable
    public var value: Value {
        @inline(__always)
        _read {
            precondition(content.pointee.users >= 0, "a value is read while it is changed")
            content.pointee.users &+= 1
            defer { content.pointee.users &-= 1 }
            yield content.pointee.value
        }
        @inline(__always)
        nonmutating _modify {
            precondition(content.pointee.users == 0, "a value is changed while it is used")
            content.pointee.users = -1
            defer { content.pointee.users = 0 }
            yield &content.pointee.value
        }
    }
}
