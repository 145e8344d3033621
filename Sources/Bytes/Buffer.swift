/// A byte buffer of fixed capacity owned by one connection: filled at the back, used up at the front.
///
/// The memory is taken lazily from a ``BufferPool`` and can be given back while the buffer is empty.
public struct Buffer: ~Copyable {
    @usableFromInline var base: UnsafeMutableRawPointer?
    public internal(set) var capacity: Int
    @usableFromInline var start = 0
    @usableFromInline var end = 0

    /// A buffer without memory; ``reserve(from:)`` gives it some.
    public init() {
        base = nil
        capacity = 0
    }

    /// A buffer with memory of its own, for use outside a pool.
    public init(capacity: Int) {
        base = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
    }

    deinit { base?.deallocate() }

    /// The number of bytes that wait to be used.
    public var count: Int { end - start }
    public var isEmpty: Bool { start == end }
    public var hasMemory: Bool { base != nil }

    /// Room behind the body, without moving it.
    public var room: Int { capacity - end }

    /// The body.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get {
            let raw = UnsafeBufferPointer(
                start: base.map { ($0 + start).assumingMemoryBound(to: UInt8.self) }, count: end - start)
            return _overrideLifetime(Span(_unsafeElements: raw), borrowing: self)
        }
    }

    /// The body as C sees it; valid until the buffer changes.
    public var unsafeBytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base.map { $0 + start }, count: end - start)
    }

    /// Where the next bytes go; tell ``didFill(_:)`` how many came.
    public var unsafeRoom: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: base.map { $0 + end }, count: capacity - end)
    }

    public mutating func didFill(_ count: Int) {
        precondition(count >= 0 && count <= capacity - end)
        end += count
    }

    /// Changes one byte of the body.
    public mutating func change(_ offset: Int, _ body: (UInt8) -> UInt8) {
        precondition(offset >= 0 && offset < end - start)
        guard let place = base.map({ $0 + start + offset }) else { return }
        place.storeBytes(of: body(place.load(as: UInt8.self)), as: UInt8.self)
    }

    /// Puts `bytes` in the place of the first `count` ones.
    public mutating func replace(first count: Int, with bytes: [UInt8]) {
        precondition(count >= 0 && count <= end - start)
        grow(by: max(0, bytes.count - count))
        guard let base else { return }
        let rest = end - start - count
        (base + start + bytes.count).copyMemory(from: base + start + count, byteCount: rest)
        bytes.withUnsafeBytes {
            if let from = $0.baseAddress { (base + start).copyMemory(from: from, byteCount: $0.count) }
        }
        end = start + bytes.count + rest
    }

    /// Drops bytes from the front.
    public mutating func consume(_ count: Int) {
        precondition(count >= 0 && count <= end - start)
        start += count
        if start == end {
            start = 0
            end = 0
        }
    }

    /// Moves the body to the front of the memory, so that all free room lies behind it.
    public mutating func compact() {
        guard start > 0, let base else { return }
        base.copyMemory(from: base + start, byteCount: end - start)
        end -= start
        start = 0
    }

    /// Drops bytes from the back, so that at most `count` are left.
    public mutating func truncate(to count: Int) {
        precondition(count >= 0)
        end = start + min(count, end - start)
    }

    public mutating func removeAll() {
        start = 0
        end = 0
    }

    /// Takes memory from the pool if there is none yet.
    public mutating func reserve(from pool: BufferPool) {
        if base == nil {
            base = pool.take()
            capacity = pool.size
        }
    }

    /// Moves the body into memory of `pool`, if it fits, and gives the present memory back to `other` or the system.
    public mutating func move(to pool: BufferPool, from other: BufferPool) {
        guard let old = base, capacity != pool.size, count <= pool.size else { return }
        let memory = pool.take()
        memory.copyMemory(from: old + start, byteCount: count)
        if capacity == other.size { other.give(old) } else { old.deallocate() }
        end -= start
        start = 0
        base = memory
        capacity = pool.size
    }

    /// Moves the body out of memory of `pool` into memory of its own that is no larger than it needs.
    public mutating func shrink(from pool: BufferPool) {
        guard let old = base, capacity == pool.size, count <= capacity / 2 else { return }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16)
        memory.copyMemory(from: old + start, byteCount: count)
        pool.give(old)
        (base, capacity, start, end) = (memory, count, 0, count)
    }

    /// Makes room for `count` bytes behind the body, in memory of its own if need be.
    ///
    /// The caller bounds what it asks for.
    public mutating func grow(by count: Int) {
        if capacity - end >= count { return }
        if start > 0, capacity - (end - start) >= count { return compact() }
        // Pools know their memory by its size, which is even: what grew is not kept by one that never gave it.
        let wanted = max(end - start + count, 2 * capacity, 1024) | 1
        let memory = UnsafeMutableRawPointer.allocate(byteCount: wanted, alignment: 16)
        if let base { memory.copyMemory(from: base + start, byteCount: end - start) }
        base?.deallocate()
        base = memory
        capacity = wanted
        end -= start
        start = 0
    }

    /// Gives the memory back to the pool it came from, or to the system if it is the buffer's own.
    ///
    /// The body is lost.
    public mutating func release(to pool: BufferPool, or other: BufferPool) {
        if capacity == other.size { release(to: other) } else { release(to: pool) }
    }

    /// Gives the memory back to the pool it came from, or to the system if it is the buffer's own.
    ///
    /// The body is lost.
    public mutating func release(to pool: BufferPool) {
        guard let memory = base else { return }
        let isPools = capacity == pool.size
        base = nil
        capacity = 0
        start = 0
        end = 0
        if isPools { pool.give(memory) } else { memory.deallocate() }
    }
}

/// Memory for the buffers of one loop, last in first out so that it is warm.
///
/// Confined to that loop.
public final class BufferPool {
    /// Bytes per buffer.
    public let size: Int
    /// The buffer that was given last; each begins with the address of the one before it.
    private let last = Cell<UnsafeMutableRawPointer?>(nil)
    private let count = Cell(0)
    private let limit: Int
    /// Put between buffers, which else would begin at one place of every cache way and drive each other out.
    private let stagger: Int

    /// - Parameters:
    ///   - size: even, and of one loop's pools none has that of another.
    ///   - limit: how many free buffers are kept; more go back to the system.
    public init(size: Int, limit: Int) {
        precondition(size.isMultiple(of: 2) && size >= MemoryLayout<UnsafeMutableRawPointer?>.size)
        self.size = size
        self.limit = limit
        stagger = size > 16 << 10 ? 4096 + 64 : 64
    }

    deinit { while count.value > 0 { take().deallocate() } }

    func take() -> UnsafeMutableRawPointer {
        guard let memory = last.value else {
            return UnsafeMutableRawPointer.allocate(byteCount: size + stagger, alignment: 16)
        }
        last.value = memory.load(as: UnsafeMutableRawPointer?.self)
        count.value -= 1
        return memory
    }

    func give(_ memory: UnsafeMutableRawPointer) {
        guard count.value < limit else { return memory.deallocate() }
        memory.storeBytes(of: last.value, as: UnsafeMutableRawPointer?.self)
        last.value = memory
        count.value += 1
    }
}
