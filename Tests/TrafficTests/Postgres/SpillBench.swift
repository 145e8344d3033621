import Exchanges
import Foundation
import Store
import Synchronization
import TestSupport
import Testing

/// A server of its own behind a network that can stall, and what a Shunt needs to spill.
final class SpillBench: Sendable {
    private let own: OwnServer
    let relay: StallingRelay
    private let folder: TemporaryFolder
    /// The address over the relay.
    let path: String
    let troubles = TroubleLog()
    private let written = Mutex<[Exchange]>([])

    /// Makes the tables and the key, and then stalls.
    init() throws {
        own = try OwnServer()
        folder = try TemporaryFolder()
        relay = StallingRelay(to: own.server.port)
        path = try own.path(through: relay)
        try open().finish()
        relay.stall()
    }

    var directPath: String { own.path }
    var file: String { folder.path + "/spill.db" }

    /// What was told as written.
    var committed: [Exchange] { written.withLock { $0 } }

    func open(_ change: (inout StoreSettings) -> Void = { _ in }) throws -> TrafficStore {
        var settings = PostgresBench.settings("a")
        settings.postgres.key = .file(folder.path + "/store.key")
        settings.postgres.spill = file
        settings.postgres.patience = 700
        settings.trouble = { [troubles] in troubles.hear($0) }
        settings.committed = { [weak self] exchanges in self?.written.withLock { $0 += exchanges } }
        change(&settings)
        return try TrafficStore.open(path, settings)
    }

    /// Offers these, each in a batch of its own.
    func write(_ pieces: RecordedPiece..., to store: TrafficStore) throws {
        for piece in pieces {
            let count = store.statistics.recorded
            _ = store.offer(piece)
            try #require(eventually { store.statistics.recorded > count }, "\(troubles.all)")
        }
    }

    /// Lets the network go on, and waits until all that was spilled is in.
    func bringIn() throws {
        relay.resume()
        try #require(eventually { troubles.all.last?.hasPrefix("brought in") == true }, "\(troubles.all)")
    }

    /// Runs statements on the server.
    @discardableResult
    func run(_ sql: String) throws -> String { try own.server.run(sql) }

    /// Runs a statement on the file, which no Shunt has open.
    func change(_ sql: String) throws {
        let code = "import sqlite3, sys; s = sqlite3.connect(sys.argv[1]); s.execute(sys.argv[2]); s.commit()"
        let result = try ChildProcess.run("/usr/bin/env", ["python3", "-c", code, file, sql])
        try #require(result.status == 0, "\(result)")
    }
}
