import Exchanges
import Filter
import Foundation
import Inspection
import Redaction
import Store
import TestSupport
import Testing

/// A coding for tests: each byte stands for a thousand of them.
private struct Growing: BodyDecoding {
    private var (byte, left): (UInt8, Int) = (0, 0)

    mutating func decode(
        _ input: ArraySlice<UInt8>, isLast: Bool, into room: inout [UInt8]
    ) -> (taken: Int, given: Int)? {
        var (taken, given) = (0, 0)
        while given < room.count {
            if left == 0 {
                guard taken < input.count else { break }
                (byte, left) = (input[input.startIndex + taken], 1000)
                taken += 1
            }
            let count = min(left, room.count - given)
            for index in given..<given + count { room[index] = byte }
            (given, left) = (given + count, left - count)
        }
        return (taken, given)
    }
}

/// Exchanges that share a frame.
@Suite(.bothStores) struct StoreFrameTests {
    private static let request = Array("GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer abcdefgh\r\n\r\n".utf8)

    private static func response(_ type: String) -> [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\r\n".utf8)
    }

    private static func ordinary(
        _ id: UInt64, url: String = "https://a/", _ body: [UInt8], type: String = "application/json",
        requestBody: [UInt8] = [], redaction: ProfileRedaction? = nil
    ) -> RecordedPiece {
        var piece = Pieces.whole(
            id, Pieces.exchange(url: url),
            [(.clientRequest, request), (.originRequest, request)]
                + (requestBody.isEmpty ? [] : [(.requestBody, requestBody)])
                + [(.originResponse, response(type)), (.clientResponse, response(type)), (.responseBody, body)])
        piece.redaction = redaction
        return piece
    }

    private func number(_ reader: TrafficReader, _ sql: String, in range: ClosedRange<Int>) throws -> Bool {
        let condition = StoreCondition("id = 1 AND (\(sql)) BETWEEN \(range.lowerBound) AND \(range.upperBound)")
        return try reader.count(where: condition) == 1
    }

