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
        settings.committed = { [weak self] exchanges in self?.written.withLock { $0 += exchanges.map(\.exchange) } }
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

    /// Numbers of the first batch in the file.
    enum Number: Int { case length, first, count, attempt }

    /// Changes numbers of the first batch in the file, which no Shunt has open, and perhaps its transaction.
    func change(_ number: Number, to value: Int64, xid: String = "") throws {
        let head = 64
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        func set(_ number: Number, _ value: Int64) {
            for index in 0..<8 {
                bytes[head + 8 * number.rawValue + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
            }
        }
        let length = (0..<8).reduce(Int64(0)) { $0 | Int64(bytes[head + $1]) << (8 * $1) }
        set(number, value)
        set(.length, length + Int64(xid.utf8.count))
        try #require(bytes[head + 32] == 0)
        bytes[head + 32] = UInt8(xid.utf8.count)
        bytes.insert(contentsOf: Array(xid.utf8), at: head + 33)
        try Data(bytes).write(to: URL(fileURLWithPath: file))
    }
}
