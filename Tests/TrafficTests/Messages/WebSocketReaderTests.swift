import Exchanges
import Foundation
import Testing

@Suite struct WebSocketReaderTests {
    private func reader(
        from sender: MessageFacts.Sender = .client, _ extensions: String = "", limit: Int = 1 << 20
    ) -> WebSocketReader {
        WebSocketReader(from: sender, deflate: PermessageDeflate(extensions: extensions), limit: limit)
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `a head is read wherever it is split, in each form of length`() {
        for isMasking in [true, false] {
            for (size, lengthBytes) in [(0, 0), (5, 0), (125, 0), (126, 2), (5, 2), (300, 8), (70_000, 8)] {
                let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                let writer = WebSocketWriter(isMasking: isMasking)
                let frame = writer.frame(0x82, body, lengthBytes: lengthBytes)
                let stream = frame + writer.frame(0x89, [1, 2])
                let expected = [ReadMessage(.binary, body), ReadMessage(.ping, [1, 2])]
                for split in 0...min(20, stream.count) {
                    let reader = reader(from: isMasking ? .client : .origin)
                    let found = reader.all(Array(stream[..<split])) + reader.all(Array(stream[split...]))
                    #expect(found == expected, "\(size) bytes, split at \(split)")
                }
                let slow = self.reader(from: isMasking ? .client : .origin)
                #expect(slow.all(stream, by: size > 1000 ? 997 : 1) == expected)
            }
        }
    }

    @Test func `fragments come together, with control frames in between`() {
        var writer = WebSocketWriter(isMasking: true)
        let ping = writer.frame(0x89, Self.text("p"))
        let stream =
            writer.message(1, Self.text("one two three"), cuts: [3, 3, 7]) { ping }
            + writer.message(2, [], cuts: [0]) + writer.frame(0x88, [0x03, 0xE9] + Self.text("bye"))
            // Nothing may follow a close.
            + writer.message(1, Self.text("late"))
        let expected = [
            ReadMessage(.ping, Self.text("p")), ReadMessage(.ping, Self.text("p")), ReadMessage(.ping, Self.text("p")),
            ReadMessage(.text, Self.text("one two three")), ReadMessage(.binary, []),
            ReadMessage(.close, [0x03, 0xE9] + Self.text("bye")),
        ]
        #expect(reader().all(stream) == expected)
        #expect(reader().all(stream, by: 1) == expected)
    }

    @Test func `a message is kept up to the limit and counted beyond`() {
        for (size, limit) in [(9, 10), (10, 10), (11, 10), (200_000, 1000), (5, 0)] {
            let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            var writer = WebSocketWriter(isMasking: true)
            let stream = writer.message(2, body, cuts: [size / 3]) + writer.message(1, Self.text("x"))
            let found = reader(limit: limit).all(stream, by: 777)
            #expect(found.count == 2 && found[0].length == size && found[0].isCut == (size > limit))
            #expect(found[0].bytes == Array(body.prefix(limit)))
            #expect(found[1].bytes == Array(Self.text("x").prefix(limit)))
        }
    }

    @Test func `what a tunnel breaks off in is kept as a message that was cut`() {
        var writer = WebSocketWriter(isMasking: false)
        let stream = writer.message(1, Self.text("whole")) + writer.message(1, Self.text("broken")).dropLast(2)
        let found = reader(from: .origin).all(stream, finishes: true)
        #expect(found.map(\.bytes) == [Self.text("whole"), Self.text("brok")] && found.map(\.isCut) == [false, true])
        #expect(reader(from: .origin).all(Array(stream[..<7]), finishes: true).count == 1)
    }

    @Test(
        arguments: [
            ("a client's frame without a mask", false, [0x81, 0x01, 0x61]),
            ("a server's with one", true, [0x81, 0x81, 0, 0, 0, 0, 0x61]),
            ("RSV1 without an extension", nil, [0xC1, 0x00]), ("RSV2", nil, [0xA1, 0x00]), ("RSV3", nil, [0x91, 0x00]),
            ("a reserved data frame", nil, [0x83, 0x00]), ("a reserved control frame", nil, [0x8B, 0x00]),
            ("a ping in fragments", nil, [0x09, 0x00]), ("a long ping", nil, [0x89, 0x7E, 0x00, 0x7E]),
            ("half a status code", nil, [0x88, 0x01, 0x03]), ("a continuation of nothing", nil, [0x80, 0x00]),
            ("a message within a message", nil, [0x01, 0x00, 0x81, 0x00]),
            ("a length without end", nil, [0x82, 0x7F, 0xFF, 0, 0, 0, 0, 0, 0, 0]),
        ] as [(String, Bool?, [UInt8])])
    func `what breaks the protocol is told once, and nothing is read after it`(
        what: String, isClients: Bool?, bytes: [UInt8]
    ) {
        // Where it does not matter, a server's frames, which need no mask.
        let sender: MessageFacts.Sender = isClients == false ? .client : .origin
        let good = WebSocketWriter(isMasking: sender == .client).frame(0x81, Self.text("good"))
        for size in [1, 1000] {
            let found = reader(from: sender).all(good + bytes + good + bytes + good, by: size, finishes: true)
            #expect(found.map(\.kind) == [.text, .error], "\(what)")
            #expect(found.last?.bytes.isEmpty == false)
        }
    }

    @Test func `no bytes whatever can stop it`() {
        for seed in 0..<300 {
            let size = Int.random(in: 0...400)
            let bytes = (0..<size).map { _ in UInt8.random(in: 0...255) }
            let extensions = seed.isMultiple(of: 2) ? "permessage-deflate" : ""
            let reader = reader(from: seed.isMultiple(of: 3) ? .client : .origin, extensions, limit: 100)
            let found = reader.all(bytes, by: Int.random(in: 1...50), finishes: true)
            #expect(found.filter { $0.kind == .error }.count <= 1 && found.allSatisfy { $0.bytes.count <= 200 })
        }
    }

    @Test func `random messages come out as they went in`() {
        for round in 0..<20 {
            let keeps = round.isMultiple(of: 2)
            let bits: Int32 = [9, 12, 15][round % 3]
            let isClient = round % 4 < 2
            let end = isClient ? "client" : "server"
            let extensions =
                "other; a=b, permessage-deflate; \(end)_max_window_bits=\"\(bits)\""
                + (keeps ? "" : "; \(end)_no_context_takeover")
            let deflater = Deflater(bits: bits, keepsContext: keeps, endsBlocks: round % 5 == 4)
            var writer = WebSocketWriter(isMasking: isClient, deflater: deflater)
            var (stream, expected): ([UInt8], [ReadMessage]) = ([], [])
            for _ in 0..<20 {
                let body = Self.body()
                let isText = Bool.random()
                let cuts = (0..<Int.random(in: 0...4)).map { _ in Int.random(in: 0...100_000) }
                let control = Array("ping".utf8.prefix(Int.random(in: 0...4)))
                let frames = writer
                stream += writer.message(isText ? 1 : 2, body, cuts: cuts, isCompressed: Int.random(in: 0..<4) > 0) {
                    expected.append(ReadMessage(.pong, control))
                    return frames.frame(0x8A, control)
                }
                expected.append(ReadMessage(isText ? .text : .binary, body))
            }
            let reader = reader(from: isClient ? .client : .origin, extensions)
            let found = reader.all(stream, by: Int.random(in: 1...20_000))
            #expect(found == expected, "round \(round), \(extensions)")
        }
    }

    private static func body() -> [UInt8] {
        let size = Int(pow(10, Double.random(in: 0...4.7))) - 1
        guard Bool.random() else { return (0..<size).map { _ in UInt8.random(in: 0...255) } }
        let words = ["alpha ", "beta ", "{\"gamma\": 1} "].map { Array($0.utf8) }
        return Array((0..<size / 5).flatMap { _ in words[Int.random(in: 0..<3)] }.prefix(size))
    }
}
