import Dispatch
import Exchanges

/// Writes the store: takes pieces from the queue and puts them on disk, on a thread of its own.
final class Recorder {
    private let path: String
    private let settings: StoreSettings
    private let queue: PieceQueue
    private var target: any RecordingTarget
    private var reader: PieceReader
    private var batch = WriteBatch()
    /// The cost of the batch's pieces.
    private var cost = 0
    /// When the batch is to be written.
    private var due = DispatchTime.now()
    private var isInTrouble = false
    private var hasMoved = false
    private var care = Care()
    private var losses = Losses()
    private var contractLosses = Losses()
    private let sealed: SealedLog?
    /// The number of the batch's first new exchange, where it is in the window but not yet sealed.
    private var numbered: Int64?

    /// When retention runs and the file is checked again.
    private struct Care {
        var last = DispatchTime.now()
        var bytes = 0
        var exchanges: Int64 = 0
        var isBehind = false
        /// Nothing came since the last time.
        var isQuiet = false
    }

    /// How long it waits for pieces, in milliseconds; the longer wait saves wake-ups while nothing is recorded.
    private static let (patience, quietPatience) = (1000, 5000)

    init(path: String, settings: StoreSettings, queue: PieceQueue, chains: KnownChains) throws(StoreFailure) {
        (self.settings, self.queue) = (settings, queue)
        sealed = try settings.seal.map { seal throws(StoreFailure) in try SealedLog(path, seal, settings) }
        self.path = sealed == nil ? path : SQLiteConnection.memory("\(UInt64.random(in: 0 ... .max))")
        var limits = settings
        if let seal = settings.seal { limits.sizeLimit = seal.window }
        target = try Self.target(self.path, limits, next: sealed?.next ?? 1)
        if sealed != nil { SealedStores.setWindow(path, self.path) }
        reader = PieceReader(settings, settings.filter?(target.key))
        batch.chains.known = chains
    }

    private static func target(
        _ path: String, _ settings: StoreSettings, next: Int64
    ) throws(StoreFailure) -> any RecordingTarget {
        guard PostgresSession.isAddress(path) else { return try FileTarget(path, settings, next: next) }
        guard let spill = settings.postgres.spill else { return try PostgresTarget(path, settings, next: next) }
        return try SpillTarget(path, settings, spill: spill)
    }

    var key: [UInt8] { target.key }

    /// Runs until the queue has ended and is empty.
    func work() {
        var count = 0
        while true {
            var load = takeLoad()
            load.blocks.reverse()
            while let block = load.blocks.popLast() {
                count += block.pieces.count
                read(block)
                queue.recycle(block)
            }
            for (id, isLast) in load.gaps { reader.lose(id, isLast: isLast, to: &batch) }
            guard load.isEnding || !load.errands.isEmpty || batch.isEmpty || due <= .now() else { continue }
            write()
            for errand in load.errands { errand.finish(true, piece: errand.row.flatMap(piece)) }
            if load.isEnding {
                // A segment that is not completed can be read as well.
                try? sealed?.rotate()
                target.finish()
                return tellLosses(isEnding: true)
            }
            lookAfterStore(isIdle: count < 100)
            count = 0
        }
    }

    /// Takes pieces while the batch may still grow.
    private func takeLoad() -> PieceQueue.Load {
        if !batch.isEmpty { return queue.take(until: due) }
        let gathering = DispatchTimeInterval.milliseconds(settings.gathering)
        let patience = care.isBehind ? 0 : care.isQuiet ? Self.quietPatience : Self.patience
        let load = queue.take(patience: .milliseconds(patience), gathering: gathering)
        due = .now() + (load.isLarge ? .milliseconds(settings.gathering * 2) : .nanoseconds(0))
        return load
    }

    private func read(_ block: borrowing PieceBlock) {
        if block.hasContracts { reader.leavesOutContracts = queue.isCrowded }
        for piece in block.pieces {
            cost += piece.cost
            reader.read(piece, block, to: &batch)
            guard batch.isFull else { continue }
            write()
            lookAfterStore(isIdle: false)
        }
    }

    /// Writes the batch, however long that takes; gives up only when the queue ends.
    private func write() {
        defer { batch.removeAll() }
        guard !batch.isEmpty else { return release { _ in } }
        batch.finish()
        var isLastAttempt = false
        while true {
            do {
                if hasMoved || target.hasMoved { try reopen() }
                let first = if let numbered { numbered } else { try target.write(batch) }
                numbered = first
                try seal(first)
                numbered = nil
                return written(first)
            } catch {
                begin(trouble: error)
                if isLastAttempt || !error.mayPass { return giveUp() }
                isLastAttempt = queue.pause(.milliseconds(1000))
                hasMoved = hasMoved || target.hasMoved
            }
        }
    }

