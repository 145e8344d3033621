import Foundation
import JSON
import Push
import TestSupport
import Testing

/// `shunt push TOKEN…`.
@Suite(.serialized) struct PushSendingTests {
    private static func device(_ number: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: 64 - text.count) + text
    }

    /// - Parameters:
    ///   - more: members of `push`.
    ///   - route: of the route beside it.
    private static func stand(_ more: String = "", route: String = "") throws -> ServingShunt {
        try ServingShunt([
            "local": #"""
            {"kind": "local", "routes": [{"push": {"environment": "mock", "topics": ["a.b"]\#(more)}\#(route)}]}
            """#
        ])
    }

    private static let usual = ["--topic", "a.b", "--alert", "Hello"]

    private func push(_ shunt: ServingShunt, _ arguments: [String]) throws -> ChildProcess.Result {
        try ChildProcess.run(ShuntBinary.path, ["push"] + arguments, directory: shunt.folder.path)
    }

    private func received(_ shunt: ServingShunt) throws -> [JSONValue] {
        try shunt.run("push", "received", "--json").output.split(separator: "\n").map {
            try JSONReader.read(String($0))
        }
    }

    @Test func `all are sent, dead tokens are kept, and reasons are counted`() throws {
        let shunt = try Self.stand(#", "unregistered": {"\#(Self.device(7))": 1234}"#)
        try shunt.folder.write("tokens", (1...500).map { Self.device($0) + "\n" }.joined() + "zz")
        let result = try push(shunt, ["--tokens", "tokens", "--dead", "dead.jsonl"] + Self.usual)
        #expect(result.status == 1, "\(result.errors)")
        let words = result.output.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(words == ["RESPONSE", "COUNT", "200", "499", "400", "BadDeviceToken", "1", "410", "Unregistered", "1"])
        let dead = try shunt.folder.read("dead.jsonl").split(separator: "\n").map(String.init).sorted()
        #expect(
            dead == [
                #"{"token":"\#(Self.device(7))","reason":"Unregistered","timestamp":1234}"#,
                #"{"token":"zz","reason":"BadDeviceToken"}"#,
            ])
        let received = try received(shunt)
        #expect(Set(received.compactMap { $0["token"]?.string }).count == 499 && received.count == 499)
        #expect(Set(received.compactMap { $0["id"]?.string }).count == 499)
        #expect(received.first?["type"]?.string == "alert")
    }

    @Test func `what was acknowledged is not sent again`() throws {
        let shunt = try Self.stand()
        let tokens = (1...20).map { Self.device($0) }
        try shunt.folder.write("tokens", tokens.prefix(12).joined(separator: "\n"))
        let arguments = ["--tokens", "tokens", "--resume", "run", "--json"] + Self.usual
        #expect(try push(shunt, arguments).status == 0)
        try shunt.folder.write("tokens", tokens.joined(separator: "\n"))
        let second = try JSONReader.read(try push(shunt, arguments).output)
        #expect(second["accepted"]?.number?.int64 == 8 && second["known"]?.number?.int64 == 12)
        #expect(try received(shunt).compactMap { $0["token"]?.string }.sorted() == tokens)
        // A file whose last line was cut: its notification is sent again, with the same identifier.
        let lines = try shunt.folder.read("run").split(separator: "\n")
        let cut = lines.dropLast().joined(separator: "\n") + "\n" + lines[lines.count - 1].prefix(3)
        try shunt.folder.write("run", cut)
        let third = try JSONReader.read(try push(shunt, arguments).output)
        #expect(third["accepted"]?.number?.int64 == 1 && third["known"]?.number?.int64 == 19)
        let ids = try received(shunt).compactMap { $0["id"]?.string }
        #expect(ids.count == 21 && Set(ids).count == 20)
        // Another input.
        try shunt.folder.write("tokens", tokens.reversed().joined(separator: "\n"))
        let other = try push(shunt, arguments)
        #expect(other.status == 1 && other.errors.contains("another notification"))
    }

    @Test func `lines of JSON say what differs`() throws {
        let shunt = try Self.stand()
        let lines = """
            {"token": "\(Self.device(1))"}
            {"token": "\(Self.device(2))", "topic": "a.b.voip", "type": "voip", "expiration": 0, "collapseID": "x"}
            {"token": "\(Self.device(3))", "payload": {"aps": {"content-available": 1}}}
            """
        try shunt.folder.write("lines", lines)
        let result = try ChildProcess.run(
            "/bin/sh", ["-c", "\(ShuntBinary.path) push --stdin-jsonl --topic a.b --alert Hello < lines"],
            directory: shunt.folder.path)
        #expect(result.status == 0, "\(result.errors)")
        let received = try received(shunt).sorted { ($0["token"]?.string ?? "") < ($1["token"]?.string ?? "") }
        #expect(received.map { $0["type"]?.string } == ["alert", "voip", "background"])
        #expect(received.map { $0["priority"]?.number?.int64 } == [10, 10, 5])
        #expect(received.map { $0["collapseID"]?.string } == [nil, "x", nil])
    }

    /// Those before it are sent, and the summary comes first.
    @Test(
        arguments: [
            ("not JSON", "line 2 of the input: it is no notification"), (#"{"payload": {}}"#, "it is no notification"),
            (#"{"token": "a/b"}"#, "cannot be sent as a device token"),
            (#"{"token": "ab", "prio": 5}"#, "“prio” is unknown"),
            (#"{"token": "ab", "payload": []}"#, "the payload is an array"),
            (#"{"token": "ab", "collapseID": "ä"}"#, "cannot be sent in apns-collapse-id"),
            (#"{"token": "ab", "topic": "a\r\nb: c"}"#, "cannot be sent in apns-topic"),
        ])
    func `a line that cannot be sent ends the input`(line: String, message: String) throws {
        let shunt = try Self.stand()
        try shunt.folder.write(
            "lines", "{\"token\": \"\(Self.device(1))\"}\n\(line)\n{\"token\": \"\(Self.device(3))\"}\n")
        let result = try ChildProcess.run(
            "/bin/sh", ["-c", "\(ShuntBinary.path) push --stdin-jsonl --topic a.b --alert Hello --json < lines"],
            directory: shunt.folder.path)
        #expect(result.status == 1 && result.errors.contains(message), "\(result.errors)")
        #expect(try JSONReader.read(result.output)["accepted"]?.number?.int64 == 1)
        #expect(try received(shunt).count == 1)
    }

    @Test func `a run that was killed goes on, and nothing acknowledged is sent again`() throws {
        let shunt = try Self.stand(route: #", "network": {"latency": "20ms"}"#)
        try shunt.folder.write("tokens", (1...600).map { Self.device($0) + "\r\n" }.joined())
        let arguments = ["--tokens", "tokens", "--resume", "run", "--streams", "10", "--json"] + Self.usual
        let first = try ChildProcess(
            ShuntBinary.path, ["push"] + arguments, directory: shunt.folder.path, environment: [:])
        let lines = { ((try? shunt.folder.read("run")) ?? "").split(separator: "\n").count }
        #expect(eventually { lines() > 100 })
        first.signal(9)
        _ = try first.wait()
        let known = lines() - 1
        let second = try JSONReader.read(try push(shunt, arguments).output)
        #expect(
            second["known"]?.number?.int64 == Int64(known) && second["accepted"]?.number?.int64 == 600 - Int64(known))
        let received = try received(shunt)
        var counts: [String: Int] = [:]
        for push in received { counts["\(push["token"]?.string ?? "") \(push["id"]?.string ?? "")", default: 0] += 1 }
        // Those that were under way when it was killed have come twice, under the same identifier.
        #expect(counts.count == 600 && known < 600 && received.count <= 610)
    }

    @Test func `Retry-After says how long a pause is`() throws {
        let busy = try ServingShunt([
            "local": #"""
            {"kind": "local", "routes": [{"path": "/3/device/*", "mock": {"responses": [
              {"status": 503, "headers": {"Retry-After": "1"}}, {"status": 200}]}}]}
            """#
        ])
        let shunt = try ServingShunt([
            "staging": #"""
            {"kind": "staging", "routes": [{"path": "/3/device/*", "push": {
              "environment": "sandbox", "origin": "h2c://localhost:\#(busy.port)"}}]}
            """#
        ])
        let start = ContinuousClock.now
        let told = try JSONReader.read(try push(shunt, [Self.device(1), "--json"] + Self.usual).output)
        #expect(told["accepted"]?.number?.int64 == 1 && told["repeated"]?.number?.int64 == 1)
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test func `lost connections and streams are made good`() throws {
        let shunt = try Self.stand(
            route: #"""
                , "fault": [{"kind": "goaway", "probability": 0.01, "seed": 1},
                  {"kind": "reset", "probability": 0.01, "seed": 2}, {"kind": "hang", "time": "1ms", "probability": 0.01}]
                """#)
        try shunt.folder.write("tokens", (1...500).map { Self.device($0) + "\n" }.joined())
        let told = try JSONReader.read(
            try push(shunt, ["--tokens", "tokens", "--streams", "20", "--json"] + Self.usual).output)
        #expect(told["accepted"]?.number?.int64 == 500)
        let received = try received(shunt)
        #expect(Set(received.compactMap { $0["token"]?.string }).count == 500)
        #expect(Set(received.compactMap { $0["id"]?.string }).count == 500)
    }

    @Test func `a terminal alone shows how far it is`() throws {
        let shunt = try Self.stand(route: #", "network": {"latency": "20ms"}"#)
        try shunt.folder.write("tokens", (1...600).map { Self.device($0) + "\n" }.joined())
        let arguments = ["push", "--tokens", "tokens", "--streams", "5"] + Self.usual
        let run = try TerminalRun(arguments, directory: shunt.folder.path)
        #expect(run.status == 0 && run.shown.contains(" of 600 notifications ("), "\(run.shown)")
        #expect(try push(shunt, Array(arguments.dropFirst())).errors.isEmpty)
    }

    @Test func `without a route for push nothing is sent`() throws {
        let shunt = try ServingShunt([
            "local": #"{"kind": "local", "routes": [{"mock": {"status": 200}}]}"#,
            "push": #"{"kind": "local", "routes": [{"push": {"environment": "mock"}}]}"#,
        ])
        let refused = try push(shunt, [Self.device(1)] + Self.usual)
        #expect(refused.status == 1 && refused.errors.contains("has no route with \"push\""), "\(refused.errors)")
        #expect(try push(shunt, [Self.device(1), "--profile", "push"] + Self.usual).status == 0)
    }

    @Test func `a 403 ends the run, and 429 leads to a pause`() throws {
        let key = try #require(ProviderKey.generate())
        let strict = try ServingShunt(
            ["local": #"{"kind": "local", "routes": [{"push": {"environment": "mock", "key": "../open.pem"}}]}"#],
            files: ["open.pem": String(decoding: key.pem(isPrivate: false) ?? [], as: UTF8.self)])
        try strict.folder.write("tokens", (1...5000).map { Self.device($0) + "\n" }.joined())
        let stopped = try push(strict, ["--tokens", "tokens", "--streams", "10", "--json"] + Self.usual)
        #expect(stopped.status == 2 && stopped.errors.contains("403 InvalidProviderToken"), "\(stopped.errors)")
        #expect(try JSONReader.read(stopped.output)["refused"]?["403 InvalidProviderToken"]?.number?.int64 ?? 0 <= 10)
        try strict.folder.write("AuthKey.p8", String(decoding: key.pem(isPrivate: true) ?? [], as: UTF8.self))
        let signing = ["--key", "AuthKey.p8", "--key-id", "ABC123DEFG", "--team-id", "TEAM567890"]
        #expect(try push(strict, [Self.device(1)] + signing + Self.usual).errors.contains("can be read by others"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: strict.folder.path + "/AuthKey.p8")
        #expect(try push(strict, [Self.device(1)] + signing + Self.usual).status == 0)

        let slow = try Self.stand(#", "throttle": {"requests": 1, "seconds": 1}"#)
        let twice = try push(slow, [Self.device(1), Self.device(1), "--json"] + Self.usual)
        let told = try JSONReader.read(twice.output)
        #expect(twice.status == 0 && told["accepted"]?.number?.int64 == 2, "\(twice.output)")
        #expect(told["repeated"]?.number?.int64 ?? 0 > 0)
    }

    @Test(
        arguments: [
            ([], "it is not clear which devices"), (["ab"], "no topic"), (["ab", "--topic", "a"], "nothing to send"),
            (["ab", "--tokens", "x"], "it is not clear which devices"), (["ab", "-f"], "--follow without"),
            (["received", "--topic", "a"], "--topic beside"),
            (["a/b", "--topic", "a", "--alert", "x"], "cannot be sent"),
            (["ab", "--topic", "a", "--alert", "x", "--collapse-id", "\n"], "cannot be sent in apns-collapse-id"),
            (["ab", "--topic", "a", "--alert", "x", "--payload", "x"], "exclude each other"),
            (["--tokens", "missing", "--topic", "a", "--alert", "x"], "No such file"),
            (["ab", "--topic", "a", "--alert", "x", "--key", "k"], "both identifiers"),
        ] as [([String], String)])
    func `what is not clear is said`(arguments: [String], message: String) throws {
        let shunt = try Self.stand()
        let result = try push(shunt, arguments)
        #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
    }
}
