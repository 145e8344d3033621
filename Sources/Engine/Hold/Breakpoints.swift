import Filter
import Synchronization

/// The breakpoints that are set while Shunt runs, and the exchanges that they hold; nothing of it outlives the process.
///
/// A held exchange goes on by itself when its time is over, when its breakpoint is removed and when Shunt stops; where
/// another profile becomes active meanwhile, a held request goes to that one. Shared by all threads.
public final class Breakpoints: Sendable {
    /// How many breakpoints there may be.
    public static let limit = 20
    /// How many exchanges may be held; further ones go on.
    public static let maxHeld = 64

    private struct State {
        var breakpoints: [Breakpoint] = []
        var held: [HeldExchange] = []
        var (lastBreakpoint, lastHeld, passed) = (0, 0, 0)
        var isClosed = false
    }

    private let state = Mutex(State())
    private let isArmed = Atomic<Bool>(false)
    private let isForMessages = Atomic<Bool>(false)
    private let changes = Atomic<Int>(0)

    public init() {}

    /// There are breakpoints.
    var isSet: Bool { isArmed.load(ordering: .relaxed) }

    /// Another number after each change.
    public var revision: Int { changes.load(ordering: .relaxed) }

    public var all: [Breakpoint] { state.withLock { $0.breakpoints } }

    /// The oldest first.
    public var held: [HeldExchange] { state.withLock { $0.held } }

    /// Exchanges that went on because too many were held.
    public var passed: Int { state.withLock { $0.passed } }

    /// Sets a breakpoint.
    ///
    /// - Parameter device: a device's name, or any client's address; nil for all clients.
    @discardableResult
    public func add(
        _ filter: String, _ phase: Breakpoint.Phase = .request, device: String? = nil,
        seconds: Int = Breakpoint.usualSeconds
    ) throws(HoldFailure) -> Breakpoint {
        let number = state.withLock { state -> Int? in
            guard state.breakpoints.count < Self.limit, !state.isClosed else { return nil }
            state.lastBreakpoint += 1
            return state.lastBreakpoint
        }
        guard let number else {
            throw HoldFailure(
                .full, "there are \(Self.limit) breakpoints, the most that there may be", advice: "Remove one first.")
        }
        let breakpoint = try Breakpoint(number, filter: filter, phase, device: device, seconds: seconds)
        change { $0.breakpoints.append(breakpoint) }
        return breakpoint
    }

    /// Removes a breakpoint, or all of them with nil; what they hold goes on as it is.
    public func remove(_ id: Int?) throws(HoldFailure) {
        let (isThere, held) = state.withLock { state in
            let isThere = id.map { id in state.breakpoints.contains { $0.id == id } } ?? true
            state.breakpoints.removeAll { id == nil || $0.id == id }
            return (isThere, state.held.filter { id == nil || $0.breakpoint.id == id })
        }
        guard isThere else {
            throw HoldFailure(
                .missing, "there is no breakpoint \(id ?? 0), or not any more",
                advice: "`shunt hold` lists those that are.")
        }
        change { _ in }
        for exchange in held { exchange.decide(.goOn(.removed)) }
    }

    /// Shunt stops: nothing is held any more.
    func close() {
        state.withLock { $0.isClosed = true }
        try? remove(nil)
    }

    /// The held exchange of that number.
    public func exchange(_ id: Int) throws(HoldFailure) -> HeldExchange {
        guard let exchange = held.first(where: { $0.id == id }) else { throw .gone(id) }
        return exchange
    }

    // MARK: For workers

    /// The first breakpoint that an exchange meets.
    func first(at stage: FilterStage, _ subject: HoldSubject) -> Breakpoint? {
        all.first { $0.holds(stage, subject) }
    }

    /// Whether some breakpoint may hold the response to a request.
    func watchResponse(to subject: HoldSubject) -> Bool { all.contains { $0.mayHoldResponse(to: subject) } }

    /// Whether some breakpoint holds messages.
    var watchMessages: Bool { isForMessages.load(ordering: .relaxed) }

    /// Holds an exchange; nil where it has to go on.
    func hold(_ make: (Int) -> HeldExchange) -> HeldExchange? {
        let exchange = state.withLock { state -> HeldExchange? in
            guard state.held.count < Self.maxHeld else {
                state.passed += 1
                return nil
            }
            state.lastHeld += 1
            let exchange = make(state.lastHeld)
            guard !state.isClosed, state.breakpoints.contains(where: { $0.id == exchange.breakpoint.id }) else {
                return nil
            }
            state.held.append(exchange)
            return exchange
        }
        change { _ in }
        return exchange
    }

    /// An exchange goes on, or is gone.
    func forget(_ exchange: HeldExchange) { change { $0.held.removeAll { $0 === exchange } } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            isArmed.store(!state.breakpoints.isEmpty, ordering: .relaxed)
            isForMessages.store(state.breakpoints.contains { $0.phase == .message }, ordering: .relaxed)
        }
        changes.add(1, ordering: .relaxed)
    }
}

extension HoldFailure {
    static func gone(_ id: Int) -> HoldFailure {
        HoldFailure(
            .missing, "exchange \(id) is not held, or not any more", advice: "`shunt hold` lists those that are.")
    }
}
