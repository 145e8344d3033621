import Postgres

/// Makes partitions before they are needed, and removes the oldest ones; one Shunt at a time does so for a store.
final class PostgresRetention {
    private struct Part {
        var number: Int64
        /// When its first exchange came, or soon afterwards, in microseconds since 1970 by the server's clock.
        var began: Int64?
        var size: Int64
    }

    /// Of all parts that a store may have, one is to have this share at most.
    private static let share: Int64 = 8
    /// The smallest partition that is worth having, in bytes.
    private static let minimum: Int64 = 1 << 20

    private let session: PostgresSession
    private let sizeLimit: Int64
    private let ageLimit: Int64
    /// Steps between two looks at the sizes, which cost a look at every file.
    private let pause: Int
    private let usesServerClock: Bool
    private var size: Int64 = 0
    private var steps = 0

    init(_ session: PostgresSession, _ settings: StoreSettings) {
        self.session = session
        (sizeLimit, ageLimit, pause) = (settings.sizeLimit, settings.ageLimit, max(1, settings.postgres.care))
        usesServerClock = settings.postgres.usesServerClock
    }

    private static let gate = "'shunt.meta'::regclass::oid::integer"

    /// Makes the partition of the next number, and the one behind it, if they are missing.
    ///
    /// - Parameter next: numbers below are not to be given out any more.
    func addParts(next: Int64 = 0) throws(StoreFailure) {
        try session.query("SELECT pg_advisory_lock(\(Self.gate), 3)")
        try unlocking { () throws(StoreFailure) in
            try skip(to: next)
            try addMissing()
        }
    }

    /// Runs `body`, and gives up the lock, where that is not possible with the connection.
    private func unlocking(_ body: () throws(StoreFailure) -> Void) throws(StoreFailure) {
        func unlock() throws(StoreFailure) { try session.query("SELECT pg_advisory_unlock(\(Self.gate), 3)") }
        do throws(StoreFailure) { try body() } catch {
            if !session.isOpen || (try? unlock()) == nil { session.close() }
            throw error
        }
        try unlock()
    }

    private func skip(to next: Int64) throws(StoreFailure) {
        if next > 1 {
            try session.query(
                "SELECT setval('shunt.exchange_id', greatest(last_value, $1::bigint - 1)) FROM shunt.exchange_id",
                [.integer(next)])
        }
    }

    private func addMissing() throws(StoreFailure) {
        let missing = try session.query(
            """
            SELECT wanted FROM shunt.exchange_id, generate_series((last_value + 1) / $1, (last_value + 1) / $1 + 1) wanted
                WHERE NOT EXISTS (SELECT 1 FROM shunt.part WHERE number = wanted) ORDER BY 1
            """, [.integer(PostgresSchema.partSize)])
        for row in 0..<missing.count {
            try session.query("SELECT shunt.add_part($1)", [.integer(missing.integer(row, 0) ?? 0)])
        }
    }

    /// - Parameter now: microseconds since 1970 by the clock of this Shunt.
    func step(now: Int64) throws(StoreFailure) -> Retention.Step {
        var step = Retention.Step()
        step.size = size
        steps += 1
        guard steps % pause == 1 % pause,
            try session.integer("SELECT pg_try_advisory_lock(\(Self.gate), 3)::integer") == 1
        else { return step }
        try unlocking { () throws(StoreFailure) in
            try addMissing()
            let (parts, now) = try parts(now)
            size = parts.reduce(0) { $0 + $1.size }
            step.removed = try look(parts, now)
            step.size = size
        }
        return step
    }

    /// All partitions, the oldest first, and the server's time.
    private func parts(_ now: Int64) throws(StoreFailure) -> ([Part], now: Int64) {
        let tables = PostgresSchema.parted.joined(separator: "', '")
        let rows = try session.query(
            """
            SELECT number, began_us, (SELECT sum(pg_total_relation_size(to_regclass('shunt.' || name || '_' || number)))
                FROM unnest(ARRAY['\(tables)']) name)::bigint, (extract(epoch FROM clock_timestamp()) * 1e6)::bigint
                FROM shunt.part ORDER BY number
            """)
        let parts = (0..<rows.count).map { row in
            Part(number: rows.integer(row, 0) ?? 0, began: rows.integer(row, 1), size: rows.integer(row, 2) ?? 0)
        }
        // Clocks of nodes differ.
        return (parts, usesServerClock && rows.count > 0 ? rows.integer(0, 3) ?? now : now)
    }

    /// Ends the current partition if it is large or old enough, and removes old ones; returns the exchanges removed.
    private func look(_ parts: [Part], _ now: Int64) throws(StoreFailure) -> UInt64 {
        let current =
            (try session.integer("SELECT last_value + 1 FROM shunt.exchange_id") ?? 0) / PostgresSchema.partSize
        if let part = parts.first(where: { $0.number == current }) {
            if part.began == nil {
                try session.query(
                    "UPDATE shunt.part SET began_us = $2 WHERE number = $1", [.integer(current), .integer(now)])
            }
            let span = max(60, min(24 * 3600, ageLimit / Self.share)) * 1_000_000
            let isOld = ageLimit != .max && part.began.map { now - $0 >= span } ?? false
            if isOld || part.size > max(Self.minimum, sizeLimit / Self.share) {
                try session.query("SELECT shunt.cut($1)", [.integer(current)])
            }
        }
        var removed: UInt64 = 0
        let old = parts.filter { $0.number < current }
        for (index, part) in old.enumerated() {
            // A partition ends where the next one begins.
            let next = index + 1 < old.count ? old[index + 1].began : parts.first { $0.number == current }?.began
            let (age, isEternal) = ageLimit.multipliedReportingOverflow(by: 1_000_000)
            let isOver = !isEternal && next.map { $0 < now - age } ?? false
            guard isOver || size > sizeLimit else { continue }
            removed += try remove(part.number)
            size -= part.size
        }
        return removed
    }

    /// Removes a partition, or what has ended in it while it is used.
    private func remove(_ part: Int64) throws(StoreFailure) -> UInt64 {
        var count: Int64 = 0
        try session.transaction { () throws(StoreFailure) in
            // The other tables' readers and writers wait behind this while it waits for one of them.
            try session.run("SET LOCAL lock_timeout = '200ms'")
            let isUsed = try PostgresClearing.isUsed(part, session)
            count = try session.integer("SELECT count(*) FROM shunt.exchange_\(part) WHERE ended = 1") ?? 0
            if isUsed {
                try PostgresClearing.removeEnded(in: part, session)
            } else {
                try session.query("SELECT shunt.drop_part($1)", [.integer(part)])
            }
        }
        return UInt64(clamping: count)
    }
}
