import Foundation
import JSON
import TestSupport
import Testing

@Suite struct DiffCommandTests {
    /// A profile that responds to some paths itself.
    private static func mocks(_ responses: [(path: String, mock: String)], more: String = "") -> String {
        let routes = responses.map { #"{"path": "\#($0.path)", "mock": \#($0.mock)}"# }.joined(separator: ", ")
        return #"{"kind": "local", "routes": [\#(routes)\#(more)]}"#
    }

    /// Sends requests through Shunt, so that they are recorded.
    private func record(_ shunt: ServingShunt, _ requests: [[String]]) throws {
        for request in requests {
            let arguments = request.dropLast() + ["http://127.0.0.1:\(shunt.port)\(request.last ?? "/")"]
            #expect(try shunt.curl(["-o", "/dev/null"] + arguments).status == 0)
        }
        let isRecorded = try eventually { try shunt.run("logs").output.split(separator: "\n").count == requests.count }
        #expect(isRecorded)
    }

    private func count(_ shunt: ServingShunt) throws -> Int {
        try shunt.run("logs", "-n", "1000").output.split(separator: "\n").count
    }

    @Test func `equal responses are status 0, others 1, with what is different`() throws {
        let same = (path: "/same", mock: #"{"json": {"a": 1}, "headers": {"X-Own": "1"}}"#)
        let shunt = try ServingShunt(
            [
                "one": Self.mocks([
                    same, ("/json", #"{"json": {"items": [{"price": 1}, {"price": 2}], "b": null}}"#),
                    ("/text", #"{"text": "a\nb\nc\n"}"#),
                    ("/head", #"{"text": "x", "headers": {"X-Own": "1", "Set-Cookie": "sid=1; Path=/"}}"#),
                ]),
                "other": Self.mocks([
                    same, ("/json", #"{"status": 404, "json": {"items": [{"price": 1}, {"price": 3}]}}"#),
                    ("/text", #"{"text": "a\nx\nc\n"}"#),
                    ("/head", #"{"text": "x", "headers": {"X-Own": "2", "Set-Cookie": "sid=2; Path=/; HttpOnly"}}"#),
                ]),
            ], ["--profile", "one"])
        try record(shunt, [["/same"], ["/json"], ["/text"], ["/head"], ["/same"]])
        let equal = try shunt.run("diff", "~u /same", "--between", "one,other")
        #expect(equal.status == 0, "\(equal)")
        #expect(equal.output.contains("5  GET http://127.0.0.1:\(shunt.port)/same  200  equal\n"))
        #expect(equal.output.contains("one and other: 1 equal, 0 different\n"))
        let all = try shunt.run("diff", "--between", "one,other")
        #expect(all.status == 1, "\(all)")
        for part in [
            "/json  200 → 404  different\n", "* status\n    - 200\n    + 404\n",
            "* body $.items[1].price\n    - 2\n    + 3\n", "* body $.b\n    - null\n",
            "* body line 2\n    - b\n    + x\n", "* field X-Own\n    - 1\n    + 2\n",
            "* field Set-Cookie sid\n    - path=/\n    + httponly; path=/\n", "1 equal, 3 different\n",
        ] { #expect(all.output.contains(part), "\(part) in \(all.output)") }
        let ignoring = try shunt.run(
            "diff", "~u /json | ~u /text", "--between", "one,other", "--ignore", "status", "--ignore",
            "$.items[*].price", "--ignore", "$.b", "--ignore", "line 2")
        #expect(ignoring.status == 0, "\(ignoring)")
        let json = try JSONReader.read(try shunt.run("diff", "~u /json", "--between", "other,one", "--json").output)
        #expect(json["equal"]?.bool == false && json["between"]?.array?.compactMap(\.string) == ["other", "one"])
        let request = json["requests"]?.array?.first
        #expect(request?["statuses"]?.array?.compactMap { $0.number?.int64 } == [404, 200])
        #expect(request?["differences"]?.array?.count == 3)
        try shunt.stop()
    }

    @Test func `what differs from one asking to the next is noise`() throws {
        let origin = ScriptedOrigin { connection, index in
            _ = try connection.readHead()
            let body = #"{"at": \#(index), "list": [{"id": \#(index), "name": "a"}], "meta": {"x": 1}}"#
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Serial: \(index)\r\nConnection: close\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        }
        defer { origin.stop() }
        let shunt = try ServingShunt(
            [
                "one": profile("http://127.0.0.1:\(origin.port)"),
                "other": Self.mocks([
                    (
                        "/*",
                        #"{"json": {"at": 99, "list": [{"id": 98, "name": "b"}], "meta": {"x": 2}}, "headers": {"X-Serial": "z"}}"#
                    )
                ]),
            ], ["--profile", "one"])
        try record(shunt, [["/"]])
        let found = try shunt.run("diff", "--between", "one,other")
        #expect(found.status == 1, "\(found)")
        #expect(found.output.contains("* body $.list[0].name\n") && found.output.contains("* body $.meta.x\n"))
        for quiet in ["* body $.at", "* body $.list[0].id", "* field X-Serial"] {
            #expect(!found.output.contains(quiet), "\(quiet) in \(found.output)")
        }
        let proposed = "--ignore X-Serial --ignore '$.at' --ignore '$.list[*].id'"
        #expect(found.output.contains(proposed), "\(found.output)")
        let quiet = try shunt.run(
            "diff", "--between", "one,other", "--ignore", "X-Serial", "--ignore", "$.at", "--ignore", "$.list[*].id",
            "--ignore", "$.list[0].name", "--ignore", "$.meta")
        #expect(quiet.status == 0 && !quiet.output.contains("oise"), "\(quiet)")
        try shunt.stop()
    }

    @Test func `only safe methods are sent, the newest of each once`() throws {
        let seen = Kept<[String]>([])
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            seen.change { $0.append(String(head.prefix { $0 != "\r\n" })) }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        defer { origin.stop() }
        let url = "http://127.0.0.1:\(origin.port)"
        let shunt = try ServingShunt(["one": profile(url), "other": profile(url)], ["--profile", "one"])
        try record(
            shunt,
            [["/a"], ["/a"], ["-X", "POST", "/a"], ["-X", "DELETE", "/a"], ["-X", "PUT", "/b"], ["-I", "/a"]])
        seen.change { $0 = [] }
        let result = try shunt.run("diff", "--between", "one,other")
        #expect(result.status == 0, "\(result)")
        let get = "GET /a HTTP/1.1"
        let head = "HEAD /a HTTP/1.1"
        #expect(seen.value == [head, head, head, get, get, get])
        let isRecorded = try eventually { try count(shunt) == 12 }
        #expect(isRecorded)
        seen.change { $0 = [] }
        let one = try shunt.run("diff", "--between", "one,other", "-n", "1")
        #expect(one.status == 0 && one.output.contains("there are more (-n)") && seen.value.count == 3, "\(one)")
        let none = try shunt.run("diff", "~m POST", "--between", "one,other")
        #expect(none.status == 2 && none.errors.contains("nothing to compare"), "\(none)")
        try shunt.stop()
    }

    @Test func `what lacks a secret is not sent, unless it is given`() throws {
        let seen = Kept<[String]>([])
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            seen.change { $0.append(head) }
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        defer { origin.stop() }
        let url = "http://127.0.0.1:\(origin.port)"
        let shunt = try ServingShunt(["one": profile(url), "other": profile(url)], ["--profile", "one"])
        try record(shunt, [["-H", "Authorization: Bearer abcdefgh", "/"]])
        seen.change { $0 = [] }
        let refused = try shunt.run("diff", "--between", "one,other")
        #expect(refused.status == 2 && seen.value.isEmpty, "\(refused)")
        #expect(refused.output.contains("not sent: the secret in the field Authorization was not recorded"))
        let given = try shunt.run("diff", "--between", "one,other", "-H", "Authorization: Bearer mine")
        #expect(given.status == 0, "\(given)")
        #expect(seen.value.count == 3 && seen.value.allSatisfy { $0.contains("\r\nAuthorization: Bearer mine\r\n") })
        try shunt.stop()
    }

    @Test func `trouble is status 2, and a wrong command line 64`() throws {
        let down = ScriptedOrigin.closedPort()
        let shunt = try ServingShunt(
            ["one": Self.mocks([("/*", #"{"text": "x"}"#)]), "other": profile("http://127.0.0.1:\(down)")],
            ["--profile", "one"])
        try record(shunt, [["/"]])
        let withoutResponse = try shunt.run("diff", "--between", "one,other")
        #expect(
            withoutResponse.status == 2 && withoutResponse.output.contains("no response of other"), "\(withoutResponse)"
        )
        let misspelt = try shunt.run("diff", "--between", "one,othre")
        #expect(misspelt.status == 2 && misspelt.errors.contains("Did you mean “other”?"), "\(misspelt)")
        for arguments in [
            ["diff"], ["diff", "--between", "one"], ["diff", "--between", "one,one"],
            ["diff", "--between", "one,other", "--ignore", "$.a["], ["diff", "~d (", "--between", "one,other"],
            ["diff", "--between", "one,other", "-H", "no field"],
        ] {
            let result = try ChildProcess.run(ShuntBinary.path, arguments, directory: shunt.folder.path)
            #expect(result.status == 64 && result.output.isEmpty, "\(arguments) \(result)")
        }
        try shunt.stop()
        #expect(try shunt.run("diff", "--between", "one,other").status == 2)
    }
}
