import Exchanges
import Filter
import Foundation
import Inspection
import Store
import TestSupport
import Testing

@Suite(.bothStores) struct SearchTests {
    /// A thousand exchanges; every seventh has a body that says so, every hundredth runs.
    private func shop(_ bench: StoreBench) throws -> TrafficStore {
        let store = try bench.open()
        for number in 1...1000 {
            var exchange = Pieces.exchange(
                url: "https://\(number.isMultiple(of: 2) ? "img" : "API").shop.test/\(number)",
                status: number.isMultiple(of: 10) ? 404 : 200)
            exchange.bytes.response = 10
            exchange.timings.total = UInt64(number)
            let head = Array("GET / HTTP/1.1\r\nX-Number: \(number)\r\n\r\n".utf8)
            // Of a body that goes on, bytes that may be the beginning of another test's secret are not written yet.
            let body = Array((number.isMultiple(of: 7) ? "lucky\n" : "no\n").utf8)
            _ = store.offer(
                Pieces.piece(
                    UInt64(number), exchange, isFirst: true, isLast: !number.isMultiple(of: 100),
                    [(.clientRequest, head), (.responseBody, body)]))
        }
        return store
    }

    private static let filters: [(String, [Int])] = [
        ("", Array(1...1000)), ("~c 404 & ~d img", stride(from: 10, through: 1000, by: 10).map { $0 }),
        ("~b lucky & !~d img", stride(from: 7, through: 1000, by: 14).map { $0 }),
        ("~b lucky & ~d img", stride(from: 14, through: 1000, by: 14).map { $0 }),
        ("~b lucky & ~d '^img[.]shop'", stride(from: 14, through: 1000, by: 14).map { $0 }),
        ("~b lucky & ~u '/7.?$'", [7, 70, 77]), ("~b lucky & ~env nothing", []),
        ("~hq '^x-number: 99[0-9]$'", Array(990...999)), ("~bq lucky", []), ("~c 404 & ~c 200", []),
        ("~hq 'X-Number: 5$' & ~b no | ~u /1000$", [5, 1000]),
    ]

