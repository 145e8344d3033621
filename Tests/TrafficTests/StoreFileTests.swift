import Exchanges
import Foundation
import Inspection
import Store
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite struct StoreFileTests {
    private func mode(_ path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0
    }

    @Test func `nobody else can read the files`() throws {
        let bench = try StoreBench()
        let store = try bench.open()
        _ = store.offer(Pieces.whole(1))
        #expect(eventually { store.statistics.recorded == 1 })
        for suffix in ["", "-wal", "-shm", "-lock"] { #expect(try mode(bench.path + suffix) == 0o600, "\(suffix)") }
        #expect(try mode(bench.folder.path + "/.shunt") == 0o700)
        store.finish()
        chmod(bench.path, 0o644)
        try bench.open().finish()
        #expect(try mode(bench.path) == 0o600)
    }

    @Test func `the key of a store stays the same, and is no other store's`() throws {
        let bench = try StoreBench()
        let key = try #require(try bench.recorded([]).redactionKey())
        #expect(key.count == 32 && Set(key).count > 5)
        #expect(try bench.recorded([Pieces.whole(1)]).redactionKey() == key)
        #expect(try StoreBench().recorded([]).redactionKey() != key)
    }

    /// Writes four bytes of the file's header, which SQLite's documentation calls the database header.
    private func overwrite(_ bench: StoreBench, at offset: UInt64, _ bytes: [UInt8]) throws -> Data {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: bench.path))
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data(bytes))
        try file.close()
        return try Data(contentsOf: URL(fileURLWithPath: bench.path))
    }

    @Test(arguments: [(0, "earlier"), (8, "earlier"), (10, "later"), (255, "later")] as [(UInt8, String)])
    func `a store of another version is left alone`(version: UInt8, word: String) throws {
        let bench = try StoreBench()
        _ = try bench.recorded([Pieces.whole(1)])
        let before = try overwrite(bench, at: 60, [0, 0, 0, version])
        for open in [
            { try bench.open().finish() }, { _ = try TrafficReader(bench.path) },
            { _ = try TrafficEraser(bench.path).removeAll() },
        ] {
            let failure = #expect(throws: StoreFailure.self) { try open() }
            #expect(failure?.kind == .otherVersion)
            #expect(
                failure?.message
                    == "written by \(word == "later" ? "a" : "an") \(word) Shunt (a store of version \(version), and this one "
                    + "reads 9); move the file away, or use that Shunt")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path)) == before)
    }

    @Test func `an empty file has no traffic as yet, and becomes a store`() throws {
        let bench = try StoreBench()
        try bench.folder.write(".shunt/traffic.db", "")
        let failure = #expect(throws: StoreFailure.self) { try TrafficReader(bench.path) }
        #expect(failure?.kind == .missing)
        #expect(try bench.recorded([Pieces.whole(1)]).count() == 1)
    }

    @Test func `files that are no store are left alone`() throws {
        let bench = try StoreBench()
        for body in ["not a database, but long enough to look at: " + String(repeating: "x", count: 4000), "x"] {
            try bench.folder.write(".shunt/traffic.db", body)
            #expect(throws: StoreFailure.self) { try bench.open() }
            #expect(throws: StoreFailure.self) { try TrafficReader(bench.path) }
            #expect(try bench.folder.read(".shunt/traffic.db") == body)
        }
    }

    @Test func `another program's database is left alone`() throws {
        let bench = try StoreBench()
        _ = try bench.recorded([Pieces.whole(1)])
        let before = try overwrite(bench, at: 68, [1, 2, 3, 4])
        for open in [{ try bench.open().finish() }, { _ = try TrafficReader(bench.path) }] {
            let failure = #expect(throws: StoreFailure.self) { try open() }
            #expect(failure?.kind == .notAStore && failure?.message.contains("another program") == true)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path)) == before)
    }

    @Test func `where nothing was recorded nothing can be read, and no file appears`() throws {
        let bench = try StoreBench()
        let failure = #expect(throws: StoreFailure.self) { try TrafficReader(bench.path) }
        #expect(failure?.kind == .missing)
        #expect(!bench.folder.exists(".shunt/traffic.db"))
    }

    @Test func `a store whose file is deleted begins a new one`() throws {
        let bench = try StoreBench()
        let store = try bench.open()
        _ = store.offer(Pieces.piece(1, Pieces.exchange(), isFirst: true, isLast: false))
        _ = store.offer(Pieces.whole(2))
        #expect(eventually { store.statistics.recorded == 1 })
        for suffix in ["", "-wal", "-shm"] { unlink(bench.path + suffix) }
        var id: UInt64 = 2
        #expect(
            eventually {
                id += 1
                _ = store.offer(Pieces.whole(id))
                return bench.folder.exists(".shunt/traffic.db")
            })
        _ = store.offer(
            Pieces.piece(1, Pieces.exchange(status: 299), isFirst: false, isLast: true, [(.responseBody, [1])]))
        store.finish()
        let reader = try TrafficReader(bench.path)
        #expect(try reader.record(1)?.summary.exchange.status == 299)
        #expect(try reader.whole(1, .response).bytes == [1])
        #expect(try reader.newest() == Int64(id))
    }

    @Test func `several write to one store at once, and none breaks off what another one runs`() throws {
        let bench = try StoreBench()
        let first = try bench.open()
        _ = first.offer(Pieces.piece(1, Pieces.exchange(), isFirst: true, isLast: false))
        #expect(eventually { (try? TrafficReader(bench.path).newest()) == 1 })
        let second = try bench.open()
        for id in 2...500 {
            _ = first.offer(Pieces.whole(UInt64(id)))
            _ = second.offer(Pieces.whole(UInt64(id)))
        }
        second.finish()
        let reader = try TrafficReader(bench.path)
        #expect(try reader.record(1)?.summary.isEnded == false)
        first.finish()
        #expect(try reader.count() == 999)

        // Nobody can end it any more now.
        try bench.open().finish()
        let broken = try #require(try reader.record(1)?.summary)
        #expect(broken.isEnded && broken.exchange.failure?.message.contains("broken off") == true)
    }
}
