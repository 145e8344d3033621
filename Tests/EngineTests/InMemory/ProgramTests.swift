import Engine
import Exchanges
import Reactor
import Synchronization
import TestSupport
import Testing

/// Origins whose servers Shunt starts, with programs that only say that they run.
@Suite struct ProgramTests {
    private static func profile(
        _ more: String = "", kind: String = "local", chain: String = "", route: String = ""
    ) -> String {
        let origin = #"{"run": "npm start", "url": "http://api.test:3000"\#(more)}"#
        let candidates = chain.isEmpty ? origin : "[\(origin), \(chain)]"
        return #"{"kind": "\#(kind)", "routes": [{"origin": \#(candidates)\#(route)}]}"#
    }

    private static func get(_ fields: String = "") -> String { "GET /x HTTP/1.1\r\nHost: app.test\r\n\(fields)\r\n" }
    private static let page = get("Accept: text/html\r\n")
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let down = EngineFailure(.origin, .connect, status: 502, "origin refused the connection")

    /// Starts nothing, and tells what a test lets happen.
    private final class Programs: ProgramLauncher, Sendable {
        final class Program: RunningProgram {
            let listener: KeptProcess.Listener
            private let stops = Atomic<Int>(0)
            var isStopped: Bool { stops.load(ordering: .relaxed) > 0 }

            init(_ listener: KeptProcess.Listener) { self.listener = listener }

            func stop() { stops.add(1, ordering: .relaxed) }

            func write(_ text: String) { listener.wrote(Array(text.utf8)) }
            func end(_ how: KeptProcess.End) { listener.ended(how) }
        }

        private let started = Kept<[Program]>([])
        var all: [Program] { started.value }

        func forget() {
            for program in all { program.end(.exited(0)) }
            started.change { $0 = [] }
        }

        func start(
            _ command: String, in directory: String, port: UInt16, _ listener: KeptProcess.Listener
        ) throws(SystemError) -> any RunningProgram {
            #expect(command == "npm start" && port == 3000)
            let program = Program(listener)
            started.change { $0.append(program) }
            return program
        }
    }

    /// Runs a test with an origin that does not run.
    private static func run(
        _ profile: String = profile(),
        _ body: @escaping @Sendable (isolated MemoryWorker, Programs) async throws -> Void
    ) async throws {
        let programs = Programs()
        // Those that run and their origins hold each other.
        defer { programs.forget() }
        try await MemoryWorker.run(profile: profile) { worker in
            worker.origins.launcher = programs
            worker.origins.failure = down
            try await body(worker, programs)
        }
    }

    @Test func `a hundred requests cause one start, and wait until the port accepts connections`() async throws {
        try await Self.run { worker, programs in
            for _ in 0..<100 { _ = await worker.connect(Self.get()) }
            #expect(programs.all.count == 1)
            await worker.advance(by: 3)
            #expect(programs.all.count == 1 && worker.origins.channels.isEmpty)
            worker.origins.failure = nil
            await worker.advance(by: 1)
            for _ in 0..<8 { await worker.settle() }
            let sent = worker.origins.channels.map(\.text)
            // One looks whether it is ready.
            #expect(sent.count == 101 && sent.filter { $0.hasPrefix("GET /x HTTP/1.1\r\n") }.count == 100)
        }
    }

