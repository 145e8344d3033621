import HTTP
import Testing

/// Rules of responses that are made of files: conditions, ranges, dates, codings and types.
@Suite struct FileRuleTests {
    /// 2026-11-21 12:00:00 UTC.
    private static let noon: Int64 = 1_795_262_400
    private static let validators = Validators(entityTag: bytes("\"5-a,b-7\""), lastModified: noon)

    private func request(_ lines: [String]) throws -> (RequestHead, [UInt8]) {
        let bytes = bytes("GET / HTTP/1.1\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n")
        var head = RequestHead()
        #expect(try head.parse(bytes.span) == bytes.count)
        return (head, bytes)
    }

    @Test(
        arguments: [
            ([], .proceed),
            (["If-None-Match: \"5-a,b-7\""], .notModified),
            (["If-None-Match: W/\"5-a,b-7\""], .notModified),
            (["If-None-Match: \"x\", \"5-a,b-7\""], .notModified),
            (["If-None-Match: \"x\" , W/\"y\",\"5-a,b-7\""], .notModified),
            (["If-None-Match: \"x\"", "If-None-Match: \"5-a,b-7\""], .notModified),
            (["If-None-Match: *"], .notModified),
            (["If-None-Match: \"x\""], .proceed),
            (["If-None-Match: 5-a,b-7"], .proceed),
            (["If-None-Match: \"5-a"], .proceed),
            (["If-None-Match: \"x5-a,b-7\""], .proceed),
            (["If-None-Match:"], .proceed),
            (["If-Modified-Since: Sat, 21 Nov 2026 12:00:00 GMT"], .notModified),
            (["If-Modified-Since: Saturday, 21-Nov-26 12:00:00 GMT"], .notModified),
            (["If-Modified-Since: Sat Nov 21 12:00:01 2026"], .notModified),
            (["If-Modified-Since: Sat, 21 Nov 2026 11:59:59 GMT"], .proceed),
            (["If-Modified-Since: yesterday"], .proceed),
            // RFC 9110 13.1.3: the date does not count beside a tag.
            (["If-None-Match: \"x\"", "If-Modified-Since: Sat, 21 Nov 2026 12:00:00 GMT"], .proceed),
            (["If-Match: \"5-a,b-7\""], .proceed),
            (["If-Match: *"], .proceed),
            (["If-Match: \"x\", \"5-a,b-7\""], .proceed),
            (["If-Match: W/\"5-a,b-7\""], .failed),
            (["If-Match: \"x\""], .failed),
            (["If-Match: \"x\"", "If-None-Match: *"], .failed),
            (["If-Unmodified-Since: Sat, 21 Nov 2026 12:00:00 GMT"], .proceed),
            (["If-Unmodified-Since: Sat, 21 Nov 2026 11:59:59 GMT"], .failed),
            (["If-Unmodified-Since: never"], .proceed),
            (["If-Match: \"5-a,b-7\"", "If-Unmodified-Since: Sat, 21 Nov 2026 11:59:59 GMT"], .proceed),
            (["If-Match: \"5-a,b-7\"", "If-None-Match: \"5-a,b-7\""], .notModified),
        ] as [([String], ConditionOutcome)])
    func `conditions go in the order of RFC 9110`(lines: [String], expected: ConditionOutcome) throws {
        let (head, bytes) = try request(lines)
        #expect(Self.validators.evaluate(head, bytes.span) == expected)
    }

    @Test(arguments: [
        (nil, true), ("\"5-a,b-7\"", true), ("W/\"5-a,b-7\"", false), ("\"x\"", false),
        ("Sat, 21 Nov 2026 12:00:00 GMT", true), ("Sat, 21 Nov 2026 12:00:01 GMT", false), ("x", false),
    ])
    func `If-Range names this very state, or the whole is sent`(value: String?, expected: Bool) throws {
        let (head, bytes) = try request(value.map { ["If-Range: \($0)"] } ?? [])
        #expect(Self.validators.allowsRange(head, bytes.span) == expected)
    }

