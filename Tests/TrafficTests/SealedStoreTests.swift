import Age
import Exchanges
import Foundation
import Inspection
import Store
import Synchronization
import TestSupport
import Testing

/// A store whose files only an identity opens.
@Suite struct SealedStoreTests {
    private let bench: StoreBench
    private let identity: X25519Identity

    init() throws {
        bench = try StoreBench()
        identity = try X25519Identity.generate()
        try FileManager.default.createDirectory(
            atPath: bench.folder.path + "/.shunt", withIntermediateDirectories: true)
    }

    private static let writer = ShuntBinary.built("StoreWriter")

    private func open(
        segment: Int = 4 << 20, _ change: (inout StoreSettings) -> Void = { _ in }
    ) throws -> TrafficStore {
        var seal = SealSettings(recipients: [identity.recipient])
        seal.segment = segment
        return try bench.open { settings in
            settings.seal = seal
            change(&settings)
        }
    }

    private func reader() throws -> TrafficReader {
        SealedStores.unlock(bench.path, [identity])
        return try TrafficReader(bench.path)
    }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: bench.path).sorted() }

    private func segments() throws -> [String] {
        try files().filter { $0.hasSuffix(".age") && !$0.hasSuffix(".tail.age") && !$0.hasSuffix(".index.age") }
    }

    private func exchange(_ number: Int) -> RecordedPiece {
        Pieces.whole(
            UInt64(number), Pieces.exchange(url: "http://h\(number % 3).test/\(number)", status: 200 + number % 2),
            [
                (.clientRequest, Array("GET /\(number) HTTP/1.1\r\nHost: h\(number % 3).test\r\n\r\n".utf8)),
                (.responseBody, Array("body \(number) ".utf8) + [UInt8](repeating: 120, count: 2000)),
            ])
    }

    @Test(arguments: [4 << 20, 100_000]) func `what was recorded is read again with the identity`(_ segment: Int) throws
    {
        let count = 600
        for part in 0..<3 {
            let store = try open(segment: segment)
            for number in 0..<count / 3 {
                _ = store.offer(exchange(part * count / 3 + number + 1))
                // Batches that are written one by one.
                if number.isMultiple(of: 50) { #expect(eventually { store.statistics.waiting == 0 }) }
            }
            store.finish()
        }
        #expect(try segments().count >= (segment == 100_000 ? 6 : 3))
        #expect(try !files().contains { $0.hasSuffix(".tail.age") })
        let reader = try reader()
        #expect(try reader.newest() == Int64(count))
        #expect(try reader.count() == Int64(count))
        #expect(try reader.count(where: StoreCondition("status = 201")) == Int64(count / 2))
        #expect(try reader.groups(by: .host).map(\.count) == [200, 200, 200])
        #expect(try reader.page(limit: 500).map(\.id) == (101...600).reversed().map { Int64($0) })
        #expect(try reader.page(after: 150, limit: 300).map(\.id) == (151...450).map { Int64($0) })
        #expect(try reader.page(before: 151, limit: 1000).map(\.id) == (1...150).reversed().map { Int64($0) })
        for id in [1, 199, 200, 201, 600, 3] {
            let record = try #require(try reader.record(Int64(id)))
            #expect(record.summary.exchange.url == "http://h\(id % 3).test/\(id)")
            #expect(try reader.whole(Int64(id), .response).bytes.starts(with: Array("body \(id) ".utf8)))
        }
        let search = try TrafficSearch(reader, matching: "~b 'body 59[0-9]'")
        #expect(try search.page(.newestFirst(before: nil), limit: 50).count == 10)
        #expect(try search.page(.oldestFirst(after: 0), limit: 50).first?.id == 590)
    }

    /// The last segment has always to be opened: more may come.
    @Test(arguments: [
        ("~d run1.test", 20, 2), ("~c 201", 20, 2), ("~c 404", 0, 1), ("!~c 201", 40, 2), ("~d run2 | ~c 201", 40, 3),
        ("~d run1 ~c 202", 0, 1), ("!(~d run1 | ~d run2)", 20, 1), ("~all", 60, 3), ("~u /7$", 3, 3),
        ("~since 2100-01-01T00:00:00Z", 0, 1), ("~q", 0, 1), ("~d run1 ~b 'body 7[.]'", 1, 2),
    ])
    func `segments without anything for a filter are not opened`(filter: String, count: Int, opened: Int) throws {
        for run in 1...3 {
            let store = try open()
            for number in 1...20 {
                let exchange = Pieces.exchange(url: "http://run\(run).test/\(number)", status: 200 + run)
                _ = store.offer(
                    Pieces.whole(
                        UInt64(100 * run + number), exchange, [(.responseBody, Array("body \(number).".utf8))]))
            }
            store.finish()
        }
        #expect(try files().count { $0.hasSuffix(".index.age") } == 3)
        func check(_ opened: Int) throws {
            let reader = try reader()
            let found = try TrafficSearch(reader, matching: filter).page(.newestFirst(before: nil), limit: 100)
            #expect(found.count == count)
            #expect(reader.openedSegments == opened)
        }
        try check(opened)
        for name in try files() where name.hasSuffix(".index.age") {
            try FileManager.default.removeItem(atPath: bench.path + "/" + name)
        }
        try check(3)
    }

    @Test func `a stream that alone fills several segments is read whole`() throws {
        let store = try open(segment: 20_000)
        _ = store.offer(Pieces.piece(1, Pieces.exchange(), isFirst: true, isLast: false))
        for number in 0..<50 {
            let bytes = [UInt8](repeating: UInt8(number), count: 4000)
            let facts = MessageFacts(time: Int64(number), sender: .origin, kind: .event, length: 4000)
            _ = store.offer(Pieces.piece(1, nil, isFirst: false, isLast: false, [(.message(facts), bytes)]))
            store.write(within: 60_000)
        }
        _ = store.offer(exchange(2))
        store.finish()
        #expect(try segments().count > 5)
        let reader = try reader()
        #expect(try reader.messages(of: 1, limit: 1000).map { $0.bytes?.first } == (0..<50).map { UInt8($0) })
        #expect(try reader.page(limit: 10).map(\.id) == [2, 1])
        // They are opened once, however much is asked of one exchange.
        let opened = reader.openedSegments
        for _ in 0..<5 { _ = try reader.messages(of: 1, limit: 10) }
        #expect(reader.openedSegments == opened)
    }

    @Test func `segments of an earlier Shunt are left alone`() throws {
        try open().finish()
        try Data([1]).write(to: URL(fileURLWithPath: bench.path + "/0000000000000000001-2.age"))
        #expect { try open() } throws: { ($0 as? StoreFailure)?.kind == .earlierVersion }
        #expect { try reader() } throws: { ($0 as? StoreFailure)?.kind == .earlierVersion }
        #expect(try files().contains("0000000000000000001-2.age"))
    }

    @Test func `a folder of an earlier Shunt is set aside, unless that one still records`() throws {
        try open().finish()
        try Data([1]).write(to: URL(fileURLWithPath: bench.path + "/0000000000000000001-2.age"))
        let told = Mutex<[SetAsideStore]>([])
        func openSettingAside() throws -> TrafficStore {
            try open { settings in
                settings.clock = { 1_700_000_000_000_000 }
                settings.setAside = { aside in told.withLock { $0.append(aside) } }
            }
        }
        let lock = try #require(FileHandle(forUpdatingAtPath: bench.path + "/lock"))
        flock(lock.fileDescriptor, LOCK_EX)
        #expect { try openSettingAside() } throws: { ($0 as? StoreFailure)?.kind == .busy }
        try lock.close()
        let store = try openSettingAside()
        _ = store.offer(exchange(1))
        store.finish()
        #expect(told.withLock { $0.flatMap(\.files) } == [bench.path + ".2023-11-14"])
        #expect(try reader().page(limit: 9).map(\.id) == [1])
        let aside = try FileManager.default.contentsOfDirectory(atPath: bench.path + ".2023-11-14")
        #expect(aside.contains("0000000000000000001-2.age") && aside.contains("lock"))
    }

    @Test func `without the identity it says so`() throws {
        let store = try open()
        _ = store.offer(exchange(1))
        store.finish()
        #expect { try TrafficReader(bench.path) } throws: { ($0 as? StoreFailure)?.kind == .sealed }
        SealedStores.unlock(bench.path, [try X25519Identity.generate()])
        #expect { try TrafficReader(bench.path) } throws: { ($0 as? StoreFailure)?.kind == .sealed }
    }

    @Test func `the recording process reads its window without an identity`() throws {
        let store = try open()
        for number in 1...20 { _ = store.offer(exchange(number)) }
        #expect(eventually { store.statistics.recorded == 20 })
        let reader = try TrafficReader(bench.path)
        #expect(try reader.count() == 20)
        let version = try reader.version()
        _ = store.offer(exchange(21))
        #expect(eventually { store.statistics.recorded == 21 })
        #expect(try reader.version() != version && reader.newest() == 21)
        #expect(throws: StoreFailure.self) { try open() }
        store.finish()
    }

    @Test func `an exchange that runs through several segments is read as a whole`() throws {
        let store = try open(segment: 70_000)
        let long = Pieces.exchange(url: "http://long.test/")
        _ = store.offer(
            Pieces.piece(
                1000, long, isFirst: true, isLast: false, [(.clientRequest, Array("GET / HTTP/1.1\r\n\r\n".utf8))]))
        for number in 1...200 {
            _ = store.offer(exchange(number))
            guard number.isMultiple(of: 40) else { continue }
            _ = store.offer(
                Pieces.piece(1000, nil, isFirst: false, isLast: false, [(.responseBody, Array("part\(number);".utf8))]))
            #expect(eventually { store.statistics.waiting == 0 })
        }
        // Its status is known in the last segment alone.
        let ended = Pieces.exchange(url: "http://long.test/", status: 503)
        _ = store.offer(Pieces.piece(1000, ended, isFirst: false, isLast: true, [(.responseBody, Array("end".utf8))]))
        store.finish()
        #expect(try segments().count > 3)
        let reader = try reader()
        let found = try #require(try reader.page(where: StoreCondition("host = 'long.test'"), limit: 2).first)
        #expect(found.isEnded)
        let record = try #require(try reader.record(found.id))
        #expect(record.clientRequest?.isEmpty == false)
        let body = String(decoding: try reader.whole(found.id, .response).bytes, as: UTF8.self)
        #expect(body == "part40;part80;part120;part160;part200;end")
        #expect(try reader.count() == 201)
        #expect(try TrafficSearch(reader, matching: "~c 503").page(.newestFirst(before: nil), limit: 9).count == 1)
    }

    @Test func `old segments make room, and numbers are not used again`() throws {
        let store = try open(segment: 70_000) { $0.sizeLimit = 300_000 }
        for number in 1...800 {
            _ = store.offer(exchange(number))
            if number.isMultiple(of: 20) { #expect(eventually { store.statistics.waiting == 0 }) }
        }
        #expect(eventually { (try? segments().count) ?? 99 <= 6 })
        store.finish()
        let reader = try reader()
        #expect(try reader.newest() == 800 && reader.count() < 300)
        _ = try TrafficEraser.removeAll(bench.path)
        #expect(try segments().isEmpty)
        let again = try open()
        _ = again.offer(exchange(801))
        again.finish()
        #expect(try self.reader().page(limit: 9).map(\.id) == [801])
    }

    @Test func `a store that is cleared while it is recorded into goes on`() throws {
        let store = try open()
        for number in 1...5 { _ = store.offer(exchange(number)) }
        #expect(eventually { store.statistics.recorded == 5 })
        #expect(try TrafficEraser.removeAll(bench.path) == 5)
        #expect(try TrafficReader(bench.path).count() == 0)
        _ = store.offer(exchange(6))
        #expect(eventually { store.statistics.recorded == 6 })
        store.finish()
        #expect(try reader().page(limit: 9).map(\.id) == [6])
    }

    @Test func `nothing of what passed stands in any file`() throws {
        let marker = "m\(UInt64.random(in: 1 << 60 ... .max))"
        let bytes = Array(marker.utf8)
        let store = try open(segment: 50_000)
        for number in 1...50 {
            let exchange = Pieces.exchange(url: "http://\(marker).test/\(marker)?\(marker)=\(marker)")
            _ = store.offer(
                Pieces.whole(
                    UInt64(number), exchange,
                    [
                        (.clientRequest, Array("GET /\(marker) HTTP/1.1\r\n\(marker): \(marker)\r\n\r\n".utf8)),
                        (.requestBody, bytes), (.clientResponse, Array("HTTP/1.1 200 \(marker)\r\n\r\n".utf8)),
                        (.responseBody, bytes + [UInt8](repeating: 1, count: 3000)),
                        (.responseTrailers, Array("X: \(marker)\r\n".utf8)),
                    ]))
        }
        #expect(eventually { store.statistics.recorded == 50 })
        func check() throws {
            for file in try files() {
                let data = try Data(contentsOf: URL(fileURLWithPath: bench.path + "/" + file))
                #expect(data.range(of: Data(bytes)) == nil, "\(file)")
                #expect(
                    try
                        (FileManager.default.attributesOfItem(atPath: bench.path + "/" + file)[.posixPermissions]
                        as? Int) == 0o600)
            }
        }
        try check()
        store.finish()
        try check()
        #expect(try reader().count(where: StoreCondition("url LIKE '%\(marker)%'")) == 50)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: bench.folder.path + "/.shunt") == ["traffic.db"])
    }

    @Test func `whatever moment the process is killed at, what was acknowledged can be opened`() async throws {
        SealedStores.unlock(bench.path, [identity])
        let (recipient, path) = (identity.recipient.text, bench.path)
        try await blocking {
            for round in 1...6 {
                let child = try ChildProcess(
                    Self.writer, ["acknowledge", path],
                    environment: ["SEAL_TO": recipient, "SEAL_SEGMENT": "300000"])
                let enough = round * 61
                #expect(eventually { child.output.utf8.count > enough * 4 }, "\(child.output) \(child.errors)")
                child.signal(SIGKILL)
                _ = try child.wait()
                let lines = child.output.split(separator: "\n", omittingEmptySubsequences: false)
                let acknowledged = lines.dropLast().compactMap { Int64($0) }
                #expect(acknowledged.count == lines.count - 1 && acknowledged.count > 5)
                let reader = try TrafficReader(path)
                let records = try reader.records(acknowledged)
                #expect(records.map(\.summary.id) == acknowledged, "round \(round)")
                #expect(records.allSatisfy { $0.summary.isEnded && $0.requestBody.kept == 1024 })
            }
        }
    }

    @Test func `a full disk is told once, passes, and leaves what can be opened`() async throws {
        let (recipient, path) = (identity.recipient.text, bench.path)
        let result = try await blocking {
            try ChildProcess.run(
                Self.writer, ["limit", path, "\(300_000)"], environment: ["SEAL_TO": recipient], seconds: 60)
        }
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(result.status == 0, "\(result)")
        #expect(lines.filter { $0.hasPrefix("began: diskFull") }.count == 1, "\(lines)")
        #expect(lines.contains("adds up: true"), "\(lines)")
        let count = try reader().count()
        #expect(lines.contains("recorded: \(count)"), "\(count) \(lines)")
    }

    /// Every segment is a file of age; one that is being written opens as far as it goes, its tail as a whole.
    @Test func `a segment that was cut or changed is told from a whole one`() throws {
        let store = try open()
        for number in 1...200 { _ = store.offer(exchange(number)) }
        store.finish()
        let path = bench.path + "/" + (try #require(try segments().first))
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for (count, isChanged) in [(whole.count - 1, false), (whole.count - 70_000, false), (whole.count, true)] {
            var data = whole.prefix(count)
            if isChanged { data[whole.count - 100_000] ^= 1 }
            try data.write(to: URL(fileURLWithPath: path))
            #expect { try self.reader().count() } throws: { ($0 as? StoreFailure)?.kind == .damaged }
        }
    }
}
