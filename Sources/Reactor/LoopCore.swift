import Bytes

/// What one loop's thread works with: its poller, its sockets, its timers.
///
/// Confined to that thread.
public final class LoopCore {
    private let poller: Poller
    /// Sockets by slot.
    ///
    /// The token given to the poller carries the slot's generation, so that an event for a socket that was closed
    /// earlier in the same batch finds nobody.
    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    var timers = Timers()
    /// Waiters whose tasks let others go first.
    var yielded: [Waiter] = []
    /// What is to run next.
    var jobs: [UnownedJob] = []
    var lookups = Lookups()
    /// Whose core this is; set by the loop itself.
    weak var loop: Loop?
    private var tickEnds: [() -> Void] = []
    /// The time when the loop last woke; precise enough for deadlines and logs, and free.
    public private(set) var now: Instant = .now()

    private struct Slot {
        var generation: UInt32
        /// It takes itself out before it ends.
        var socket: Unmanaged<Socket>?
    }

    init() throws(SystemError) { poller = try Poller() }

    /// The number of open sockets.
    public var socketCount: Int { slots.count - freeSlots.count }

    /// Calls `body` each time before the loop goes to sleep: the place to hand over what was gathered.
    public func atTickEnd(_ body: @escaping () -> Void) { tickEnds.append(body) }

    func register(_ socket: Socket) throws(SystemError) -> Int {
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = free
        } else {
            slot = slots.count
            slots.append(Slot(generation: 0, socket: nil))
        }
        do throws(SystemError) {
            try poller.add(
                socket.readiness.pointee.descriptor, token: UInt64(slots[slot].generation) << 32 | UInt64(slot))
        } catch {
            freeSlots.append(slot)
            throw error
        }
        slots[slot].socket = .passUnretained(socket)
        return slot
    }

    func unregister(slot: Int) {
        slots[slot].socket = nil
        // 31 bits, for kqueue carries the token in a pointer.
        slots[slot].generation = (slots[slot].generation &+ 1) & 0x7fff_ffff
        freeSlots.append(slot)
    }

    /// Sleeps until something happens, unless `hasWork`, and wakes whom it concerns.
    func turn(hasWork: Bool) {
        for end in tickEnds { end() }
        var milliseconds: CInt = -1
        if hasWork || !yielded.isEmpty {
            milliseconds = 0
        } else if timers.next != .never {
            // The time of the last wake-up is near enough, and free.
            let time = now
            // Rounded up: waking a millisecond early would only mean to sleep again.
            milliseconds = timers.next <= time ? 0 : CInt(clamping: (timers.next - time) / 1_000_000 + 1)
        }
        poller.wait(milliseconds: milliseconds) { event in
            let slot = Int(event.token & 0xffff_ffff)
            guard slot < slots.count, slots[slot].generation == UInt32(truncatingIfNeeded: event.token >> 32),
                let socket = slots[slot].socket
            else { return }
            // It ends nothing but a wait, so that nobody goes away meanwhile.
            socket._withUnsafeGuaranteedRef { $0.didChange(event) }
        }
        now = .now()
        timers.fire(now: now)
        if !yielded.isEmpty {
            let ready = yielded
            yielded.removeAll(keepingCapacity: true)
            for waiter in ready { waiter.endYield() }
        }
    }

    func wake() { poller.wake() }
}