    @Test func `what is equal stands there once, and every exchange has it`() throws {
        let body = { (id: Int) in [UInt8](repeating: UInt8(id % 3), count: 900) }
        let reader = try StoreBench().recorded(
            (1...1000).map { Self.ordinary(UInt64($0), body($0), type: "image/png") })
        for id in 1...1000 {
            let record = try #require(try reader.record(Int64(id)))
            #expect(record.clientRequest == Self.request && record.originRequest == Self.request)
            #expect(
                record.originResponse == record.clientResponse && record.clientResponse == Self.response("image/png"))
            #expect(record.responseBody.kept == 900 && record.requestBody.kept == 0)
            #expect(try reader.whole(Int64(id), .response).bytes == body(id))
            #expect(try reader.whole(Int64(id), .request).bytes == [])
        }
        #expect(try number(reader, "SELECT count(*) FROM entry", in: 0...0))
        #expect(try number(reader, "SELECT count(*) FROM frame", in: 4...1000))
        #expect(try number(reader, "SELECT max(last - first) FROM frame", in: 1...255))
        #expect(try reader.damages() == [])
    }

    @Test func `what differs has its own, however much of it there is`() throws {
        let body = { (id: Int) in Array("\(id):".utf8) + [UInt8](repeating: 7, count: id * 37 % 9000) }
        let reader = try StoreBench().recorded((1...500).map { Self.ordinary(UInt64($0), body($0), type: "image/png") })
        for id in 1...500 { #expect(try reader.whole(Int64(id), .response).bytes == body(id)) }
        #expect(try number(reader, "SELECT max(length(bytes)) FROM frame", in: 1...60_000))
        #expect(try number(reader, "SELECT count(*) FROM frame", in: 20...500))
    }

    @Test func `equal bytes are replaced by the rules of their type and profile`() throws {
        let body = Array(#"{"pin":"1234","token":"abcdefgh"}"#.utf8)
        let profile = ProfileRedaction(RedactionRules(members: ["pin"]))
        let kinds: [(type: String, redaction: ProfileRedaction?)] = [
            ("application/json", nil), ("application/json", profile), ("image/png", nil), ("text/plain", profile),
        ]
        // Several of a kind, so that what is known of one kind is there when the next one comes.
        let kind = { (number: Int) in kinds[number / 5 % kinds.count] }
        let requestBody = body + [0x0A]
        let reader = try StoreBench().recorded(
            (0..<200).map { number in
                Self.ordinary(
                    UInt64(number + 1), body, type: kind(number).type, requestBody: requestBody,
                    redaction: kind(number).redaction)
            }
        ) { $0.redact() }
        let key = try #require(try reader.redactionKey())
        for number in 0..<200 {
            let kind = kind(number)
            let rules = kind.redaction?.rules ?? RedactionRules()
            var filter = Redactor(key: key, rules: rules).body(contentType: kind.type)
            let wanted = filter.redact(body) + filter.finish()
            #expect(try reader.whole(Int64(number + 1), .response).bytes == wanted, "\(number)")
            // It has no type of its own, and is read as JSON.
            var untyped = Redactor(key: key, rules: rules).body(contentType: nil)
            let wantedOfRequest = untyped.redact(requestBody) + untyped.finish()
            #expect(try reader.whole(Int64(number + 1), .request).bytes == wantedOfRequest, "\(number)")
        }
    }

    @Test func `what runs stands between, and goes on in another frame`() throws {
        let bench = try StoreBench()
        let store = try bench.open { $0.gathering = 200 }
        for id in 1...60 {
            if id.isMultiple(of: 7) {
                let piece = Pieces.piece(
                    UInt64(id), Pieces.exchange(), isFirst: true, isLast: false, [(.responseBody, [1])])
                _ = store.offer(piece)
            } else {
                _ = store.offer(Self.ordinary(UInt64(id), [UInt8(id)], type: "image/png"))
            }
        }
        for id in stride(from: 7, through: 60, by: 7) {
            _ = store.offer(
                Pieces.piece(UInt64(id), Pieces.exchange(), isFirst: false, isLast: true, [(.responseBody, [2])]))
        }
        store.finish()
        let reader = try TrafficReader(bench.path)
        for id in 1...60 {
            let wanted: [UInt8] = id.isMultiple(of: 7) ? [1, 2] : [UInt8(id)]
            #expect(try reader.whole(Int64(id), .response).bytes == wanted)
            #expect(try reader.record(Int64(id))?.responseBody.kept == Int64(wanted.count))
        }
    }

    @Test func `a body that grows when it is decoded goes on in further frames`() throws {
        let codings = ["", "\r\nContent-Encoding: grow"]
        let bodies = (0..<60).map { number in (0..<500 * (number % 3)).map { UInt8(truncatingIfNeeded: $0 + number) } }
        let pieces = bodies.enumerated().map { number, body in
            Self.ordinary(UInt64(number + 1), body, type: "image/png" + codings[number % 2])
        }
        let reader = try StoreBench().recorded(pieces) { settings in
            settings.decoder = { _ in Growing() }
            settings.gathering = 100
        }
        for (number, body) in bodies.enumerated() {
            let wanted = number % 2 == 0 ? body : body.flatMap { [UInt8](repeating: $0, count: 1000) }
            let (bytes, sizes) = try reader.whole(Int64(number + 1), .response)
            #expect(bytes == wanted && sizes.allSatisfy { $0 <= 65_536 })
            let record = try #require(try reader.record(Int64(number + 1)))
            #expect(record.responseBody.kept == Int64(wanted.count))
            #expect(record.originRequest == Self.request)
            #expect(record.originResponse == Self.response("image/png" + codings[number % 2]))
        }
        #expect(try number(reader, "SELECT count(DISTINCT exchange) FROM entry", in: 20...40))
        #expect(try number(reader, "SELECT max(length(bytes)) FROM frame", in: 1...400_000))
        #expect(try reader.damages() == [])
    }

    @Test func `of what is removed nothing stays in what others share`() throws {
        let bench = try StoreBench()
        let store = try bench.open { $0.gathering = 200 }
        let body = { (id: Int) in Array("only-in-\(id)-".utf8) + [UInt8](repeating: 0x61, count: 100) }
        for id in 1...300 {
            let url = "https://a/\(id.isMultiple(of: 3) ? "odd" : "even")"
            _ = store.offer(Self.ordinary(UInt64(id), url: url, body(id), type: "image/png"))
        }
        #expect(eventually { store.statistics.recorded == 300 })
        let reader = try TrafficReader(bench.path)
        #expect(try number(reader, "SELECT max(last - first) FROM frame", in: 2...255))
        #expect(try TrafficEraser(bench.path).remove(try TrafficFilter("~u /odd")) == 100)
        store.finish()
        let files = try bench.stored()
        for id in 1...300 {
            let isThere = files.contains { $0.range(of: Data("only-in-\(id)-".utf8)) != nil }
            #expect(isThere == !id.isMultiple(of: 3), "\(id)")
            guard !id.isMultiple(of: 3) else { continue }
            #expect(try reader.whole(Int64(id), .response).bytes == body(id))
            #expect(try reader.record(Int64(id))?.originRequest == Self.request)
        }
        #expect(try reader.damages() == [])
    }

    @Test func `messages of a stream are read in pages of any size, each once`() throws {
        let bench = try StoreBench()
        let store = try bench.open()
        _ = store.offer(Self.ordinary(1, [1]))
        _ = store.offer(Pieces.piece(2, Pieces.exchange(), isFirst: true, isLast: false))
        for number in 0..<300 {
            let facts = MessageFacts(time: Int64(number), sender: .origin, kind: .text, length: Int64(number * 7))
            let bytes = [UInt8](repeating: UInt8(number % 251), count: number * 7)
            _ = store.offer(Pieces.piece(2, nil, isFirst: false, isLast: false, [(.message(facts), bytes)]))
            if number.isMultiple(of: 20) { store.write(within: 60_000) }
        }
        store.finish()
        let reader = try TrafficReader(bench.path)
        for limit in [1, 8, 299, 1000] {
            var (found, last): ([RecordedMessage], Int64) = ([], -1)
            while true {
                let page = try reader.messages(of: 2, after: last, limit: limit)
                guard let end = page.last else { break }
                found += page
                last = end.number
            }
            #expect(found.map(\.number) == Array(0..<300))
            #expect(found.allSatisfy { $0.bytes?.count == Int($0.number) * 7 && $0.facts.time == $0.number })
        }
        #expect(try reader.messages(of: 2, after: .max, limit: 9) == [])
        #expect(try reader.newestMessage(of: 2) == 299 && reader.newestMessage(of: 1) == nil)
        #expect(try reader.record(2)?.messageCount == 300)
    }

    @Test func `a frame that is damaged reads as one without content`() throws {
        guard StoreKind.current == .file else { return }
        let bench = try StoreBench()
        let store = try bench.open()
        let facts = MessageFacts(time: 1, sender: .origin, kind: .text, length: 1)
        for id in 1...20 {
            _ = store.offer(Self.ordinary(UInt64(id), [UInt8(id)]))
            _ = store.offer(
                Pieces.piece(
                    100 + UInt64(id), Pieces.exchange(), isFirst: true, isLast: false, [(.message(facts), [1])]))
        }
        store.finish()
        let code = """
            import os, random, sqlite3, sys
            random.seed(int(sys.argv[2])); s = sqlite3.connect(sys.argv[1])
            for number, directory in s.execute("SELECT number, directory FROM frame").fetchall():
                bytes = bytearray(directory)
                for _ in range(8): bytes[random.randrange(len(bytes))] = random.choice([0, 0x7f, 0x80, 0xff, random.randrange(256)])
                s.execute("UPDATE frame SET directory = ? WHERE number = ?", (bytes[:1 + random.randrange(len(bytes))], number))
            s.commit()
            """
        for seed in 1...8 {
            let result = try ChildProcess.run("/usr/bin/env", ["python3", "-c", code, bench.path, "\(seed)"])
            #expect(result.status == 0, "\(result)")
            let reader = try TrafficReader(bench.path)
            for id in Int64(1)...40 {
                _ = try reader.record(id)
                _ = try reader.whole(id, .response)
                _ = try reader.messages(of: id, limit: 9)
            }
        }
        #expect(try TrafficReader(bench.path).count() == 40)
    }

    @Test func `a frame goes with the last of its exchanges`() throws {
        // PostgreSQL drops partitions as a whole.
        guard StoreKind.current == .file else { return }
        let bench = try StoreBench()
        let now = Int64(Date().timeIntervalSince1970 * 1_000_000)
        let store = try bench.open {
            $0.ageLimit = 3600
            $0.gathering = 100
        }
        for id in 1...1000 {
            var piece = Self.ordinary(UInt64(id), Array("\(id)".utf8), type: "image/png")
            piece.exchange?.startedAt = id.isMultiple(of: 2) || id > 600 ? now - 9_000_000_000 : now
            _ = store.offer(piece)
        }
        #expect(eventually { store.statistics.removed == 700 })
        store.finish()
        let reader = try TrafficReader(bench.path)
        let empty = """
            SELECT count(*) FROM frame
                WHERE NOT EXISTS (SELECT 1 FROM exchange AS e WHERE e.id BETWEEN frame.first AND frame.last)
            """
        #expect(try number(reader, empty, in: 0...0))
        #expect(try number(reader, "SELECT max(first) FROM frame", in: 1...599))
        for id in stride(from: 1, through: 599, by: 2) {
            #expect(try reader.whole(Int64(id), .response).bytes == Array("\(id)".utf8))
        }
    }
}
