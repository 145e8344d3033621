import Exchanges
import Foundation
import Store
import Synchronization
import TestSupport

/// A store of its own: a file, or a database of PostgreSQL where the test runs for that one.
final class StoreBench: Sendable {
    let folder: TemporaryFolder
    let path: String

    init(name: String = "traffic.db") throws {
        folder = try TemporaryFolder()
        path =
            StoreKind.current == .file
            ? folder.path + "/.shunt/\(name)" : try PostgresServer.shared.get().newDatabase()
    }

    /// Opens it with settings for tests: nothing waits longer than it must, nothing is dropped or too old.
    func open(_ change: (inout StoreSettings) -> Void = { _ in }) throws -> TrafficStore {
        var settings = StoreSettings()
        settings.gathering = 1
        settings.ageLimit = .max
        settings.queueLimit = 256 << 20
        settings.finishing = 30_000
        change(&settings)
        return try TrafficStore.open(path, settings)
    }

    /// All bytes of its files, or of its rows.
    func stored() throws -> [Data] {
        guard StoreKind.current == .postgres else {
            return try ["", "-wal"].filter { FileManager.default.fileExists(atPath: path + $0) }
                .map { try Data(contentsOf: URL(fileURLWithPath: path + $0)) }
        }
        let database = String(path.split(separator: "/")[2].prefix { $0 != "?" })
        return try ["exchange", "context", "certificate", "frame", "entry", "body"].map { table in
            try Data(
                PostgresServer.shared.get().run(
                    "SET bytea_output = escape; SELECT string_agg(t::text, ' ') FROM shunt.\(table) t", in: database
                )
                .utf8)
        }
    }

    /// Records pieces, closes the store and opens it for reading.
    func recorded(
        _ pieces: [RecordedPiece], _ change: (inout StoreSettings) -> Void = { _ in }
    ) throws -> TrafficReader {
        let store = try open(change)
        for piece in pieces { _ = store.offer(piece) }
        store.finish()
        return try TrafficReader(path)
    }
}

/// A recorder that is held up after each transaction, as by a disk that does not respond.
final class SlowDisk: Sendable {
    private let isHeld = DispatchSemaphore(value: 0)
    private let mayGoOn = DispatchSemaphore(value: 0)
    private let isOver = Mutex(false)

    func hold() {
        if isOver.withLock({ $0 }) { return }
        isHeld.signal()
        mayGoOn.wait()
    }

    /// Waits until the recorder stands still.
    func waitUntilHeld() { isHeld.wait() }

    func release() {
        isOver.withLock { $0 = true }
        mayGoOn.signal()
    }
}

enum Pieces {
    static func exchange(
        url: String = "https://api.shop.test/v1/cart", status: Int? = 200, started: Int64 = 1_700_000_000_000_000
    ) -> Exchange {
        Exchange(
            startedAt: started, client: .init(address: "127.0.0.1:5000", version: "HTTP/1.1", tls: nil),
            method: "GET", url: url, status: status)
    }

    /// All of an exchange at once.
    static func whole(
        _ id: UInt64, _ exchange: Exchange = exchange(), _ parts: [(RecordedPiece.Part.Kind, [UInt8])] = []
    ) -> RecordedPiece {
        piece(id, exchange, isFirst: true, isLast: true, parts)
    }

    static func piece(
        _ id: UInt64, _ exchange: Exchange?, isFirst: Bool, isLast: Bool,
        _ parts: [(RecordedPiece.Part.Kind, [UInt8])] = []
    ) -> RecordedPiece {
        var piece = RecordedPiece(id: id, exchange: exchange, isFirst: isFirst, isLast: isLast)
        for (kind, bytes) in parts { piece.append(kind, bytes) }
        return piece
    }
}

extension TrafficReader {
    /// A body as a whole, and the sizes of its pieces.
    func whole(_ id: Int64, _ side: BodySide) throws -> (bytes: [UInt8], sizes: [Int]) {
        var bytes: [UInt8] = []
        var sizes: [Int] = []
        try body(of: id, side) { piece in
            bytes += piece
            sizes.append(piece.count)
            return true
        }
        return (bytes, sizes)
    }
}
