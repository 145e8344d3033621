import Exchanges
import Foundation
import JSON
import Store
import TestSupport
import Testing

@Suite struct LogsCommandTests {
    @Test(arguments: [[], ["--no-store"]])
    func `Shunt's own pages are no traffic`(arguments: [String]) throws {
        let shunt = try ServingShunt(
            ["local": #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "hello"}}]}"#], arguments)
        let base = "http://127.0.0.1:\(shunt.port)"
        // On one connection, so that what is forgotten of a page is not missing from what follows.
        let asked = try shunt.curl(
            "-L", "--http1.1", base + "/one", base + "/__shunt", base + "/__shunt/status.json",
            base + "/__shunt/nothing", base + "/two")
        #expect(asked.output.hasPrefix("hello") && asked.output.hasSuffix("hello"), "\(asked)")
        let log = try shunt.stop().errors
        #expect(log.contains("/one 200") && log.contains("/two 200") && log.contains("[local]"), "\(log)")
        #expect(!log.contains("/__shunt"), "\(log)")
        guard arguments.isEmpty else { return }
        let lines = try shunt.run("logs", "--json").output.split(separator: "\n").map {
            try JSONReader.read(String($0))
        }
        #expect(lines.map { $0["url"]?.string } == [base + "/one", base + "/two"])
        #expect(lines.allSatisfy { $0["profile"]?.string == "local" && $0["status"]?.number?.int64 == 200 })
    }

    let store: RecordedStore
    var shunt: Shunt { store.shunt }
    init() throws { store = try RecordedStore() }

    private func many(_ count: Int) throws {
        try store.record(
            (1...count).map { number in
                let host = number.isMultiple(of: 2) ? "img" : "api"
                let url = "https://\(host).shop.test/\(number)"
                let body: [UInt8] = number.isMultiple(of: 5) ? [0xFF] + Array("five".utf8) : []
                return RecordedStore.piece(
                    UInt64(number), RecordedStore.exchange(url, status: number.isMultiple(of: 3) ? 503 : 200),
                    parts: [(.responseBody, body)])
            })
    }

    private func numbers(_ result: ChildProcess.Result) -> [Int] {
        result.output.split(separator: "\n").compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
    }

    @Test(
        arguments: [
            ([], Array(11...60)), (["-n", "2"], [59, 60]), (["--oldest", "-n2"], [1, 2]), (["-n", "0"], []),
            (["-n", "1000"], Array(1...60)),
            (["~c", "5xx", "&", "~d", "img"], Array(stride(from: 6, through: 60, by: 6))),
            (["~b five", "-n", "3"], [50, 55, 60]),
            (["-n", "700", "~b", "five"], Array(stride(from: 5, through: 60, by: 5))),
            (["7$"], [7, 17, 27, 37, 47, 57]), (["~d nobody"], []),
        ] as [([String], [Int])])
    func `what a filter finds is listed, the newest last`(arguments: [String], expected: [Int]) throws {
        try many(60)
        let result = try ChildProcess.run(
            ShuntBinary.path, ["logs"] + arguments, directory: shunt.folder.path, environment: ["TZ": "UTC"])
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(numbers(result) == expected)
        if expected.first == 1 {
            #expect(
                result.output.hasPrefix(
                    "     1 22:13:20.123 GET https://api.shop.test/1 200 12.0ms ↑0B ↓0B\n")
                    || result.output.hasPrefix("     1 22:13:20.123 GET https://api.shop.test/1 200 12ms ↑0B ↓0B\n"))
        }
    }

    @Test func `more than a page at once comes in order, too`() throws {
        try many(1300)
        #expect(try numbers(shunt.run("logs", "-n", "1200")) == Array(101...1300))
        #expect(try numbers(shunt.run("logs", "-n", "9000", "--oldest")) == Array(1...1300))
    }

    @Test func `JSON Lines are one object per exchange`() throws {
        try store.record([
            RecordedStore.piece(1), RecordedStore.piece(2, RecordedStore.exchange(status: nil), isLast: false),
        ])
        let lines = try shunt.run("logs", "--json").output.split(separator: "\n")
        #expect(lines.count == 2)
        let first = try JSONReader.read(String(lines[0]), dialect: .strict)
        #expect(first["id"]?.number?.int64 == 1)
        #expect(first["client"]?["address"]?.string == "[::1]:5000")
        #expect(first["running"] == nil)
        let second = try JSONReader.read(String(lines[1]), dialect: .strict)
        #expect(second["running"]?.bool == true)
        #expect(try shunt.run("logs").output.contains(" running "))
    }

    @Test func `control bytes do not reach the terminal`() throws {
        var exchange = RecordedStore.exchange("https://a.test/\u{1b}[2J\u{9b}")
        exchange.method = "GE\u{7}T"
        exchange.profile = "\u{1b}]0;x\u{7}"
        exchange.route = "\u{1b}"
        exchange.rewritten = ["\u{1b}[1m"]
        exchange.origin = .init(url: "https://o\u{1b}.test", trust: "\u{1b}")
        exchange.attempts = [.init(origin: "\u{1b}", outcome: "\u{1b}")]
        exchange.failure = .init(side: "origin", stage: "wait", message: "\u{1b}c\n2")
        let head = Array("GET / HTTP/1.1\r\nX: \u{1b}[31m\r\n\r\n".utf8)
        try store.record([
            RecordedStore.piece(
                1, exchange,
                parts: [(.clientRequest, head), (.originRequest, [0x1B, 0x9B]), (.responseBody, [0x1B, 0x5B])])
        ])
        for arguments in [["logs"], ["show", "1"], ["stats", "--by", "profile"], ["stats", "--by", "route"]] {
            let result = try ChildProcess.run(ShuntBinary.path, arguments, directory: shunt.folder.path)
            #expect(result.status == 0 && !result.output.isEmpty)
            let isClean = result.output.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
            }
            #expect(isClean, "\(arguments): \(result.output.debugDescription)")
        }
    }

