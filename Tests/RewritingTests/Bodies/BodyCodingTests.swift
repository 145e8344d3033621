import Rewriting
import TestSupport
import Testing

@Suite struct BodyCodingTests {
    static let plain = Array(sampleDocument.utf8)

    func expected(_ body: [UInt8] = BodyCodingTests.plain) throws -> [UInt8] {
        try BodyRun(BodyWorld().rewriter()).feed([body])
    }

    func rewriter(_ tool: CodingTool) -> BodyRewriter? { BodyWorld().rewriter("text/html", tool.contentEncoding) }

    @Test(arguments: CodingTool.allCases)
    func `a border between chunks may lie anywhere`(tool: CodingTool) throws {
        let body = try tool.encode(Self.plain)
        let borders = Circle.some(of: 0...body.count)
        let outputs = try borders.map { border in
            try BodyRun(rewriter(tool)).feed([Array(body[..<border]), Array(body[border...])], flush: border % 2 == 0)
        }
        let expected = try expected()
        for (border, output) in zip(borders, try tool.decode(outputs)) {
            #expect(output == expected, "split at \(border)")
        }
    }

    @Test(arguments: CodingTool.allCases)
    func `chunks and rooms may have any size`(tool: CodingTool) throws {
        let long = (0..<15).flatMap { Self.plain + Array(" \($0)\n".utf8) }
        let body = try tool.encode(long)
        var random = Repeatable()
        let outputs = try (1...15).map { index in
            // The smallest are those that a flush's marker may just fill.
            let run = try BodyRun(rewriter(tool), room: index < 7 ? index : Int.random(in: 7...200, using: &random))
            let flush = index < 7 || Bool.random(using: &random)
            var pieces: [[UInt8]] = [[]]
            var index = 0
            while index < body.count {
                let end = min(body.count, index + Int.random(in: 0...90, using: &random))
                pieces.append(Array(body[index..<end]))
                index = end
            }
            return try run.feed(pieces + [[]], flush: flush)
        }
        let expected = try expected(long)
        for output in try tool.decode(outputs) { #expect(output == expected) }
    }

    @Test(arguments: CodingTool.allCases)
    func `input and flags may change while a flush is on its way`(tool: CodingTool) throws {
        let body = try tool.encode(Self.plain)
        var random = Repeatable()
        let outputs = try Circle.some(of: 0..<20).map { _ in
            let run = try BodyRun(rewriter(tool), room: Int.random(in: 1...30, using: &random))
            var waiting: [UInt8] = []
            var output: [UInt8] = []
            for byte in body.dropLast() {
                waiting.append(byte)
                try run.step(&waiting, flush: Bool.random(using: &random)) { output += $0 }
            }
            try run.push(waiting + body.suffix(1), isLast: true) { output += $0 }
            return output
        }
        let expected = try expected()
        for output in try tool.decode(outputs) { #expect(output == expected) }
    }

    @Test func `codings upon codings are undone in turn, and done again`() throws {
        let body = try CodingTool.zstd.encode(CodingTool.br.encode(CodingTool.gzip.encode(Self.plain)))
        let rewriter = BodyWorld().rewriter("text/html", "gzip, br, zstd")
        let output = try BodyRun(rewriter, room: 10).feed(body.map { [$0] })
        let plain = try CodingTool.gzip.decode(CodingTool.br.decode(CodingTool.zstd.decode([output])))
        #expect(try plain == [expected()])
    }

    @Test(arguments: CodingTool.allCases)
    func `an empty text is one`(tool: CodingTool) throws {
        let bodies = [try tool.encode([]), []]
        let outputs = try bodies.map { try BodyRun(rewriter(tool)).feed([$0]) }
        #expect(try tool.decode(outputs) == [[], []])
    }

    @Test func `all members of gzip are decoded, and the garbage behind is not`() throws {
        let one = try CodingTool.gzip.encode(Array("a https://o.te".utf8))
        let two = try CodingTool.gzip.encode(Array("st/ b".utf8))
        for tail: [UInt8] in [[], [0, 0, 0], [0x1F], [0x1F, 0x1F, 0x8B], Array("garbage".utf8)] {
            let body = one + two + tail
            let outputs = try Circle.some(of: 0...body.count).map {
                try BodyRun(rewriter(.gzip)).feed([Array(body[..<$0]), Array(body[$0...])])
            }
            for output in try CodingTool.gzip.decode(outputs) {
                #expect(String(decoding: output, as: UTF8.self) == "a http://localhost:4884/ b")
            }
        }
    }

    @Test func `all frames of zstd are decoded`() throws {
        let one = try CodingTool.zstd.encode(Array("a https://o.te".utf8))
        let two = try CodingTool.zstd.encode(Array("st/ b".utf8))
        let skipped: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]
        let output = try BodyRun(rewriter(.zstd)).feed([one + skipped + two])
        #expect(try CodingTool.zstd.decode([output]) == [Array("a http://localhost:4884/ b".utf8)])
    }

    @Test(arguments: CodingTool.allCases)
    func `a body that breaks off is refused wherever it does`(tool: CodingTool) throws {
        let body = try tool.encode(Self.plain)
        for length in Circle.some(of: 1..<body.count) {
            let error = #expect(throws: BodyRewriteFailure.self) {
                try BodyRun(rewriter(tool)).feed([Array(body[..<length])])
            }
            #expect(error?.kind == .truncated, "\(length) bytes: \(error?.reason ?? "")")
        }
    }

