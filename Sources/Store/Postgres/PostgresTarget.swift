import Platform
import Postgres

/// A store in PostgreSQL, as a recorder writes it: a transaction for each batch, with a COPY for each table.
final class PostgresTarget: RecordingTarget {
    let key: [UInt8]
    private(set) var hasMoved = false
    /// Above every number that was ever given out, as far as this process knows.
    private(set) var nextIdentity: Int64
    private let (path, settings): (String, StoreSettings)
    private let session: PostgresSession
    private let recorder: PostgresRecorder
    /// The connection holds the lock by which others see that this Shunt lives.
    private var hasNumber = true
    private let shared: SharedBodies
    private let copy: BatchCopy
    private let retention: PostgresRetention
    private let trouble: (@Sendable (StoreTrouble) -> Void)?
    /// Users were told that old exchanges cannot be removed; set back once a step works.
    private var isUnable = false
    /// Chains of certificates that are stored, as far as is known.
    private var chains: Set<String> = []
    /// Those that the present batch has written.
    private var sentChains: Set<String> = []
    private var epoch: Int64 = -1
    /// A transaction of which it is not known whether it took effect.
    private(set) var pending: (xid: String, first: Int64)?
    /// Statements that belong to the transaction of the next batch, with their values.
    var alongside: ((_ first: Int64, PostgresSession) throws(StoreFailure) -> Void)?

    /// - Parameter next: numbers below were given out by this process already.
    /// - Parameter translate: numbers of exchanges that were given out before the server knew them.
    init(
        _ path: String, _ settings: StoreSettings, next: Int64, translate: @escaping (Int64) -> Int64 = { $0 }
    ) throws(StoreFailure) {
        (self.path, self.settings) = (path, settings)
        let own = settings.postgres
        let node = own.node ?? Self.hostName
        session = try PostgresSession(
            path, name: "shunt \(node)", patience: own.patience, connecting: own.connecting, setting: Self.setting)
        try PostgresMigration.run(session, settings)
        let source = own.key ?? PostgresStores.keyFile(path).map { PostgresSettings.Key.file($0) }
        key = try StoreKey.find(session, source ?? .database)
        if case .file(let file) = own.key { PostgresStores.setKey(path, file: file) }
        shared = SharedBodies(key: key)
        recorder = try PostgresRecorder(session, node)
        copy = BatchCopy(recorder: recorder.number, shared, translate)
        retention = PostgresRetention(session, settings)
        trouble = settings.trouble
        nextIdentity = next
        try retention.addParts(next: next)
        // What was left by Shunts that ended without a word, and by an earlier one under this number.
        try breakOff()
        let birth = try session.integer(Self.birth)
        // Neither the session nor what refers to it: they would keep each other.
        session.prepare = { [weak self, number = recorder.number] session throws(StoreFailure) in
            guard try PostgresMigration.version(session) == PostgresSchema.version,
                try session.integer(Self.birth) == birth
            else {
                self?.hasMoved = true
                throw StoreFailure(.missing, path: session.server, "its tables were removed")
            }
            // The server may not have noticed yet that the earlier connection is gone.
            self?.hasNumber = try PostgresRecorder.take(number, session)
        }
    }

    /// Marks running exchanges of this Shunt, of which it has none yet, and of those that have ended as broken off.
    func breakOff() throws(StoreFailure) { try PostgresRecorder.breakOff(session, own: recorder.number) }

    private static let birth = "SELECT number FROM shunt.meta WHERE key = 'birth'"

    /// A transaction whose Shunt has gone silent must hold up neither followers nor `clear` for long.
    private static let setting = """
        SET search_path = shunt, pg_catalog; SET idle_in_transaction_session_timeout = '15s'; SET lock_timeout = '5s'
        """

    static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "shunt" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func write(_ batch: borrowing WriteBatch) throws(StoreFailure) -> Int64 {
        if let pending {
            guard try !isCommitted(pending.xid) else { return written(pending.first, batch.newCount) }
            self.pending = nil
        }
        if let first = try attempt(batch) { return written(first, batch.newCount) }
        try retention.addParts(next: nextIdentity)
        guard let first = try attempt(batch) else {
            throw StoreFailure(
                .busy, path: session.server,
                "the partition for new exchanges was filled or removed at once; it is made again, or else look at what "
                    + "else changes the schema shunt")
        }
        return written(first, batch.newCount)
    }

    func reopened() throws(StoreFailure) -> any RecordingTarget {
        try PostgresTarget(path, settings, next: nextIdentity)
    }

    func known(_ id: Int64) -> Int64? { id }

    func forget() { pending = nil }

    private func written(_ first: Int64, _ count: Int64) -> Int64 {
        pending = nil
        shared.written()
        if chains.count >= 1024 { chains = [] }
        chains.formUnion(sentChains)
        nextIdentity = max(nextIdentity, first + count)
        return first
    }

    /// Whether a transaction took effect whose end was lost with the connection.
    func isCommitted(_ xid: String) throws(StoreFailure) -> Bool {
        // After a fail-over, or on a server that was restored, it may be one that is yet to come, which has no status.
        let rows = try session.query(
            "SELECT CASE WHEN $1::xid8 < pg_current_xact_id() THEN pg_xact_status($1::xid8) END", [.text(xid)])
        switch rows.text(0, 0) {
        case "committed": return true
        case "in progress":
            // The server has not noticed yet that the connection is gone.
            throw StoreFailure(.away, path: session.server, "the server is still at work on the last transaction")
        default: return false
        }
    }

