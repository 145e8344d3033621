import Synchronization

/// The connections of clients that one worker serves.
///
/// Confined to its worker.
final class ClientConnections {
    /// The place of a new connection.
    enum Room {
        case free
        case insteadOf(ClientConnection)
    }

    private var open: [ObjectIdentifier: ClientConnection] = [:]
    private var lastNumber = 0
    private var whenEmpty: [CheckedContinuation<Void, Never>] = []
    /// Those that can make room for others, found by a look at all; the oldest is the last.
    private var candidates: [ClientConnection] = []
    private static let maxCandidates = 64

    var isEmpty: Bool { open.isEmpty }

    var all: some Sequence<ClientConnection> { open.values }

    /// The number of the next connection, in the order in which they begin.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func add(_ connection: ClientConnection) { open[ObjectIdentifier(connection)] = connection }

    func remove(_ connection: ClientConnection) { open[ObjectIdentifier(connection)] = nil }

    /// The place of a new connection; nil if it has to wait.
    /// - Parameter count: all connections of the proxy.
    func room(beside count: borrowing Atomic<Int>, _ limits: Limits) -> Room? {
        if count.load(ordering: .relaxed) < limits.connections { return .free }
        return limits.makesRoom ? takeIdle().map { .insteadOf($0) } : nil
    }

    /// The oldest connection that nothing is done for, to be ended for another one; nil where all are in use.
    private func takeIdle() -> ClientConnection? {
        for isFresh in [false, true] {
            if isFresh {
                let idle = open.values.filter { !$0.isInUse && !$0.isCancelled }
                candidates = idle.sorted { $0.number > $1.number }.suffix(Self.maxCandidates)
            }
            while let oldest = candidates.popLast() {
                if oldest.channel.isOpen, !oldest.isInUse, !oldest.isCancelled { return oldest }
            }
        }
        return nil
    }

    /// Lets those go on who wait for the end of the last one, if that has ended.
    func noteEmpty() {
        guard open.isEmpty else { return }
        for waiting in whenEmpty { waiting.resume() }
        whenEmpty.removeAll()
    }

    /// Returns when the last one has ended.
    func waitForEnd() async {
        if !open.isEmpty {
            await withCheckedContinuation { continuation in
                // Other jobs have run before this, and the last connection may be gone.
                if open.isEmpty { continuation.resume() } else { whenEmpty.append(continuation) }
            }
        }
        candidates.removeAll()
    }
}
