import Bytes
import Engine
import HTTP
import Testing

/// Bodies on their way from one connection to another, without a proxy around them.
@Suite struct BodyPumpTests {
    /// A framing, what comes in it, and the body that it carries.
    struct Message: Sendable, CustomTestStringConvertible {
        let framing: BodyFraming
        let bytes: String
        let body: String
        /// The peer closes behind it.
        var ends = false
        /// What follows on the connection.
        var rest = ""

        var testDescription: String { "\(framing) \(bytes.debugDescription)" }
    }

    static let messages = [
        Message(framing: .length(10), bytes: "0123456789", body: "0123456789"),
        Message(framing: .length(10), bytes: "0123456789", body: "0123456789", rest: "HTTP/1.1 200 OK\r\n"),
        Message(framing: .chunked, bytes: "0\r\n\r\n", body: ""),
        Message(framing: .chunked, bytes: "3\r\nabc\r\nA;x=\"y\"\r\n0123456789\r\n0\r\n\r\n", body: "abc0123456789"),
        Message(framing: .chunked, bytes: "1\r\na\r\n0\r\nX: y\r\n\r\n", body: "a", rest: "GET"),
        Message(framing: .untilClose, bytes: "0123456789", body: "0123456789", ends: true),
        Message(framing: .untilClose, bytes: "", body: "", ends: true),
    ]

    /// Two connections and the pump between them.
    private final class Bench {
        let buffers = BufferPool(size: Limits.bufferSize, limit: 4)
        let source: MemoryChannel
        let sink: MemoryChannel
        var pump = BodyPump(Limits())

        var isFinished: Bool { pump.isFinished }
        var count: UInt64 { pump.count }

        init(window: Int = .max) {
            source = MemoryChannel(buffers)
            sink = MemoryChannel(buffers, window: window)
        }

        /// Steps until nothing moves; returns what stopped it.
        func run() throws(BodyPump.Failure) -> BodyPump.Step {
            while true {
                let step = try pump.step(from: source, to: sink)
                if case .moved = step { continue }
                do throws(ChannelFailure) { _ = try sink.flush() } catch { throw .sink(error) }
                return step
            }
        }
    }

    /// The body in what was sent as chunks, and its trailers; nil where the last chunk is missing.
    private static func decoded(_ text: String) -> (body: String, trailers: String)? {
        var rest = Substring(text)
        var body = ""
        while let end = rest.firstRange(of: "\r\n") {
            guard let count = Int(rest[..<end.lowerBound], radix: 16) else { return nil }
            rest = rest[end.upperBound...]
            if count == 0 { return rest.hasSuffix("\r\n") ? (body, String(rest.dropLast())) : nil }
            body += rest.prefix(count)
            rest = rest.dropFirst(count)
            guard rest.hasPrefix("\r\n") else { return nil }
            rest = rest.dropFirst()
        }
        return nil
    }

    @Test(arguments: messages)
    func `a body arrives whole wherever its bytes are cut`(message: Message) throws {
        let bytes = Array(message.bytes.utf8)
        for cut in 0...bytes.count {
            for second in cut...bytes.count {
                let bench = Bench()
                bench.pump.begin(message.framing, .identity)
                for part in [bytes[..<cut], bytes[cut..<second], bytes[second...]] {
                    bench.source.receive(part)
                    _ = try bench.run()
                }
                if message.ends { bench.source.receiveEnd() }
                bench.source.receive(message.rest)
                let step = try bench.run()
                #expect(bench.isFinished && "\(step)" == "finished", "cut at \(cut) and \(second)")
                #expect(bench.sink.text == message.body && bench.count == UInt64(message.body.utf8.count))
            }
        }
    }

    @Test(arguments: messages)
    func `a body that is sent on in chunks says where it ends`(message: Message) throws {
        for size in 1...max(1, message.bytes.utf8.count) {
            let bench = Bench()
            bench.source.pieceSize = size
            bench.pump.begin(message.framing, .chunked)
            bench.source.receive(message.bytes)
            if message.ends { bench.source.receiveEnd() }
            _ = try bench.run()
            let sent = bench.sink.text
            let decoded = try #require(Self.decoded(sent), "pieces of \(size): \(sent.debugDescription)")
            #expect(decoded.body == message.body && bench.isFinished)
            #expect(decoded.trailers == (message.bytes.contains("X: y") ? "X: y\r\n" : ""), "pieces of \(size)")
        }
    }

