import Exchanges
import Foundation
import Inspection
import JSON
import Store
import TestSupport
import Testing

/// Bodies that Shunt has changed on their way are kept and shown at both ends.
@Suite(.bothStores) struct ChangedBodyTests {
    private static let secret = "5f2b8a1e0c7d4e99"

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func piece(_ id: UInt64 = 1) -> RecordedPiece {
        let json = "Content-Type: application/json\r\n\r\n"
        return Pieces.whole(
            id, Pieces.exchange(),
            [
                (.clientRequest, bytes("POST /v1/cart HTTP/1.1\r\nHost: a\r\n" + json)),
                (.originRequest, bytes("POST /v1/cart HTTP/1.1\r\nHost: b\r\n" + json)),
                (.requestBody, bytes("{\"count\": 1, \"password\": \"\(secret)\"}")),
                (.originResponse, bytes("HTTP/1.1 200 OK\r\n" + json)),
                (.responseBody, bytes("{\"flag\": true, \"password\": \"\(secret)\"}")),
                (.clientResponse, bytes("HTTP/1.1 200 OK\r\n" + json)),
                (.originResponseBody, bytes("{\"flag\": false, \"password\": \"\(secret)\"}")),
                (.originRequestBody, bytes("{\"count\": 2, \"password\": \"\(secret)\"}")),
            ])
    }

    private func text(
        _ reader: TrafficReader, _ record: TrafficRecord, _ side: BodySide, _ end: BodyEnd
    ) throws -> String {
        String(decoding: try reader.body(of: record, side, end), as: UTF8.self)
    }

    @Test func `both are kept without secrets, and shown line by line`() throws {
        let reader = try StoreBench().recorded([Self.piece()]) { $0.redact() }
        let record = try #require(try reader.record(1))
        #expect(try text(reader, record, .request, .client).hasPrefix("{\"count\": 1, "))
        #expect(try text(reader, record, .request, .origin).hasPrefix("{\"count\": 2, "))
        #expect(try text(reader, record, .response, .client).hasPrefix("{\"flag\": true, "))
        #expect(try text(reader, record, .response, .origin).hasPrefix("{\"flag\": false, "))
        for (side, end) in [
            (BodySide.request, BodyEnd.client), (.request, .origin), (.response, .client), (.response, .origin),
        ] {
            let text = try text(reader, record, side, end)
            #expect(!text.contains(Self.secret) && text.contains("<redacted:password:"), "\(text)")
        }
        #expect(try reader.changes(record, .request)?.changes == ["-   \"count\": 1,", "+   \"count\": 2,"])
        #expect(try reader.changes(record, .response)?.changes == ["-   \"flag\": false,", "+   \"flag\": true,"])
    }

    @Test func `an archive has the client's as content, and the origin's beside it, and reads them again`() throws {
        let reader = try StoreBench().recorded([Self.piece()])
        let har = try Exports.har(reader)
        let entry = try #require(try JSONReader.read(har, dialect: .strict)["log"]?["entries"]?.array?.first)
        #expect(entry["request"]?["postData"]?["text"]?.string?.hasPrefix("{\"count\": 1, ") == true)
        #expect(entry["_originRequestBody"]?["text"]?.string?.hasPrefix("{\"count\": 2, ") == true)
        #expect(entry["response"]?["content"]?["text"]?.string?.hasPrefix("{\"flag\": true, ") == true)
        #expect(entry["_originResponseBody"]?["text"]?.string?.hasPrefix("{\"flag\": false, ") == true)
        let (again, problems, _) = try Exports.imported(har, keepsSecrets: true)
        #expect(problems.isEmpty)
        let record = try #require(try again.record(1))
        #expect(try text(again, record, .request, .origin) == "{\"count\": 2, \"password\": \"\(Self.secret)\"}")
        #expect(try text(again, record, .response, .origin) == "{\"flag\": false, \"password\": \"\(Self.secret)\"}")
        // Those of an archive are no more trusted than its other bodies.
        let (clean, _, _) = try Exports.imported(har)
        #expect(try !Exports.har(clean).contains(Self.secret))
    }

    @Test func `JSON has both, and null for one that was not changed`() throws {
        let reader = try StoreBench().recorded([Self.piece(), Pieces.whole(2)])
        func bodies(_ id: Int64) throws -> JSONValue? {
            let record = try #require(try reader.record(id))
            var writer = JSONWriter()
            try writer.object { (object) throws(StoreFailure) in try reader.write(record, to: &object) }
            return try JSONReader.read(writer.bytes, dialect: .strict)["bodies"]
        }
        #expect(try bodies(1)?["response"]?["text"]?.string?.hasPrefix("{\"flag\": true") == true)
        #expect(try bodies(1)?["origin_response"]?["text"]?.string?.hasPrefix("{\"flag\": false") == true)
        #expect(try bodies(1)?["origin_request"]?["text"]?.string?.hasPrefix("{\"count\": 2") == true)
        #expect(try bodies(2)?["origin_request"]?.isNull == true)
        #expect(try bodies(2)?["origin_response"]?.isNull == true)
    }
}
