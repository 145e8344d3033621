import Bytes
import Dispatch
import Synchronization

/// The queue of pieces for the recorder, bounded in bytes; beyond the bound bodies are dropped first, then exchanges.
final class PieceQueue: Sendable {
    /// The pieces that the recorder takes at once.
    struct Load {
        var blocks: ContiguousArray<PieceBlock> = []
        /// Exchanges that lack a piece, and whether that was the last one.
        var gaps: [UInt64: Bool] = [:]
        var errands: [Errand] = []
        var isEnding = false
        /// It has several blocks, so that more pieces will come soon.
        var isLarge: Bool { blocks.count > 1 }
    }

    private struct State: ~Copyable {
        var load = Load()
        /// The block for new pieces, behind those of the load.
        var block = PieceBlock()
        /// Blocks that the recorder has finished with.
        var spare: ContiguousArray<PieceBlock> = []
        /// Cost of waiting pieces, and of those that were taken but are not on disk yet.
        var bytes = 0
        /// Cost of waiting pieces.
        var fresh = 0
        /// Since when the oldest of the waiting pieces waits, and the oldest of those that were taken; nil without any.
        var freshSince: DispatchTime?
        var takenSince: DispatchTime?
        /// Exchanges whose first piece was dropped, until their last one comes.
        var unknown: Set<UInt64> = []
        /// The cost that must wait before the recorder is woken.
        var wakingAt = Int.max
        var hasEnded = false
        var awaitingRoom: [@Sendable () -> Void] = []
        var statistics = StoreStatistics()
    }

    /// Blocks that are kept for reuse; more are seldom free at the same time.
    private static let maxSpare = 16

    private let state = Mutex(State())
    private let hasWork = DispatchSemaphore(value: 0)
    private let limit: Int
    private let whenFull: StoreSettings.WhenFull

    init(limit: Int, whenFull: StoreSettings.WhenFull) {
        self.limit = max(1, limit)
        self.whenFull = whenFull
    }

    /// Returns false if the piece was not taken and is to be offered again.
    func offer(_ piece: borrowing RecordedPiece) -> Bool {
        let (isTaken, wakes) = state.withLock { state in Self.take(piece, limit, whenFull, &state) }
        if wakes { hasWork.signal() }
        return isTaken
    }

    private static func take(
        _ piece: borrowing RecordedPiece, _ limit: Int, _ whenFull: StoreSettings.WhenFull, _ state: inout State
    ) -> (isTaken: Bool, wakes: Bool) {
        guard !state.load.isEnding, !state.hasEnded else {
            if piece.isLast { state.statistics.droppedExchanges += 1 }
            return (true, false)
        }
        if !piece.isFirst, state.unknown.contains(piece.id) {
            if piece.isLast { state.unknown.remove(piece.id) }
            return (true, false)
        }
        // The rest of a body behind a gap is useless.
        let isBehindGap = !state.load.gaps.isEmpty && state.load.gaps[piece.id] != nil
        let isTooMuch = state.bytes + piece.cost > limit && state.bytes > 0
        guard isBehindGap || isTooMuch else { return append(piece, &state) }
        if isTooMuch, whenFull == .wait, !state.statistics.isInTrouble { return (false, false) }
        var rest = copy piece
        let dropped = rest.dropBodies()
        if dropped > 0, !isBehindGap {
            state.statistics.droppedBodies += 1
            state.statistics.droppedBytes += UInt64(dropped)
        }
        guard !isTooMuch || state.bytes + rest.cost <= limit * 2 else {
            refuse(rest, &state)
            return (true, false)
        }
        return append(rest, &state)
    }

    private static func append(_ piece: borrowing RecordedPiece, _ state: inout State) -> (isTaken: Bool, wakes: Bool) {
        if state.fresh == 0 { state.freshSince = .now() }
        state.block.append(piece)
        state.bytes += piece.cost
        state.fresh += piece.cost
        if state.block.isFull {
            state.load.blocks.append(state.block)
            state.block = state.spare.popLast() ?? PieceBlock()
        }
        guard state.fresh >= state.wakingAt else { return (true, false) }
        state.wakingAt = .max
        return (true, true)
    }

    /// Both lists are bounded by the number of exchanges that run at the same time.
    private static func refuse(_ piece: RecordedPiece, _ state: inout State) {
        if piece.isFirst {
            state.statistics.droppedExchanges += 1
            if !piece.isLast { state.unknown.insert(piece.id) }
        } else {
            if piece.isLast { state.statistics.droppedExchanges += 1 }
            state.load.gaps[piece.id] = piece.isLast
        }
    }

