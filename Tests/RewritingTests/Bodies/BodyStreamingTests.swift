import Rewriting
import TestSupport
import Testing

@Suite struct BodyStreamingTests {
    let document = Array(sampleDocument.utf8)

    func whole() throws -> [UInt8] { try BodyRun(BodyWorld().rewriter()).feed([document]) }

    @Test func `the sample has much to replace`() throws {
        let run = try BodyRun(BodyWorld().rewriter())
        _ = try run.feed([document])
        #expect(run.rewriter.replacements == 21)
    }

    @Test(arguments: [false, true])
    func `a border between chunks may lie anywhere`(flush: Bool) throws {
        let expected = try whole()
        for border in Circle.some(of: 0...document.count) {
            let pieces = [Array(document[..<border]), Array(document[border...])]
            let output = try BodyRun(BodyWorld().rewriter()).feed(pieces, flush: flush)
            #expect(output == expected, "split at \(border)")
        }
    }

    @Test func `chunks and rooms may have any size`() throws {
        let expected = try whole()
        var random = Repeatable()
        for _ in Circle.some(of: 0..<300) {
            let run = try BodyRun(BodyWorld().rewriter(), room: Int.random(in: 1...40, using: &random))
            var pieces: [[UInt8]] = []
            var index = 0
            while index < document.count {
                let end = min(document.count, index + Int.random(in: 0...30, using: &random))
                pieces.append(Array(document[index..<end]))
                index = end
            }
            #expect(try run.feed(pieces + [[]], flush: Bool.random(using: &random)) == expected)
        }
    }

    @Test func `borders of its own window change nothing`() throws {
        // Longer than the window, with addresses at every offset from its end.
        var long: [UInt8] = []
        var expected: [UInt8] = []
        for length in 0..<1500 {
            long += repeatElement(0x61, count: length % 97)
            long += Array(" https://o.test/ ".utf8)
            expected += repeatElement(0x61, count: length % 97)
            expected += Array(" http://localhost:4884/ ".utf8)
        }
        for size in [1, 1000, 16_384, long.count] {
            let pieces = stride(from: 0, to: long.count, by: size).map { Array(long[$0..<min($0 + size, long.count)]) }
            #expect(try BodyRun(BodyWorld().rewriter(), room: 1000).feed(pieces) == expected)
        }
    }

    @Test(arguments: [100, 5000, 16_384])
    func `what came before is remembered`(size: Int) throws {
        let head = Array("https://o.test/".utf8)
        let piece = head + [UInt8](repeating: 0x20, count: size - head.count - 1) + [0x78]
        let pieces = [[UInt8]](repeating: piece, count: 30)
        let expected = Array("http://localhost:4884/".utf8) + pieces.joined().dropFirst(head.count)
        #expect(try BodyRun(BodyWorld().rewriter()).feed(pieces) == expected)
    }

    @Test func `only the beginning of an address waits`() throws {
        let run = try BodyRun(BodyWorld().rewriter())
        #expect(try run.push("<p>Hello", flush: true) == "<p>Hello")
        #expect(try run.push(" htt", flush: true) == " ")
        #expect(try run.push("ing", flush: true) == "htting")
        #expect(try run.push(" https://o.te", flush: true) == " ")
        #expect(try run.push("st", flush: true) == "")
        #expect(try run.push("/", flush: true) == "http://localhost:4884/")
        #expect(try run.push("a/", flush: true) == "a/")
        #expect(try run.push("\"/", flush: true) == "\"")
        #expect(try run.push("x\\", flush: true) == "/x\\")
        #expect(try run.push("=%2", flush: true) == "=")
        #expect(try run.push("0 100%", flush: true) == "%20 100%")
        #expect(try run.push(" https://evil.test/x", flush: true) == " https://evil.test/x")
        var last: [UInt8] = []
        try run.push(Array(" https:".utf8), isLast: true) { last += $0 }
        #expect(String(decoding: last, as: UTF8.self) == " https:")
    }

    @Test func `any bytes get through, however they come`() throws {
        var random = Repeatable()
        let alphabet = Array(#"htps:/\u023AF%o.test"w@-8é"#.utf8) + [0, 0xFF, 0x0A]
        for _ in Circle.some(of: 0..<2000) {
            let noise = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }
            let expected = try BodyRun(BodyWorld().rewriter()).feed([noise])
            let run = try BodyRun(BodyWorld().rewriter(), room: 7)
            #expect(try run.feed(noise.map { [$0] } + [[]], flush: true) == expected)
        }
    }

    @Test func `an empty body stays empty`() throws {
        #expect(try BodyRun(BodyWorld().rewriter()).feed([[]]) == [])
    }
}
