import Exchanges
import Testing

@Suite struct EventStreamReaderTests {
    private func events(_ stream: [UInt8], limit: Int = 1 << 20, by size: Int) -> [String] {
        var reader = EventStreamReader(limit: limit)
        var found: [String] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            stream[start..<min(stream.count, start + size)].withUnsafeBytes {
                reader.read($0, at: 7) { facts, event in
                    #expect(facts.kind == .event && facts.sender == .origin && facts.time == 7)
                    #expect(facts.isCut == (facts.length > event.data.count))
                    let texts = [event.type, event.id, event.data].map { String(decoding: $0, as: UTF8.self) }
                    found.append(texts.joined(separator: "|") + (facts.isCut ? "|\(facts.length)" : ""))
                }
            }
        }
        return found
    }

    /// WHATWG HTML 9.2.6, its examples among them.
    @Test(
        arguments: [
            ("data: YHOO\ndata: +2\ndata: 10\n\n", ["||YHOO\n+2\n10"]),
            (
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                ["|1|first event", "||second event", "|| third event"]
            ),
            ("data\n\ndata\ndata\n\ndata:", ["||", "||\n"]), ("data:test\n\ndata: test\n\n", ["||test", "||test"]),
            ("\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n", ["||a"]), ("\u{FEFF}\u{FEFF}data: a\n\n", []),
            ("event: add\ndata: 1\n\ndata: 2\n\n", ["add||1", "||2"]),
            ("event: lost\n\ndata: 1\n\n", ["||1"]), ("event: a\nevent: b\ndata: 1\n\n", ["b||1"]),
            ("event: a\nevent\ndata: 1\n\n", ["||1"]), ("id: 7\n\ndata: 1\n\n", ["|7|1"]),
            ("id: 7\ndata: 1\n\nid: 8\u{0}\ndata: 2\n\nid:\ndata: 3\n\n", ["|7|1", "|7|2", "||3"]),
            ("data: a\rdata: b\r\rdata: c\r\n\r\n", ["||a\nb", "||c"]), ("data: a\r\ndata: b\n\r\n", ["||a\nb"]),
            ("retry: 1000\nfoo: bar\ndatax: 1\ndat: 1\nData: 1\n data: 1\n\n", []), ("data: cut off\n", []),
            ("data: a:b: c\n:data: no\n\n", ["||a:b: c"]), ("\n\n\n\r\r\n", []),
            ("data:\u{FEFF}x\n\n", ["||\u{FEFF}x"]),
        ] as [(String, [String])])
    func `events are read as a client reads them, whatever pieces they come in`(text: String, expected: [String]) {
        let stream = Array(text.utf8)
        for size in [1, 2, 3, 5, 1000] { #expect(events(stream, by: size) == expected, "by \(size)") }
    }

    @Test func `data is kept up to the limit and counted beyond, and so are names`() {
        let stream = Array("data: 12345\ndata: 678\n\ndata: 12345\n\ndata: 123456\n\n".utf8)
        for size in [1, 4, 1000] {
            #expect(events(stream, limit: 5, by: size) == ["||12345|9", "||12345", "||12345|6"])
        }
        let long = String(repeating: "n", count: 5000)
        let named = Array("event: \(long)\nid: \(long)\n\(long): 1\ndata: x\n\n".utf8)
        #expect(events(named, by: 77).map(\.utf8.count) == [1024 + 1 + 1024 + 2])
    }
}
