import Engine
import Foundation
import HTTP2
import Profiles
import Reactor
import Redaction
import Synchronization
import TestSupport
import Testing

/// A gateway, a user's machine that is attached to it, and an origin on each: all in this process.
struct AttachStage {
    let gateway: Harness
    let machine: Harness
    let ordinary: ScriptedOrigin
    let own: ScriptedOrigin
    let attachment: Engine.Attachment
    /// The cookie of ada's device.
    let cookie: String
    private let door: Proxy
    private let connections: Task<Void, Never>
    let ends = Box()

    var port: UInt16 { gateway.port }

    /// What the gateway's admin interface does with the request for a connection.
    private struct Door: Handler {
        let proxy: Proxy
        let attachment: Engine.Attachment

        func response(_ request: HandledRequest) async -> HandledResponse {
            guard let tunnel = try? await proxy.connect(attachment) else {
                return HandledResponse(status: 409, fields: [], body: Array(#"{"detail": "no more"}"#.utf8))
            }
            return HandledResponse(upgrade: Engine.Attachment.protocolName, to: tunnel)
        }
    }

    /// - Parameters:
    ///   - profile: of the gateway, with ORIGIN for the ordinary origin.
    ///   - node: the gateway's name in a cluster.
    ///   - own: what the server on the machine does.
    static func start(
        _ profile: String = #"{"kind": "staging", "routes": [{"origin": "ORIGIN"}]}"#, path: String = "/cart/*",
        node: String? = nil, workers: Int = 1, forward: ForwardProxy? = nil,
        ordinary: @escaping Script = named("ordinary"),
        own: @escaping Script = named("own")
    ) async throws -> AttachStage {
        let (ordinary, own) = (ScriptedOrigin(ordinary), ScriptedOrigin(own))
        let gateway = try await Harness.start(
            profiles: ["only": profile.replacing("ORIGIN", with: "http://127.0.0.1:\(ordinary.port)")], active: "only",
            workers: workers, forward: forward, attachments: Attachments(node: node))
        let (_, token) = gateway.proxy.devices.add("phone", of: "ada", profile: nil)
        let machine = try await Harness.start(
            profiles: [
                "attach":
                    #"{"kind": "local", "routes": [{"origin": "http://127.0.0.1:\#(own.port)", "preserveHost": true, "rewrite": false, "forwarded": false}]}"#
            ], active: "attach")
        let attachment = try gateway.proxy.attachments.add(
            Attachments.Wish(
                user: "ada", token: "t", path: try AttachedPath(path),
                origin: try .attached("http://127.0.0.1:\(own.port)"), client: nil))
        let door = try await Proxy.start(
            Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)]),
            handler: Door(proxy: gateway.proxy, attachment: attachment))
        let request =
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: \(Engine.Attachment.protocolName)\r\n\r\n"
        let gatewayDoor = GatewayDoor(
            host: "127.0.0.1", port: door.addresses[0].port, context: nil, request: Array(request.utf8))
        let (connected, feed) = AsyncStream.makeStream(of: Void.self)
        let proxy = machine.proxy
        let connections = Task {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<workers {
                    group.addTask { try? await proxy.serve(gatewayDoor) { feed.yield() } }
                }
            }
        }
        var iterator = connected.makeAsyncIterator()
        for _ in 0..<workers { await iterator.next() }
        let stage = AttachStage(
            gateway: gateway, machine: machine, ordinary: ordinary, own: own, attachment: attachment,
            cookie: "Cookie: shunt-device=\(token)\r\n", door: door, connections: connections)
        gateway.proxy.attachments.onEnd { [ends = stage.ends] _, reason in ends.put(reason) }
        return stage
    }

    typealias Script = @Sendable (RawConnection, Int) throws -> Void

    /// Responds to one request after the other with its own name and the request's head.
    static func named(_ name: String) -> Script {
        { connection, _ in
            while let head = try? connection.readHead() {
                let body = "\(name)\n\(head)"
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            }
        }
    }

    /// The response to a request, with its head.
    func ask(_ path: String = "/cart/1", _ fields: String = "", method: String = "GET", body: String = "")
        async throws -> String
    {
        let port = port
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        return try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(
                "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\(length)\r\n\(body)")
            return try client.readToEnd()
        }
    }

    /// Who has responded to a request of ada's device.
    func responder(_ path: String = "/cart/1") async throws -> String {
        let response = try await ask(path, cookie)
        let body = response.components("\r\n\r\n")[1]
        return String(body.prefix { $0 != "\n" })
    }

    /// Lets the machine go as Ctrl-C does.
    func leave() async {
        await machine.proxy.drain()
        await connections.value
    }

    func stop() async {
        await machine.stop()
        await connections.value
        await gateway.stop()
        await door.abort()
        await door.drain()
        door.stop()
        ordinary.stop()
        own.stop()
    }
}