    @Test func `it is ready when its path responds with a status from 200 to 399`() async throws {
        try await Self.run(Self.profile(#", "ready": "/healthz?x=1""#)) { worker, programs in
            let client = await worker.connect(Self.get())
            worker.origins.failure = nil
            for (at, status) in [503, 404, 302].enumerated() {
                await worker.advance(by: 1)
                let look = try worker.origins.channel(at)
                let asked = look.text
                #expect(asked.hasPrefix("GET /healthz?x=1 HTTP/1.1\r\nHost: api.test:3000\r\n"), "\(asked)")
                #expect(client.text == "")
                look.receive("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")
                await worker.settle()
            }
            let origin = try worker.origins.channel(3)
            #expect(origin.text.hasPrefix("GET /x HTTP/1.1\r\n"))
            origin.receive(Self.ok)
            await worker.settle()
            #expect(client.text.hasSuffix("\r\n\r\nok") && programs.all.count == 1)
        }
    }

    @Test func `one that ends at once is told with its last lines, and started again after growing pauses`()
        async throws
    {
        try await Self.run(Self.profile(#", "start": "serve""#)) { worker, programs in
            for (starts, pause) in [1.0, 2, 4, 8, 16, 30, 30].enumerated() {
                let client = starts == 0 ? await worker.connect(Self.get()) : nil
                #expect(programs.all.count == starts + 1)
                let program = try #require(programs.all.last)
                program.write("\u{1B}[31mboom\u{1B}[0m\r\npassword=hunter2hunter2\nlast")
                program.end(.exited(3))
                await worker.settle()
                if let client {
                    let text = client.text
                    #expect(text.hasPrefix("HTTP/1.1 502 ") && text.contains("`npm` exited with status 3"), "\(text)")
                    #expect(text.contains("\nboom\npassword=<redacted:password:") && text.hasSuffix("\nlast\n"))
                    #expect(text.contains("shunt logs --origin api.test:3000") && !text.contains("hunter2"))
                }
                // Requests do not start it before its time, and do not wait.
                let early = await worker.connect(Self.get())
                #expect(early.text.contains("starts again in \(pause) s"))
                await worker.advance(by: pause - 0.1)
                #expect(programs.all.count == starts + 1)
                await worker.advance(by: 0.2)
            }
            #expect(worker.log.exchanges[0].failure?.message.contains("exited with status 3") == true)
        }
    }

    @Test func `one that ends at once is not started again before a request needs it, nor before a pause is over`()
        async throws
    {
        try await Self.run { worker, programs in
            for (starts, pause) in [1.0, 2, 4, 8, 16, 30, 30].enumerated() {
                let client = await worker.connect(Self.get())
                #expect(client.text == "" && programs.all.count == starts + 1)
                try #require(programs.all.last).end(.exited(3))
                await worker.settle()
                let end = client.text
                #expect(
                    end.hasPrefix("HTTP/1.1 502 ")
                        && end.contains("starts again with the next request, in \(pause) s at the earliest"), "\(end)")
                await worker.advance(by: pause - 0.1)
                let early = await worker.connect(Self.get())
                #expect(early.text.contains("in 0.1 s at the earliest") && programs.all.count == starts + 1)
                // However long nothing needs it.
                await worker.advance(by: 3600)
                #expect(programs.all.count == starts + 1)
            }
            let (first, second) = (await worker.connect(Self.get()), await worker.connect(Self.get()))
            #expect(first.text == "" && second.text == "" && programs.all.count == 8)
            worker.origins.failure = nil
            await worker.advance(by: 1)
            #expect(worker.origins.channels.count == 3, "a look, and both requests")
        }
    }

    @Test func `a program that is killed while it starts ends the requests that wait`() async throws {
        try await Self.run { worker, programs in
            let clients = [await worker.connect(Self.get()), await worker.connect(Self.get())]
            await worker.advance(by: 1)
            programs.all[0].end(.signalled(9))
            await worker.settle()
            for client in clients {
                let text = client.text
                #expect(
                    text.hasPrefix("HTTP/1.1 502 ") && text.contains("was ended by signal 9 after 1.0 s"), "\(text)")
            }
        }
    }

