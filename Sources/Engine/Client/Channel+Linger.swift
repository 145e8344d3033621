import Bytes
import Reactor

extension Channel {
    /// Ends writing, and reads and drops the peer's bytes for a while, because closing with unread input would reset the
    /// connection and destroy what is on its way.
    /// - Parameters:
    ///   - bytes: after which it is enough.
    ///   - time: nanoseconds for all of it.
    ///   - pause: nanoseconds without a byte.
    @inline(never)
    func linger(_ waiter: Waiter, _ loop: LoopState, bytes: Int, time: UInt64, pause: UInt64) async {
        finishWriting()
        let end = loop.core.now.after(time)
        waiter.deadline = min(end, loop.core.now.after(pause))
        var (left, reads) = (bytes, 0)
        while left > 0 {
            input.removeAll()
            guard let hasMore = poll() else { return }
            if hasMore {
                left -= input.count
                waiter.deadline = min(end, loop.core.now.after(pause))
                reads += 1
                if reads % 16 == 0 { await waiter.yield() }
            } else {
                if waiter.isExpired || loop.isAborting { return }
                await waiter.park()
            }
        }
    }
}