extension String {
    fileprivate func components(_ mark: String) -> [String] {
        split(separator: mark, omittingEmptySubsequences: false).map(String.init)
    }
}

/// The machine of a user responds in place of an origin.
@Suite struct AttachTests {
    @Test func `it responds to the user's devices and to requests that name it, and to no others`() async throws {
        let stage = try await AttachStage.start()
        let (key, cookie) = ("Shunt-Attach: \(stage.attachment.key)\r\n", stage.cookie)
        let (_, token) = stage.gateway.proxy.devices.add("phone", of: "bob", profile: nil)
        let his = "Cookie: shunt-device=\(token)\r\n"
        for (path, fields, who) in [
            ("/cart/1", cookie, "own"), ("/cart", cookie, "own"), ("/cart/1", key, "own"),
            ("/cart/1", his + key, "own"),
            ("/%63art/./1", cookie, "own"), ("/cart/1", "", "ordinary"), ("/cart/1", his, "ordinary"),
            ("/other", cookie, "ordinary"), ("/other", key, "ordinary"), ("/carts", cookie, "ordinary"),
            ("/cart/1", "Shunt-Attach: x\r\n" + cookie, "ordinary"),
            ("/cart/1", "Shunt-Attach: \(stage.attachment.key)0\r\n", "ordinary"),
        ] {
            let response = try await stage.ask(path, fields)
            #expect(response.contains("\r\n\r\n\(who)\n"), "\(path) \(fields) \(response)")
            #expect(response.contains("; attached=ada\r\n") == (who == "own"), "\(response)")
            // It is for Shunt alone, as is the device's cookie.
            #expect(!response.lowercased().contains("\nshunt-attach") && !response.contains("shunt-device"))
        }
        // Each digit counts.
        let digits = Array(stage.attachment.key)
        for at in digits.indices {
            var other = digits
            other[at] = digits[at] == "0" ? "1" : "0"
            let response = try await stage.ask("/cart/1", "Shunt-Attach: \(String(other))\r\n")
            #expect(response.contains("\r\n\r\nordinary\n"), "digit \(at): \(response)")
        }
        #expect(stage.attachment.isUp)
        await stage.stop()
    }

    @Test func `the origin on the machine sees itself as Host, and clients see the gateway in its redirects`()
        async throws
    {
        let stage = try await AttachStage.start(own: { connection, _ in
            while let head = try? connection.readHead() {
                let host = head.firstMatch(of: /\r\nHost: (\S+)\r\n/).map { String($0.1) } ?? ""
                try connection.send(
                    "HTTP/1.1 302 Found\r\nLocation: http://\(host)/next\r\nX-Host: \(host)\r\nContent-Length: 0\r\n\r\n"
                )
            }
        })
        let response = try await stage.ask("/cart/1", stage.cookie)
        #expect(response.contains("\r\nx-host: 127.0.0.1:\(stage.own.port)\r\n"), "\(response)")
        #expect(response.contains("\r\nlocation: http://localhost/next\r\n"), "\(response)")
        // Whatever a request says, it reaches the one origin.
        let absolute = try await stage.ask("http://localhost/cart/1", stage.cookie + "X-Forwarded-Host: evil.test\r\n")
        #expect(absolute.contains("\r\nx-host: 127.0.0.1:\(stage.own.port)\r\n"), "\(absolute)")
        await stage.stop()
    }

    @Test func `the origin on the machine gets the client's Host where the route keeps it`() async throws {
        let route = #"{"kind": "staging", "routes": [{"origin": ORIGINS, "preserveHost": true}]}"#
        for origins in [#""ORIGIN""#, #"["ORIGIN", "ORIGIN/b"]"#] {
            let stage = try await AttachStage.start(route.replacing("ORIGINS", with: origins))
            let response = try await stage.ask("/cart/1", stage.cookie)
            #expect(response.contains("\r\n\r\nown\nGET /cart/1 HTTP/1.1\r\nHost: localhost\r\n"), "\(response)")
            await stage.stop()
        }
    }