    /// Writes the batch in a transaction; nil if a partition is missing.
    private func attempt(_ batch: borrowing WriteBatch) throws(StoreFailure) -> Int64? {
        var given: Int64?
        do throws(StoreFailure) {
            try session.transaction { () throws(StoreFailure) in
                let numbers = try reserve(batch.newCount, batch.frameCount)
                guard numbers.count == 1, let first = numbers.integer(0, 0), let xid = numbers.text(0, 2) else {
                    return
                }
                note(epoch: numbers.integer(0, 1) ?? 0)
                try rows(batch, first, numbers.integer(0, 3) ?? 0)
                try alongside?(first, session)
                (pending, given) = ((xid, first), first)
            }
        } catch {
            // Only a COMMIT that was sent and not answered leaves it open.
            if error.kind != .away { pending = nil }
            if error.kind == .missing { hasMoved = true }
            throw error
        }
        return given
    }

    private func reserve(_ count: Int64, _ frames: Int64) throws(StoreFailure) -> PostgresRows {
        do throws(StoreFailure) {
            return try session.query(
                "SELECT first, epoch, xid, frame FROM shunt.reserve($1::bigint, $2::bigint)",
                [.integer(count), .integer(frames)])
        } catch {
            // It takes a lock of the connection's own, which a rollback does not give up.
            session.close()
            throw error
        }
    }

    private func note(epoch: Int64) {
        guard epoch != self.epoch else { return }
        self.epoch = epoch
        chains = []
    }

    private func rows(_ batch: borrowing WriteBatch, _ first: Int64, _ frame: Int64) throws(StoreFailure) {
        sentChains = []
        shared.begin(part: frame >> PostgresSchema.frameBits, epoch: epoch)
        let result: Result<Void, StoreFailure> = batch.withSources { sources in
            copy.fill(batch, sources, first: first, frame: frame)
            do throws(StoreFailure) {
                try send()
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func send() throws(StoreFailure) {
        try sendBodies()
        if !copy.replaced.exchanges.isEmpty {
            try session.query(
                "DELETE FROM shunt.exchange WHERE id = ANY($1::bigint[])", [.text(Self.list(copy.replaced.exchanges))])
        }
        if !copy.replaced.contexts.isEmpty {
            try session.query(
                "DELETE FROM shunt.context WHERE context = ANY($1::bigint[])",
                [.text(Self.list(copy.replaced.contexts))])
        }
        for table in BatchCopy.Table.allCases where !copy.tables[table.rawValue].isEmpty {
            try session.copy(table.sql, copy.tables[table.rawValue].bytes)
        }
        try sendCertificates()
    }

    private static func list(_ numbers: [Int64]) -> String { "{\(numbers.map { "\($0)" }.joined(separator: ","))}" }

    private func sendBodies() throws(StoreFailure) {
        guard !shared.fresh.isEmpty else { return }
        // In one order everywhere, so that two Shunts never wait for each other.
        let fresh = shared.fresh.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        try session.query(
            """
            INSERT INTO shunt.body SELECT $1::bigint, digest, bytes FROM unnest($2::bytea[], $3::bytea[])
                AS fresh(digest, bytes) ON CONFLICT DO NOTHING
            """,
            [
                .integer(shared.part), .bytes(CopyBuffer.array(fresh.map(\.key))),
                .bytes(CopyBuffer.array(fresh.map { Array($0.value) })),
            ])
    }

    private func sendCertificates() throws(StoreFailure) {
        func text(_ value: WriteBatch.Value) -> PostgresValue {
            copy.bytes(value).map { .text(String(decoding: CopyBuffer.repaired($0), as: UTF8.self)) } ?? .null
        }
        for row in copy.certificates {
            guard case .text(let chain) = text(row[1]), !chains.contains(chain) else { continue }
            var values: [PostgresValue] = [.integer(0), .text(chain)]
            if case .integer(let number) = row[2] {
                values.append(.integer(number))
            } else {
                values.append(.integer(0))
            }
            values += row[3...].map(text)
            try session.query(
                "INSERT INTO shunt.certificate VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING", values)
            sentChains.insert(chain)
        }
    }

    /// Runs something else on the connection.
    func run(_ body: (PostgresSession) throws(StoreFailure) -> Void) throws(StoreFailure) { try body(session) }

    func lookAfter(now: Int64, written: Int64, isIdle: Bool) throws(StoreFailure) -> Retention.Step {
        // With a batch that has yet to be confirmed there is nothing to be looked after.
        guard pending == nil else { return Retention.Step() }
        if !hasNumber { hasNumber = try PostgresRecorder.take(recorder.number, session) }
        do throws(StoreFailure) {
            let step = try retention.step(now: now)
            isUnable = false
            return step
        } catch {
            // Writing goes on meanwhile, and would not tell.
            if !isUnable, error.kind != .away, error.kind != .busy {
                isUnable = true
                trouble?(.nothingRemoved(error))
            }
            throw error
        }
    }

    func finish() {
        // The server may notice the end of the connection only after the next Shunt has begun.
        guard session.isOpen else { return }
        try? session.run("SELECT pg_advisory_unlock_all()")
        session.close()
    }
}