    @Test func `following lists what ends from then on, and ends with 0 on an interrupt`() throws {
        let store = try self.store.open()
        _ = store.offer(RecordedStore.piece(1))
        _ = store.offer(RecordedStore.piece(2, RecordedStore.exchange(status: nil), isLast: false))
        let isThere = eventually { (try? TrafficReader(self.store.path).newest()) == 2 }
        #expect(isThere)
        let child = try ChildProcess(
            ShuntBinary.path, ["logs", "-f", "-n", "1", "~c 2xx", "--no-color"], directory: shunt.folder.path)
        #expect(eventually { child.output.hasPrefix("     1 ") })
        // One that ended since, one that is not wanted, and one that is.
        _ = store.offer(RecordedStore.piece(2, RecordedStore.exchange(status: 204), isFirst: false))
        #expect(eventually { child.output.contains("     2 ") })
        _ = store.offer(RecordedStore.piece(3, RecordedStore.exchange(status: 404)))
        _ = store.offer(RecordedStore.piece(4))
        #expect(eventually { child.output.contains("     4 ") })
        child.signal(SIGINT)
        let result = try child.wait()
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(numbers(result) == [1, 2, 4])
        store.finish()
    }

    @Test func `following goes on after everything was removed, and with a new file`() throws {
        var writing = try store.open()
        _ = writing.offer(RecordedStore.piece(1))
        _ = writing.offer(RecordedStore.piece(2))
        let path = store.path
        let isThere = eventually { (try? TrafficReader(path).newest()) == 2 }
        #expect(isThere)
        let child = try ChildProcess(ShuntBinary.path, ["logs", "-f"], directory: shunt.folder.path)
        #expect(eventually { child.output.contains("     2 ") })
        #expect(try shunt.run("clear", "--yes").output.hasPrefix("2 exchanges removed; "))
        _ = writing.offer(RecordedStore.piece(3))
        #expect(eventually { child.output.contains("     3 ") })
        writing.finish()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        writing = try store.open()
        _ = writing.offer(RecordedStore.piece(4, RecordedStore.exchange("https://anew.test/")))
        #expect(eventually { child.output.contains("https://anew.test/") })
        child.signal(SIGINT)
        #expect(try child.wait().status == 0)
        writing.finish()
    }

    @Test func `a pipe that closes ends it quietly`() throws {
        try many(3000)
        let script = "{ '\(ShuntBinary.path)' logs \"$@\"; echo $? >&2; } | head -n 1"
        for arguments in [["-n", "3000"], ["-f", "-n", "2"], ["--json", "-n", "3000"]] {
            let result = try ChildProcess.run(
                "/bin/sh", ["-c", script, "sh"] + arguments, directory: shunt.folder.path, seconds: 30)
            #expect(result.status == 0)
            #expect(result.errors == "0\n")
            #expect(result.output.split(separator: "\n").count == 1)
        }
    }

    @Test func `where there is no store it says how to get one`() throws {
        for arguments in [["logs"], ["logs", "-f"], ["show", "1"], ["stats"], ["clear", "--yes"]] {
            let result = try ChildProcess.run(ShuntBinary.path, arguments, directory: shunt.folder.path)
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("no file .shunt/traffic.db"))
            #expect(result.errors.contains("`shunt serve`"))
        }
        #expect(!shunt.folder.exists(".shunt"))
        try shunt.folder.write("other.db", String(repeating: "not a store ", count: 100))
        let result = try shunt.run("logs", "--store", "other.db")
        #expect(result.status == 1 && result.errors.contains("other.db: not a traffic store"))
    }

    @Test func `a filter that is wrong is told with its column`() throws {
        let result = try shunt.run("logs", "~c 2xx &", "~zz")
        #expect(result.status == 64)
        let lines = result.errors.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines[0].hasSuffix("(column 10)"))
        #expect(lines[1].hasSuffix("~c 2xx & ~zz"))
        #expect(lines[2].firstIndex(of: "^").map { lines[2].distance(from: lines[2].startIndex, to: $0) } == 4 + 9)
    }
}