    @Test func `a node of a cluster says which other one a machine is attached to`() async throws {
        let stage = try await AttachStage.start(node: "office-1:4884")
        let digits = stage.attachment.key.prefix(32)
        #expect(stage.attachment.key == "\(digits)@office-1:4884")
        for (key, part) in [
            (stage.attachment.key, "\r\n\r\nown\n"), (String(digits), "\r\n\r\nordinary\n"),
            ("\(digits)@office-2:4884", "attached to another node, office-2:4884"), ("x@y", "\r\n\r\nordinary\n"),
        ] {
            let response = try await stage.ask("/cart/1", "Shunt-Attach: \(key)\r\n")
            #expect(response.contains(part), "\(key): \(response)")
            #expect(response.hasPrefix("HTTP/1.1 421 ") == part.hasPrefix("attached"))
        }
        // Also when nothing is attached there.
        stage.attachment.end("test")
        await stage.gateway.proxy.settle()
        let response = try await stage.ask("/cart/1", "Shunt-Attach: \(digits)@office-2:4884\r\n")
        #expect(response.hasPrefix("HTTP/1.1 421 "))
        await stage.stop()
    }

    @Test func `what is forwarded to a host that no route names goes there`() async throws {
        let stage = try await AttachStage.start(
            #"{"kind": "staging", "routes": [{"host": "app.test", "origin": "ORIGIN"}]}"#, forward: ForwardProxy())
        for fields in [stage.cookie, "Shunt-Attach: \(stage.attachment.key)\r\n"] {
            let named = try await stage.ask("http://app.test/cart/1", fields)
            #expect(named.contains("\r\n\r\nown\n"), "\(named)")
            let other = try await stage.ask("http://127.0.0.1:\(stage.ordinary.port)/cart/1", fields)
            #expect(other.contains("\r\n\r\nordinary\n") && !other.contains("attached="), "\(other)")
        }
        await stage.stop()
    }

    @Test func `the value of the field is a secret wherever it stands`() throws {
        let wish = Attachments.Wish(
            user: "ada", token: "t", path: try AttachedPath("/a"), origin: try .attached("http://localhost:3000"),
            client: nil)
        let attachment = try Attachments(clock: { 0 }).add(wish)
        let redactor = Redactor(key: [1])
        #expect(!redactor.redact(text: "no route for \(attachment.key)").contains(attachment.key))
        let head = redactor.redact(head: Array("GET / HTTP/1.1\r\nShunt-Attach: 0123\r\n\r\n".utf8))
        #expect(!String(decoding: head, as: UTF8.self).contains("0123"))
    }

    @Test func `no other profile and no other way to a route makes it respond in place of production`() async throws {
        let production = #"{"kind": "production", "routes": [{"origin": "http://127.0.0.1:PORT"}]}"#
        let ordinary = ScriptedOrigin(AttachStage.named("ordinary"))
        let library = [
            "only": #"{"kind": "staging", "routes": [{"origin": ["http://127.0.0.1:1", "profile:live"]}]}"#,
            "same": #"{"kind": "staging", "routes": [{"origin": "http://127.0.0.1:PORT"}]}"#, "live": production,
        ].mapValues { $0.replacing("PORT", with: "\(ordinary.port)") }
        let gateway = try await Harness.start(profiles: library, active: "only")
        let attachment = try gateway.proxy.attachments.add(
            Attachments.Wish(
                user: "ada", token: "t", path: try AttachedPath("/*"), origin: try .attached("http://127.0.0.1:1"),
                client: nil))
        let port = gateway.port
        for profile in ["only", "same", "live"] {
            let response = try await blocking {
                let client = try RawConnection.connect(port)
                try client.send(
                    "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nShunt-Profile: \(profile)\r\n"
                        + "Shunt-Attach: \(attachment.key)\r\n\r\n")
                return try client.readToEnd()
            }
            #expect(
                response.contains("\r\n\r\nordinary\n") && !response.contains("attached="), "\(profile): \(response)")
        }
        await gateway.stop()
        ordinary.stop()
    }

