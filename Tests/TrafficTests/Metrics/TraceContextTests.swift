import Exchanges
import Testing

/// The fields of W3C Trace Context, as its specification has them.
@Suite struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    private func read(_ text: String) -> TraceParent? {
        let bytes = ContiguousArray(text.utf8)
        return TraceParent(bytes.span)
    }

    @Test(arguments: [
        // The value, and what is sent on of it.
        ("00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01"), ("00-\(trace)-\(span)-00", "00-\(trace)-\(span)-00"),
        // Unknown flags are dropped; the random one of level 2 is kept.
        ("00-\(trace)-\(span)-ff", "00-\(trace)-\(span)-03"), ("00-\(trace)-\(span)-02", "00-\(trace)-\(span)-02"),
        // A later version goes on as this one.
        ("cc-\(trace)-\(span)-01", "00-\(trace)-\(span)-01"),
        ("cc-\(trace)-\(span)-01-what-the-future-will-be", "00-\(trace)-\(span)-01"),
        ("01-\(trace)-\(span)-09-", "00-\(trace)-\(span)-01"),
    ])
    func `a field that can be read is sent on in version 00`(value: String, sent: String) {
        var out: [UInt8] = []
        read(value)?.append(to: &out)
        #expect(String(decoding: out, as: UTF8.self) == sent)
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-1", "00-\(trace)-\(span)-001", "00-\(trace)-\(span)-01-",
        "00-\(trace)-\(span)-01-more", "00-\(trace)-\(span)-01.", "cc-\(trace)-\(span)-01.what",
        "cc-\(trace)-\(span)-010",
        "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01", "000-\(trace)-\(span)-01", ".0-\(trace)-\(span)-01",
        "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-\(span)-01", "00-\(trace)-B7AD6B7169203331-01", "00-\(trace)-\(span)-0A",
        "0A-\(trace)-\(span)-01", "00-\(trace)g-\(span)-01", "00-g\(trace.dropFirst())-\(span)-01",
        "00_\(trace)_\(span)_01", "00-\(trace.dropLast())-\(span)-01", "00-\(trace)-\(span) -01",
        "00-\(trace)-\(span)-01, 00-\(trace)-\(span)-01",
    ])
    func `a field that cannot be read is ignored`(value: String) {
        #expect(read(value) == nil)
    }

    private func judge(_ fields: [String]) -> TraceState {
        let bytes = ContiguousArray(fields.joined(separator: "\n").utf8)
        var start = 0
        let ranges = fields.map { field in
            defer { start += field.utf8.count + 1 }
            return start..<start + field.utf8.count
        }
        return TraceState.judge(bytes.span, ranges)
    }

    private static func members(_ count: Int) -> String { (1...count).map { "k\($0)=\($0)" }.joined(separator: ",") }

    @Test(arguments: [
        ["foo=1"], ["foo=1,bar=2"], ["foo=1", "bar=2"], ["foo=1 \t , \t bar=2, \t baz=3"], [""], [" "],
        ["foo=1,,bar=2,"],
        ["", "foo=1"], ["foo@bar=1"], ["0tenant@system=1"], ["a_-*/b=!#$%&'()*+-./:;<>?@[]^_`{|}~ x"],
        [String(repeating: "z", count: 256) + "=1"], ["z=" + String(repeating: "v", count: 256)], [members(32)],
        [String(repeating: "t", count: 241) + "@" + String(repeating: "v", count: 14) + "=1"],
    ])
    func `a state that is sound goes on as it came`(fields: [String]) {
        #expect(judge(fields) == .whole)
    }

    @Test(arguments: [
        ["foo"], ["foo="], ["=1"], ["foo =1"], ["FOO=1"], ["fo.o=1"], ["foo@=1"], ["@foo=1"], ["foo@@bar=1"],
        ["foo@bar@baz=1"], ["0foo=1"], ["foo@0bar=1"], ["foo=bar=baz"], ["foo=\u{7}"], ["foo=\u{e9}"],
        ["foo=1,foo=1"], ["foo=1", "foo=2"], [members(33)],
        [members(20), "x1=1,x2=1,x3=1,x4=1,x5=1,x6=1,x7=1,x8=1,x9=1,y1=1,y2=1,y3=1,y4=1"],
        [String(repeating: "z", count: 257) + "=1"],
        ["z=" + String(repeating: "v", count: 257)], [String(repeating: "t", count: 242) + "@v=1"],
        ["t@" + String(repeating: "v", count: 15) + "=1"],
    ])
    func `a faulty state does not go on`(fields: [String]) {
        #expect(judge(fields) == .faulty)
    }

    @Test func `a long state loses its long members first, then the last ones, and never a part of one`() {
        func member(_ key: String, _ count: Int) -> String { key + "=" + String(repeating: "v", count: count - 2) }
        func shortened(_ members: [String]) -> String? {
            guard case .shortened(let bytes) = judge([members.joined(separator: ",")]) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        let (a, b, c, d) = (member("a", 100), member("b", 200), member("c", 100), member("d", 128))
        #expect(judge([[a, b, c].joined(separator: ",")]) == .whole)
        #expect(shortened([a, b, c, d]) == [a, c, d].joined(separator: ","))
        let many = (0..<6).map { member(String(UnicodeScalar(UInt8(0x61 + $0))), 120) }
        #expect(shortened(many) == many.prefix(4).joined(separator: ","))
        // Just 512, and one more.
        let exact = member("a", 127) + "," + member("b", 127) + "," + member("c", 127) + "," + member("d", 128)
        #expect(exact.utf8.count == 512 && judge([exact]) == .whole)
        #expect(judge([exact + "v"]) != .whole)
    }
}
