import Exchanges
import Foundation
import JSON
import Store
import TestSupport
import Testing

@Suite struct ExportCommandTests {
    let shunt: Shunt
    init() throws {
        shunt = try Shunt()
        try shunt.folder.write("Profiles/local.json", profile("http://127.0.0.1:9"))
    }

    private var store: String { shunt.folder.path + "/.shunt/traffic.db" }

    /// Records exchanges, each with a body of its own.
    private func record(
        _ count: Int, host: String = "a.test", body: (Int) -> String = { "body \($0)" }, path: String? = nil
    ) throws {
        var settings = StoreSettings()
        settings.ageLimit = .max
        settings.queueLimit = 512 << 20
        settings.finishing = 60_000
        let recorder = try TrafficStore.open(path ?? store, settings)
        for number in 1...count {
            var exchange = Exchange(
                startedAt: 1_700_000_000_000_000 + Int64(number),
                client: .init(address: "127.0.0.1:1", version: "HTTP/1.1", tls: nil),
                method: "GET", url: "http://\(host)/\(number)", status: number.isMultiple(of: 5) ? 500 : 200)
            let bytes = Array(body(number).utf8)
            exchange.bytes.response = UInt64(bytes.count)
            var piece = RecordedPiece(id: UInt64(number), exchange: exchange, isFirst: true, isLast: true)
            piece.append(.clientRequest, Array("GET /\(number) HTTP/1.1\r\nHost: \(host)\r\nAccept: */*\r\n\r\n".utf8))
            piece.append(.clientResponse, Array("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n".utf8))
            piece.append(.responseBody, bytes)
            _ = recorder.offer(piece)
        }
        recorder.finish()
    }

    private func entries(_ text: String) throws -> [JSONValue] {
        try JSONReader.read(text, dialect: .strict)["log"]?["entries"]?.array ?? []
    }

    @Test func `an archive goes to standard output or into a file, as a filter says`() throws {
        try record(10)
        let all = try shunt.run("export", "--har")
        #expect(all.status == 0 && all.errors.contains("10 exchanges exported."))
        #expect(try entries(all.output).count == 10)
        let some = try shunt.run("export", "--har", "~c 500 &", "~d a.test", "-o", "some.har")
        #expect(some.status == 0 && some.output.isEmpty)
        #expect(try entries(try shunt.folder.read("some.har")).count == 2)
        let mode = try FileManager.default.attributesOfItem(atPath: shunt.folder.path + "/some.har")[.posixPermissions]
        #expect(mode as? Int == 0o600)
        #expect(try shunt.run("export", "--jsonl", "~u /7").output.split(separator: "\n").count == 1)
        // What only reading each exchange can tell.
        #expect(try shunt.run("export", "--jsonl", "~h a.test").output.split(separator: "\n").count == 10)
        #expect(try shunt.run("export", "--jsonl", "~b nowhere").output.isEmpty)
        let curl = try shunt.run("export", "--curl", "3")
        #expect(curl.output.hasPrefix("curl \\\n") && curl.output.hasSuffix("'http://a.test/3'\n"))
        #expect(try shunt.run("export", "--html", "~id 3", "-o", "some.html").output.isEmpty)
        #expect(try shunt.folder.read("some.html").contains("<details id=\"x3\">"))
        #expect(try shunt.run("export", "--swift", "3").output.contains("URL(string: \"http://a.test/3\")"))
    }

    @Test func `an archive goes into a pipe, which stays one`() throws {
        try record(3)
        let pipe = shunt.folder.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        // A reader that is there lets the writer begin.
        let descriptor = open(pipe, O_RDWR | O_NONBLOCK)
        defer { close(descriptor) }
        #expect(try shunt.run("export", "--har", "-o", "pipe").status == 0)
        var facts = stat()
        #expect(stat(pipe, &facts) == 0 && facts.st_mode & S_IFMT == S_IFIFO)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        #expect(try entries(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)).count == 3)
    }

    @Test(
        arguments: [
            (["export"], 64, "which form?"), (["export", "--har", "--jsonl"], 64, "which form?"),
            (["export", "--html", "--har"], 64, "which form?"), (["export", "--html", "~zz"], 64, "column 1"),
            (["export", "--html", "-o", "none/x.html"], 1, "none/x.html cannot be written"),
            (["export", "--curl", "x"], 64, "not the number of an exchange"),
            (["export", "--curl", "99"], 1, "there is no exchange 99"),
            (["export", "--har", "~zz"], 64, "column 1"),
            (["export", "--har", "-o", "none/x.har"], 1, "none/x.har cannot be written: No such file or directory"),
            (["export", "--har", "--store", "none.db"], 1, "there is no traffic yet"),
            (["import", "none.har"], 1, "none.har cannot be read"),
            (["replay", "0"], 64, "not the number of an exchange"),
            (["replay", "1", "--times", "0"], 64, "--times"), (["replay", "1"], 1, "no Shunt runs with the profiles"),
        ] as [([String], Int, String)])
    func `what cannot be done is said`(arguments: [String], status: Int, words: String) throws {
        try record(1)
        let result = try ChildProcess.run(ShuntBinary.path, arguments, directory: shunt.folder.path)
        #expect(result.status == Int32(status) && result.errors.contains(words), "\(result)")
        #expect(result.output.isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path).allSatisfy { !$0.hasSuffix("tmp") })
    }