    @Test func `production that is locked is not replaced`() async throws {
        let stage = try await AttachStage.start(#"{"kind": "production", "routes": [{"origin": "ORIGIN"}]}"#)
        #expect(try await stage.responder() == "ordinary")
        try stage.gateway.proxy.locks.unlock("only", seconds: 60, reason: "test")
        #expect(try await stage.responder() == "own")
        stage.gateway.proxy.locks.lock("only")
        #expect(try await stage.responder() == "ordinary")
        await stage.stop()
    }

    @Test(arguments: [1, 2])
    func `requests go back to the ordinary origin when it ends, and none is lost`(workers: Int) async throws {
        try await loseNone(of: 125, workers: workers)
    }

    @Test(.extended) func `of 10,000 requests none is lost when it ends`() async throws {
        try await loseNone(of: 2500, workers: 2)
    }

    /// Four clients send so many requests each, or more, and it ends in the middle.
    private func loseNone(of count: Int, workers: Int) async throws {
        let (asked, left) = (Counter(), Box())
        let stage = try await AttachStage.start(workers: workers)
        let (cookie, gateway) = (stage.cookie, stage.port)
        async let counts = withThrowingTaskGroup(of: (own: Int, ordinary: Int).self) { group in
            for client in 0..<4 {
                group.addTask {
                    try await blocking {
                        var counts = (own: 0, ordinary: 0)
                        let connection = try RawConnection.connect(gateway)
                        var (number, isLast) = (0, false)
                        while !isLast {
                            defer { number += 1 }
                            // The last one is sent when it has ended.
                            isLast = left.take() != "" && number >= count
                            let isPost = (number + client) % 2 == 0
                            try connection.send(
                                "\(isPost ? "POST" : "GET") /cart/\(number) HTTP/1.1\r\nHost: localhost\r\n\(cookie)"
                                    + "X-Number: \(client)-\(number)\r\n" + (isPost ? "Content-Length: 0\r\n" : "")
                                    + "\r\n")
                            let head = try connection.readHead()
                            let length =
                                head.lowercased().firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
                            let body = try connection.read(count: length)
                            guard head.hasPrefix("HTTP/1.1 200 "),
                                body.lowercased().contains("x-number: \(client)-\(number)\r\n")
                            else { throw Lost(description: head + body) }
                            if body.hasPrefix("own\n") { counts.own += 1 } else { counts.ordinary += 1 }
                            asked.value.add(1, ordering: .relaxed)
                        }
                        return counts
                    }
                }
            }
            var all = (own: 0, ordinary: 0)
            for try await some in group { all = (all.own + some.own, all.ordinary + some.ordinary) }
            return all
        }
        try await wait { asked.value.load(ordering: .relaxed) >= count }
        await stage.leave()
        left.put("now")
        let all = try await counts
        #expect(all.own + all.ordinary >= 4 * count && all.own > 0 && all.ordinary >= 4, "\(all)")
        #expect(try await stage.responder() == "ordinary")
        try await wait { stage.ends.take() == "ended in good order" }
        #expect(stage.gateway.proxy.attachments.list.isEmpty)
        await stage.stop()
    }

    private final class Counter: Sendable { let value = Atomic(0) }

    private func wait(until isTrue: @escaping @Sendable () -> Bool) async throws {
        #expect(try await blocking { eventually(isTrue) })
    }

    struct Lost: Error, CustomStringConvertible { let description: String }

    /// Takes requests and tells, but never responds.
    private static func silent(_ taken: Box) -> AttachStage.Script {
        { connection, _ in
            taken.put(try connection.readHead())
            _ = try? connection.drain()
        }
    }

    @Test(arguments: [("GET", "ordinary"), ("PUT", "ordinary"), ("POST", "502")])
    func `when the connection breaks, requests under way are sent again if they may be`(
        method: String, expected: String
    ) async throws {
        let taken = Box()
        let stage = try await AttachStage.start(
            ordinary: { connection, _ in
                let head = try connection.readHead()
                let body = head.hasPrefix("GET") ? "" : try connection.read(count: 4)
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Length: \(9 + body.utf8.count)\r\n\r\nordinary\n\(body)")
            }, own: Self.silent(taken))
        let asked = Task {
            try await stage.ask("/cart/1", stage.cookie, method: method, body: method == "GET" ? "" : "body")
        }
        try await wait { taken.take() != "" }
        await stage.machine.proxy.abort()
        let response = try await asked.value
        if expected == "502" {
            #expect(response.hasPrefix("HTTP/1.1 502 ") && response.contains("ada's http://127.0.0.1"), "\(response)")
        } else {
            #expect(response.contains("\r\n\r\nordinary\n\(method == "GET" ? "" : "body")"), "\(response)")
            #expect(response.contains("; tried=\"ada's http://127.0.0.1"), "\(response)")
        }
        try await wait { stage.gateway.proxy.attachments.list.isEmpty }
        await stage.stop()
    }

    @Test func `it ends at once when the gateway ends it, on every worker`() async throws {
        let stage = try await AttachStage.start(workers: 2)
        #expect(try await stage.responder() == "own")
        stage.attachment.end("the token counts no more")
        #expect(stage.ends.take() == "the token counts no more")
        await stage.gateway.proxy.settle()
        for _ in 0..<8 { #expect(try await stage.responder() == "ordinary") }
        #expect(try await stage.gateway.proxy.connect(stage.attachment) == nil)
        await stage.stop()
    }

    /// Sends one event more whenever it is asked for one, and tells of the end of its connection.
    private static func events(_ wanted: DispatchSemaphore, _ told: Box) -> AttachStage.Script {
        { connection, _ in
            _ = try connection.readHead()
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
            startThread {
                while (try? connection.readSome()).map({ !$0.isEmpty }) ?? false {}
                told.put("closed")
                wanted.signal()
            }
            for number in 1... {
                wanted.wait()
                guard told.take() != "closed" else { return }
                let event = "data: \(number)\n\n"
                try connection.send("\(String(event.utf8.count, radix: 16))\r\n\(event)\r\n")
            }
        }
    }

    @Test(arguments: ClientKind.allCases)
    func `events come one by one, and a client that leaves ends them`(client: ClientKind) async throws {
        let (wanted, told) = (DispatchSemaphore(value: 0), Box())
        let events = Self.events(wanted, told)
        let stage = try await AttachStage.start(own: { connection, number in
            try (number == 0 ? events : AttachStage.named("own"))(connection, number)
        })
        let (port, head) = (stage.port, "GET /cart/events HTTP/1.1\r\nHost: localhost\r\n\(stage.cookie)\r\n")
        try await blocking {
            switch client {
            case .h1:
                let client = try RawConnection.connect(port)
                try client.send(head)
                #expect(try client.readHead().contains("; attached=ada"))
                for number in 1...3 {
                    wanted.signal()
                    #expect(try client.read(until: "data: \(number)\n\n").hasSuffix("\n\n"))
                }
                client.close()
            case .h2c:
                let wire = try HTTP2Wire.connect(port)
                let stream = try wire.request(head, body: "")
                try wire.run("the head") { stream.heads.first?.contains("; attached=ada") == true }
                for number in 1...3 {
                    wanted.signal()
                    try wire.run("event \(number)") { stream.text.hasSuffix("data: \(number)\n\n") }
                }
                // The stream alone is ended, and its connection serves another one.
                stream.stream?.reset(.cancel)
                let next = try wire.request(head.replacing("events", with: "next"), body: "")
                try wire.run("the next response") { next.text.hasPrefix("own\n") }
            }
        }
        try await wait { told.take() == "closed" }
        #expect(try await stage.responder() == "own" && stage.attachment.isUp)
        await stage.stop()
    }

    @Test func `many streams of one client go to it at once, each with its body`() async throws {
        let stage = try await AttachStage.start(own: { connection, _ in
            let head = try connection.readHead()
            let count = head.lowercased().firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) } ?? 0
            let body = try connection.read(count: count)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\nConnection: close\r\n\r\n\(body)")
        })
        let (port, cookie) = (stage.port, stage.cookie)
        try await blocking {
            let wire = try HTTP2Wire.connect(port)
            let streams = try (0..<20).map { number in
                let body = String(repeating: "\(number)-", count: 2000)
                return (
                    body,
                    try wire.request(
                        "POST /cart/\(number) HTTP/1.1\r\nHost: localhost\r\n\(cookie)Content-Length: \(body.utf8.count)\r\n\r\n",
                        body: body)
                )
            }
            try wire.run("all responses") { streams.allSatisfy { $0.1.text == $0.0 } }
            #expect(streams.allSatisfy { $0.1.heads.first?.contains("; attached=ada") == true })
        }
        await stage.stop()
    }

