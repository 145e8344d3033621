import Exchanges
import Foundation
import Inspection
import Store
import Synchronization
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

    @Test(arguments: [(0, "earlier"), (13, "earlier"), (15, "later"), (255, "later")] as [(UInt8, String)])
    func `a store of another version is left alone`(version: UInt8, word: String) throws {
        let bench = try StoreBench()
        _ = try bench.recorded([Pieces.whole(1)])
        let before = try overwrite(bench, at: 60, [0, 0, 0, version])
        for open in [
            { try bench.open().finish() }, { _ = try TrafficReader(bench.path) },
            { _ = try TrafficEraser(bench.path).removeAll() },
        ] {
            let failure = #expect(throws: StoreFailure.self) { try open() }
            #expect(failure?.kind == (word == "later" ? .otherVersion : .earlierVersion))
            #expect(
                failure?.message
                    == "written by \(word == "later" ? "a" : "an") \(word) Shunt (a store of version \(version), and this one "
                    + "reads 14); \(word == "later" ? "name another one" : "`shunt serve` sets it aside"), or use that Shunt"
            )
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path)) == before)
        guard word == "later" else { return }
        let later = #expect(throws: StoreFailure.self) { try bench.open { $0.setAside = { _ in } } }
        #expect(later?.kind == .otherVersion)
        #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path)) == before)
    }

    /// Opens a store on 14 November 2023; gives the files that were set aside for it.
    private func openSettingAside(_ bench: StoreBench) throws -> [String] {
        let told = Mutex<[SetAsideStore]>([])
        let store = try bench.open { settings in
            settings.clock = { 1_700_000_000_000_000 }
            settings.setAside = { aside in told.withLock { $0.append(aside) } }
        }
        _ = store.offer(Pieces.whole(1))
        store.finish()
        let all = told.withLock { $0 }
        #expect(all.allSatisfy { $0.path == bench.path && $0.schema == nil })
        return all.flatMap(\.files)
    }

    @Test func `stores of an earlier Shunt are set aside, several of one day, too`() throws {
        let bench = try StoreBench()
        #expect(try openSettingAside(bench) == [])
        for name in [bench.path + ".2023-11-14", bench.path + ".2023-11-14.2", bench.path + ".2023-11-14.3"] {
            let before = try overwrite(bench, at: 60, [0, 0, 0, 8])
            chmod(bench.path, 0o644)
            #expect(try openSettingAside(bench) == [name])
            #expect(try Data(contentsOf: URL(fileURLWithPath: name)) == before)
            #expect(try mode(name) == 0o600)
            #expect(try TrafficReader(bench.path).page(limit: 9).map(\.id) == [1])
        }
        #expect(try openSettingAside(bench) == [])
        #expect(try TrafficReader(bench.path).count() == 2)
    }

    @Test(.enabled(if: Database.isThere)) func `another program's log goes along, and that program reads on`() throws {
        let bench = try StoreBench()
        _ = try bench.recorded([Pieces.whole(1), Pieces.whole(2)])
        let program = try #require(Database(file: bench.path))
        #expect(program.rows("PRAGMA user_version = 8") == [])
        let name = bench.path + ".2023-11-14"
        #expect(try openSettingAside(bench) == [name, name + "-wal", name + "-shm"])
        for suffix in ["", "-wal", "-shm"] { #expect(try mode(name + suffix) == 0o600) }
        #expect(program.rows("SELECT count(*) FROM exchange") == [2])
        #expect(try TrafficReader(bench.path).count() == 1)
        #expect(Database(file: name)?.rows("PRAGMA user_version") == [8])
    }

    @Test func `a store stays behind the link by which it is named`() throws {
        let bench = try StoreBench()
        _ = try bench.recorded([Pieces.whole(1)])
        _ = try overwrite(bench, at: 60, [0, 0, 0, 8])
        let real = bench.folder.path + "/real.db"
        try FileManager.default.moveItem(atPath: bench.path, toPath: real)
        try FileManager.default.createSymbolicLink(atPath: bench.path, withDestinationPath: real)
        #expect(try openSettingAside(bench) == [real + ".2023-11-14"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: bench.path) == real)
        #expect(try TrafficReader(real).count() == 1)
    }

    @Test func `a store that an earlier Shunt still writes, or that cannot be renamed, is left alone`() throws {
        let (bench, long) = (try StoreBench(), try StoreBench(name: String(repeating: "x", count: 246)))
        for bench in [bench, long] {
            _ = try bench.recorded([Pieces.whole(1)])
            let before = try overwrite(bench, at: 60, [0, 0, 0, 8])
            let lock = open(bench.path + "-lock", O_RDWR)
            if bench === long { close(lock) } else { flock(lock, LOCK_SH) }
            let failure = #expect(throws: StoreFailure.self) { try openSettingAside(bench) }
            #expect(failure?.kind == (bench === long ? .readOnly : .busy))
            #expect(failure?.message.contains(bench === long ? "it cannot be renamed: " : "records into it") == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path)) == before)
            guard bench !== long else { continue }
            close(lock)
            #expect(try openSettingAside(bench) == [bench.path + ".2023-11-14"])
        }
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