    @Test func `a file that cannot be completed leaves the old one`() throws {
        try record(2000, body: { _ in String(repeating: "x", count: 2000) })
        try shunt.folder.write("out.har", "old")
        let line = "ulimit -f 100; trap '' XFSZ; exec '\(ShuntBinary.path)' export --har -o out.har"
        let result = try ChildProcess.run("/bin/sh", ["-c", line], directory: shunt.folder.path)
        #expect(result.status == 1 && result.errors.contains("out.har cannot be written"), "\(result)")
        #expect(try shunt.folder.read("out.har") == "old")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path).allSatisfy { !$0.hasSuffix("tmp") })
    }

    @Test func `an archive comes in, and goes out as it was`() throws {
        try record(20)
        #expect(try shunt.run("export", "--har", "-o", "a.har").status == 0)
        let result = try shunt.run("import", "a.har", "--store", "other.db")
        #expect(result.status == 0 && result.output == "20 entries imported into other.db.\n", "\(result)")
        #expect(result.errors.contains("older than 7 days"))
        #expect(try shunt.run("export", "--har", "--store", "other.db").output == shunt.folder.read("a.har"))
        try shunt.folder.write("broken.har", "{\"log\": {\"entries\": [\n{}\n]}}")
        let folder = try shunt.run("import", ".", "--store", "none.db")
        #expect(folder.status == 1 && folder.output.hasPrefix("0 entries imported"), "\(folder)")
        let broken = try shunt.run("import", "broken.har", "--store", "other.db")
        #expect(broken.status == 1 && broken.errors == "broken.har:2:1: entry 0: request is missing\n")
        let json = try JSONReader.read(try shunt.run("import", "broken.har", "--store", "o.db", "--json").output)
        #expect(json["problems"]?.array?[0]["line"]?.number?.int64 == 2)
    }

    private static let hasChromium =
        ClientProgram.hasPython && ClientProgram.browser != nil && ClientProgram.driver != nil

    @Test(.enabled(if: hasChromium, "Chromium \(ClientProgram.hint)"))
    func `a page opens from disk, and what it shows harms nothing`() throws {
        try look(40)
    }

    @Test(.extended, .enabled(if: hasChromium, "Chromium \(ClientProgram.hint)"))
    func `a page of ten thousand exchanges opens`() throws { try look(10_000) }

    private func look(_ count: Int) throws {
        let hostile = "</pre></script><script>harmed = 1</script><img src=x onerror='harmed = 1'>\u{202E}\u{0}"
        try record(count, body: { "body \($0) \(hostile)" })
        #expect(try shunt.run("export", "--html", "-o", "all.html").status == 0)
        let task = try JSONSerialization.data(withJSONObject: [
            "driver": ClientProgram.driver ?? "", "browser": ClientProgram.browser ?? "",
            "axe": count < 1000 ? ClientProgram.axe ?? "" : "", "page": shunt.folder.path + "/all.html",
            "count": count, "link": 17,
            "shots": ProcessInfo.processInfo.environment["SHUNT_SHOTS"] ?? shunt.folder.path,
        ])
        let result = try ClientProgram.run(
            ["python3", "-B", SampleApp.scripts + "/shared_page.py", String(decoding: task, as: UTF8.self)],
            seconds: 300)
        #expect(result.output == "{\"problems\": []}\n", "\(result.output) \(result.errors.suffix(600))")
    }

    @Test(.extended) func `an export of ten times as much takes no more memory`() throws {
        func peak(_ count: Int) throws -> Int {
            let path = shunt.folder.path + "/\(count).db"
            try record(count, body: { "\($0) " + String(repeating: "x", count: 1000) }, path: path)
            let code = """
                import resource, subprocess, sys
                subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)
                print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                """
            let result = try ChildProcess.run(
                "/usr/bin/env",
                ["python3", "-c", code, ShuntBinary.path, "export", "--har", "--store", path, "-o", path + ".har"],
                directory: shunt.folder.path, seconds: 300)
            #expect(result.status == 0, "\(result)")
            return Int(result.output.split(separator: "\n").last ?? "") ?? .max
        }
        let (small, large) = (try peak(2000), try peak(20_000))
        // The bodies alone are 18 MB more; SQLite's cache has 8 of its own.
        if ShuntBinary.isRelease { #expect(large < small + 12 * 1024, "\(small) and \(large) KiB") }
    }
}
