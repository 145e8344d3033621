import Exchanges
import Redaction
import Store
import Synchronization
import TestSupport
import Testing

/// A coding for tests: each byte is written as itself and a zero; anything else breaks its rules.
private struct Doubling: BodyDecoding {
    private var expectsZero = false

    mutating func decode(
        _ input: ArraySlice<UInt8>, isLast: Bool, into room: inout [UInt8]
    ) -> (taken: Int, given: Int)? {
        var taken = 0
        var given = 0
        // Less room than there is: it must be asked again.
        while taken < input.count, given < min(room.count, 1000) {
            let byte = input[input.startIndex + taken]
            if expectsZero {
                guard byte == 0 else { return nil }
            } else {
                room[given] = byte
                given += 1
            }
            expectsZero.toggle()
            taken += 1
        }
        if isLast, expectsZero { return nil }
        return (taken, given)
    }

    static func encoded(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { [$0, 0] } }
}

/// Decodes one byte to bytes without end.
private struct Bomb: BodyDecoding {
    func decode(_ input: ArraySlice<UInt8>, isLast: Bool, into room: inout [UInt8]) -> (taken: Int, given: Int)? {
        (input.count, room.count)
    }
}

@Suite(.bothStores) struct StoreBodyTests {
    private func head(_ fields: String) -> [UInt8] { Array("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n".utf8) }

    private func recorded(
        fields: String, body: [[UInt8]], limit: Int = 1 << 20, isRedacting: Bool = false, isCut: Bool = false
    ) throws -> (bytes: [UInt8], facts: TrafficRecord.Body) {
        var pieces = [
            Pieces.piece(1, Pieces.exchange(), isFirst: true, isLast: false, [(.originResponse, head(fields))])
        ]
        pieces += body.map { Pieces.piece(1, nil, isFirst: false, isLast: false, [(.responseBody, $0)]) }
        var last = Pieces.piece(1, Pieces.exchange(), isFirst: false, isLast: true)
        last.responseCut = isCut
        let reader = try StoreBench().recorded(pieces + [last]) { settings in
            settings.bodyLimit = limit
            settings.decoder = { $0.elementsEqual("double".utf8) ? Doubling() : nil }
            if isRedacting { settings.redact() }
        }
        let record = try #require(try reader.record(1))
        return (try reader.whole(1, .response).bytes, record.responseBody)
    }

    @Test func `a body is kept up to the cap`() throws {
        for (size, limit) in [(99, 100), (100, 100), (101, 100), (200_000, 100_000), (5, 0)] {
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            let pieces = stride(from: 0, to: size, by: 30_000).map { Array(body[$0..<min(size, $0 + 30_000)]) }
            let (bytes, facts) = try recorded(fields: "A: b", body: pieces, limit: limit)
            #expect(bytes == Array(body.prefix(limit)))
            #expect(facts.isCut == (size > limit) && facts.kept == Int64(min(size, limit)))
        }
    }

