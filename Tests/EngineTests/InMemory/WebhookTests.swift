import Engine
import Exchanges
import Foundation
import Profiles
import Reactor
import TestSupport
import Testing

/// Requests that Shunt sends after the responses of mocks.
@Suite struct WebhookTests {
    private static func profile(_ then: String, _ kind: String = "local") -> String {
        """
        {"kind": "\(kind)", "routes": [{"path": "/orders/{id}", "mock": {"status": 202, "then": \(then)}},
            {"path": "/*", "mock": {"text": "rest"}}]}
        """
    }

    private static let order =
        "POST /orders/7 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 15\r\n\r\n{\"total\": \"ä\"}"

    /// Responds to the last request, and returns it.
    private static func answer(_ worker: isolated MemoryWorker, _ status: String) async throws -> String {
        let origin = try #require(worker.origins.channels.last, "no webhook was sent")
        let text = origin.text
        origin.receive("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")
        await worker.settle()
        return text
    }

    @Test func `it comes after the response and its delay, with its body, and is an exchange of its own`() async throws
    {
        let then = """
            {"url": "http://10.0.0.1:3000/hook?a=b", "method": "PUT", "headers": {"X-Event": "paid"}, "template": true,
             "json": {"order": "{{json path.id}}", "total": "{{body.total}}"}, "delay": "5s"}
            """
        try await MemoryWorker.run(profile: Self.profile(then)) { worker in
            let client = await worker.connect(Self.order)
            #expect(client.text.hasPrefix("HTTP/1.1 202 ") && worker.origins.attempts == 0)
            await worker.advance(by: 4)
            #expect(worker.origins.attempts == 0)
            await worker.advance(by: 2)
            let sent = try await Self.answer(worker, "204 No Content")
            #expect(sent.hasPrefix("PUT /hook?a=b HTTP/1.1\r\n") && sent.contains("Host: 10.0.0.1:3000\r\n"), "\(sent)")
            #expect(
                sent.contains("X-Event: paid\r\n") && sent.contains("Content-Type: application/json\r\n"), "\(sent)")
            #expect(sent.hasSuffix("\r\n\r\n" + #"{"order":7,"total":"ä"}"#), "\(sent)")
            #expect(sent.lowercased().contains("shunt-webhook: 1\r\n") && !sent.contains("Shunt-Profile"))
            let (first, second) = (worker.log.exchanges[0], try #require(worker.log.exchanges.last))
            #expect(worker.log.exchanges.count == 2 && first.responder == "mock")
            #expect(second.url == "http://10.0.0.1:3000/hook?a=b" && second.method == "PUT" && second.status == 204)
            #expect(second.route == "webhook" && second.profile == "only")
            await worker.advance(by: 60)
            #expect(worker.log.exchanges.count == 2)
        }
    }

    @Test func `it is signed with a key that is no part of the profile, and a key that lacks is told`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("key", "secret\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let then =
            #"{"url": "http://10.0.0.1/h", "text": "hello", "secretFile": "\#(file)", "signatureField": "X-Sig"}"#
        try await MemoryWorker.run(profile: Self.profile(then)) { worker in
            _ = await worker.connect(Self.order)
            #expect(await worker.wait { $0.origins.attempts == 1 })
            let sent = try await Self.answer(worker, "200 OK")
            let signature = "88aab3ede8d3adf94d26ab90d3bafd4a2083070c3bcce9c014ee04a443847c0b"
            #expect(sent.contains("X-Sig: sha256=\(signature)\r\n") && sent.hasSuffix("\r\n\r\nhello"), "\(sent)")
        }
        let missing = #"{"url": "http://10.0.0.1/h", "secretVariable": "SHUNT_NO_SUCH_SECRET"}"#
        try await MemoryWorker.run(profile: Self.profile(missing)) { worker in
            _ = await worker.connect(Self.order)
            #expect(worker.origins.attempts == 0)
            #expect(worker.log.exchanges.last?.failure?.message.contains("$SHUNT_NO_SUCH_SECRET, is not set") == true)
        }
    }

    @Test func `it is sent again after failures, each time later, and no more often than it says`() async throws {
        let then = #"{"url": "http://10.0.0.1/h", "retries": 2}"#
        try await MemoryWorker.run(profile: Self.profile(then)) { worker in
            _ = await worker.connect(Self.order)
            _ = try await Self.answer(worker, "503 Busy")
            let begun = worker.log.exchanges.count
            await worker.advance(by: 0.9)
            #expect(worker.log.exchanges.count == begun)
            await worker.advance(by: 0.2)
            _ = try await Self.answer(worker, "429 Slow")
            await worker.advance(by: 1.9)
            #expect(worker.log.exchanges.count == begun + 1)
            await worker.advance(by: 0.2)
            _ = try await Self.answer(worker, "500 No")
            await worker.advance(by: 60)
            #expect(worker.log.exchanges.map(\.status) == [202, 503, 429, 500])
        }
    }

