import Recordings
import TestSupport
import Testing

/// Archives as recordings.
@Suite struct RecordingFileTests {
    static func entry(
        _ method: String, _ url: String, status: Int = 200, body: String = #""text": "ok""#, post: String = ""
    ) -> String {
        """
        {"request": {"method": "\(method)", "url": "\(url)", "headers": []\(post.isEmpty ? "" : ", \"postData\": \(post)")},
         "response": {"status": \(status), "headers": [{"name": "content-type", "value": "text/plain"}],
         "content": {\(body)}}}
        """
    }

    static func archive(_ entries: [String]) -> String {
        #"{"log": {"version": "1.2", "entries": ["# + entries.joined(separator: ",\n") + "]}}"
    }

    static func file(_ text: String) throws -> RecordingFile {
        let folder = try TemporaryFolder()
        return try RecordingFile(path: try folder.write("r.har", text))
    }

    @Test(
        arguments: [
            (#""text": "plain""#, "plain"), (#""text": "aGk=", "encoding": "base64""#, "hi"), (#""size": 0"#, ""),
            (#""text": "a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"), (#""text": "\u00e9\ud83d\ude00""#, "é😀"),
            (#""text": "\ud83d half""#, "\u{FFFD} half"), (#""text": null"#, ""),
        ] as [(String, String)])
    func `a body is read as its tool wrote it`(member: String, body: String) throws {
        let file = try Self.file(Self.archive([Self.entry("http://a.test/", body: member)]))
        #expect(try String(decoding: file.response(0).body, as: UTF8.self) == body)
    }

    @Test func `a body can lie in a file beside the archive, and nowhere else`() throws {
        let folder = try TemporaryFolder()
        try folder.write("secret.txt", "secret")
        try folder.write("r/a1.txt", "body")
        for (name, body) in [("a1.txt", "body"), ("gone.txt", nil), ("../secret.txt", nil)] as [(String, String?)] {
            let entry = Self.entry("http://a.test/", body: #""_file": "\#(name)""#)
            let file = try RecordingFile(path: try folder.write("r/x.har", Self.archive([entry])))
            #expect((try? file.response(0))?.body == body.map { Array($0.utf8) })
        }
    }

    @Test(
        arguments: [
            ("", "", "10", true), (#", "_error": "x""#, "", "10", false), (#", "_error": "x""#, "", "2", true),
            (#", "_error": "x""#, #", "_failure": {"side": "origin", "stage": "receive"}"#, "2", false),
            (#", "_error": "x""#, #", "_failure": {"side": "client", "stage": "deliver"}"#, "2", true),
        ] as [(String, String, String, Bool)])
    func `a response that broke off is not sent as a whole one`(
        error: String, failure: String, length: String, isSent: Bool
    ) throws {
        let entry = """
            {"request": {"method": "GET", "url": "http://a.test/"}\(failure), "response": {"status": 200, "headers":
            [{"name": "Content-Length", "value": "\(length)"}], "content": {"text": "ok"}\(error)}}
            """
        let file = try Self.file(Self.archive([entry]))
        #expect(((try? file.response(0)) != nil) == isSent)
    }

    @Test func `fields of the connection and of the body's coding are left out`() throws {
        let headers =
            ["Connection: close", "transfer-encoding: chunked", "Content-Encoding: br", "X-A: 1", ":status: 200"]
            .map { line in
                let parts = line.split(separator: ": ")
                return #"{"name": "\#(parts[0])", "value": "\#(parts[1])"}"#
            } + [#"{"name": "set-cookie", "value": "a=1\nb=2"}"#]
        let entry = #"""
            {"request": {"method": "GET", "url": "http://a.test/"}, "response": {"status": 200, "headers":
            [\#(headers.joined(separator: ","))], "content": {"mimeType": "text/x", "text": "ok"}}}
            """#
        let fields = try Self.file(Self.archive([entry])).response(0).fields.map { "\($0.name): \($0.value)" }
        #expect(fields == ["X-A: 1", "set-cookie: a=1", "set-cookie: b=2", "Content-Type: text/x"])
    }

    @Test func `every missing tail leaves the entries in front of it`() throws {
        let text = Self.archive((0..<3).map { Self.entry("http://a.test/\($0)", body: #""text": "é\#($0)\n""#) })
        let bytes = Array(text.utf8)
        let start = #"{"log": {"version": "1.2", "entries": ["#.utf8.count
        let folder = try TemporaryFolder()
        var counts: [Int] = []
        for end in start..<bytes.count {
            let path = try folder.write("cut.har", String(decoding: bytes[..<end], as: UTF8.self))
            let file = try RecordingFile(path: path)
            #expect(file.isCut)
            counts.append(file.count)
            for at in 0..<file.count { #expect(try file.response(at).body == Array("é\(at)\n".utf8)) }
        }
        #expect(counts == counts.sorted() && counts.first == 0 && counts.last == 3)
        #expect(try !Self.file(text).isCut)
    }

    @Test(
        arguments: [
            ("", "ends before its list of entries begins"), ("{", "ends before its list of entries begins"),
            ("hello", "has no object where the archive should be, in line 1, column 1"),
            ("{}", "has no list log.entries, so it is no HTTP Archive (HAR)"),
            (#"{"log": {"entries": {}}}"#, "has no array where the entries should be, in line 1, column 21"),
            (archive(["7"]), "has no object where an entry should be, in line 1, column 40"),
            (#"{"log": {"entries": [}}"#, "has no object where an entry should be, in line 1, column 22"),
            (#"{"log" {}}"#, "lacks a `:` in the archive, in line 1, column 8"),
            (archive([entry("http://a.test/", body: #""text": }"#)]), "lacks a value, in line 3, column 22"),
        ] as [(String, String)])
    func `a file that is no archive says where`(text: String, message: String) {
        #expect { _ = try Self.file(text) } throws: { ($0 as? RecordingFailure)?.text == message }
    }

    @Test(arguments: [
        entry("data:text/plain,x"), "{}", #"{"request": {"method": "GET", "url": "http://a/"}}"#,
        #"{"request": {"method": "", "url": "http://a/"}, "response": {"status": 200}}"#,
        #"{"request": {"method": "GET", "url": ""}, "response": {"status": 200}}"#,
        #"{"request": {"method": "GET", "url": "http://a/"}, "response": {"status": 0}}"#,
        #"{"request": {"method": "GET", "url": "http://a/", "_url": "-"}, "response": {"status": 200}}"#,
    ])
    func `what cannot be replayed is skipped and counted`(odd: String) throws {
        let file = try Self.file(Self.archive([odd, Self.entry("http://a.test/"), odd]))
        #expect(file.count == 1 && file.skipped == 2)
        #expect(file.skippedText == "2 entries have no URL of HTTP or no response")
    }
}
