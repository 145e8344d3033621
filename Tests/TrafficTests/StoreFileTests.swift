import Foundation
import TestSupport
import Testing
import Traffic

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

    @Test func `an earlier version is brought up to date, with all that is in it`() throws {
        let bench = try StoreBench()
        let older = StoreSchema(steps: [
            "CREATE TABLE meta(key TEXT PRIMARY KEY, value); CREATE TABLE old(id INTEGER PRIMARY KEY, url TEXT)",
            "INSERT INTO old VALUES (7, 'https://a/')", "SELECT 1",
        ])
        #expect(throws: StoreFailure.self) { try TrafficStore.open(bench.path, StoreSettings(), schema: older) }
        #expect(throws: StoreFailure.self) { try TrafficReader(bench.path) }

        let newer = StoreSchema(
            steps: older.steps + [
                "DROP TABLE meta",
                StoreSchema.current.steps.joined(separator: ";"),
                "INSERT INTO exchange(id, url, ended) SELECT id, url, 1 FROM old; DROP TABLE old",
            ])
        let store = try TrafficStore.open(bench.path, StoreSettings(), schema: newer)
        _ = store.offer(Pieces.whole(1))
        #expect(eventually { store.statistics.recorded == 1 })
        store.finish()
        let again = try TrafficStore.open(bench.path, StoreSettings(), schema: newer)
        again.finish()
        let urls = try TrafficReader(bench.path, schema: newer).page(after: 0, limit: 9).map { $0.exchange.url }
        #expect(urls == ["https://a/", "https://api.shop.test/v1/cart"])
    }

    @Test func `messages of the first version stay, and others come behind them`() throws {
        let bench = try StoreBench()
        let rows = """
            INSERT INTO exchange(id, url, ended) VALUES (1, 'https://a/', 1);
            INSERT INTO message VALUES (1, 0, 7, 1, 'text', 3, 'abc'), (1, 1, 8, 0, 'binary', 9, x'0102')
            """
        let first = StoreSchema(steps: [StoreSchema.current.steps[0] + rows])
        #expect(throws: StoreFailure.self) { try TrafficStore.open(bench.path, StoreSettings(), schema: first) }
        let event = MessageFacts(time: 1, sender: .origin, kind: .event, length: 1)
        let reader = try bench.recorded([
            Pieces.whole(1, Pieces.exchange(), [(.eventType, [0x65]), (.eventID, [0x37]), (.message(event), [0x78])])
        ])
        let messages = try reader.messages(of: 1, limit: 9)
        #expect(messages.map(\.bytes) == [Array("abc".utf8), [1, 2]] && messages.map(\.facts.isCut) == [false, true])
        let newest = try #require(try reader.messages(of: 2, limit: 9).first)
        #expect(newest.event == "e" && newest.eventID == "7" && newest.bytes == [0x78])
    }

    @Test func `a step that fails leaves the store as it was`() throws {
        let bench = try StoreBench()
        _ = try bench.recorded([Pieces.whole(1)])
        let broken = StoreSchema(steps: StoreSchema.current.steps + ["DROP TABLE content; DROP TABLE missing"])
        #expect(throws: StoreFailure.self) { try TrafficStore.open(bench.path, StoreSettings(), schema: broken) }
        #expect(try bench.recorded([Pieces.whole(2)]).count() == 2)
    }

    @Test func `a later version is left alone`() throws {
        let bench = try StoreBench()
        let later = StoreSchema(steps: StoreSchema.current.steps + ["CREATE TABLE more(x)"])
        try TrafficStore.open(bench.path, StoreSettings(), schema: later).finish()
        for open in [{ try bench.open().finish() }, { _ = try TrafficReader(bench.path) }] {
            let failure = #expect(throws: StoreFailure.self) { try open() }
            #expect(failure?.kind == .newer && failure?.message.contains("later Shunt") == true)
        }
    }

    @Test func `files that are no store are left alone`() throws {
        let bench = try StoreBench()
        for content in ["not a database, but long enough to look at: " + String(repeating: "x", count: 4000), "x"] {
            try bench.folder.write(".shunt/traffic.db", content)
            #expect(throws: StoreFailure.self) { try bench.open() }
            #expect(throws: StoreFailure.self) { try TrafficReader(bench.path) }
            #expect(try bench.folder.read(".shunt/traffic.db") == content)
        }
    }

    @Test func `another program's database is left alone`() throws {
        let bench = try StoreBench()
        _ = try bench.recorded([Pieces.whole(1)])
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: bench.path))
        // Where the file's header says whose it is.
        try file.seek(toOffset: 68)
        try file.write(contentsOf: Data([1, 2, 3, 4]))
        try file.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: bench.path))
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
            Pieces.piece(1, Pieces.exchange(status: 299), isFirst: false, isLast: true, [(.answerBody, [1])]))
        store.finish()
        let reader = try TrafficReader(bench.path)
        #expect(try reader.record(1)?.summary.exchange.status == 299)
        #expect(try reader.whole(1, .answer).bytes == [1])
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