    @Test func `two profiles that name the same command have one program, whichever of them starts it`() async throws {
        let programs = Programs()
        let library = try Harness.library([
            "only": Self.profile(), "other": Self.profile(#", "within": "1m""#, kind: "staging"),
        ])
        try await MemoryWorker.run(library: library) { worker in
            worker.origins.launcher = programs
            worker.origins.failure = Self.down
            let clients = [
                await worker.connect(Self.get()), await worker.connect(Self.get("Shunt-Profile: other\r\n")),
            ]
            #expect(programs.all.count == 1)
            worker.origins.failure = nil
            await worker.advance(by: 1)
            for channel in worker.origins.channels { channel.receive(Self.ok) }
            await worker.settle()
            for client in clients { #expect(client.text.hasSuffix("ok")) }
            #expect(programs.all.count == 1)
        }
    }

    @Test func `one that has run for a while is started again soon, and requests wait for it`() async throws {
        try await Self.run { worker, programs in
            let client = await worker.connect(Self.get())
            worker.origins.failure = nil
            await worker.advance(by: 1)
            try worker.origins.channel(1).receive(Self.ok)
            await worker.settle()
            #expect(client.text.hasSuffix("ok"))
            for signal: CInt in [9, 11] {
                await worker.advance(by: 100)
                worker.origins.failure = Self.down
                for channel in worker.origins.channels { channel.receiveEnd() }
                let starts = programs.all.count
                programs.all.last?.end(.signalled(signal))
                await worker.settle()
                let next = await worker.connect(Self.get())
                #expect(next.text == "" && programs.all.count == starts)
                await worker.advance(by: 1)
                #expect(programs.all.count == starts + 1)
                worker.origins.failure = nil
                await worker.advance(by: 1)
                try #require(worker.origins.channels.last).receive(Self.ok)
                await worker.settle()
                #expect(next.text.hasSuffix("ok"))
            }
        }
    }

    @Test func `a request waits as long as the profile says`() async throws {
        try await Self.run(Self.profile(#", "within": "5s", "ready": "/up""#)) { worker, programs in
            let client = await worker.connect(Self.get())
            programs.all[0].write("compiling\n")
            await worker.advance(by: 4.9)
            #expect(client.text == "")
            await worker.advance(by: 0.2)
            let text = client.text
            #expect(text.hasPrefix("HTTP/1.1 504 ") && text.contains("not ready within 5s"), "\(text)")
            #expect(text.contains("GET /up") && text.hasSuffix("compiling\n"))
            #expect(programs.all.count == 1 && !programs.all[0].isStopped, "it goes on, and the next request waits")
            let next = await worker.connect(Self.get())
            #expect(next.text == "")
        }
    }

    @Test func `a browser gets a page that reloads, and a program that reads pages waits`() async throws {
        try await Self.run { worker, programs in
            let browser = await worker.connect(Self.page)
            let other = await worker.connect(Self.get("Accept: application/json\r\n"))
            let upload = await worker.connect(
                "POST / HTTP/1.1\r\nHost: app.test\r\nAccept: text/html\r\nContent-Length: 0\r\n\r\n")
            programs.all[0].write("<b>compiling\n")
            #expect(browser.text == "")
            await worker.advance(by: 1)
            let text = browser.text
            #expect(text.hasPrefix("HTTP/1.1 503 ") && text.contains("\r\nRefresh: 1\r\n"), "\(text)")
            #expect(text.contains("is starting") && text.contains("&lt;b&gt;compiling"))
            #expect(other.text == "" && upload.text == "")
        }
    }

    /// Each row: what a client sends, and the request that waits for it.
    @Test(arguments: [
        ("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "\r\n\r\nhello"),
        (
            "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAccept: text/html\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            "GET /chat "
        ),
    ])
    func `uploads and WebSockets wait, too`(request: String, expected: String) async throws {
        try await Self.run { worker, programs in
            _ = await worker.connect(request)
            await worker.advance(by: 2)
            worker.origins.failure = nil
            await worker.advance(by: 1)
            let sent = worker.origins.channels.map(\.text).joined()
            #expect(sent.contains(expected) && programs.all.count == 1, "\(sent)")
        }
    }

    @Test func `a client that leaves waits no more, and the program goes on`() async throws {
        try await Self.run { worker, programs in
            let client = await worker.connect(Self.get())
            client.receiveEnd()
            await worker.settle()
            #expect(worker.ends == ["client deliver"] && !programs.all[0].isStopped)
            worker.origins.failure = nil
            await worker.advance(by: 1)
            _ = await worker.connect(Self.get())
            #expect(worker.origins.channels.count == 2 && programs.all.count == 1)
        }
    }

    @Test func `a server that runs already is used, and started when it has gone`() async throws {
        try await Self.run { worker, programs in
            worker.origins.failure = nil
            let client = await worker.connect(Self.get())
            try worker.origins.channel(1).receive(Self.ok)
            await worker.settle()
            #expect(client.text.hasSuffix("ok") && programs.all.isEmpty)
            worker.origins.failure = Self.down
            for channel in worker.origins.channels { channel.receiveEnd() }
            let next = await worker.connect(Self.get())
            #expect(next.text == "" && programs.all.count == 1, "a request finds out at once")
            worker.origins.failure = nil
            await worker.advance(by: 1)
            try #require(worker.origins.channels.last).receive(Self.ok)
            await worker.settle()
            #expect(next.text.hasSuffix("ok"))
        }
    }

    /// Each row: what starts the program, and how often it is started when the server that was there has gone.
    @Test(arguments: [("request", 0), ("serve", 1)])
    func `where nothing needs a server that was there and has gone, the profile says whether another is started`(
        start: String, starts: Int
    ) async throws {
        try await Self.run(Self.profile(#", "start": "\#(start)""#)) { worker, programs in
            worker.origins.failure = nil
            let client = await worker.connect(Self.get())
            try worker.origins.channel(1).receive(Self.ok)
            await worker.settle()
            #expect(client.text.hasSuffix("ok"))
            worker.origins.failure = Self.down
            for channel in worker.origins.channels { channel.receiveEnd() }
            for _ in 0..<10 { await worker.advance(by: 3) }
            #expect(programs.all.count == starts)
            let next = await worker.connect(Self.get())
            #expect(next.text == "" && programs.all.count == 1)
        }
    }

    @Test func `a server that restarts itself is waited for`() async throws {
        try await Self.run { worker, programs in
            let client = await worker.connect(Self.get())
            worker.origins.failure = nil
            await worker.advance(by: 1)
            try worker.origins.channel(1).receive(Self.ok)
            await worker.settle()
            _ = client.text
            for channel in worker.origins.channels { channel.receiveEnd() }
            worker.origins.failure = Self.down
            await worker.settle()
            let next = await worker.connect(Self.get())
            await worker.advance(by: 2)
            #expect(next.text == "" && programs.all.count == 1)
            worker.origins.failure = nil
            await worker.advance(by: 1)
            try #require(worker.origins.channels.last).receive(Self.ok)
            await worker.settle()
            #expect(next.text.hasSuffix("ok") && programs.all.count == 1)
        }
    }

    @Test func `what the guard of production refuses starts nothing`() async throws {
        try await Self.run(Self.profile(kind: "production")) { worker, programs in
            let client = await worker.connect("DELETE /x HTTP/1.1\r\nHost: app.test\r\n\r\n")
            #expect(client.text.hasPrefix("HTTP/1.1 403 ") && programs.all.isEmpty && worker.origins.attempts == 0)
        }
    }

    @Test func `the next of several origins takes the place of one that does not start`() async throws {
        let chain = Self.profile(chain: #""http://other.test""#, route: #", "fallback": {"timeout": "2s"}"#)
        try await Self.run(chain) { worker, programs in
            let first = await worker.connect(Self.page)
            let second = await worker.connect(Self.get())
            await worker.advance(by: 1.5)
            #expect(first.text == "" && second.text == "" && programs.all.count == 1)
            worker.origins.failure = nil
            programs.all[0].end(.exited(1))
            await worker.settle()
            let hosts = worker.origins.channels.map(\.text).filter { $0.contains("Host: other.test\r\n") }
            #expect(hosts.count == 2)
        }
    }
}
