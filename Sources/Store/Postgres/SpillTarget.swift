import Dispatch
import Postgres

/// A store in PostgreSQL with a local file for what passes while the server is away, which is brought in exactly once.
///
/// Each spilled batch is a transaction of the server, which also notes that it was brought in: where the process is killed
/// in between, it finds the note, and does not bring it in again. What comes meanwhile waits behind what was spilled, so
/// that the order stays.
final class SpillTarget: RecordingTarget {
    let key: [UInt8]
    private let path: String
    private let settings: StoreSettings
    private let file: SpillFile
    private let numbers: SpilledNumbers
    private var server: PostgresTarget?
    /// Above every number that was given out before the server's tables were removed.
    private var given: Int64 = 1
    private var isAway = false
    /// It was told that the server does not take what was spilled.
    private var isRefused = false
    private var brought: UInt64 = 0
    /// When the server was asked for the last time, and when it is asked again.
    private var (last, next) = (DispatchTime.now(), DispatchTime.now())

    /// How long a connection may take, in milliseconds: what passes waits for it in memory.
    private static let connecting = 3000
    /// Batches that are brought in before the recorder looks after what comes.
    private static let together = 8

    init(_ path: String, _ settings: StoreSettings, spill: String) throws(StoreFailure) {
        var settings = settings
        settings.postgres.connecting = Self.connecting
        (self.path, self.settings) = (path, settings)
        let source = settings.postgres.key ?? PostgresStores.keyFile(path).map { PostgresSettings.Key.file($0) }
        guard case .file(let keyFile) = source else {
            throw StoreFailure(
                .cannotOpen, path: spill,
                "spilling needs the store's key in a file, since the database cannot be asked for it while it is away")
        }
        file = try SpillFile(spill)
        numbers = SpilledNumbers()
        var absence: StoreFailure?
        do throws(StoreFailure) {
            let server = try PostgresTarget(path, settings, next: given, translate: numbers.translate)
            (self.server, key) = (server, server.key)
        } catch {
            guard error.kind == .away, let known = try StoreKey.read(keyFile) else { throw error }
            key = known
            absence = error
        }
        if let absence { wait(after: absence) }
        // Nothing refers to what was brought in before; what cannot be removed now can the next time.
        if file.count == 0 {
            try? server?.run { [name = file.name] session throws(StoreFailure) in
                try session.query("DELETE FROM shunt.brought WHERE spill = $1", [.text(name)])
            }
        }
    }

    var hasMoved: Bool { server?.hasMoved ?? false }

    /// The file stays, and so do the numbers that others took the place of: what refers to them is not to meet new ones.
    func reopened() throws(StoreFailure) -> any RecordingTarget {
        given = max(given, server?.nextIdentity ?? 1)
        server = nil
        return self
    }

    func write(_ batch: borrowing WriteBatch) throws(StoreFailure) -> Int64 {
        if isFull { _ = bringIn() }
        if file.count == 0, let server = openedServer() {
            do throws(StoreFailure) { return try server.write(batch) } catch {
                guard error.mayPass, !server.hasMoved else { throw error }
                wait(after: error)
            }
        }
        if isFull {
            throw StoreFailure(
                .diskFull, path: file.path,
                "it is as large as --store-size allows, and the server is away; bring the server back, or give the file "
                    + "more room with --store-size")
        }
        do throws(StoreFailure) { return try keep(batch) } catch {
            // What is brought in leaves its room to what comes.
            guard error.kind == .diskFull, bringIn() > 0 else { throw error }
            return try keep(batch)
        }
    }

    private var isFull: Bool { file.count > 0 && Int64(file.size) >= settings.sizeLimit }

    private func keep(_ batch: borrowing WriteBatch) throws(StoreFailure) -> Int64 {
        // With others before it, what is pending is the oldest one's.
        let attempt = file.count == 0 ? server?.pending : nil
        let first = try file.add(batch, attempt: attempt)
        if attempt != nil { server?.forget() }
        return first
    }

    func known(_ id: Int64) -> Int64? { numbers.known(id) }

    func forget() {
        // The oldest of those that were spilled is tried again in any case.
        if file.count == 0 { server?.forget() }
    }

    /// The server, unless it was found away a moment ago.
    private func openedServer() -> PostgresTarget? {
        guard next <= .now() else { return nil }
        last = .now()
        if let server { return server }
        do throws(StoreFailure) {
            let server = try PostgresTarget(path, settings, next: given, translate: numbers.translate)
            self.server = server
            return server
        } catch {
            wait(after: error)
            return nil
        }
    }

    /// Asks the server later; tells once that it is away, and once that it is back and takes nothing.
    private func wait(after failure: StoreFailure, isBringing: Bool = false) {
        // A server that does not respond is to take a small part of the time.
        let spent = Int(clamping: DispatchTime.now().uptimeNanoseconds &- last.uptimeNanoseconds)
        next = .now() + .nanoseconds(max(1_000_000_000, min(10_000_000_000, 3 * spent)))
        let isGone = failure.kind == .away || failure.kind == .busy
        if !isAway, isGone || !isBringing {
            (isAway, isRefused) = (true, !isGone)
            settings.trouble?(.spilling(failure, into: file.path))
        } else if !isRefused, !isGone {
            isAway = true
            isRefused = true
            settings.trouble?(.notBroughtIn(failure, from: file.path))
        }
    }