    private static let echo: AttachStage.Script = { connection, _ in
        let head = try connection.readHead()
        try connection.send(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Accept: \(HTTP2TunnelTests.accept(head))\r\n\r\n")
        while let some = try? connection.readSome(), !some.isEmpty { try connection.send(some) }
    }

    @Test func `a WebSocket over HTTP 2 goes through, and one that is reset ends at the machine`() async throws {
        let ended = Box()
        let stage = try await AttachStage.start(own: { connection, number in
            try Self.echo(connection, number)
            ended.put("ended")
        })
        let (port, cookie) = (stage.port, stage.cookie)
        for isReset in [false, true] {
            ended.put("")
            try await blocking {
                let wire = try HTTP2Wire.connect(port)
                try wire.run("the settings") { wire.peer.session.hasSettings }
                let tunnel = try wire.request(
                    "GET /cart/ws HTTP/1.1\r\nHost: localhost\r\n\(cookie)\(HTTP2TunnelTests.fields)\r\n", body: "",
                    ends: false)
                try wire.run("the tunnel") { tunnel.heads.first?.hasPrefix("HTTP/1.1 101 ") == true }
                #expect(tunnel.heads.first?.contains("; attached=ada") == true)
                var sent = ""
                for message in ["ping", "pong"] {
                    sent += message
                    tunnel.write(Array(message.utf8))
                    try wire.run("the echo") { tunnel.text == sent }
                }
                if isReset { tunnel.stream?.reset(.cancel) } else { tunnel.end() }
                try wire.flush()
                try wire.run("the end") { tunnel.isClosed }
            }
            try await wait { ended.take() == "ended" }
        }
        #expect(stage.attachment.isUp)
        await stage.stop()
    }

    @Test func `a WebSocket goes through`() async throws {
        let stage = try await AttachStage.start(own: Self.echo)
        let (port, cookie) = (stage.port, stage.cookie)
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET /cart/ws HTTP/1.1\r\nHost: localhost\r\n\(cookie)\(HTTP2TunnelTests.fields)\r\n")
            let head = try client.readHead()
            #expect(head.hasPrefix("HTTP/1.1 101 ") && head.contains("; attached=ada"), "\(head)")
            for message in ["ping", "pong"] {
                try client.send(message)
                #expect(try client.read(count: 4) == message)
            }
        }
        await stage.stop()
    }

