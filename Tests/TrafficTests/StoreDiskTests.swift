import Foundation
import Store
import Synchronization
import TestSupport
import Testing

/// Disks that are slow or full, programs that get in the way, and clocks that are set.
@Suite struct StoreDiskTests {
    /// What a store told of its trouble.
    private final class Told: Sendable {
        private let words = Mutex<[String]>([])
        var all: [String] { words.withLock { $0 } }

        func hear(_ trouble: StoreTrouble) {
            let word =
                switch trouble {
                case .began(let failure): "began: \(failure.kind)"
                case .ended: "ended"
                case .begunAnew: "begun anew"
                case .spilling(let failure, _): "spilling: \(failure.kind)"
                case .broughtIn(let count): "brought in \(count)"
                case .nothingRemoved(let failure): "nothing removed: \(failure.kind)"
                case .notBroughtIn(let failure, _): "not brought in: \(failure.kind)"
                case .fellBehind(let statistics): "lost \(statistics.droppedExchanges)"
                case .contractsLeftOut(let counts): "left out \(counts.leftOut)"
                }
            words.withLock { $0.append(word) }
        }
    }

    /// Tells the time that it is set to, and how often it was asked.
    private final class Clock: Sendable {
        private let state = Mutex((time: Int64(1_800_000_000_000_000), looks: 0))
        var time: Int64 { state.withLock { $0.time } }
        var looks: Int { state.withLock { $0.looks } }

        func look() -> Int64 {
            state.withLock { state in
                state.looks += 1
                return state.time
            }
        }

        func set(_ time: Int64) -> Int {
            state.withLock { state in
                state.time = time
                return state.looks
            }
        }
    }

    /// Another program that has the store open and is in a transaction until `release`.
    private struct Intruder {
        let process: ChildProcess
        let folder: TemporaryFolder

        init(_ bench: StoreBench, _ statements: String...) throws {
            folder = bench.folder
            let code = """
                import os, sqlite3, sys, time
                store = sqlite3.connect(sys.argv[1], isolation_level=None)
                for statement in sys.argv[3:]:
                    store.execute(statement).fetchall()
                print("ready", flush=True)
                while not os.path.exists(sys.argv[2]):
                    time.sleep(0.01)
                """
            let process = try ChildProcess(
                "/usr/bin/env", ["python3", "-c", code, bench.path, folder.path + "/go"] + statements)
            self.process = process
            try #require(eventually { process.output == "ready\n" }, "\(process.errors)")
        }

        func release() throws {
            try folder.write("go", "")
            #expect(try process.wait().status == 0)
        }
    }

    private func large(_ id: UInt64, _ count: Int) -> RecordedPiece {
        Pieces.whole(
            id, Pieces.exchange(),
            [(.clientRequest, [1]), (.responseBody, [UInt8](repeating: UInt8(id & 0xFF), count: count))])
    }

    @Test func `a program that locks the store for seconds holds nobody up, and what is lost is counted and told`()
        throws
    {
        let (bench, told) = (try StoreBench(), Told())
        let store = try bench.open {
            $0.queueLimit = 1 << 20
            $0.trouble = { told.hear($0) }
        }
        let intruder = try Intruder(bench, "BEGIN IMMEDIATE")
        for id in 1...9000 { #expect(store.offer(large(UInt64(id), 10_000))) }
        #expect(eventually { told.all == ["began: busy"] }, "\(told.all)")
        let held = store.statistics
        #expect(held.isInTrouble && held.waiting <= 2 << 20)
        #expect(held.droppedBodies > 0 && held.droppedExchanges > 0)
        try intruder.release()
        #expect(eventually { told.all == ["began: busy", "ended"] }, "\(told.all)")
        #expect(eventually { store.statistics.waiting == 0 })
        #expect(store.offer(large(9001, 10)))
        store.finish()
        let end = store.statistics
        #expect(end.recorded + end.droppedExchanges == 9001 && end.recorded > 50)
        #expect(told.all.count == 2)
        let reader = try TrafficReader(bench.path)
        #expect(try reader.count() == Int64(end.recorded))
        #expect(try reader.damages() == [])
    }

    @Test func `what a disk was too slow for is told once`() throws {
        let (bench, told, disk) = (try StoreBench(), Told(), SlowDisk())
        let store = try bench.open {
            $0.queueLimit = 100_000
            $0.trouble = { told.hear($0) }
            $0.committed = { _ in disk.hold() }
        }
        _ = store.offer(Pieces.whole(0))
        disk.waitUntilHeld()
        for id in 1...1000 { _ = store.offer(large(UInt64(id), 10_000)) }
        let lost = store.statistics.droppedExchanges
        disk.release()
        store.finish()
        #expect(lost > 0 && told.all == ["lost \(lost)"])
    }

    @Test func `a reader that never ends stops the log's growth, and the store goes on behind it`() throws {
        let (bench, told) = (try StoreBench(), Told())
        let store = try bench.open {
            $0.sizeLimit = 16 << 20
            $0.whenFull = .wait
            $0.queueLimit = 4 << 20
            $0.trouble = { told.hear($0) }
        }
        _ = store.offer(large(1, 10))
        #expect(eventually { store.statistics.recorded == 1 })
        let intruder = try Intruder(bench, "BEGIN", "SELECT count(*) FROM exchange")
        var id: UInt64 = 1
        while told.all.isEmpty, id < 3000 {
            let room = DispatchSemaphore(value: 0)
            id += 1
            while !store.offer(large(id, 100_000)) {
                store.whenRoom { room.signal() }
                room.wait()
            }
        }
        #expect(told.all == ["began: busy"])
        func log() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: bench.path + "-wal")[.size] as? Int ?? 0
        }
        let limit = try log()
        #expect(limit > 64 << 20 && limit < 96 << 20, "\(limit)")
        for number in 1...500 { #expect(store.offer(large(id + UInt64(number), 100_000))) }
        #expect(try log() == limit)
        try intruder.release()
        #expect(eventually { told.all == ["began: busy", "ended"] }, "\(told.all)")
        #expect(try eventually { try log() <= 32 << 20 })
        store.finish()
        let end = store.statistics
        #expect(end.recorded + end.droppedExchanges == id + 500)
        #expect(try TrafficReader(bench.path).damages() == [])
    }