    @Test(
        arguments: [
            ("bytes=0-9", 100, .ranges([0..<10])),
            ("BYTES=0-9", 100, .ranges([0..<10])),
            ("bytes=90-", 100, .ranges([90..<100])),
            ("bytes=-5", 100, .ranges([95..<100])),
            ("bytes=-500", 100, .ranges([0..<100])),
            ("bytes=50-5000", 100, .ranges([50..<100])),
            ("bytes=99-99", 100, .ranges([99..<100])),
            ("bytes=0-0, 99-", 100, .ranges([0..<1, 99..<100])),
            ("bytes=0-0,,\t5-6 ,", 100, .ranges([0..<1, 5..<7])),
            ("bytes=5-6,0-1", 100, .ranges([5..<7, 0..<2])),
            ("bytes=0-0,200-", 100, .ranges([0..<1])),
            ("bytes=100-", 100, .unsatisfiable),
            ("bytes=100-200,300-", 100, .unsatisfiable),
            ("bytes=-0", 100, .unsatisfiable),
            ("bytes=0-", 0, .unsatisfiable),
            ("bytes=-1", 0, .unsatisfiable),
            ("bytes=99999999999999999999-", 100, .unsatisfiable),
            ("bytes=0-99999999999999999999", 100, .ranges([0..<100])),
            ("bytes=-99999999999999999999", 100, .ranges([0..<100])),
            ("bytes=9-5", 100, .whole),
            ("bytes=", 100, .whole),
            ("bytes=,", 100, .whole),
            ("bytes=-", 100, .whole),
            ("bytes=a-b", 100, .whole),
            ("bytes=1-2-3", 100, .whole),
            ("bytes=+1-2", 100, .whole),
            ("bytes 0-9", 100, .whole),
            ("lines=0-9", 100, .whole),
            ("bytes=0-9,x", 100, .whole),
            // What overlaps, and what is cut into crumbs, costs more than the whole.
            ("bytes=0-60,30-99", 100, .whole),
            ("bytes=0-,0-", 100, .whole),
            ("bytes=" + (0..<33).map { "\(2 * $0)-\(2 * $0)" }.joined(separator: ","), 100, .whole),
        ] as [(String, UInt64, ByteRanges)])
    func `ranges are read as RFC 9110 has them`(value: String, length: UInt64, expected: ByteRanges) {
        #expect(ByteRanges.parse(bytes(value).span, length: length) == expected)
    }

    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (1_795_262_400, "Sat, 21 Nov 2026 12:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ] as [(Int64, String)])
    func `a date is written and read`(second: Int64, text: String) {
        var out: [UInt8] = []
        HTTPDate.append(second, to: &out)
        #expect(String(decoding: out, as: UTF8.self) == text)
        #expect(HTTPDate.parse(bytes(text).span) == second)
    }

    @Test(
        arguments: [
            (.min, "Sat, 01 Jan 0000 00:00:00 GMT"), (-62_167_219_201, "Sat, 01 Jan 0000 00:00:00 GMT"),
            (253_402_300_800, "Fri, 31 Dec 9999 23:59:59 GMT"), (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)])
    func `a time that no date can name is the nearest that one can`(second: Int64, text: String) {
        var out: [UInt8] = []
        HTTPDate.append(second, to: &out)
        #expect(String(decoding: out, as: UTF8.self) == text)
    }

    @Test(
        arguments: [
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777), ("", nil),
            ("Sun, 31 Feb 2026 00:00:00 GMT", nil), ("Sun, 06 Nov 1994 24:00:00 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 Nov 1994 8:49:37 GMT", nil), ("1795262400", nil),
        ] as [(String, Int64?)])
    func `old forms of dates are read, and what is none is not`(text: String, second: Int64?) {
        #expect(HTTPDate.parse(bytes(text).span) == second)
    }

    @Test(
        arguments: [
            (nil, []), ("gzip, deflate, br, zstd", [.br, .zstd, .gzip]), ("gzip", [.gzip]), ("GZIP", [.gzip]),
            ("x-gzip", [.gzip]), ("br;q=0.5, gzip", [.gzip, .br]), ("br;q=0, gzip;q=0.001", [.gzip]),
            ("*", [.br, .zstd, .gzip]), ("*;q=0.5, br;q=0", [.zstd, .gzip]), ("identity", []), ("", []),
            ("gzip;q=0.5, identity", []), ("gzip ; q=1.000 , br;q=x", [.gzip]), ("gzip;q=1.5", []),
        ] as [(String?, [ContentCodings.Coding])])
    func `codings are chosen by weight, then by size`(value: String?, expected: [ContentCodings.Coding]) throws {
        let (head, bytes) = try request(value.map { ["Accept-Encoding: \($0)"] } ?? [])
        #expect(ContentCodings(head, bytes.span).accepted == expected)
    }

    @Test(arguments: [
        ("index.html", "text/html; charset=utf-8"), ("a/b.CSS", "text/css; charset=utf-8"),
        ("app.js", "text/javascript; charset=utf-8"), ("app.mjs", "text/javascript; charset=utf-8"),
        ("app.min.js.map", "application/json"), ("x.wasm", "application/wasm"), ("f.woff2", "font/woff2"),
        ("site.webmanifest", "application/manifest+json"), ("p.avif", "image/avif"), ("p.svg", "image/svg+xml"),
        ("p.webp", "image/webp"), ("p.jpeg", "image/jpeg"), ("v.mp4", "video/mp4"), ("s.ts", "video/mp2t"),
        ("l.m3u8", "application/vnd.apple.mpegurl"), ("a.mp3", "audio/mpeg"), ("a.m4a", "audio/mp4"),
        ("d.pdf", "application/pdf"), ("d.zip", "application/zip"), ("d.json", "application/json"),
        ("d.jsonld", "application/ld+json"), ("d.xml", "application/xml"), ("d.csv", "text/csv; charset=utf-8"),
        ("d.md", "text/markdown; charset=utf-8"), ("d.txt", "text/plain; charset=utf-8"),
        ("d.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        ("m.usdz", "model/vnd.usdz+zip"), ("m.glb", "model/gltf-binary"), ("i.ico", "image/x-icon"),
        ("app.apk", "application/vnd.android.package-archive"), ("p.pkpass", "application/vnd.apple.pkpass"),
        (".well-known/apple-app-site-association", "application/json"), ("LICENSE", "text/plain; charset=utf-8"),
        ("x.unknown", "application/octet-stream"), ("none", "application/octet-stream"),
        ("v1.2/none", "application/octet-stream"), ("x.", "application/octet-stream"), ("", "application/octet-stream"),
    ])
    func `a file's type goes by its name`(name: String, type: String) {
        #expect(String(decoding: MediaTypes.entry(forFile: bytes(name)).text, as: UTF8.self) == type)
    }
}