    @Test func `long bodies stream both ways, with their trailers`() async throws { try await stream(4 << 20) }

    @Test(.extended) func `20 MB stream both ways`() async throws { try await stream(20 << 20) }

    private func stream(_ size: Int) async throws {
        let stage = try await AttachStage.start(own: { connection, _ in
            let head = try connection.readHead()
            #expect(head.lowercased().contains("\r\ncontent-length: \(size)\r\n"), "\(head)")
            let body = try connection.readBytes(size)
            try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(size, radix: 16))\r\n")
            try connection.send(body)
            try connection.send("\r\n0\r\nX-End: here\r\n\r\n")
        })
        let (port, cookie) = (stage.port, stage.cookie)
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        try await blocking {
            let client = try RawConnection.connect(port)
            try client.send(
                "POST /cart/up HTTP/1.1\r\nHost: localhost\r\n\(cookie)TE: trailers\r\nContent-Length: \(size)\r\n\r\n")
            startThread { try? client.send(bytes) }
            let head = try client.readHead()
            #expect(head.hasPrefix("HTTP/1.1 200 "), "\(head)")
            var got: [UInt8] = []
            got.reserveCapacity(size)
            while got.count < size {
                let count = Int(try client.read(until: "\r\n").dropLast(1), radix: 16) ?? 0
                got += try client.readBytes(count)
                _ = try client.readBytes(2)
            }
            #expect(got == bytes)
            #expect(try client.read(until: "\r\n\r\n").contains("x-end: here"))
        }
        await stage.stop()
    }

    @Test func `a user has one attachment for a path, and so many in all`() throws {
        let all = Attachments(clock: { 0 })
        func wish(_ path: String, _ user: String = "ada") throws -> Attachments.Wish {
            Attachments.Wish(
                user: user, token: "t", path: try AttachedPath(path), origin: try .attached("http://localhost:3000"),
                client: nil)
        }
        let first = try all.add(try wish("/a"))
        #expect(throws: Attachments.Refusal.self) { _ = try all.add(try wish("/a")) }
        #expect(throws: Attachments.Refusal.self) { _ = try all.add(try wish("/a"), key: "x") }
        _ = try all.add(try wish("/a", "bob"))
        // The same machine again, whose connections are lost.
        let second = try all.add(try wish("/a"), key: first.key)
        #expect(all.find(first.id) == nil && second.key == first.key)
        // A key is nobody else's, and no text of the user's own.
        for known in [first.key, "0"] {
            let other = try all.add(try wish("/b\(known.utf8.count)", "bob"), key: known)
            #expect(other.key != known && other.key.utf8.count == 32)
        }
        for number in 1..<Attachments.limitPerUser { _ = try all.add(try wish("/\(number)")) }
        #expect(throws: Attachments.Refusal.self) { _ = try all.add(try wish("/more")) }
        #expect(all.list.count == Attachments.limitPerUser + 3)
    }
}