    @Test(arguments: CodingTool.allCases)
    func `any bytes are decoded or refused`(tool: CodingTool) throws {
        let body = try tool.encode(Self.plain)
        var random = Repeatable()
        var refused = 0
        let rounds = Circle.some(of: 0..<300).count
        for _ in 0..<rounds {
            var broken = body
            for _ in 0..<3 {
                broken[Int.random(in: 0..<body.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            do {
                _ = try BodyRun(rewriter(tool)).feed([broken])
            } catch let failure as BodyRewriteFailure {
                #expect(failure.kind == .corrupt || failure.kind == .truncated || failure.kind == .windowTooLarge)
                refused += 1
            }
        }
        #expect(refused > rounds / 3)
        #expect(throws: BodyRewriteFailure.self) { try BodyRun(rewriter(tool)).feed([Array("<html></html>".utf8)]) }
    }

    @Test(arguments: CodingTool.allCases)
    func `a bomb streams through, a share at a time`(tool: CodingTool) throws {
        let length = 2 << 20
        let body = try tool.encode([UInt8](repeating: 0x2E, count: length))
        #expect(body.count < length / 500)
        let run = try BodyRun(rewriter(tool), room: 1000)
        var output: [UInt8] = []
        try run.push(body, isLast: true) { output += $0 }
        let plain = try tool.decode([output])[0]
        // Each byte is moved twice, and a step moves half a megabyte.
        #expect(run.interruptions >= 4)
        #expect(plain == [UInt8](repeating: 0x2E, count: length))
    }

    @Test func `a window that nobody agreed on is refused`() throws {
        // A frame header that asks for 128 MB (RFC 8878 3.1.1.1.2).
        let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 17 << 3, 0x01, 0x00, 0x00]
        let error = #expect(throws: BodyRewriteFailure.self) { try BodyRun(rewriter(.zstd)).feed([frame]) }
        #expect(error?.kind == .windowTooLarge)
    }

    @Test(arguments: CodingTool.allCases)
    func `what has come is sent on when asked for, once`(tool: CodingTool) throws {
        // A block of zstd comes out as a whole: the last byte is another frame's there.
        let body = try tool.encode(Self.plain) + (tool == .zstd ? tool.encode([]) : [])
        var early: [Int] = []
        for flush in [false, true] {
            let run = try BodyRun(rewriter(tool))
            var output: [UInt8] = []
            for byte in body.dropLast() { try run.push([byte]) { output += $0 } }
            try run.push([], flush: flush) { output += $0 }
            early.append(output.count)
            try run.push([]) { output += $0 }
            try run.push([], flush: flush) { output += $0 }
            #expect(output.count == early.last, "nothing new")
            try run.push([body[body.count - 1]], isLast: true) { output += $0 }
            #expect(try tool.decode([output]) == [expected()])
            // Of the text only what the last byte held is missing, or nothing but a header is there.
            #expect(flush ? early[1] + 60 > output.count : early[0] < 20)
        }
        #expect(early[1] > 300)
    }
}
