import Foundation
import Synchronization
import TestSupport
import Testing

/// What must not be lost, and what must not grow.
@Suite(.serialized) struct LoadTests {
    @Test func `a switch under load loses neither requests nor downloads`() async throws {
        let size = 3_000_000
        let big = String(repeating: "x", count: size)
        let staging = try NginxOrigin(files: ["who": "staging", "big": big])
        let local = try NginxOrigin(files: ["who": "local!!", "big": big])
        let shunt = try ServingShunt(
            [
                "staging": profile(
                    "https://localhost:\(staging.port)", kind: "staging",
                    #", "certificateAuthorities": ["\#(staging.authority)"]"#),
                "local": profile(
                    "https://localhost:\(local.port)", #", "certificateAuthorities": ["\#(local.authority)"]"#),
            ], ["--log", "off", "--workers", "2"])
        let port = shunt.port
        let seen = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Downloads that are begun before the switches and read slowly, in pieces.
            for _ in 0..<50 {
                group.addTask {
                    try await blocking {
                        let client = try RawConnection.connect(port, receiveBuffer: 65536)
                        try client.send("GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                        let head = try client.readHead()
                        seen.count("download started")
                        guard head.hasPrefix("HTTP/1.1 200 "), seen.waitForSwitches(5) else { return }
                        if try client.drain() == size { seen.count("download whole") }
                    }
                }
            }
            for _ in 0..<8 {
                group.addTask {
                    try await blocking {
                        let client = try RawConnection.connect(port)
                        for _ in 0..<500 {
                            try client.send("GET /who HTTP/1.1\r\nHost: a\r\n\r\n")
                            guard try client.readHead().hasPrefix("HTTP/1.1 200 ") else { return }
                            seen.count(try client.read(count: 7))
                        }
                    }
                }
            }
            group.addTask {
                try await blocking {
                    #expect(eventually { seen["download started"] == 50 })
                    for round in 0..<12 {
                        let name = round % 2 == 0 ? "local" : "staging"
                        let result = try shunt.run("use", name)
                        if result.status == 0 { seen.count("switched") } else { seen.count(result.errors) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(seen["switched"] == 12)
        #expect(seen["download whole"] == 50)
        #expect(seen["staging"] + seen["local!!"] == 4000)
        #expect(seen["local!!"] > 0)
        try shunt.stop()
    }

    @Test(.extended) func `4 GiB go through both ways in flat memory`() async throws {
        let nginx = try NginxOrigin()
        let size: UInt64 = 4 << 30
        try nginx.addSparseFile("huge", bytes: size)
        let sink = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            let count = try connection.drain(size)
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(String(count).count)\r\n\r\n\(count)")
        }
        defer { sink.stop() }
        let shunt = try ServingShunt(
            [
                "down": profile(
                    "https://localhost:\(nginx.port)", #", "certificateAuthorities": ["\#(nginx.authority)"]"#),
                "up": profile("http://127.0.0.1:\(sink.port)"),
            ], ["--profile", "down", "--log", "off"])
        let before = shunt.peakKiB
        let down = try await blocking {
            try shunt.curl(
                "-o", "/dev/null", "-w", "%{http_code} %{size_download}", "https://localhost:\(shunt.port)/huge")
        }
        #expect(down.output == "200 \(size)", "\(down)")
        let up = try await blocking {
            try shunt.curl(
                "-H", "Shunt-Profile: up", "-H", "Expect:", "-T", nginx.folder.path + "/www/huge",
                "https://localhost:\(shunt.port)/")
        }
        #expect(up.output == "\(size)", "\(up)")
        if ShuntBinary.isRelease, let before, let peak = shunt.peakKiB {
            #expect(peak - before < 40 << 10, "\(before) to \(peak) KiB")
        }
        try shunt.stop()
    }

    @Test func `a client that stops reading holds back its origin, not memory`() async throws {
        let sent = Tally()
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\n\r\n")
            sent.count("bytes", connection.sendUntilBlocked())
            sent.count("blocked")
        }
        defer { origin.stop() }
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:\(origin.port)")], ["--log", "off"])
        let clients = try (0..<20).map { _ in
            let client = try RawConnection.connect(shunt.port, receiveBuffer: 32768)
            try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return client
        }
        #expect(eventually { sent["blocked"] == 20 })
        // Socket buffers on both sides and Shunt's own, for each.
        #expect(sent["bytes"] / 20 < 12 << 20)
        for client in clients { client.close() }
        try shunt.stop()
    }

    #if os(Linux)
    @Test func `no thread but the worker's does work for a request`() async throws {
        let nginx = try NginxOrigin(files: ["a": "hello"])
        let shunt = try ServingShunt(
            ["local": profile("http://localhost:\(nginx.plainPort)")], ["--log", "off", "--no-store"])
        let port = shunt.port
        func ask(_ times: Int) async throws {
            try await blocking {
                let client = try RawConnection.connect(port)
                for _ in 0..<times {
                    try client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
                    _ = try client.read(until: "hello")
                }
            }
        }
        try await ask(100)
        let before = try slices(shunt.process.pid)
        try await ask(2000)
        let after = try slices(shunt.process.pid)
        let worker = after.filter { $0.key.hasPrefix("worker") }.values.reduce(0, +)
        let workerBefore = before.filter { $0.key.hasPrefix("worker") }.values.reduce(0, +)
        let others = after.filter { !$0.key.hasPrefix("worker") }.values.reduce(0, +)
        let othersBefore = before.filter { !$0.key.hasPrefix("worker") }.values.reduce(0, +)
        #expect(worker - workerBefore > 500)
        // The watch over the profiles and the like go on meanwhile, some twenty times a second; a thread that took part
        // in requests would run for each of the 2,000.
        #expect(others - othersBefore < 500, "\(before) \(after)")
        try shunt.stop()
    }

    /// How often each thread was given a processor, by name and number.
    private func slices(_ pid: Int32) throws -> [String: Int] {
        var result: [String: Int] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task") {
            let folder = "/proc/\(pid)/task/\(thread)"
            guard let name = try? String(contentsOfFile: folder + "/comm", encoding: .utf8),
                let statistics = try? String(contentsOfFile: folder + "/schedstat", encoding: .utf8)
            else { continue }
            result[name + thread] = Int(statistics.split(whereSeparator: \.isWhitespace)[2]) ?? 0
        }
        return result
    }
    #endif
}

/// Counts by name, from many threads.
final class Tally: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func count(_ name: String, _ by: Int = 1) { counts.withLock { $0[name, default: 0] += by } }
    subscript(_ name: String) -> Int { counts.withLock { $0[name] ?? 0 } }

    func waitForSwitches(_ number: Int) -> Bool { eventually { self["switched"] >= number } }
}
