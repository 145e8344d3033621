import Foundation
import JSON
import TestSupport
import Testing

/// What `shunt export --har` writes, in the eyes of those who read it: a model of the format, and Chromium's DevTools.
@Suite struct ArchiveTests {
    private static let image: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0xFF]
    private static let cart = #"{"name": "Jörg", "token": "tokensecret", "items": [1, 2]}"#

    /// Redirects, cookies, a form, an image, JSON, a WebSocket, events and failures, in both versions of HTTP.
    private func recorded() async throws -> ServingShunt {
        let origin = ScriptedOrigin { connection, _ in
            while true {
                let head = try connection.readHead()
                switch head.split(separator: " ")[1] {
                case "/login":
                    _ = try connection.readBytes("user=J%C3%B6rg&note=a+b".utf8.count)
                    try connection.send(
                        "HTTP/1.1 302 Found\r\nLocation: /cart?page=2\r\nSet-Cookie: sid=cookiesecret; HttpOnly\r\n"
                            + "Set-Cookie: theme=dark; Max-Age=60; SameSite=Lax\r\nContent-Length: 0\r\n\r\n")
                case "/image":
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(Self.image.count)\r\n\r\n")
                    try connection.send(Self.image)
                case "/events":
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
                            + "id: 1\ndata: one\n\nevent: more\ndata: two\n\n")
                    return
                case "/chat":
                    try connection.send(
                        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                    try connection.send([0x81, 5] + Array("hello".utf8) + [0x82, 2, 0, 0xFF, 0x88, 2, 0x03, 0xE8])
                    return
                case "/broken":
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
                    return
                default:
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                            + "Content-Length: \(Self.cart.utf8.count)\r\n\r\n\(Self.cart)")
                }
            }
        }
        let shunt = try ServingShunt([
            "local": """
            {"kind": "local", "routes": [{"origin": "http://127.0.0.1:\(origin.port)"},
              {"path": "/mock", "mock": {"text": "mocked"}},
              {"path": "/dead", "origin": "http://127.0.0.1:\(ScriptedOrigin.closedPort())"}]}
            """
        ])
        let port = shunt.port
        let client = try await blocking {
            for address in ["--http2 https://localhost:\(port)", "--http1.1 http://localhost:\(port)"] {
                let parts = address.split(separator: " ").map(String.init)
                for path in ["/image", "/mock", "/dead", "/events", "/broken"] {
                    _ = try shunt.curl(parts[0], "-o", "got", parts[1] + path)
                }
                let form = ["-L", "-b", "none", "-d", "user=J%C3%B6rg&note=a+b"]
                #expect(try shunt.curl([parts[0]] + form + [parts[1] + "/login"]).output == Self.cart)
            }
            let client = try RawConnection.connect(port)
            try client.send(
                "GET /chat HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            _ = try client.readToEnd()
            return client
        }
        client.close()
        #expect(eventually { shunt.process.errors.contains("/chat 101 ") }, "\(shunt.process.errors)")
        // Kept-alive connections wait for another request until they, or the time, are over.
        let ends = ["ended", "end of", "temporarily"]
        #expect(origin.scriptFailures.allSatisfy { failure in ends.contains { failure.contains($0) } })
        try shunt.stop()
        origin.stop()
        let result = try shunt.run("export", "--har", "-o", "all.har")
        #expect(result.status == 0, "\(result)")
        return shunt
    }

    @Test(.enabled(if: ClientProgram.hasPython, "harlem \(ClientProgram.hint)"))
    func `every member of an archive is of the type that another model of HAR demands`() async throws {
        let shunt = try await recorded()
        let model = ClientProgram.python("har_model.py", shunt.folder.path + "/all.har")
        let result = try ClientProgram.run(model)
        #expect(result.status == 0 && result.output == "15\n", "\(result)")
        let whole = try shunt.folder.read("all.har")
        for (member, wrong) in [(#""bodySize":"#, #""bodySize":"x","_":"#), (#""headers":["#, #""header":["#)] {
            try shunt.folder.write("all.har", whole.replacing(member, with: wrong, maxReplacements: 1))
            #expect(try ClientProgram.run(model).status != 0, "it sees no mistakes: \(member)")
        }
    }

    @Test(
        .extended,
        .enabled(
            if: ClientProgram.hasPython && ClientProgram.browser != nil,
            "Chromium or websockets \(ClientProgram.hint)"))
    func `Chromium's DevTools open an archive and show everything in it`() async throws {
        let shunt = try await recorded()
        let script = SampleApp.scripts + "/open_archive.py"
        let result = try ClientProgram.run([
            ClientProgram.python, "-B", script, try #require(ClientProgram.browser), shunt.folder.path + "/all.har",
        ])
        #expect(result.status == 0, "\(result.errors)")
        let value = try JSONReader.read(result.output.isEmpty ? "{}" : result.output)
        #expect(value["complaints"]?.array?.isEmpty == true, "\(result.output)")
        let requests = value["requests"]?.array ?? []
        func shown(_ path: String, _ version: String) throws -> JSONValue {
            try #require(
                requests.first {
                    $0["url"]?.string?.hasSuffix(path) == true && $0["protocol"]?.string?.hasPrefix(version) == true
                }, "\(path) in \(version): \(result.output)")
        }
        func texts(_ value: JSONValue?) -> [String] { value?.array?.compactMap(\.string) ?? [] }
        #expect(requests.count == 15)
        for version in ["http/2", "http/1"] {
            let login = try shown("/login", version)
            #expect(login["method"]?.string == "POST" && login["status"]?.number?.int64 == 302)
            #expect(texts(login["responseCookies"]) == ["sid", "theme"])
            #expect(login["form"]?.array?.map { $0["name"]?.string } == ["user", "note"])
            #expect(login["sent"]?.string == "user=J%C3%B6rg&note=a+b")
            let cart = try shown("/cart?page=2", version)
            #expect(texts(cart["requestCookies"]).sorted() == ["sid", "theme"])
            #expect(cart["content"]?.string?.contains("Jörg") == true)
            #expect(cart["content"]?.string?.contains("tokensecret") == false)
            #expect(try shown("/image", version)["content"]?.string == Data(Self.image).base64EncodedString())
            #expect(try shown("/mock", version)["content"]?.string == "mocked")
            #expect(try shown("/dead", version)["status"]?.number?.int64 == 502)
            #expect(texts(try shown("/events", version)["events"]) == ["one", "two"])
            #expect(try shown("/broken", version)["content"]?.string == "short")
        }
        let chat = try shown("/chat", "http/1")
        #expect(chat["type"]?.string == "websocket")
        #expect(texts(chat["frames"]) == ["hello", "AP8=", "A+g="])
    }
}