    @Test func `a clock that is set back and forth neither mixes up the order nor keeps anything for ever`() throws {
        let (bench, clock) = (try StoreBench(), Clock())
        let store = try bench.open {
            $0.ageLimit = 3600
            $0.clock = { clock.look() }
        }
        defer { store.finish() }
        let start = clock.time
        func record(_ ids: ClosedRange<UInt64>) {
            let now = clock.time
            for id in ids { _ = store.offer(Pieces.whole(id, Pieces.exchange(started: now + Int64(id)))) }
            #expect(eventually { store.statistics.recorded == ids.upperBound })
        }
        func set(_ seconds: Int64) {
            let looks = clock.set(start + seconds * 1_000_000)
            // The first look may have been under way.
            #expect(eventually { clock.looks >= looks + 2 })
        }
        func kept() throws -> [Int64] { try TrafficReader(bench.path).page(after: 0, limit: 100).map(\.id) }
        record(1...3)
        set(-86_400)
        record(4...6)
        set(-86_399)
        #expect(try kept() == [1, 2, 3, 4, 5, 6])
        #expect(try TrafficReader(bench.path).page(limit: 100).map(\.id).sorted() == [1, 2, 3, 4, 5, 6])
        // By the right time again, those of the wrong one are a day old.
        set(1800)
        #expect(eventually { store.statistics.removed == 3 })
        #expect(try kept() == [1, 2, 3])
        record(7...7)
        set(3601)
        #expect(eventually { store.statistics.removed == 6 })
        #expect(try kept() == [7])
    }

    #if os(Linux)
    private static let mayMount = getuid() == 0 && canMount()

    private static func canMount() -> Bool {
        guard let folder = try? TemporaryFolder() else { return false }
        let line = "mount -t tmpfs -o size=64k none '\(folder.path)' && umount '\(folder.path)'"
        return (try? ChildProcess.run("/bin/sh", ["-c", line]).status) == 0
    }

    @Test(.enabled(if: mayMount, "only root may mount a small disk"))
    func `a disk that is full is told, and once there is room the store goes on`() throws {
        let (bench, told) = (try StoreBench(), Told())
        let disk = bench.folder.path + "/.shunt"
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mounted = try ChildProcess.run("/usr/bin/env", ["mount", "-t", "tmpfs", "-o", "size=8m", "none", disk])
        try #require(mounted.status == 0, "\(mounted)")
        defer { _ = try? ChildProcess.run("/usr/bin/env", ["umount", "-l", disk]) }
        try Data(count: 4 << 20).write(to: URL(fileURLWithPath: disk + "/filler"))
        let store = try bench.open {
            $0.queueLimit = 1 << 20
            $0.trouble = { told.hear($0) }
        }
        var id: UInt64 = 0
        #expect(
            eventually {
                for _ in 0..<20 {
                    id += 1
                    _ = store.offer(large(id, 10_000))
                }
                return !told.all.isEmpty
            })
        #expect(told.all == ["began: diskFull"])
        for _ in 0..<8000 {
            id += 1
            #expect(store.offer(large(id, 10_000)))
        }
        #expect(store.statistics.waiting <= 2 << 20)
        #expect(try TrafficReader(bench.path).damages() == [])
        try FileManager.default.removeItem(atPath: disk + "/filler")
        #expect(eventually { told.all.last == "ended" }, "\(told.all)")
        store.finish()
        let end = store.statistics
        #expect(end.recorded + end.droppedExchanges == id && end.droppedExchanges > 0)
        let reader = try TrafficReader(bench.path)
        #expect(try reader.count() == Int64(end.recorded))
        #expect(try reader.damages() == [])
    }
    #endif
}
