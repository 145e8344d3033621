import Bytes

/// The one place where a task waits: for any of its sockets to change, or for its deadline.
///
/// A task that relays between two connections registers one waiter with both sockets, does what can be done without
/// blocking, and parks when nothing moves. Wake-ups may be spurious: the woken task checks its sockets. Confined to the
/// loop.
public final class Waiter {
    let core: LoopCore
    private let lot = SuspensionPoint()
    private let isSignalled = Cell(false)
    /// The parked task has yielded and waits for no signal.
    private let isYielding = Cell(false)
    private let hasToGiveUp = Cell(false)
    private let end = Cell(Instant.never)
    /// The time under which the heap holds this waiter: never later than needed, often earlier.
    let armed = Cell(Instant.never)
    let heapIndex = Cell(-1)
    #if DEBUG
    /// What its task does, for the watchdog.
    var activity = Watchdog.unnamed
    #endif

    public init(_ core: LoopCore) { self.core = core }

    /// The waiting task has to give up.
    public var isCancelled: Bool { hasToGiveUp.value }

    /// When a parked task is woken at the latest; ``Instant/never`` to wait without end.
    public var deadline: Instant {
        get { end.value }
        set { end.value = newValue }
    }

    /// Whether the deadline has come; always true after ``cancel()``.
    public var isExpired: Bool { isCancelled || deadline <= core.now }

    /// Ends the current or the next ``park()``.
    public func wake() {
        // Woken already: the task is not parked, or has yielded.
        if isSignalled.value { return }
        if !isYielding.value, let job = lot.leave() {
            core.jobs.append(job)
        } else {
            isSignalled.value = true
        }
    }

    /// Does what ``wake()`` does, from any thread and soon.
    public var remoteWake: @Sendable () -> Void {
        // Touched on the loop's thread alone, where posts run.
        nonisolated(unsafe) let waiter = self
        let loop = core.loop
        return { loop?.post { _ in waiter.wake() } }
    }

    /// Ends the current wait and every later one.
    public func cancel() {
        hasToGiveUp.value = true
        wake()
    }

    /// Suspends the task until ``wake()`` or the deadline.
    ///
    /// One task at a time.
    public func park() async {
        if isSignalled.value || isCancelled {
            isSignalled.value = false
            return
        }
        reschedule()
        await lot.stay()
        isSignalled.value = false
        resumeActivity()
    }

    /// Makes a new deadline count for a task that is parked already.
    public func reschedule() {
        if deadline != .never { core.timers.schedule(self) }
    }

    /// Lets other tasks of the loop run and sockets be polled before this one goes on.
    public func yield() async {
        isYielding.value = true
        core.yielded.value.append(self)
        await lot.stay()
        resumeActivity()
    }

    /// Others had their turn.
    func endYield() {
        isYielding.value = false
        if let job = lot.leave() { core.jobs.append(job) }
    }

    /// Takes the waiter out of the loop's timers; its owner calls this when done.
    public func retire() { core.timers.remove(self) }
}