    @Test(arguments: [
        ("http://shop.test/x", "http://shop.test", "local"), ("http://SHOP.test:80/x", "http://shop.test", "local"),
        ("https://shop.test/x", "https://shop.test", "staging"), ("http://10.1.2.3:81/", "http://10.1.2.3:81", "local"),
        ("http://0x0a010203:81/", "http://10.1.2.3:81", "local"),
        ("http://shop.test/x", "http://shop.test", "production"),
    ])
    func `none goes to production, whichever profile has the mock, also while it is unlocked`(
        url: String, production: String, kind: String
    ) async throws {
        let library = try Harness.library([
            "only": Self.profile(#"{"url": "\#(url)"}"#, kind),
            "live": Harness.origin(production, kind: "production"),
        ])
        try await MemoryWorker.run(library: library) { worker in
            _ = try worker.state.locks.unlock("live", seconds: 3600, reason: "a test", now: worker.loop.core.now)
            _ = await worker.connect(Self.order)
            #expect(await worker.wait { $0.log.exchanges.count == 2 })
            let last = try #require(worker.log.exchanges.last)
            #expect(last.failure?.message.contains("would go to production (live)") == true, "\(last)")
            #expect(worker.origins.attempts == 0)
        }
    }

    @Test func `a redirect to production is refused and not followed, and a webhook causes none`() async throws {
        let library = try Harness.library([
            "only": Self.profile(#"{"url": "http://10.0.0.1:3000/h"}"#),
            "live": Harness.origin("http://10.0.0.2", kind: "production"),
        ])
        try await MemoryWorker.run(library: library) { worker in
            _ = await worker.connect(Self.order)
            _ = try await Self.answer(worker, "307 There\r\nLocation: http://10.0.0.2/pay")
            await worker.advance(by: 60)
            #expect(worker.origins.attempts == 1 && worker.log.exchanges.map(\.status) == [202, 403])
            let looped = Self.order.replacing("Host:", with: "Shunt-Webhook: 1\r\nHost:")
            _ = await worker.connect(looped)
            await worker.advance(by: 60)
            #expect(worker.log.exchanges.map(\.status) == [202, 403, 202])
        }
    }

    @Test func `one of a session belongs to it, and users may only name origins of the profile`() async throws {
        try await MemoryWorker.run(profile: Self.profile(#"{"url": "http://10.0.0.1/h"}"#)) { worker in
            let session = try worker.active.start(SessionWish(), now: worker.loop.core.now, at: 0)
            let own = #"{"path": "/own", "mock": {"then": {"url": "http://10.0.0.2/own"}}}"#
            #expect(throws: SessionFailure.self) {
                try worker.active.add(Array(own.utf8), to: session.id, isTrusted: false, now: 0)
            }
            _ = try worker.active.add(Array(own.utf8), to: session.id, isTrusted: true, now: 0)
            for path in ["/orders/1", "/own"] {
                _ = await worker.connect("GET \(path) HTTP/1.1\r\nHost: a\r\nShunt-Session: \(session.id)\r\n\r\n")
                let sent = try await Self.answer(worker, "200 OK")
                #expect(!sent.lowercased().contains("shunt-session"), "\(sent)")
            }
            #expect(worker.log.exchanges.map(\.session) == Array(repeating: session.id, count: 4))
            #expect(worker.log.exchanges.map(\.route).filter { $0 == "webhook" }.count == 2)
        }
    }

    @Test(arguments: [
        (#"{}"#, "\"then\" without \"url\""), (#"{"url": "http://{{header.x}}/"}"#, "has a place to be filled"),
        (#"{"url": "http://a/{{path.id}}"}"#, "has a place to be filled"), (#"{"url": "a/b"}"#, "has no scheme"),
        (#"{"url": "http://u:p@a/"}"#, "has a user name"), (#"{"url": "http://a/ b"}"#, "cannot be sent"),
        (#"{"url": "http://a/#b"}"#, "cannot be sent"), (#"{"url": "http://a/", "retries": 9}"#, "\"retries\" is 9"),
        (#"{"url": "http://a/", "headers": {"Host": "b"}}"#, "\"then\" sets \"Host\""),
        (#"{"url": "http://a/", "headers": {"X": "a\nb"}}"#, "cannot be sent"),
        (#"{"url": "http://a/", "method": "connect"}"#, "\"method\" is"),
        (#"{"url": "http://a/", "secretVariable": "a-b"}"#, "no name of an environment variable"),
        (#"{"url": "http://a/", "template": true, "text": "{{nope}}"}"#, "nope"),
    ])
    func `what is wrong is said with its place`(then: String, message: String) throws {
        let problems = #expect(throws: ProfileProblems.self) { try Harness.library(["only": Self.profile(then)]) }
        let found = try #require(problems?.all.first)
        #expect(found.message.contains(message) && found.line == 1, "\(found)")
    }
}
