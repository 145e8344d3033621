import Bytes

/// The state of one loop's thread: its poller, its sockets, its timers.
///
/// Confined to that thread.
public final class LoopCore {
    /// Nanoseconds up to which a deadline is met to the microsecond.
    private static let soon: UInt64 = 50_000_000

    private let poller: Poller
    /// Sockets by slot.
    ///
    /// The token given to the poller carries the slot's generation, so that an event for a socket that was closed
    /// earlier in the same batch finds no socket.
    private let registered = Box<[Slot]>([])
    private var freeSlots: [Int] = []
    private let deadlines = Box(Timers())
    /// Waiters whose tasks have yielded.
    let yielded = Box<[Waiter]>([])
    private let nextJobs = Box<[UnownedJob]>([])
    #if DEBUG
    /// What the job does that runs now, for the watchdog.
    var activity = Watchdog.unnamed
    #endif
    /// The loop of this core; set by the loop itself.
    weak var loop: Loop?
    /// Sockets with unreported readiness changes, mostly new requests.
    private let asking = Box(ReadySockets())
    /// The clock of the loop.
    public let clock: @Sendable () -> Instant
    private let lastWake: Cell<Instant>
    /// The time when the loop last woke; precise enough for deadlines and logs, and free.
    public var now: Instant { lastWake.value }

    private struct Slot {
        var generation: UInt32
        /// The socket removes itself before it is released.
        var socket: Unmanaged<Socket>?
    }

    init(_ clock: @escaping @Sendable () -> Instant) throws(SystemError) {
        poller = try Poller()
        self.clock = clock
        lastWake = Cell(clock())
    }

    var timers: Timers {
        _read { yield deadlines.value }
        _modify { yield &deadlines.value }
    }

    /// The jobs to run next.
    var jobs: [UnownedJob] {
        _read { yield nextJobs.value }
        _modify { yield &nextJobs.value }
    }

    private var slots: [Slot] {
        _read { yield registered.value }
        _modify { yield &registered.value }
    }

    /// The number of open sockets.
    public var socketCount: Int { slots.count - freeSlots.count }

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

    /// Moves a socket's registration to what its descriptor means now.
    func renew(_ descriptor: CInt, slot: Int) throws(SystemError) {
        try poller.add(descriptor, token: UInt64(slots[slot].generation) << 32 | UInt64(slot))
    }

    /// Events of the descriptor are not reported any more.
    func forget(_ descriptor: CInt) { poller.remove(descriptor) }

    func unregister(slot: Int) {
        slots[slot].socket = nil
        // 31 bits, since kqueue carries the token in a pointer.
        slots[slot].generation = (slots[slot].generation &+ 1) & 0x7fff_ffff
        freeSlots.append(slot)
    }

    /// Breaks off connections by their addresses on this machine.
    public func breakOff(where isGone: (SocketAddress) -> Bool) {
        for slot in slots {
            guard let socket = slot.socket?.takeUnretainedValue(), socket.peerAddress != nil,
                let own = socket.localAddress, isGone(own)
            else { continue }
            socket.breakOff()
        }
    }

    var hasUnreportedInput: Bool { !asking.value.isEmpty }

    /// Waits for events, unless `hasWork`, and wakes waiters whose deadline has come.
    func turn(hasWork: Bool) {
        var limit: UInt64?
        if hasWork || hasUnreportedInput || !yielded.value.isEmpty {
            limit = 0
        } else if timers.next != .never {
            // The time of the last wake-up is free, and precise enough for all but the next deadlines: shaped
            // connections have those.
            let time = timers.next < now.after(Self.soon) ? clock() : now
            limit = timers.next <= time ? 0 : timers.next - time
        }
        poller.wait(nanoseconds: limit) { event in
            socket(event.token)?._withUnsafeGuaranteedRef {
                guard $0.didChange(event) else { return }
                if $0.goesFirst { $0.tell() } else { asking.value.append(event.token) }
            }
        }
        lastWake.value = clock()
        timers.fire(now: now)
        if !yielded.value.isEmpty {
            let ready = yielded.value
            yielded.value.removeAll(keepingCapacity: true)
            for waiter in ready { waiter.endYield() }
        }
    }

    /// Wakes the waiter of the next socket with changes; false if there is none.
    func wakeNext() -> Bool {
        guard let token = asking.value.popFirst() else { return false }
        // Waking only ends a wait, so that the socket is not released meanwhile.
        socket(token)?._withUnsafeGuaranteedRef { $0.tell() }
        return true
    }

    /// The socket of a token; nil once it is closed.
    private func socket(_ token: UInt64) -> Unmanaged<Socket>? {
        let slot = Int(token & 0xffff_ffff)
        guard slot < slots.count, slots[slot].generation == UInt32(truncatingIfNeeded: token >> 32) else { return nil }
        return slots[slot].socket
    }

    func wake() { poller.wake() }
}
