import Foundation
import TestSupport
import Testing

/// `shunt run --record` and `--replay`: a run's responses once more, without any origin.
@Suite struct RunReplayTests {
    /// Two requests with the same URL, one that leads back to Shunt by its address, and one that a mock responds to.
    private static let requests = """
        for path in /v1/cart /v1/cart /v1/moved /v1/id; do
          curl -sS --noproxy '*' -i "$SHUNT_URL_API_SHOP_TEST$path"; echo
        done
        """

    let shunt: Shunt
    let origin: ScriptedOrigin

    init() throws {
        shunt = try Shunt()
        let count = Kept(0)
        origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            count.change { $0 += 1 }
            let number = count.value
            let host = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("host: ") }?.dropFirst(6) ?? ""
            let body = #"{"number": \#(number), "self": "http://\#(host)/v1/cart"}"#
            let fields = "Location: http://\(host)/v1/cart\r\nContent-Type: application/json\r\nDate: today\r\n"
            try connection.send(
                "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        }
        try shunt.folder.write(
            "Profiles/local.json",
            """
            { kind: "local", routes: [
              { host: "api.shop.test", path: "/v1/id", mock: { text: "{{uuid}} {{now}}", template: true } },
              { host: "api.shop.test", origin: "http://127.0.0.1:\(origin.port)", rewrite: { bodies: true } },
            ] }
            """)
    }

    private func run(_ options: String..., wrapped: [String] = [], script: String = Self.requests) throws
        -> ChildProcess.Result
    {
        let words = wrapped + [ShuntBinary.path, "run"] + options + ["--", "sh", "-c", script]
        return try ChildProcess.run("/usr/bin/env", words, directory: shunt.folder.path)
    }

    /// Without the ports of one run.
    private func plain(_ text: String) -> String {
        text.replacingOccurrences(of: "localhost:[0-9]+", with: "localhost:PORT", options: .regularExpression)
    }

    /// Puts a command where the only network is its own loopback; empty where the system refuses.
    private static let isolation: [String] = {
        let words = ["unshare", "-n", "sh", "-c", #"ip link set lo up && exec "$@""#, "sh"]
        let result = try? ChildProcess.run("/usr/bin/env", words + ["true"], directory: "/")
        return result?.status == 0 ? words : []
    }()

    @Test func `a replayed run has the responses of the recorded one and opens no connection`() throws {
        defer { origin.stop() }
        let live = try run("--record", "shop")
        #expect(live.status == 0 && live.errors.isEmpty, "\(live)")
        let connections = origin.connectionCount
        #expect(connections > 0)
        let (first, second) = (
            try run("--replay", "shop", wrapped: Self.isolation), try run("--replay", "shop", "--unused", "error")
        )
        #expect(first.status == 0 && second.status == 0 && first.errors.isEmpty, "\(first) \(second)")
        #expect(plain(first.output) == plain(second.output))
        #expect(origin.connectionCount == connections)
        // The body has the address of this run, and the second of two equal requests its own response.
        let bodies = plain(live.output).split(whereSeparator: \.isNewline).filter { $0.hasPrefix("{") }
        #expect(plain(first.output).split(whereSeparator: \.isNewline).filter { $0.hasPrefix("{") } == bodies)
        #expect(bodies.count == 3 && bodies[1].contains(#""number": 2"#), "\(bodies)")
        #expect(!first.output.contains("127.0.0.1:\(origin.port)"))
        let other = try run("--replay", "shop", "--seed", "2")
        #expect(plain(other.output) != plain(first.output))
    }

    @Test func `entries that no request asks for are told, and are an error by choice`() throws {
        defer { origin.stop() }
        _ = try run("--record", "shop")
        let script = "curl -sS --noproxy '*' -o /dev/null \"$SHUNT_URL_API_SHOP_TEST/v1/cart\""
        for (options, status, text) in [
            ([], 0, "asked for 2 of the 3 entries"), (["--unused", "error"], 2, "entry 2, GET http"),
            (["--unused", "ignore"], 0, ""),
        ] as [([String], Int32, String)] {
            let words = ["run", "--replay", "shop"] + options + ["--", "sh", "-c", script]
            let result = try ChildProcess.run(ShuntBinary.path, words, directory: shunt.folder.path)
            #expect(result.status == status && (text.isEmpty ? result.errors.isEmpty : result.errors.contains(text)))
        }
    }

    @Test(
        arguments: [
            (["--replay", "none"], 125, "the recording none cannot be read"), (["--record", "shop"], 125, "already"),
            (["--replay", "shop", "--record", "other"], 64, "exclude each other"),
            (["--replay", "shop", "--wait"], 64, "exclude each other"),
            (["--unused", "error"], 64, "needs --replay"),
            (["--replay", "shop", "--unused", "fail"], 64, "warn, error"),
            (["--network", "ltee"], 64, "ltee"), (["--record", "../x"], 64, "no name of a recording"),
        ] as [([String], Int32, String)])
    func `what cannot be recorded or replayed is refused`(options: [String], status: Int32, text: String) throws {
        defer { origin.stop() }
        try shunt.folder.write("Recordings/shop.har", #"{"log":{"entries":[]}}"#)
        let result = try ChildProcess.run(
            ShuntBinary.path, ["run"] + options + ["--", "true"], directory: shunt.folder.path)
        #expect(result.status == status && result.errors.contains(text), "\(result)")
    }

    @Test func `commands find a run with an admin interface, and nothing of it is left`() throws {
        defer { origin.stop() }
        try shunt.folder.write("Profiles/other.json", #"{"kind": "local", "routes": [{"mock": {"text": "other"}}]}"#)
        let script = """
            curl -sS --noproxy '*' "$SHUNT_URL_API_SHOP_TEST/v1/cart"; echo
            \(ShuntBinary.path) use other >/dev/null && curl -sS --noproxy '*' "$SHUNT_URL/"; echo
            until \(ShuntBinary.path) logs | grep -o '/v1/cart'; do :; done
            \(ShuntBinary.path) ps | grep -c "${SHUNT_URL##*:}"
            \(ShuntBinary.path) inspect --print | grep -c '^http'
            \(ShuntBinary.path) status --json | tr -d ' \n'; echo
            """
        let result = try run("--profile", "local", "--admin", script: script)
        let lines = result.output.split(separator: "\n")
        #expect(result.status == 0 && lines.count == 6, "\(result)")
        #expect(lines.dropFirst(2).prefix(3) == ["/v1/cart", "1", "1"], "\(result)")
        #expect(lines.first?.hasPrefix(#"{"number": 1"#) == true && lines.dropFirst().first == "other", "\(result)")
        #expect(lines.last?.contains(#""active":"other""#) == true, "\(result)")
        let left = try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path + "/.shunt")
        #expect(left.allSatisfy { !$0.hasSuffix(".json") }, "\(left)")
        // Without it no command finds the run.
        let alone = try run("--profile", "local", script: "\(ShuntBinary.path) use other")
        #expect(alone.status != 0)
    }

    @Test func `a network of the run shows in its responses`() throws {
        defer { origin.stop() }
        let result = try run("--network", "3g", script: "curl -sS --noproxy '*' -i \"$SHUNT_URL_API_SHOP_TEST/v1/id\"")
        #expect(result.output.contains("network=3g"), "\(result)")
    }
}
