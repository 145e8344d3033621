import Bytes
import Testing

/// Memory that buffers take from pools, and that of their own.
@Suite struct BufferTests {
    @Test(arguments: [3 << 10, 8 << 10, 64 << 10]) func `memory that grew has no size that a pool has`(size: Int) {
        let pool = BufferPool(size: size, limit: 1)
        for step in [1 << 8, size / 4, size / 2, size] {
            var buffer = Buffer()
            while buffer.count < 4 * size {
                buffer.grow(by: step)
                buffer.didFill(step)
                let capacity = buffer.capacity
                #expect(capacity != size)
            }
            buffer.release(to: pool)
            let hasMemory = buffer.hasMemory
            #expect(!hasMemory)
        }
    }
}