    @Test(arguments: ["Content-Encoding: double", "a: b\r\ncontent-ENCODING:\t double \t", "Content-Encoding:double"])
    func `content codings are undone before anything else`(fields: String) throws {
        let text = #"{"a":"\#(String(repeating: "x", count: 9000))","token":"#
        let encoded = Doubling.encoded(Array(#"\#(text)"zq7Marked9Thing"}"#.utf8))
        let (bytes, facts) = try recorded(
            fields: fields, body: [Array(encoded[..<3001]), Array(encoded[3001...])], isRedacting: true)
        let kept = String(decoding: bytes, as: UTF8.self)
        #expect(kept.hasPrefix(text + "\"<redacted:token:") && !kept.contains("zq7"))
        #expect(facts.isDecoded && !facts.isUndecodable && !facts.isCut)
    }

    @Test func `what decodes to far more than the cap is not decoded to its end`() throws {
        let (bytes, facts) = try recorded(
            fields: "Content-Encoding: double", body: [Doubling.encoded([UInt8](repeating: 1, count: 1 << 20))],
            limit: 2500)
        #expect(bytes.count == 2500 && facts.isCut && facts.isDecoded && !facts.isUndecodable)
    }

    @Test func `what grows without end is given up, even if nothing of it is kept`() throws {
        let count = Mutex(0)
        let piece = Pieces.whole(
            1, Pieces.exchange(),
            [
                // Text that begins in the middle is one secret.
                (
                    .originResponse,
                    head("Content-Encoding: bomb\r\nContent-Type: text/plain\r\nContent-Range: bytes 5-9/10")
                ), (.responseBody, [1]),
            ])
        let reader = try StoreBench().recorded([piece]) { settings in
            settings.bodyLimit = 100_000
            settings.decoder = { _ in
                count.withLock { $0 += 1 }
                return Bomb()
            }
            settings.redact()
        }
        let facts = try #require(try reader.record(1)?.responseBody)
        #expect(facts.isCut && facts.kept == 0 && count.withLock { $0 } == 1)
    }

    @Test func `a broken coding ends what is kept, and is said`() throws {
        let broken = Doubling.encoded([1, 2, 3]) + [4, 5]
        let (bytes, facts) = try recorded(fields: "Content-Encoding: double", body: [broken, [6, 0]])
        #expect(bytes.isEmpty)
        #expect(facts.isUndecodable && facts.isDecoded)
        let unfinished = try recorded(fields: "Content-Encoding: double", body: [[1, 0, 2]])
        #expect(unfinished.bytes == [1, 2] && unfinished.facts.isUndecodable)
        let cut = try recorded(fields: "Content-Encoding: double", body: [[1, 0, 2]], isCut: true)
        #expect(cut.bytes == [1, 2] && !cut.facts.isUndecodable && cut.facts.isCut)
    }

    @Test func `what cannot be decoded is kept as it is only where secrets may be`() throws {
        for fields in ["Content-Encoding: odd", "Content-Encoding: double\r\nContent-Encoding: odd"] {
            let open = try recorded(fields: fields, body: [[1, 2], [3]])
            #expect(open.bytes == [1, 2, 3] && open.facts.isUndecodable && !open.facts.isDecoded)
            let closed = try recorded(fields: fields, body: [[1, 2], [3]], isRedacting: true)
            #expect(closed.bytes.isEmpty && closed.facts.isUndecodable && closed.facts.kept == 0)
        }
        let plain = try recorded(fields: "Content-Encoding: identity", body: [[1]], isRedacting: true)
        #expect(plain.bytes == [1] && !plain.facts.isUndecodable)
    }

    @Test func `secrets are replaced everywhere, with the rules of the profile`() throws {
        var exchange = Pieces.exchange(url: "https://shop.test/?staging=zq7Marked9Thing")
        exchange.failure = .init(side: "origin", stage: "wait", message: "no staging=zq7Marked9Thing")
        let (body, field) = (
            Array(#"{"staging":"zq7Marked9Thing"}"#.utf8), Array("Staging: zq7Marked9Thing\r\n\r\n".utf8)
        )
        let (request, response) = (Array("GET / HTTP/1.1\r\n".utf8) + field, Array("HTTP/1.1 200 OK\r\n".utf8) + field)
        func message(_ kind: MessageFacts.Kind) -> RecordedPiece.Part.Kind {
            .message(.init(time: 1, sender: .client, kind: kind, length: 3))
        }
        var piece = Pieces.whole(
            1, exchange,
            [
                (.clientRequest, request), (.originRequest, request), (.requestBody, body), (.requestTrailers, field),
                (.originResponse, response), (.clientResponse, response), (.responseBody, body),
                (.responseTrailers, field), (message(.text), body), (message(.event), body), (message(.binary), body),
            ])
        let committed = Box()
        func recorded() throws -> (record: TrafficRecord, texts: [String]) {
            let reader = try StoreBench().recorded([piece]) { settings in
                settings.redact()
                settings.committed = { committed.put($0[0].exchange.url) }
            }
            let record = try #require(try reader.record(1))
            let heads = [
                record.clientRequest, record.originRequest, record.requestTrailers, record.originResponse,
                record.clientResponse, record.responseTrailers,
            ]
            let bodies = [try reader.whole(1, .request).bytes, try reader.whole(1, .response).bytes]
            let messages = try reader.messages(of: 1, limit: 9).map(\.bytes)
            return (record, (heads + bodies + messages).map { String(decoding: $0 ?? [], as: UTF8.self) })
        }
        #expect(try recorded().texts.allSatisfy { $0.contains("zq7Marked9Thing") })
        _ = committed.take()
        piece.redaction = ProfileRedaction(RedactionRules(names: ["staging"]))
        let (record, texts) = try recorded()
        let facts = [
            record.summary.exchange.url, record.summary.exchange.failure?.message ?? "", committed.take(),
        ]
        for text in texts + facts { #expect(text.contains("edacted:staging:") && !text.contains("zq7"), "\(text)") }
    }

    @Test(arguments: [
        ("Content-Type: Application/JSON; charset=utf-8", "application/json"), ("content-type:text/html", "text/html"),
        ("Content-Type:   ", nil), ("X: y", nil), ("Content-Typ: a/b", nil), ("Content-Type: \u{1}/\u{2}", nil),
        ("Content-Type: \(String(repeating: "x", count: 300))", nil),
    ])
    func `the media type stands alone and in lower case`(fields: String, type: String?) throws {
        let reader = try StoreBench().recorded([
            Pieces.whole(1, Pieces.exchange(), [(.clientRequest, head("A: b")), (.clientResponse, head(fields))])
        ])
        let summary = try #require(try reader.page(limit: 1).first)
        #expect(summary.responseType == type && summary.requestType == nil)
    }
}
