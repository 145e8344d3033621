import Foundation
import TestSupport
import Testing

/// Command lines of `run` about recordings, how Shunt ends, and what it says.
private let refusals: [([String], Int32, String)] = [
    (["--replay", "nope"], 125, "there is no recording \"nope\""),
    (["--replay", "../x"], 64, "no name of a recording"),
    (["--record", "../x"], 64, "no name of a recording"),
    (["--replay", "a", "--record", "b"], 64, "No origin is asked"),
    (["--replay", "a", "--wait"], 64, "No origin is asked"),
    (["--unused", "error"], 64, "together with --replay"),
    (["--replay", "a", "--unused", "maybe"], 64, "warn, error or ignore"),
    (["--network", "nope"], 64, "--network “nope” is not known"),
    (["--clock", "yesterday"], 64, "2026-05-01T10:00:00Z"),
    (["--seed", "-1"], 64, "Give a number from 0"),
]

/// `shunt run --record`, and `--replay` without a backend.
@Suite struct RunReplayTests {
    let shunt: Shunt
    /// Which response it is of all, so that a replayed one is told from one of the origin.
    let origin: ScriptedOrigin

    init() throws {
        shunt = try Shunt()
        origin = ScriptedOrigin { connection, number in
            let head = try connection.readHead()
            let body = "\(number): \(head.prefix { $0 != "?" })"
            try connection.send(
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        try shunt.folder.write(
            "Profiles/local.json",
            """
            { kind: "local", routes: [
              { host: "api.shop.test", origin: "http://127.0.0.1:\(origin.port)" },
              { host: "mock.shop.test", mock: { text: "{{uuid}} {{now}} {{random 1 1000000}}", template: true } },
            ] }
            """)
    }

    private func run(_ options: [String], _ script: String) throws -> ChildProcess.Result {
        try ChildProcess.run(
            ShuntBinary.path, ["run"] + options + ["--", "sh", "-c", script], directory: shunt.folder.path,
            environment: ["TMPDIR": shunt.folder.path])
    }

    private static let script = """
        for path in a b a; do curl -sS --noproxy '*' "$SHUNT_URL_API_SHOP_TEST/$path?token=abcdefgh12345678"; echo; done
        """

    @Test func `a replayed run gets the recorded responses in their order, byte by byte, and asks no origin`() throws {
        let recorded = try run(["--record", "checkout"], Self.script)
        #expect(recorded.status == 0 && recorded.errors.isEmpty)
        #expect(recorded.output.contains("GET /b") && recorded.output.split(separator: "\n").count == 3)
        let file = try String(contentsOfFile: shunt.folder.path + "/Recordings/checkout.har", encoding: .utf8)
        #expect(!file.contains("abcdefgh12345678"))
        let connections = origin.connectionCount
        for _ in 0..<2 {
            let replayed = try run(["--replay", "checkout", "--unused", "error"], Self.script)
            #expect(replayed.output == recorded.output)
            #expect(replayed.status == 0 && replayed.errors.isEmpty)
        }
        let unknown = try run(
            ["--replay", "checkout", "--unused", "ignore"],
            #"curl -sS --noproxy '*' "$SHUNT_URL_API_SHOP_TEST/never"; curl -sS --noproxy '*' "$SHUNT_URL_MOCK_SHOP_TEST/""#
        )
        #expect(unknown.output.contains("the path is /never, not /"))
        #expect(origin.connectionCount == connections)
    }

    @Test func `entries that did not respond are named, and fail the run where that is asked for`() throws {
        _ = try run(["--record", "checkout"], Self.script)
        let half = #"curl -sS --noproxy '*' "$SHUNT_URL_API_SHOP_TEST/a?token=abcdefgh12345678""#
        for (options, status) in [([], 0), (["--unused", "error"], 2), (["--unused", "ignore"], 0)] {
            let result = try run(["--replay", "checkout"] + options, half)
            #expect(result.status == Int32(status))
            #expect(result.errors.contains("2 of 3 entries") == !options.contains("ignore"))
            #expect(result.errors.contains("entry 2: GET https://api.shop.test/b") == !options.contains("ignore"))
        }
        // The command's own failure says more.
        #expect(try run(["--replay", "checkout", "--unused", "error"], "exit 7").status == 7)
    }

    @Test func `a recording that is there stays as it is`() throws {
        let path = try shunt.folder.write("Recordings/checkout.har", "mine")
        let result = try run(["--record", "checkout"], "true")
        #expect(result.status == 125 && result.errors.contains("Remove the file, or choose another name"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func `templates with a seed and a clock say the same in each run`() throws {
        let script = #"curl -sS --noproxy '*' "$SHUNT_URL_MOCK_SHOP_TEST/" "$SHUNT_URL_MOCK_SHOP_TEST/""#
        let options = ["--seed", "7", "--clock", "2026-05-01T10:00:00Z"]
        let first = try run(options, script)
        #expect(first.output.contains("2026-05-01T10:00:00"))
        #expect(try run(options, script).output == first.output)
        #expect(try run(["--seed", "8"] + options.dropFirst(2), script).output != first.output)
    }

    @Test func `a network without connections ends the command's requests`() throws {
        let result = try run(
            ["--network", "offline"], #"curl -sS --noproxy '*' -m 10 "$SHUNT_URL_API_SHOP_TEST/a"; echo $?"#)
        #expect(result.output.contains("56") || result.output.contains("35") || result.output.contains("7"))
        #expect(origin.connectionCount == 0)
    }

    @Test(arguments: refusals) func `what does not fit together is refused`(
        options: [String], status: Int32, message: String
    ) throws {
        let result = try run(options, "true")
        #expect(result.status == status)
        #expect(result.errors.contains(message), "\(result.errors)")
    }
}
