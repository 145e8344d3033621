import Engine
import Exchanges
import Profiles
import Testing

/// What browsers are asked to forget with the first page after a switch.
@Suite struct SiteVisitTests {
    private static let library = Result {
        try Harness.library([
            "only": #"{"kind": "local", "routes": [{"mock": {"text": "hello"}}]}"#,
            "other": #"""
            {"kind": "staging", "clearOnSwitch": ["storage", "cookies"],
             "routes": [{"mock": {"text": "hello"}}, {"path": "/origin", "origin": "http://origin.test"},
                        {"path": "/away", "redirect": "/"}, {"path": "/dead", "origin": "http://dead.test"}]}
            """#,
        ])
    }

    /// Each row: what a browser asks one profile after the other for, and whether the last response clears.
    @Test(
        arguments: [
            (["other /"], false), (["only /", "other /"], true), (["only /", "other /", "other /"], false),
            (["only /", "other /", "only /"], false), (["only /", "other /", "only /", "other /"], true),
            (["only /", "other /origin"], true), (["only /", "other /away"], true),
            // Neither a script nor an error page takes the place of a page.
            (["only /", "other /script"], false), (["only /", "other /script", "other /"], true),
            (["only /script", "other /"], false), (["only /", "other /dead", "other /"], true),
            // Another browser, or another site, is not switched.
            (["only /", "other / browser"], false), (["only /", "other / Mozilla b.test"], false),
        ] as [([String], Bool)])
    func `the first page after a switch lets a browser forget`(asked: [String], clears: Bool) async throws {
        try await MemoryWorker.run(library: try Self.library.get()) { worker in
            let client = await worker.connect()
            var last = ""
            for words in asked.map({ $0.split(separator: " ") }) {
                worker.origins.failure =
                    words[1] == "/dead" ? EngineFailure(.origin, .connect, status: 502, "there is none") : nil
                client.receive(
                    "GET \(words[1]) HTTP/1.1\r\nHost: \(words.count > 3 ? words[3] : "a.test")\r\n"
                        + "Accept: \(words[1] == "/script" ? "*/*" : "text/html,*/*")\r\n"
                        + "User-Agent: \(words.count > 2 ? words[2] : "Mozilla")\r\nShunt-Profile: \(words[0])\r\n\r\n")
                await worker.settle()
                if words[1] == "/origin" {
                    try worker.origins.channel(0).receive("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
                    await worker.settle()
                }
                last = client.text
            }
            #expect(last.contains("\r\nClear-Site-Data: \"storage\", \"cookies\"\r\n") == clears, "\(last)")
        }
    }

    @Test func `a jar's logins are not cleared`() {
        let jar = #"{"kind": "local", "cookieJar": true, "routes": []}"#
        let clearing = #"{"kind": "staging", "clearOnSwitch": ["cookies"], "routes": []}"#
        #expect(throws: ProfileProblems.self) { try Harness.library(["one": jar, "two": clearing]) }
        #expect(throws: Never.self) {
            try Harness.library(["one": jar, "two": clearing.replacing("cookies", with: "storage")])
        }
    }
}