    /// Calls `body` once there is room: now, or on the recorder's thread.
    func whenRoom(_ body: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if Self.hasRoom(state, limit) { return true }
            state.awaitingRoom.append(body)
            return false
        }
        if isNow { body() }
    }

    private static func hasRoom(_ state: borrowing State, _ limit: Int) -> Bool {
        state.bytes <= limit / 2 || state.statistics.isInTrouble || state.hasEnded || state.load.isEnding
    }

    /// Waits for pieces, at most `patience`, and then for enough of them, at most `gathering`.
    func take(patience: DispatchTimeInterval, gathering: DispatchTimeInterval) -> Load {
        if waits(patience, bytes: 1) { _ = waits(gathering, bytes: worthwhile) }
        return load()
    }

    /// Takes the pieces at that time at the latest, or earlier if there are enough.
    func take(until time: DispatchTime) -> Load {
        _ = waits(until: time, bytes: worthwhile)
        return load()
    }

    /// The cost that is read at once: small enough to be still in the caches of the thread that wrote it.
    private var worthwhile: Int { min(limit / 2, 256 << 10) }

    private func load() -> Load {
        return state.withLock { state in
            (state.wakingAt, state.fresh) = (.max, 0)
            if state.takenSince == nil { state.takenSince = state.freshSince }
            state.freshSince = nil
            var load = state.load
            state.load = Load(isEnding: load.isEnding)
            if !state.block.pieces.isEmpty {
                load.blocks.append(state.block)
                state.block = state.spare.popLast() ?? PieceBlock()
            }
            return load
        }
    }

    /// Takes back a block whose pieces were read.
    func recycle(_ block: consuming PieceBlock) {
        block.removeAll()
        state.withLock { [block] state in
            if state.spare.count < Self.maxSpare { state.spare.append(block) }
        }
    }

    /// Returns true when so much waits, or there is other work.
    private func waits(_ time: DispatchTimeInterval, bytes: Int) -> Bool { waits(until: .now() + time, bytes: bytes) }

    private func waits(until time: DispatchTime, bytes: Int) -> Bool {
        let isThere = state.withLock { state in
            if Self.isUrgent(state) || state.fresh >= bytes { return true }
            state.wakingAt = bytes
            return false
        }
        return isThere || hasWork.wait(timeout: time) == .success
    }

    private static func isUrgent(_ state: borrowing State) -> Bool {
        state.load.isEnding || !state.load.errands.isEmpty
    }

    /// Pieces are about to be dropped: what is not needed to write them has to wait, or to be left out.
    var isCrowded: Bool { whenFull == .dropBodies && state.withLock { $0.bytes > limit / 2 } }

    /// Waits before the next attempt; returns true if the queue ends.
    func pause(_ time: DispatchTimeInterval) -> Bool {
        if state.withLock({ $0.load.isEnding }) { return true }
        _ = hasWork.wait(timeout: .now() + time)
        return state.withLock { $0.load.isEnding }
    }

    /// The recorder has finished with pieces of that cost.
    func release(cost: Int, _ count: (inout StoreStatistics) -> Void) {
        let ready = state.withLock { state in
            state.bytes -= cost
            if state.bytes <= state.fresh { state.takenSince = nil }
            count(&state.statistics)
            var ready: [@Sendable () -> Void] = []
            if Self.hasRoom(state, limit) { swap(&ready, &state.awaitingRoom) }
            return ready
        }
        for body in ready { body() }
    }

    var statistics: StoreStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.bytes
            if let since = state.takenSince ?? state.freshSince {
                statistics.lag = Int64(clamping: DispatchTime.now().uptimeNanoseconds &- since.uptimeNanoseconds) / 1000
            }
            return statistics
        }
    }

    /// Asks the recorder to write; returns false if the recorder has ended.
    func ask(_ errand: Errand) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.load.isEnding, !state.hasEnded else { return false }
            state.load.errands.append(errand)
            return true
        }
        if isTaken { hasWork.signal() }
        return isTaken
    }

    /// Takes no more pieces; the recorder ends when the waiting ones have been written.
    func end() {
        state.withLock { $0.load.isEnding = true }
        hasWork.signal()
        release(cost: 0) { _ in }
    }
}

extension PieceQueue {
    /// The recorder has ended, and later pieces are ignored.
    func close() {
        let (errands, ready) = state.withLock { state in
            state.hasEnded = true
            defer { state.load.errands = [] }
            var ready: [@Sendable () -> Void] = []
            swap(&ready, &state.awaitingRoom)
            return (state.load.errands, ready)
        }
        for errand in errands { errand.finish(false) }
        for body in ready { body() }
    }
}

/// What a caller waits for: that all it has handed over is written.
final class Errand: Sendable {
    /// The exchange whose pieces are asked for; nil for none.
    let row: Int64?
    /// The number of its pieces, while it runs.
    private let found = Mutex<UInt64?>(nil)
    private let isWritten = Mutex(false)

    init(row: Int64? = nil) { self.row = row }

    var piece: UInt64? { found.withLock { $0 } }
    private let isDone = DispatchSemaphore(value: 0)

    func finish(_ isWritten: Bool, piece: UInt64? = nil) {
        found.withLock { $0 = piece }
        self.isWritten.withLock { $0 = isWritten }
        isDone.signal()
    }

    /// Returns false if the time was over before it was done, or the recorder has ended.
    func wait(until time: DispatchTime) -> Bool { isDone.wait(timeout: time) == .success && isWritten.withLock { $0 } }
}