    func lookAfter(now: Int64, written: Int64, isIdle: Bool) throws(StoreFailure) -> Retention.Step {
        let count = bringIn()
        guard file.count == 0, let server = openedServer() else {
            return Retention.Step(isBehind: count == Self.together)
        }
        do throws(StoreFailure) {
            if isAway { try tellBack(server) }
            return try server.lookAfter(now: now, written: written, isIdle: isIdle)
        } catch {
            // Also where nothing comes, the recorder is not to wait for it all the time.
            if error.kind == .away { wait(after: error) }
            throw error
        }
    }

    private func tellBack(_ server: PostgresTarget) throws(StoreFailure) {
        try server.run { session throws(StoreFailure) in try session.run("SELECT 1") }
        isAway = false
        settings.trouble?(.broughtIn(exchanges: brought))
        brought = 0
    }

    /// Brings in some batches; returns how many there were.
    private func bringIn() -> Int {
        var count = 0
        while count < Self.together, file.count > 0, let server = openedServer() {
            do throws(StoreFailure) { try bringIn(to: server) } catch {
                // The recorder begins anew.
                if !server.hasMoved { wait(after: error, isBringing: true) }
                break
            }
            isRefused = false
            count += 1
        }
        return count
    }

    /// Brings in the oldest batch.
    private func bringIn(to server: PostgresTarget) throws(StoreFailure) {
        guard let spilled = try file.oldest() else { return }
        let name = file.name
        try numbers.load(name, server)
        if numbers.hasNote(of: spilled.number) { return try remove(spilled, broughtTo: server) }
        func note(_ first: Int64, _ session: PostgresSession, orKeep: Bool) throws(StoreFailure) {
            try session.query(
                "INSERT INTO shunt.brought VALUES ($1, $2, $3, $4, $5) \(orKeep ? "ON CONFLICT DO NOTHING" : "")",
                [
                    .text(name), .integer(spilled.number), .integer(spilled.first), .integer(spilled.count),
                    .integer(first),
                ])
        }
        if let attempt = spilled.attempt, try server.isCommitted(attempt.xid) {
            try server.run { session throws(StoreFailure) in try note(attempt.first, session, orKeep: true) }
            numbers.add(spilled, first: attempt.first)
        } else {
            var rest = spilled.bytes[...]
            // What began in tables that were removed since then has no number any more.
            let own = spilled.first..<spilled.first + spilled.count
            let batch = WriteBatch(
                &rest, first: spilled.first, keeping: { own.contains($0) || numbers.known($0) != nil })
            guard let batch else {
                throw StoreFailure(
                    .damaged, path: file.path,
                    "a spilled batch cannot be read; move the file away, and lose the traffic in it")
            }
            // A second note fails, and with it a second transaction.
            server.alongside = { first, session throws(StoreFailure) in try note(first, session, orKeep: false) }
            defer { server.alongside = nil }
            numbers.add(spilled, first: try server.write(batch))
        }
        brought += UInt64(clamping: spilled.count)
        try remove(spilled, broughtTo: server)
    }

    private func remove(_ spilled: SpillFile.Spilled, broughtTo server: PostgresTarget) throws(StoreFailure) {
        // What runs by now is of an earlier process: all of this one comes behind that.
        if spilled.number == file.inherited { try server.breakOff() }
        try file.removeOldest()
    }

    func finish() { server?.finish() }
}

/// Which numbers of the store took the place of those in a file of spilled traffic; confined to the recorder's thread.
final class SpilledNumbers {
    private struct Span {
        let spilled: Range<Int64>
        let first: Int64
    }

    private var spans: [Span] = []
    private var notes: Set<Int64> = []
    private var isLoaded = false

    /// The store's number for one that was given out here.
    func translate(_ id: Int64) -> Int64 { known(id) ?? id }

    /// The same; nil for one that was not brought in.
    func known(_ id: Int64) -> Int64? {
        guard id >= SpillFile.firstNumber else { return id }
        // Usually one of the last.
        let span = spans.last { $0.spilled.contains(id) }
        return span.map { $0.first + id - $0.spilled.lowerBound }
    }

    func hasNote(of batch: Int64) -> Bool { notes.contains(batch) }

    func add(_ spilled: SpillFile.Spilled, first: Int64) {
        notes.insert(spilled.number)
        guard spilled.count > 0 else { return }
        spans.append(Span(spilled: spilled.first..<spilled.first + spilled.count, first: first))
    }

    /// Reads once what was brought in from a file before.
    func load(_ file: String, _ server: PostgresTarget) throws(StoreFailure) {
        guard !isLoaded else { return }
        try server.run { session throws(StoreFailure) in
            let rows = try session.query(
                "SELECT number, provisional, count, first FROM shunt.brought WHERE spill = $1 ORDER BY number",
                [.text(file)])
            (spans, notes) = ([], [])
            for row in 0..<rows.count {
                let numbers = (0..<4).map { rows.integer(row, $0) ?? 0 }
                notes.insert(numbers[0])
                // What other programs may have written there is left out.
                guard numbers[2] > 0, !numbers[1].addingReportingOverflow(numbers[2]).overflow else { continue }
                spans.append(Span(spilled: numbers[1]..<numbers[1] + numbers[2], first: numbers[3]))
            }
        }
        isLoaded = true
    }
}