    @Test func `what a filter wants is found from either end, page by page`() throws {
        let bench = try StoreBench()
        try shop(bench).finish()
        for (text, numbers) in Self.filters {
            let search = TrafficSearch(try TrafficReader(bench.path), try TrafficFilter(text))
            let expected = numbers.map { Int64($0) }
            #expect(try search.page(.oldestFirst(after: 0), limit: .max).map(\.id) == expected, "\(text)")
            #expect(try search.page(.newestFirst(before: nil), limit: .max).map(\.id) == expected.reversed(), "\(text)")
            #expect(
                try search.page(.newestFirst(before: nil), limit: 3).map(\.id) == Array(expected.suffix(3).reversed()))
            #expect(
                try search.page(.newestFirst(before: 500), limit: 1).map(\.id)
                    == Array(expected.filter { $0 < 500 }.suffix(1)))
            #expect(
                try search.page(.oldestFirst(after: 500), limit: 1).map(\.id)
                    == Array(expected.filter { $0 > 500 }.prefix(1)))
            #expect(try search.page(.oldestFirst(after: 0), limit: 0).isEmpty)
            for id in [Int64(7), 10, 5000] {
                #expect(try search.exchange(id)?.id == (expected.contains(id) ? id : nil))
            }
            #expect(try search.endedCount() == expected.count { !$0.isMultiple(of: 100) })
            let statistics = try search.statistics(by: .host, limit: 1)
            #expect(statistics.total.count == Int64(expected.count), "\(text)")
            #expect(statistics.total.responseBytes == Int64(expected.count) * 10)
            #expect(statistics.groups.count == min(1, expected.count))
        }
    }

    @Test func `groups are the same whether SQL or we tell what matches`() throws {
        let bench = try StoreBench()
        try shop(bench).finish()
        let reader = try TrafficReader(bench.path)
        for grouping in TrafficReader.Grouping.allCases {
            let exact = try TrafficSearch(reader, try TrafficFilter("~d shop")).statistics(by: grouping)
            let other = try TrafficSearch(reader, try TrafficFilter("~b 'lucky|no'")).statistics(by: grouping)
            #expect(exact.total == other.total, "\(grouping)")
            #expect(exact.groups == other.groups && !exact.groups.isEmpty, "\(grouping)")
        }
    }

    @Test(arguments: ["~c 404", "~b lucky", "~u nothing"])
    func `what a filter finds is removed while another writes, and the rest stays`(text: String) throws {
        let bench = try StoreBench()
        let store = try shop(bench)
        let marker = Pieces.exchange(url: "https://marker.test/")
        _ = store.offer(Pieces.whole(2000, marker))
        let isThere = try eventually { try TrafficReader(bench.path).newest() == 1001 }
        #expect(isThere)
        let reader = try TrafficReader(bench.path)
        let search = TrafficSearch(reader, try TrafficFilter(text))
        let all = try reader.page(after: 0, limit: 2000)
        let found = try search.page(.oldestFirst(after: 0), limit: .max).filter(\.isEnded).map(\.id)

        let removed = try TrafficEraser(bench.path).remove(try TrafficFilter(text))
        #expect(removed == Int64(found.count))
        #expect(try reader.page(after: 0, limit: 2000).map(\.id) == all.map(\.id).filter { !found.contains($0) })
        // What runs can still end, and numbers go on.
        _ = store.offer(Pieces.piece(100, Pieces.exchange(status: 201), isFirst: false, isLast: true))
        _ = store.offer(Pieces.whole(2001, marker))
        store.finish()
        #expect(try reader.record(100)?.summary.exchange.status == 201)
        #expect(try reader.newest() == 1002)
    }

    /// Of content in blocks, in rows of its own and in messages, in more exchanges than are looked at in one moment.
    private func crowd(_ bench: StoreBench) throws {
        let store = try bench.open()
        for number in 1...900 {
            let body = Array("body \(number % 10)".utf8)
            let text = MessageFacts(time: 1, sender: .origin, kind: .text, length: Int64(body.count))
            let parts: [(RecordedPiece.Part.Kind, [UInt8])] =
                switch number % 100 {
                case 1: [(.responseBody, body + [UInt8](repeating: 7, count: 200_000))]
                case 2: [(.message(text), body)]
                default: [(.responseBody, body)]
                }
            _ = store.offer(Pieces.whole(UInt64(number), Pieces.exchange(), parts))
        }
        store.finish()
    }

    private func search(_ reader: TrafficReader, _ filter: String) throws -> TrafficSearch {
        var search = TrafficSearch(reader, try TrafficFilter(filter))
        search.rowsAtOnce = 400
        return search
    }

    @Test func `wherever content lies, it is found in order, part by part`() throws {
        let bench = try StoreBench()
        try crowd(bench)
        let reader = try TrafficReader(bench.path)
        for last in 0...9 {
            let expected = (1...900).filter { $0 % 10 == last }.map { Int64($0) }
            let parts = try search(reader, "~b 'body \(last)'")
            #expect(try parts.page(.oldestFirst(after: 0), limit: .max).map(\.id) == expected)
            #expect(try parts.page(.newestFirst(before: nil), limit: .max).map(\.id) == expected.reversed())
        }
    }

    @Test func `between two parts of a search others write, remove, and empty the log`() throws {
        let bench = try StoreBench()
        try crowd(bench)
        let store = try bench.open()
        let parts = try search(try TrafficReader(bench.path), "~b 'body 5'")
        var seen: [Int64] = []
        try parts.each(.oldestFirst(after: 0)) { row in
            seen.append(row.id)
            guard seen.count == 1 else { return true }
            do {
                #expect(try TrafficEraser(bench.path).remove(try TrafficFilter("~b 'body [0-4]' | ~id 895")) == 451)
                if StoreKind.current == .file {
                    let log = try FileManager.default.attributesOfItem(atPath: bench.path + "-wal")[.size] as? Int
                    #expect(log == 0)
                }
                let body: [(RecordedPiece.Part.Kind, [UInt8])] = [(.responseBody, Array("body 5".utf8))]
                _ = store.offer(Pieces.whole(1, Pieces.exchange(), body))
                store.finish()
            } catch {
                Issue.record(error)
            }
            return true
        }
        let left: [Int64] = stride(from: 5, to: 900, by: 10).filter { $0 != 895 }
        #expect(seen == left + [901])
    }

    private func remove(_ filter: String?, from bench: StoreBench) throws -> Int64 {
        let eraser = try TrafficEraser(bench.path)
        guard let filter else { return try eraser.removeAll() }
        return try eraser.remove(try TrafficFilter(filter))
    }

    @Test(arguments: [nil, "~c 200", "~bs '\\t\\t'"])
    func `what ended is removed, and the file gets small`(filter: String?) throws {
        let bench = try StoreBench()
        let store = try bench.open()
        let body = [UInt8](repeating: 9, count: 200_000)
        for id in 1...50 { _ = store.offer(Pieces.whole(UInt64(id), Pieces.exchange(), [(.responseBody, body)])) }
        _ = store.offer(Pieces.piece(99, Pieces.exchange(), isFirst: true, isLast: false))
        let isThere = eventually { (try? TrafficReader(bench.path).newest()) == 51 }
        #expect(isThere)
        let reader = try TrafficReader(bench.path)
        // PostgreSQL compresses, and gives space back when it vacuums.
        let isFile = StoreKind.current == .file
        #expect(!isFile || reader.fileSize() > 10_000_000)
        #expect(try remove(filter, from: bench) == 50)
        #expect(!isFile || reader.fileSize() < 1_000_000)
        #expect(try reader.page(after: 0, limit: 9).map(\.id) == [51])
        store.finish()
        // What nobody can end any more has ended.
        #expect(try TrafficEraser(bench.path).removeAll() == 1)
        #expect(try reader.newest() == nil)
        _ = try bench.recorded([Pieces.whole(1)])
        #expect(try reader.newest() == 52)
    }

    @Test func `a store that is not there is not made by removing`() throws {
        let bench = try StoreBench()
        #expect(throws: StoreFailure.self) { try TrafficEraser(bench.path) }
        #expect(!bench.folder.exists(".shunt"))
    }
}