    /// The number of the pieces of an exchange that runs.
    private func piece(of row: Int64) -> UInt64? {
        reader.running.first { _, exchange in
            if case .stored(let id) = exchange.identity { target.known(id) == row } else { false }
        }?.key
    }

    private func written(_ first: Int64) {
        reader.written(first)
        care.bytes += batch.bytes.count + batch.frames.bytes.count
        care.exchanges += batch.newCount
        let (count, contracts) = (batch.endedCount, reader.contractCounts)
        release { statistics in
            statistics.recorded += count
            statistics.contracts = contracts
        }
        endTrouble()
        guard let committed = settings.committed, !batch.ended.isEmpty else { return }
        committed(
            batch.ended.map { record, identity in
                let id =
                    switch identity {
                    case .stored(let id): id
                    case .new(let index): first + index
                    }
                return WrittenExchange(record, id: target.known(id))
            })
    }

    private func giveUp() {
        numbered = nil
        target.forget()
        reader.abandoned()
        let count = batch.endedCount
        release { $0.droppedExchanges += count }
    }

    /// Puts the batch on disk, where the database is in memory.
    private func seal(_ first: Int64) throws(StoreFailure) {
        try sealed?.append(batch, first: first, key: target.key) {
            reader.running.values.compactMap { running in
                if case .stored(let id) = running.identity { id } else { nil }
            }
        }
    }

    private func release(_ count: (inout StoreStatistics) -> Void) {
        queue.release(cost: cost, count)
        cost = 0
    }

    private func begin(trouble failure: StoreFailure) {
        guard !isInTrouble else { return }
        isInTrouble = true
        queue.release(cost: 0) { $0.isInTrouble = true }
        settings.trouble?(.began(failure))
    }

    private func endTrouble() {
        guard isInTrouble else { return }
        isInTrouble = false
        queue.release(cost: 0) { $0.isInTrouble = false }
        let statistics = queue.statistics
        losses.wereTold(statistics.dropped)
        settings.trouble?(.ended(statistics))
    }

    /// Creates the file again after it was deleted.
    private func reopen() throws(StoreFailure) {
        target = try target.reopened()
        reader.moved(to: settings.filter?(target.key))
        hasMoved = false
        settings.trouble?(.begunAnew)
    }
}

extension Recorder {
    /// Runs a step of retention, and checks that the file still exists.
    private func lookAfterStore(isIdle: Bool) {
        let now = DispatchTime.now()
        let isDue = now.uptimeNanoseconds &- care.last.uptimeNanoseconds >= 1_000_000_000
        let limit = Int(clamping: min(8 << 20, settings.sizeLimit / 16))
        guard isDue || care.isBehind || care.bytes >= limit else { return }
        if isDue {
            hasMoved = target.hasMoved
            tellLosses(isEnding: false)
        }
        do {
            if hasMoved { try reopen() }
            let step = try target.lookAfter(now: settings.clock(), written: care.exchanges, isIdle: isIdle)
            let isMore = step.isStuck ? try removeMessages() : false
            if let sealed {
                _ = sealed.retain(sizeLimit: settings.sizeLimit, ageLimit: settings.ageLimit, now: settings.clock())
            }
            // Segments are sealed, and servers asked, by the clock.
            let mayRest = sealed == nil && target is FileTarget
            let isQuiet = mayRest && care.bytes == 0 && care.exchanges == 0
            care = Care(last: now, isBehind: step.isBehind || isMore, isQuiet: isQuiet)
            queue.release(cost: 0) { statistics in
                statistics.removed += step.removed
                statistics.size = step.size
            }
        } catch {
            // Its failures also make writing fail, and are reported there, or the target tells of them.
            care = Care(last: now)
        }
    }

    private func tellLosses(isEnding: Bool) {
        let statistics = queue.statistics
        if losses.isToBeTold(statistics.dropped, now: .now(), isEnding: isEnding) {
            settings.trouble?(.fellBehind(statistics))
        }
        if contractLosses.isToBeTold(statistics.contracts.leftOut, now: .now(), isEnding: isEnding) {
            settings.trouble?(.contractsLeftOut(statistics.contracts))
        }
    }

    /// Removes old messages of running exchanges, which are not removed themselves; returns true if there were any.
    private func removeMessages() throws(StoreFailure) -> Bool {
        guard let (id, state) = reader.running.max(by: { $0.value.messageCount < $1.value.messageCount }),
            state.messageCount > 1, case .stored(let identity) = state.identity
        else { return false }
        let end = state.firstMessage + min(5000, state.messageCount / 2)
        try target.removeMessages(of: identity, below: end)
        reader.removed(id, messagesBelow: end)
        return true
    }
}
