import Platform

/// Tells a loop when addresses of this machine come or go, as with a network that is left, or a VPN that ends.
///
/// Confined to the loop.
public final class AddressWatch {
    private let socket: Socket
    private let waiter: Waiter

    public init(_ core: LoopCore) throws(SystemError) {
        socket = try Socket(try Self.open(), core)
        waiter = Waiter(core)
        socket.notify(waiter)
    }

    /// Returns after a change; false once it is ended.
    public func change() async -> Bool {
        while !waiter.isCancelled {
            if drain() {
                // Changes come several at once: the last one counts.
                waiter.deadline = waiter.core.clock().after(100_000_000)
                while !waiter.isExpired { await waiter.park() }
                waiter.deadline = .never
                _ = drain()
                return !waiter.isCancelled
            }
            await waiter.park()
        }
        return false
    }

    /// Ends the wait and every later one.
    public func end() {
        waiter.cancel()
        waiter.retire()
        socket.close()
    }

    /// Drops the system's messages; true if there were any.
    private func drain() -> Bool {
        var hasSome = false
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { room in
            while true {
                do throws(SystemError) {
                    guard case .bytes = try socket.read(into: room) else { return }
                    hasSome = true
                } catch {
                    // The system has dropped some, of which there were too many. Other errors stay.
                    guard error.code == ENOBUFS else { return }
                    hasSome = true
                }
            }
        }
        return hasSome
    }
}
