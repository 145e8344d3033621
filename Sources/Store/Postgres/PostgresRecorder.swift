import Postgres

/// A Shunt that writes a store in PostgreSQL: its number, and a lock by which others see that it lives.
struct PostgresRecorder {
    let number: Int64

    /// Takes the number of an earlier Shunt of the same node which has ended, or a new one.
    init(_ session: PostgresSession, _ node: String) throws(StoreFailure) {
        let known = try session.query(
            "SELECT number FROM shunt.recorder WHERE node = $1 ORDER BY number", [.text(node)])
        for row in 0..<known.count {
            guard let number = known.integer(row, 0) else { continue }
            if try Self.take(number, session) {
                self.number = number
                return
            }
        }
        let made = try session.integer("INSERT INTO shunt.recorder(node) VALUES ($1) RETURNING number", [.text(node)])
        guard let made, try Self.take(made, session) else {
            throw StoreFailure(
                .busy, path: session.server,
                "another Shunt has just taken the number of this one; start it again, or name it with --node NAME")
        }
        number = made
    }

    /// Takes the lock of a number; returns false if another Shunt has it.
    static func take(_ number: Int64, _ session: PostgresSession) throws(StoreFailure) -> Bool {
        try session.integer(
            "SELECT pg_try_advisory_lock('shunt.recorder'::regclass::oid::integer, $1::integer)::integer",
            [.integer(number)]) == 1
    }

    /// Marks running exchanges of Shunts that do not live any more as broken off.
    ///
    /// One that has only lost its connection writes the true end later, which takes the place of the mark.
    /// - Parameter own: the number of one whose exchanges do not run either; 0 for none.
    static func breakOff(_ session: PostgresSession, own: Int64 = 0) throws(StoreFailure) {
        try session.query(
            """
            UPDATE shunt.exchange SET ended = 1, error = coalesce(error, 'broken off: Shunt ended while it ran'),
                error_side = coalesce(error_side, 'proxy'), error_stage = coalesce(error_stage, 'record')
                WHERE ended = 0 AND (recorder = \(own) OR recorder NOT IN (\(living)))
            """)
    }

    /// The numbers of Shunts that live.
    static let living = """
        SELECT objid::bigint FROM pg_locks
            WHERE locktype = 'advisory' AND classid = 'shunt.recorder'::regclass AND objsubid = 2
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """
}
