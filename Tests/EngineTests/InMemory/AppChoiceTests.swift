import Engine
import Exchanges
import Profiles
import Reactor
import Testing

/// Profiles that programs of this machine have.
@Suite struct AppChoiceTests {
    private static let agent = LocalProgram(name: "agent")
    private static let tests = LocalProgram(name: "python3", script: "tests.py")

    private static func library() throws -> ProfileLibrary {
        func profile(_ name: String, kind: String = "local", _ more: String = "") -> String {
            #"{"kind": "\#(kind)", "routes": [{"path": "/*", "mock": {"text": "\#(name)"}}]\#(more)}"#
        }
        return try Harness.library([
            "only": profile("only"), "staging": profile("staging", kind: "staging"),
            "named": profile("named", #", "apps": ["named", "python3"]"#),
        ])
    }

    private static func get(_ fields: String = "") -> String { "GET / HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n" }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var program: LocalProgram?
        var choices: [String: String] = [:]
        var fields = ""
        let expected: String
        let reason: String
    }

    @Test(arguments: [
        Row(testDescription: "no program", choices: ["agent": "staging"], expected: "only", reason: "active"),
        Row(
            testDescription: "another program", program: LocalProgram(name: "curl"), choices: ["agent": "staging"],
            expected: "only", reason: "active"),
        Row(
            testDescription: "its choice", program: agent, choices: ["agent": "staging"], expected: "staging",
            reason: "app"),
        Row(
            testDescription: "the active one as its choice", program: agent, choices: ["agent": "only"],
            expected: "only", reason: "app"),
        Row(
            testDescription: "a profile that names it", program: LocalProgram(name: "named"), expected: "named",
            reason: "app"),
        Row(
            testDescription: "its choice before that", program: LocalProgram(name: "named"),
            choices: ["named": "staging"], expected: "staging", reason: "app"),
        Row(testDescription: "an interpreter", program: tests, expected: "named", reason: "app"),
        Row(
            testDescription: "its script before that", program: tests,
            choices: ["tests.py": "staging", "python3": "only"], expected: "staging", reason: "app"),
        Row(
            testDescription: "both before its script", program: tests,
            choices: ["python3 tests.py": "only", "tests.py": "staging"], expected: "only", reason: "app"),
        Row(
            testDescription: "a choice of a profile that is no more", program: agent, choices: ["agent": "gone"],
            expected: "only", reason: "active"),
        Row(
            testDescription: "the same where a profile names it", program: LocalProgram(name: "named"),
            choices: ["named": "gone"], expected: "named", reason: "app"),
        Row(
            testDescription: "the request's own profile first", program: agent, choices: ["agent": "staging"],
            fields: "Shunt-Profile: named\r\n", expected: "named", reason: "header"),
        Row(
            testDescription: "no field claims a program",
            fields: "User-Agent: agent\r\nShunt-App: agent\r\nX-App: named\r\n", expected: "only", reason: "active"),
    ])
    func `the profile of a program stands behind what the request says, and before the active one`(
        _ row: Row
    ) async throws {
        try await MemoryWorker.run(library: Self.library()) { worker in
            for (app, profile) in row.choices { _ = worker.state.devices.choose(profile, app: app) }
            let client = await worker.connect(Self.get(row.fields), program: row.program)
            #expect(client.text.hasSuffix("\r\n\r\n\(row.expected)"))
            let exchange = try #require(worker.log.exchanges.first)
            #expect(exchange.reason == row.reason && exchange.profile == row.expected)
            #expect(exchange.client.app == row.program?.label)
        }
    }

    @Test func `a paired device's own profile comes before its program's, and an address's after it`() async throws {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let devices = worker.state.devices
            let (device, token) = devices.add("phone", of: "ada", profile: "named")
            devices.choose("staging", app: "agent")
            let cookie = "Cookie: shunt-device=\(token)\r\n"
            let client = await worker.connect(Self.get(cookie), program: Self.agent)
            #expect(client.text.hasSuffix("\r\n\r\nnamed"))
            // A device that goes with the active one leaves it to the program.
            devices.assign(nil, to: device.name)
            client.receive(Self.get(cookie))
            await worker.settle()
            #expect(client.text.hasSuffix("\r\n\r\nstaging"))
            devices.choose("only", for: "ada")
            client.receive(Self.get(cookie))
            await worker.settle()
            #expect(client.text.hasSuffix("\r\n\r\nonly"))
            #expect(worker.log.exchanges.map(\.reason) == ["token", "app", "user"])
        }
    }

    @Test func `a choice counts from the next request of a connection on, and so does its end`() async throws {
        try await MemoryWorker.run(library: Self.library()) { worker in
            let devices = worker.state.devices
            let client = await worker.connect(Self.get(), program: Self.agent)
            #expect(client.text.hasSuffix("\r\n\r\nonly"))
            for (profile, expected) in [("staging", "staging"), ("named", "named"), (nil, "only")] {
                devices.choose(profile, app: "agent")
                client.receive(Self.get())
                await worker.settle()
                #expect(client.text.hasSuffix("\r\n\r\n\(expected)"))
            }
        }
    }

    @Test func `production stays read-only for a program that has chosen it`() async throws {
        let library = try Harness.library([
            "only": Harness.origin("http://only.test"),
            "production": Harness.origin("http://shop.test", kind: "production"),
        ])
        try await MemoryWorker.run(library: library) { worker in
            worker.state.devices.choose("production", app: "agent")
            let post = "POST / HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 0\r\n\r\n"
            let client = await worker.connect(post, program: Self.agent)
            let text = client.text
            #expect(text.hasPrefix("HTTP/1.1 403 ") && text.contains("shunt unlock production"), "\(text)")
            #expect(worker.origins.channels.isEmpty)
        }
    }

    @Test func `a bounded number of programs has a profile at a time`() {
        let devices = Devices()
        for number in 0..<Devices.appLimit { #expect(devices.choose("staging", app: "app-\(number)").isDone) }
        #expect(!devices.choose("staging", app: "more").isDone && devices.apps["more"] == nil)
        // One that is known may change.
        #expect(devices.choose("local", app: "app-0") == (before: "staging", isDone: true))
        #expect(devices.choose(nil, app: "app-1").isDone && devices.choose("staging", app: "more").isDone)
        devices.replace(with: [], choices: [:])
        #expect(devices.apps.count == Devices.appLimit)
    }
}
