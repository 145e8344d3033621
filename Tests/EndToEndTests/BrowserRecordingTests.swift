import Foundation
import TestSupport
import Testing

/// What Chromium's DevTools save ("Export HAR"), as a recording.
@Suite struct BrowserRecordingTests {
    private static let page = """
        <!doctype html><title>é</title><link rel="icon" href="data:,"><img src="broken.bin"><script type="module">
        const post = { method: "POST", headers: { "Content-Type": "application/json" } }
        // Unread responses count as under way.
        const load = async (...request) => (await fetch(...request)).text()
        await load("data.json?x=1#part")
        await load("logo.bin")
        await load("old")
        await load("api/cart", { ...post, body: '{"id": 7}' })
        await load("api/cart", { ...post, body: '{"id": 8}' })
        await load("missing.json")
        await fetch("http://127.0.0.1:1/").catch(() => {})
        window.done = true
        </script>

        """

    private static let requests: [[String]] = [
        ["/page.html"], ["/data.json?x=1"], ["/logo.bin"], ["/old"], ["/missing.json"],
        ["/api/cart", "-H", "Content-Type: application/json", "-d", #"{ "id": 8 }"#],
        ["/api/cart", "-H", "Content-Type: application/json", "-d", #"{"id":7}"#],
    ]

    private static func seen(_ shunt: ServingShunt, _ scheme: String) throws -> [String] {
        try requests.map { request in
            let result = try shunt.curl(
                ["-k", "-w", "%{http_code} %{content_type}"] + request.dropFirst()
                    + ["\(scheme)://127.0.0.1:\(shunt.port)\(request[0])"])
            return result.output + result.errors
        }
    }

    @Test(
        .extended,
        .enabled(
            if: ClientProgram.hasPython && ClientProgram.browser != nil,
            "Chromium or websockets \(ClientProgram.hint)"))
    func `an archive that Chromium has saved responds byte by byte`() throws {
        let shunt = try ServingShunt(
            [
                "local": #"""
                {"kind": "local", "routes": [{"path": "/old", "redirect": "/data.json"},
                 {"path": "/api/cart", "method": "POST", "match": {"json": {"id": 7}}, "mock": {"json": {"cart": "seven é"}}},
                 {"path": "/api/cart", "method": "POST", "match": {"json": {"id": 8}}, "mock": {"json": {"cart": "eight"}}},
                 {"path": "/*", "files": "../site"}]}
                """#
            ],
            files: [
                "site/broken.bin": "no image", "site/page.html": Self.page, "site/data.json": #"{"name": "Jörg"}"#,
                "site/logo.bin": String(repeating: "\u{0}\u{1}\u{7f}é", count: 3000),
            ])
        let live = try Self.seen(shunt, "https")
        let archive = shunt.folder.path + "/browser.har"
        let saved = try ClientProgram.run([
            ClientProgram.python, "-B", SampleApp.scripts + "/save_archive.py", try #require(ClientProgram.browser),
            "https://127.0.0.1:\(shunt.port)/page.html", archive,
        ])
        #expect(saved.status == 0, "\(saved.errors)")
        let text = try shunt.folder.read("browser.har")
        // Of HTTP/2, with a request that failed.
        #expect(text.contains(#"":authority""#) && text.contains("net::ERR_UNSAFE_PORT"))
        try shunt.stop()
        let replay = try ServingShunt(
            ["local": #"{"kind": "local", "routes": [{"recording": "browser"}]}"#],
            files: ["Recordings/browser.har": text])
        #expect(try Self.seen(replay, "http") == live)
        // Chromium keeps no body of an image that it cannot show.
        let forgotten = try replay.curl("http://127.0.0.1:\(replay.port)/broken.bin")
        #expect(forgotten.output.contains("has only a part of the body of this response, or nothing of it"))
        let failed = try replay.curl("-i", "-H", "Host: 127.0.0.1:1", "http://127.0.0.1:\(replay.port)/")
        #expect(failed.output.hasPrefix("HTTP/1.1 404 "), "\(failed)")
        try replay.stop()
    }
}
