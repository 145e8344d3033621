import Engine
import Exchanges
import Profiles
import Reactor
import Testing

/// Sessions: routes, states and counters over a profile, for the requests that carry their identifier.
@Suite struct SessionTests {
    private static let only = """
        {"kind": "staging", "routes": [
            {"path": "/name", "mock": {"text": "only"}},
            {"path": "/turns", "mock": {"responses": [{"text": "first"}, {"text": "second"}]}},
            {"path": "/door", "when": "closed", "then": "open", "mock": {"text": "was closed"}},
            {"path": "/door", "when": "open", "mock": {"text": "was open"}},
            {"path": "/*", "origin": "http://origin.test"}]}
        """

    private static func library(_ more: [String: String] = [:]) throws -> ProfileLibrary {
        try Harness.library(more.merging(["only": only]) { given, _ in given })
    }

    private static func get(_ path: String, _ fields: String = "", method: String = "GET") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
    }

    /// Starts a session with routes.
    private static func session(
        _ worker: isolated MemoryWorker, _ routes: String = "", _ fill: (inout SessionWish) -> Void = { _ in }
    ) throws -> ClientSession {
        var wish = SessionWish()
        fill(&wish)
        let session = try worker.active.start(wish, now: worker.loop.core.now, at: 0)
        if !routes.isEmpty { try add(routes, to: session, worker) }
        return session
    }

    @discardableResult
    private static func add(
        _ routes: String, to session: ClientSession, _ worker: isolated MemoryWorker, isTrusted: Bool = true
    ) throws -> [String] {
        try worker.active.add(Array(routes.utf8), to: session.id, isTrusted: isTrusted, now: worker.loop.core.now)
    }

    private static func ask(
        _ worker: isolated MemoryWorker, _ path: String, _ fields: String = "", method: String = "GET"
    ) async -> String {
        await worker.connect(get(path, fields, method: method)).text
    }

    private static func body(of response: String) -> String {
        response.range(of: "\r\n\r\n").map { String(response[$0.upperBound...]) } ?? ""
    }

    @Test func `a session's routes respond to its requests alone, and what it has none for is the profile's`()
        async throws
    {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let one = try Self.session(worker, #"{"path": "/name", "mock": {"text": "one"}}"#)
            let two = try Self.session(worker, #"[{"host": "localhost", "path": "/name", "mock": {"text": "two"}}]"#)
            let rows: [(String, String, String?)] = [
                ("", "only", nil),
                ("Shunt-Session: \(one.id)\r\n", "one", one.id), ("shunt-session: \(two.id)\r\n", "two", two.id),
                ("Cookie: shunt-session=\(one.id)\r\n", "one", one.id),
                ("Cookie: a=b;shunt-session=\(two.id); c=d\r\n", "two", two.id),
                ("Cookie: a=b\r\nCookie: shunt-session=\(two.id)\r\n", "two", two.id),
                // The field comes first, and other names are no session's.
                ("Shunt-Session: \(one.id)\r\nCookie: shunt-session=\(two.id)\r\n", "one", one.id),
                ("Cookie: shunt-session=; xshunt-session=\(two.id)\r\n", "only", nil),
            ]
            for (fields, expected, id) in rows {
                let text = await Self.ask(worker, "/name", fields)
                #expect(Self.body(of: text) == expected, "\(fields)")
                let exchange = try #require(worker.log.exchanges.last)
                #expect(exchange.session == id && exchange.reason == (id == nil ? "active" : "session"))
                #expect(exchange.profile == "only")
            }
            let other = await Self.ask(worker, "/turns", "Shunt-Session: \(one.id)\r\n")
            #expect(Self.body(of: other) == "first")
        }
    }

    @Test func `an origin sees neither the field nor the cookie`() async throws {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let session = try Self.session(worker)
            let client = await worker.connect(
                Self.get("/x", "Shunt-Session: \(session.id)\r\nCookie: a=b; shunt-session=\(session.id)\r\n"))
            let origin = try worker.origins.channel(0)
            let request = origin.text
            #expect(!request.lowercased().contains("shunt-session") && !request.contains(session.id), "\(request)")
            #expect(request.contains("Cookie: a=b\r\n"))
            origin.receive("HTTP/1.1 204 No Content\r\n\r\n")
            await worker.settle()
            #expect(client.text.hasPrefix("HTTP/1.1 204 "))
        }
    }

    @Test(arguments: [
        "", #", "request": {"headers": {"set": {"X-A": "b"}}}"#, #", "request": {"query": {"set": {"q": "1"}}}"#,
    ])
    func `a path may have the session in front, which neither routes nor origins see`(edits: String) async throws {
        let profile = """
            {"kind": "staging", "routes": [
                {"path": "/name", "mock": {"text": "only"}}, {"path": "/*", "origin": "http://origin.test"\(edits)}]}
            """
        try await MemoryWorker.run(library: Self.library(["only": profile])) { worker in
            let session = try Self.session(worker, #"{"path": "/name", "mock": {"template": true, "text": "{{url}}"}}"#)
            let label = "/__shunt/session/\(session.id)"
            #expect(Self.body(of: await Self.ask(worker, "\(label)/name?a")) == "http://localhost\(label)/name?a")
            #expect(Self.body(of: await Self.ask(worker, "/name")) == "only")
            let other = try Self.session(worker)
            let both = await Self.ask(worker, "\(label)/name", "Shunt-Session: \(other.id)\r\n")
            #expect(Self.body(of: both) == "only")
            #expect(worker.log.exchanges.map(\.url) == ["?a", "", ""].map { "http://localhost/name" + $0 })
            #expect(worker.log.exchanges.map(\.session) == [session.id, nil, other.id])
            _ = await worker.connect(Self.get("\(label)/x?y=1"))
            let sent = try worker.origins.channel(0).text
            #expect(sent.hasPrefix("GET /x?y=1") && !sent.contains(session.id), "\(sent)")
            for path in ["", "?y=1", "/", "/?y=1"] {
                _ = await worker.connect("POST \(label)\(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nb")
                let sent = try #require(worker.origins.channels.last).text
                let query = path.drop { $0 == "/" }
                #expect(sent.hasPrefix("POST /\(query)") && sent.hasSuffix("\r\n\r\nb"), "\(path): \(sent)")
            }
            for path in ["/__shunt/session/0/name", "/__shunt/session/0000000000000000/", "/__shunt/session/00"] {
                let text = await Self.ask(worker, path)
                #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("there is no session"), "\(path): \(text)")
            }
        }
    }

    @Test func `sequences, states and counters are each session's own, also those of the profile's mocks`()
        async throws
    {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let routes = #"{"path": "/knock", "then": "open", "mock": {"text": "knock"}}"#
            let (one, two) = (try Self.session(worker), try Self.session(worker, routes))
            func ask(_ path: String, _ session: ClientSession?) async -> String {
                let fields = session.map { "Shunt-Session: \($0.id)\r\n" } ?? ""
                return Self.body(of: await Self.ask(worker, path, fields))
            }
            #expect(await ask("/turns", one) == "first")
            #expect(await ask("/turns", nil) == "first")
            #expect(await ask("/turns", two) == "first")
            #expect(await ask("/turns", one) == "second")
            #expect(await ask("/door", one) == "was closed")
            #expect(await ask("/door", one) == "was open")
            #expect(await ask("/door", nil) == "was closed")
            // A route of a session and one of the profile may change the same states.
            #expect(await ask("/knock", two) == "knock")
            #expect(await ask("/door", two) == "was open")
        }
    }

    @Test func `routes that are posted later come first, and take the place of those with their name`() async throws {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let session = try Self.session(worker, #"{"path": "/name", "mock": {"text": "1"}}"#)
            let fields = "Shunt-Session: \(session.id)\r\n"
            func name() async -> String { Self.body(of: await Self.ask(worker, "/name", fields)) }
            #expect(await name() == "1")
            let second = try Self.add(#"{"path": "/*", "method": "GET", "mock": {"text": "2"}}"#, to: session, worker)
            #expect(await name() == "2")
            try Self.add(
                #"{"name": "n", "path": "/name", "mock": {"responses": [{"text": "3"}, {"text": "4"}]}}"#, to: session,
                worker)
            #expect(await name() == "3")
            try Self.add(
                #"{"name": "n", "path": "/name", "mock": {"responses": [{"text": "5"}, {"text": "6"}]}}"#, to: session,
                worker)
            #expect(await name() == "5")
            try worker.active.removeRoutes("n", of: session.id, now: 0)
            #expect(await name() == "2")
            try worker.active.removeRoutes(second[0], of: session.id, now: 0)
            #expect(await name() == "1")
            try worker.active.removeRoutes(nil, of: session.id, now: 0)
            #expect(await name() == "only")
        }
    }

    @Test func `a request whose session has ended, or never was, does not go to the profile`() async throws {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let ended = try Self.session(worker)
            try worker.active.end(ended.id, "it was ended")
            let idle = try Self.session(worker) { $0.idleSeconds = 60 }
            await worker.advance(by: 59)
            #expect(await Self.ask(worker, "/name", "Shunt-Session: \(idle.id)\r\n").hasSuffix("\r\n\r\nonly"))
            await worker.advance(by: 59)
            #expect(await Self.ask(worker, "/name", "Cookie: shunt-session=\(idle.id)\r\n").hasSuffix("\r\n\r\nonly"))
            await worker.advance(by: 61)
            let rows = [
                ("Shunt-Session: \(ended.id)", "has ended: it was ended"),
                ("Cookie: shunt-session=\(ended.id)", "has ended"),
                ("Shunt-Session: \(idle.id)", "there is no session"), ("Shunt-Session: 0", "there is no session"),
                ("Shunt-Session:", "there is no session"), ("Cookie: shunt-session=x", "there is no session"),
                ("Shunt-Session: 1\r\nShunt-Session: 2", "several Shunt-Session fields"),
            ]
            for (field, message) in rows {
                let text = await Self.ask(worker, "/name", field + "\r\n")
                #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains(message), "\(field): \(text)")
                if !field.contains("\r\n") { #expect(text.contains("shunt session start"), "\(text)") }
            }
            #expect(worker.active.expireSessions(now: worker.loop.core.now) == [idle.id])
            let over = await Self.ask(worker, "/name", "Shunt-Session: \(idle.id)\r\n")
            #expect(over.contains("it was not used for 60 seconds"), "\(over)")
        }
    }

    @Test func `a profile that the request names has to be the one under its session`() async throws {
        let library = try Self.library([
            "other": #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "other"}}]}"#
        ])
        try await MemoryWorker.run(library: library) { worker in
            let session = try Self.session(worker, #"{"path": "/mine", "mock": {"text": "mine"}}"#) {
                $0.profile = "other"
            }
            let field = "Shunt-Session: \(session.id)\r\n"
            for (fields, expected) in [
                (field, "other"), (field + "Shunt-Profile: other\r\n", "other"), ("", "only"),
            ] {
                #expect(Self.body(of: await Self.ask(worker, "/name", fields)) == expected, "\(fields)")
            }
            let text = await Self.ask(worker, "/name", field + "Shunt-Profile: only\r\n")
            #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("is over other"), "\(text)")
            #expect(throws: SessionFailure.self) { try Self.session(worker) { $0.profile = "none" } }
        }
    }

    @Test func `a fault without a response strikes, and leaves the rest to the profile`() async throws {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let session = try Self.session(
                worker, #"{"path": "/name", "method": "POST", "fault": {"kind": "status", "status": 503}}"#)
            let slow = try Self.session(worker, #"{"path": "/name", "network": {"latency": "2s"}}"#)
            let fields = "Shunt-Session: \(session.id)\r\n"
            let struck = await Self.ask(worker, "/name", fields + "Content-Length: 0\r\n", method: "POST")
            #expect(struck.hasPrefix("HTTP/1.1 503 ") && struck.contains("fault=status"), "\(struck)")
            #expect(Self.body(of: await Self.ask(worker, "/name", fields)) == "only")
            let client = await worker.connect(Self.get("/name", "Shunt-Session: \(slow.id)\r\n"))
            #expect(client.text == "")
            await worker.advance(by: 2.1)
            #expect(Self.body(of: client.text) == "only")
        }
    }

    @Test func `production stays read-only by a session's routes`() async throws {
        let library = try Self.library([
            "production": Harness.origin("http://shop.test", kind: "production")
        ])
        try await MemoryWorker.run(library: library) { worker in
            let staging = try Self.session(worker, #"{"path": "/pay", "origin": "http://shop.test"}"#)
            let chained = try Self.session(worker, #"{"path": "/pay", "origin": "profile:production"}"#)
            let real = try Self.session(
                worker, #"{"path": "/pay", "fault": {"kind": "reset", "probability": 0.000001, "seed": 1}}"#
            ) {
                $0.profile = "production"
            }
            let over = try Self.session(worker, #"{"path": "/pay", "origin": "http://else.test"}"#) {
                $0.profile = "production"
            }
            for session in [staging, chained, real, over] {
                let text = await Self.ask(
                    worker, "/pay", "Shunt-Session: \(session.id)\r\nContent-Length: 0\r\n", method: "POST")
                #expect(text.hasPrefix("HTTP/1.1 403 ") && text.contains("shunt unlock production"), "\(text)")
            }
            #expect(worker.origins.attempts == 0)
        }
    }

    @Test func `profiles that are read anew keep sessions, and judge them again`() async throws {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let session = try Self.session(
                worker,
                #"[{"path": "/turns", "mock": {"responses": [{"text": "a"}, {"text": "b"}]}}, {"path": "/x", "origin": "profile:only"}]"#
            )
            let fields = "Shunt-Session: \(session.id)\r\n"
            #expect(Self.body(of: await Self.ask(worker, "/turns", fields)) == "a")
            let changed = Self.only.replacing(#""text": "only""#, with: #""text": "changed""#)
            _ = try worker.active.replace(with: Self.library(["only": changed]))
            #expect(Self.body(of: await Self.ask(worker, "/turns", fields)) == "b")
            #expect(Self.body(of: await Self.ask(worker, "/name", fields)) == "changed")
            // Another one without the profile under it.
            let other = try Self.library(["other": Self.only])
            _ = try worker.active.replace(with: other)
            let over = try Self.session(worker, #"{"path": "/name", "mock": {"text": "mine"}}"#) {
                $0.profile = "other"
            }
            _ = try worker.active.replace(with: Self.library())
            let gone = await Self.ask(worker, "/name", "Shunt-Session: \(over.id)\r\n")
            #expect(gone.hasPrefix("HTTP/1.1 503 ") && gone.contains("other"), "\(gone)")
            _ = try worker.active.replace(with: other)
            #expect(Self.body(of: await Self.ask(worker, "/name", "Shunt-Session: \(over.id)\r\n")) == "mine")
        }
    }

    @Test(arguments: [
        (#"{"path": "/a", "mok": {}}"#, "routes:1:16: unknown key \"mok\" in a route"),
        ("{\"routes\": [\n  {\"path\": \"a\", \"mock\": {}}]}", "routes:2:12: "),
        (#"{"path": "/a"}"#, "routes:1:1: the route has nothing that responds"),
        (
            #"[{"path": "/a", "mock": {}}, {"path": "/a", "mock": {}}]"#,
            "matches the same requests as the one on line 1"
        ),
        ("[]", "there is no route"), ("{", "routes:1:"),
        (#"{"routes": [{"path": "/a", "mock": {}}], "name": "x"}"#, "\"name\" beside \"routes\""),
        (#"{"host": "a.test", "tls": "passthrough", "origin": "https://a.test"}"#, "passthrough"),
        (#"{"path": "/a", "origin": {"run": "rm x", "url": "http://localhost:1"}}"#, "an origin with a command"),
        (#"{"path": "/a", "origin": "profile:onyl"}"#, "did you mean \"only\"?"),
        (#"{"path": "/a", "origin": "https://loose.shop.test"}"#, "certificates are not checked for"),
        (#"{"path": "/a", "token": true, "origin": "http://origin.test"}"#, "has no token"),
        (#"{"path": "/a", "origin": "https://api.push.apple.com"}"#, "leads to the push service"),
    ])
    func `routes are read as strictly as those of a file, and wrong ones change nothing`(
        _ routes: String, _ message: String
    ) async throws {
        let library = try Harness.library([
            "only":
                #"{"kind": "staging", "routes": [], "trust": {"*.shop.test": {"policy": "disabled", "until": "2999-01-01", "reason": "x"}}}"#,
            "production": Harness.origin("https://loose.shop.test", kind: "production"),
        ])
        try await MemoryWorker.run(library: library) { worker in
            let session = try Self.session(worker, #"{"path": "/name", "mock": {"text": "kept"}}"#)
            do {
                try Self.add(routes, to: session, worker)
                Issue.record("\(routes) was accepted")
            } catch {
                let text = (error as? SessionFailure)?.message ?? "\(error)"
                #expect(text.contains(message), "\(text)")
            }
            #expect(await Self.ask(worker, "/name", "Shunt-Session: \(session.id)\r\n").hasSuffix("kept"))
        }
    }

    @Test(arguments: [
        (#"{"path": "/a", "files": "/etc"}"#, false), (#"{"path": "/a", "mock": {"file": "/etc/passwd"}}"#, false),
        (#"{"path": "/a", "mock": {"file": "/no/such"}}"#, false),
        (#"{"path": "/a", "origin": "http://169.254.169.254"}"#, false),
        (
            #"{"path": "/a", "origin": "http://origin.test", "proxy": {"url": "http://p.test:1", "credentialsVariable": "HOME"}}"#,
            false
        ),
        (#"{"path": "/a", "origin": "http://origin.test"}"#, true),
        (#"{"path": "/a", "origin": "profile:only"}"#, true),
        (#"{"path": "/a", "mock": {"json": {"file": "/etc"}}}"#, true), (#"{"path": "/a", "fault": "reset"}"#, true),
    ])
    func `users who may not do everything name no file, no proxy, and no origin that the profile lacks`(
        _ routes: String, _ isAllowed: Bool
    ) async throws {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let session = try Self.session(worker)
            do {
                try Self.add(routes, to: session, worker, isTrusted: false)
                #expect(isAllowed)
            } catch {
                let text = (error as? SessionFailure)?.message ?? "\(error)"
                #expect(!isAllowed && text.contains("--may admin") && !text.contains("/no/such"), "\(text)")
            }
        }
    }

    @Test func `sessions and their routes are bounded`() async throws {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let first = try Self.session(worker)
            for _ in 1..<ClientSession.limit { _ = try Self.session(worker) }
            #expect(throws: SessionFailure.self) { try Self.session(worker) }
            try worker.active.end(first.id, "")
            let last = try Self.session(worker)
            let many = (0...ClientSession.routeLimit).map { #"{"path": "/\#($0)", "mock": {}}"# }.joined(separator: ",")
            #expect(throws: SessionFailure.self) { try Self.add("[\(many)]", to: last, worker) }
        }
    }
}
