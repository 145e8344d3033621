/// Removes exchanges that are too old, and the oldest if the store is too large; a few at a time.
final class Retention {
    struct Step {
        var removed: UInt64 = 0
        /// There is more to do at once.
        var isBehind = false
        /// The store is too large, though it has no ended exchange.
        var isStuck = false
        var size: Int64 = 0
    }

    /// Exchanges that are removed at once, at least.
    private static let minimum: Int64 = 200
    /// Exchanges that are removed between two checks of the free space.
    private static let together = 8
    /// Pages that are given back at once.
    private static let pages: Int64 = 256

    private let connection: SQLiteConnection
    private let sizeLimit: Int64
    private let ageLimit: Int64
    private let pageSize: Int64
    private let oldest: SQLiteStatement
    private let overdue: SQLiteStatement
    private let deletion: SQLiteStatement
    private let messages: SQLiteStatement
    private let noMessages: SQLiteStatement
    private let frames: FrameRemoval
    private let contexts: SQLiteStatement
    private let certificates: SQLiteStatement
    let erasing: LogErasing

    init(_ connection: SQLiteConnection, _ settings: StoreSettings) throws(StoreFailure) {
        self.connection = connection
        sizeLimit = settings.sizeLimit
        ageLimit = settings.ageLimit
        pageSize = try connection.integer("PRAGMA page_size") ?? 4096
        oldest = try connection.prepare("SELECT id FROM exchange WHERE ended = 1 ORDER BY id LIMIT ?")
        overdue = try connection.prepare(
            "SELECT id FROM exchange WHERE started_us < ? AND ended = 1 ORDER BY started_us LIMIT ?")
        deletion = try connection.prepare("DELETE FROM exchange WHERE id = ?")
        frames = try FrameRemoval(connection)
        erasing = try LogErasing(connection)
        contexts = try connection.prepare(
            """
            DELETE FROM context WHERE last BETWEEN ?1 AND ?2 + \(WriteBatch.maxNew) AND context <= ?2
                AND NOT EXISTS (SELECT 1 FROM exchange
                    WHERE id BETWEEN abs(context.context) AND last AND exchange.context = context.context)
            """)
        certificates = try connection.prepare(
            """
            DELETE FROM certificate
                WHERE NOT EXISTS (SELECT 1 FROM context WHERE context.chain = certificate.chain)
            """)
        let old =
            "entry WHERE exchange = ? AND message + messages <= ? AND kinds = \(FrameSection.Kinds.messages.rawValue)"
        messages = try connection.prepare("SELECT frame FROM \(old)")
        noMessages = try connection.prepare("DELETE FROM \(old)")
    }

    /// One small transaction at most.
    /// - Parameter now: microseconds since 1970.
    /// - Parameter written: exchanges that came since the last step; as many must be removable.
    func step(now: Int64, written: Int64, isIdle: Bool) throws(StoreFailure) -> Step {
        var step = Step()
        let limit = max(Self.minimum, written.addingReportingOverflow(written).partialValue)
        let free = try connection.integer("PRAGMA freelist_count") ?? 0
        step.size = ((try connection.integer("PRAGMA page_count") ?? 0) - free) * pageSize
        let (age, isEternal) = ageLimit.multipliedReportingOverflow(by: 1_000_000)
        var victims: [Int64] = []
        // The number of pages that must become free.
        var enough = Int64.max
        if !isEternal {
            try overdue.bind(0, .integer(now.subtractingReportingOverflow(age).partialValue))
            try overdue.bind(1, .integer(limit))
            victims = try identities(overdue)
        }
        if victims.isEmpty, step.size > sizeLimit {
            try oldest.bind(0, .integer(limit))
            victims = try identities(oldest)
            step.isStuck = victims.isEmpty
            enough = free + (step.size - sizeLimit) / pageSize + 1
        }
        if !victims.isEmpty {
            step.removed = try remove(victims, until: enough, leavesNothing: false)
            step.isBehind = true
        } else if isIdle, free > Self.pages {
            try connection.run("PRAGMA incremental_vacuum(\(Self.pages))")
            step.isBehind = free > Self.pages * 2
        }
        return step
    }

    func removeMessages(of exchange: Int64, below number: Int64) throws(StoreFailure) {
        try connection.transaction { () throws(StoreFailure) in
            for statement in [messages, noMessages] {
                try statement.bind(0, .integer(exchange))
                try statement.bind(1, .integer(number))
            }
            frames.note(frames: try identities(messages))
            try noMessages.run()
            try frames.finish(leavesNothing: false)
        }
    }

    /// Removes every exchange that has ended, and overwrites their bytes in the files, as far as ``LogErasing`` can.
    func clear() throws(StoreFailure) {
        if try !clearTables() {
            while true {
                try oldest.bind(0, .integer(1000))
                let victims = try identities(oldest)
                if victims.isEmpty { break }
                _ = try remove(victims, until: .max, leavesNothing: true)
            }
        }
        try connection.run("PRAGMA incremental_vacuum")
        _ = try erasing.erase()
    }

    /// Empties the tables, which is fast; false if an exchange runs, perhaps another process's.
    private func clearTables() throws(StoreFailure) -> Bool {
        var isAlone = false
        try connection.transaction { () throws(StoreFailure) in
            try keepNewest()
            isAlone = try connection.integer("SELECT 1 FROM exchange WHERE ended = 0 LIMIT 1") == nil
            // Without a condition SQLite truncates whole tables.
            if isAlone {
                try connection.run(
                    """
                    DELETE FROM exchange; DELETE FROM entry; DELETE FROM frame; DELETE FROM context;
                    DELETE FROM certificate
                    """)
                try erasing.note()
            }
        }
        return isAlone
    }

    /// Keeps numbers of removed exchanges from being given out again.
    func keepNewest() throws(StoreFailure) {
        try connection.run(
            """
            INSERT OR REPLACE INTO meta SELECT 'last_id',
                max(coalesce((SELECT max(id) FROM exchange), 0),
                    coalesce((SELECT value FROM meta WHERE key = 'last_id'), 0))
            """)
    }

    /// Removes them in their order until so many pages are free, and returns their number.
    ///
    /// - Parameter leavesNothing: also removes bytes of a frame that no remaining exchange uses, now rather than with
    ///   the frame's last exchange.
    func remove(_ victims: [Int64], until enough: Int64, leavesNothing: Bool) throws(StoreFailure) -> UInt64 {
        var removed = 0
        try connection.transaction { () throws(StoreFailure) in
            if let last = victims.max(), try connection.integer("SELECT max(id) FROM exchange") == last {
                try keepNewest()
            }
            for start in stride(from: 0, to: victims.count, by: Self.together) {
                let some = victims[start..<min(start + Self.together, victims.count)]
                for victim in some {
                    try frames.note(victim)
                    try deletion.bind(0, .integer(victim))
                    try deletion.run()
                }
                if !leavesNothing { try frames.finish(leavesNothing: false) }
                removed = some.endIndex
                if try connection.integer("PRAGMA freelist_count") ?? 0 >= enough { break }
            }
            if leavesNothing { try frames.finish(leavesNothing: true) }
            if let first = victims[..<removed].min(), let last = victims[..<removed].max() {
                try contexts.bind(0, .integer(first))
                try contexts.bind(1, .integer(last))
                try contexts.run()
                try certificates.run()
            }
            if leavesNothing { try erasing.note() }
        }
        return UInt64(removed)
    }

    private func identities(_ statement: SQLiteStatement) throws(StoreFailure) -> [Int64] {
        var identities: [Int64] = []
        while try statement.step() { identities.append(statement.integer(0) ?? 0) }
        return identities
    }
}
