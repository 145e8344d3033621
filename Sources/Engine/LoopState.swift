package import Bytes
import HTTP2
import Reactor

/// What all connections of one loop have in common: their limits, their memory, their tasks, and whether they are to end.
///
/// Confined to its loop.
package final class LoopState {
    let core: LoopCore
    let limits: Limits
    package let buffers: BufferPool
    /// For heads and small content of streams, of which there are many.
    let smallBuffers: BufferPool
    /// For sessions of HTTP/2.
    let memory = HTTP2Memory()
    package let tasks: LoopTasks
    /// What has begun goes on to its end, and nothing else begins.
    private(set) var isDraining = false
    /// The time to drain has run out: every exchange ends where it is.
    private(set) var isAborting = false
    /// When connections that are idle while it drains are closed.
    private(set) var drainIdleEnd: UInt64 = 0

    /// - Parameter spawnTask: makes a task that runs the next one of ``tasks``.
    init(_ core: LoopCore, _ limits: Limits, _ spawnTask: @escaping @Sendable () -> Void) {
        (self.core, self.limits, tasks) = (core, limits, LoopTasks(spawnTask))
        buffers = BufferPool(size: Limits.bufferSize, limit: 2 * Limits.maxAwake)
        smallBuffers = BufferPool(size: Limits.smallBufferSize, limit: 2048)
    }

    /// Runs `task` in a task of its own, soon.
    func spawn(_ task: any LoopTask) { tasks.add(task) }

    func drain() {
        isDraining = true
        drainIdleEnd = core.now.after(limits.drainIdleTime)
    }

    package func abort() { isAborting = true }
}