    @Test(arguments: messages, [BodyPump.Encoding.identity, .chunked])
    func `a receiver that takes one byte after the other gets the same`(
        message: Message, encoding: BodyPump.Encoding
    ) throws {
        let bench = Bench(window: 0)
        bench.pump.begin(message.framing, encoding)
        bench.source.receive(message.bytes)
        if message.ends { bench.source.receiveEnd() }
        var sent = ""
        for _ in 0..<1000 {
            _ = try bench.run()
            sent += bench.sink.text
            if bench.isFinished, bench.sink.waiting.output.isEmpty { break }
            bench.sink.widen(by: 1)
        }
        #expect(bench.isFinished)
        if case .chunked = encoding {
            #expect(Self.decoded(sent)?.body == message.body, "\(sent.debugDescription)")
        } else {
            #expect(sent == message.body)
        }
    }

    @Test(arguments: [BodyPump.Encoding.identity, .chunked])
    func `a receiver that takes nothing holds the sender back, in bounded memory`(encoding: BodyPump.Encoding) throws {
        let bench = Bench(window: 0)
        bench.pump.begin(.length(1 << 20), encoding)
        bench.source.receive([UInt8](repeating: 0x78, count: 1 << 20))
        let step = try bench.run()
        #expect("\(step)" == "needsOutput")
        #expect(bench.source.waiting.input.count <= Limits.bufferSize)
        #expect(bench.sink.waiting.output.count <= Limits.bufferSize)
        let moved = bench.count
        // Nothing moves until the receiver takes something, and then all of it does.
        _ = try bench.run()
        #expect(bench.count == moved && moved < 1 << 18)
        bench.sink.widen(by: .max)
        while !bench.isFinished { _ = try bench.run() }
        #expect(bench.count == 1 << 20)
    }

    @Test(arguments: [
        (BodyFraming.length(10), "012345678"), (.length(10), ""), (.chunked, ""), (.chunked, "5"),
        (.chunked, "5\r\nhello"),
        (.chunked, "5\r\nhello\r\n"), (.chunked, "0\r\n"), (.chunked, "0\r\nX: y\r\n"),
    ])
    func `a body that breaks off is not taken for whole`(framing: BodyFraming, bytes: String) throws {
        for encoding in [BodyPump.Encoding.identity, .chunked, .discard] {
            let bench = Bench()
            bench.pump.begin(framing, encoding)
            bench.source.receive(bytes)
            bench.source.receiveEnd()
            do throws(BodyPump.Failure) {
                _ = try bench.run()
                Issue.record("\(encoding): it was taken for whole")
            } catch {
                guard case .malformed(let failure) = error else { throw error }
                #expect(failure.kind == .truncated)
            }
            #expect(!bench.isFinished && Self.decoded(bench.sink.text) == nil)
        }
    }

    @Test(arguments: ["g\r\n", "-1\r\n", "3\r\nabcd\r\n", "10000000000000000\r\n", "3 \n"])
    func `chunks that cannot be read are refused`(bytes: String) {
        let bench = Bench()
        bench.pump.begin(.chunked, .identity)
        bench.source.receive(bytes)
        #expect(throws: BodyPump.Failure.self) { _ = try bench.run() }
        #expect(!bench.isFinished)
    }

    @Test func `each side that breaks is named`() throws {
        let source = Bench()
        source.pump.begin(.length(10), .identity)
        source.source.receiveReset()
        do throws(BodyPump.Failure) {
            _ = try source.run()
            Issue.record("a broken source went unnoticed")
        } catch {
            guard case .source = error else { throw error }
        }
        let sink = Bench()
        sink.pump.begin(.length(10), .identity)
        sink.source.receive("0123456789")
        sink.sink.receiveReset()
        do throws(BodyPump.Failure) {
            _ = try sink.run()
            Issue.record("a broken sink went unnoticed")
        } catch {
            guard case .sink = error else { throw error }
        }
    }

    @Test func `what is dropped from the middle on is counted, and what follows stays`() throws {
        let bench = Bench()
        bench.pump.begin(.length(10), .identity)
        bench.source.receive("01234")
        _ = try bench.run()
        bench.pump.discardRest()
        bench.source.receive("56789GET")
        _ = try bench.run()
        #expect(bench.isFinished && bench.sink.text == "01234" && bench.count == 10)
        #expect(String(decoding: bench.source.waiting.input, as: UTF8.self) == "GET")
    }
}
