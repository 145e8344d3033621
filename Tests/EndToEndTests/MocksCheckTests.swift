import Foundation
import JSON
import TestSupport
import Testing

/// `shunt mocks check`, as a CI job runs it.
@Suite struct MocksCheckTests {
    private static let mocks = """
        {"kind": "local", "extends": "staging", "routes": [
          {"name": "user", "path": "/user", "mock": {"json": {"id": 1, "name": "ann", "tags": []}}},
          {"name": "cart", "path": "/cart", "match": {"query": {"page": "2"}, "cookies": {"sid": "1"}},
            "mock": {"json": {"items": [{"price": 1, "vat": 2}], "total": 3}}},
          {"name": "item", "path": "/items/{id}", "mock": {"template": true, "json": {"id": "{{path.id}}"}}},
          {"name": "login", "path": "/login", "method": "POST", "mock": {}},
          {"name": "old", "path": "/old", "redirect": "/user"},
          {"name": "retry", "path": "/retry", "mock": {"status": [503, 200], "json": {"done": true}}}
        ]}
        """

    /// Responds by the path, and keeps the heads of requests.
    private func origin(_ seen: Kept<[String]>, _ bodies: [String: (head: String, body: String)]) -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            seen.change { $0.append(head) }
            let path = String(head.split(separator: " ")[1].prefix { $0 != "?" })
            let (fields, body) = bodies[path] ?? ("404 Not Found\r\nContent-Type: text/plain", "none")
            try connection.send(
                "HTTP/1.1 \(fields)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        }
    }

    private func serving(_ port: UInt16, local: String = mocks) throws -> ServingShunt {
        try ServingShunt(
            ["local": local, "staging": profile("http://127.0.0.1:\(port)", kind: "staging")], ["--profile", "local"])
    }

    @Test func `routes and fields of the command line count, and no field that Shunt writes itself`() throws {
        let seen = Kept<[String]>([])
        let origin = origin(seen, ["/set": (Self.json, "{}")])
        defer { origin.stop() }
        let shunt = try serving(origin.port, local: #"{"kind": "local", "extends": "staging"}"#)
        let mock = #"routes./set={"mock": {"json": {}}}"#
        let check = try shunt.run("mocks", "check", "--set", mock)
        #expect(check.status == 0 && check.output.hasPrefix("set  GET /set  equal\n"), "\(check)")
        let list = try shunt.run("mocks", "--set", mock)
        #expect(list.status == 64 && list.errors.contains("--set is for `shunt mocks check` alone"))
        for arguments in [["mocks", "check"], ["diff", "--between", "local,staging"]] {
            let refused = try ChildProcess.run(
                ShuntBinary.path, arguments + ["-H", "Content-Length: 5"], directory: shunt.folder.path)
            #expect(refused.status == 64 && refused.errors.contains("“Content-Length” cannot be sent"), "\(refused)")
        }
        #expect(seen.value.count == 1)
    }

    private static let json = "200 OK\r\nContent-Type: application/json; charset=utf-8"

    @Test func `equal shapes are status 0, and what is no safe request is not sent`() throws {
        let seen = Kept<[String]>([])
        let origin = origin(
            seen,
            [
                "/user": (Self.json, #"{"name": "bob", "tags": ["a"], "id": 2}"#),
                "/cart": (Self.json, #"{"total": 0.5, "items": [{"vat": 1, "price": 2}, {"vat": 3, "price": 4}]}"#),
                "/items/7": (Self.json, #"{"id": "seven"}"#), "/retry": (Self.json, #"{"done": false}"#),
            ])
        defer { origin.stop() }
        let shunt = try serving(origin.port)
        // Neither the hits nor the turns of mocks change, and one that is off is checked as the others.
        #expect(try shunt.run("mocks", "off", "user").status == 0)
        let text = try shunt.run("mocks", "check", "--path", "item=/items/7?lang=en", "-H", "Authorization: Bearer abc")
        #expect(text.status == 0 && text.errors.isEmpty, "\(text)")
        #expect(
            text.output == """
                user  GET /user  equal
                cart  GET /cart?page=2  equal
                item  GET /items/7?lang=en  equal
                login  skipped: it is for POST, and only GET and HEAD are sent
                retry  GET /retry  equal
                local and staging: 4 equal, 1 skipped

                """, "\(text)")
        #expect(seen.value.count == 4 && seen.value.allSatisfy { $0.contains("\r\nAuthorization: Bearer abc\r\n") })
        #expect(seen.value[1].hasPrefix("GET /cart?page=2 ") && seen.value[1].contains("\r\ncookie: sid=1\r\n"))
        #expect(try shunt.run("mocks").output.contains("retry  on     0     -  "))
        // The other profile can be the same one, as far as its mocks are off.
        let own = try shunt.run("mocks", "check", "user", "cart", "--against", "local")
        #expect(own.status == 0 && own.output.contains("user  GET /user  equal\n"), "\(own)")
        #expect(own.output.contains("cart  skipped: local responds itself: mock cart\n"), "\(own)")
        // One that compares nothing cannot pass.
        let none = try shunt.run("mocks", "check", "login", "item")
        #expect(none.status == 1 && none.output.contains("local and staging: 0 equal, 2 skipped\n"), "\(none)")
        #expect(
            none.output.contains("item  skipped: its path is the pattern /items/{id}: give one with --path item=/PATH"))
        try shunt.stop()
    }

    @Test func `what differs is status 1, by place, unless it is left out`() throws {
        let seen = Kept<[String]>([])
        let origin = origin(
            seen,
            [
                "/user": ("200 OK\r\nContent-Type: text/html; charset=utf-8", "<p>"),
                "/cart": (
                    Self.json, #"{"items": [{"price": "1"}, {"price": "2", "tax": null}], "total": 3, "eyJ": {}}"#
                ),
                "/retry": ("500 Oh\r\nContent-Type: application/json", #"{"done": true}"#),
            ])
        defer { origin.stop() }
        let shunt = try serving(origin.port)
        let text = try shunt.run("mocks", "check")
        #expect(text.status == 1, "\(text)")
        #expect(
            text.output.contains(
                """
                user  GET /user  different
                  * Content-Type: application/json -> text/html
                cart  GET /cart?page=2  different
                  * $.eyJ: new, object
                  * $.items[*].price: number -> string
                  * $.items[*].tax: new, null, not in every item
                  * $.items[*].vat: gone, was number
                item  skipped
                """), "\(text)")
        #expect(text.output.contains("retry  GET /retry  different\n  * status: 503 -> 500\n"), "\(text)")
        #expect(text.output.hasSuffix("local and staging: 0 equal, 3 different, 2 skipped\n"), "\(text)")
        let ignoring = try shunt.run(
            "mocks", "check", "user", "cart", "retry", "--ignore", "content-type", "--ignore", "$.items[*]", "--ignore",
            "$.eyJ", "--ignore", "status")
        #expect(ignoring.status == 0 && ignoring.output.hasSuffix("local and staging: 3 equal\n"), "\(ignoring)")
        let json = try JSONReader.read(try shunt.run("mocks", "check", "cart", "login", "--json").output)
        #expect(json["equal"]?.bool == false && json["against"]?.string == "staging", "\(json)")
        let (cart, login) = (json["mocks"]?.array?.first, json["mocks"]?.array?.last)
        #expect(cart?["result"]?.string == "different" && cart?["line"]?.number?.int64 == 3)
        #expect(cart?["statuses"]?.array?.compactMap { $0.number?.int64 } == [200, 200])
        let gone = cart?["differences"]?.array?.first { $0["place"]?.string == "$.items[*].vat" }
        #expect(gone?["old"]?.string == "number" && gone?["new"]?.isNull == true)
        #expect(login?["result"]?.string == "skipped" && login?["url"]?.isNull == true)
        try shunt.stop()
    }

    @Test func `an origin that is not there, or a body that cannot be read, is status 1`() throws {
        let shunt = try serving(ScriptedOrigin.closedPort())
        let text = try shunt.run("mocks", "check", "user")
        #expect(text.status == 1 && text.output.contains("user  GET /user  no response of staging\n    "), "\(text)")
        #expect(text.output.hasSuffix("local and staging: 0 equal, 1 without a response\n"), "\(text)")
        let json = try JSONReader.read(try shunt.run("mocks", "check", "user", "--json").output)
        #expect(json["equal"]?.bool == false)
        #expect(json["mocks"]?.array?.first?["result"]?.string == "unreachable")
        try shunt.stop()
        let zipped = origin(Kept([]), ["/user": (Self.json + "\r\nContent-Encoding: x-own", "{}")])
        defer { zipped.stop() }
        let other = try serving(zipped.port)
        let coded = try other.run("mocks", "check", "user")
        #expect(coded.status == 1 && coded.output.contains("Content-Encoding x-own"), "\(coded)")
        try other.stop()
    }

    @Test func `a mock of any host is compared with what the other profile has for a host`() throws {
        let seen = Kept<[String]>([])
        let origin = origin(seen, ["/user": (Self.json, #"{"name": "bob", "tags": [], "id": 2}"#)])
        defer { origin.stop() }
        let staging = """
            {"kind": "staging", "routes": [{"host": "www.shop.test", "path": "/blog/*", "mock": {}},
              {"host": "api.shop.test", "origin": "http://127.0.0.1:\(origin.port)", "preserveHost": true}]}
            """
        let shunt = try ServingShunt(["local": Self.mocks, "staging": staging], ["--profile", "local"])
        let check = try shunt.run("mocks", "check", "user")
        #expect(check.status == 0 && check.output.hasPrefix("user  GET /user  equal\n"), "\(check)")
        #expect(seen.value.first?.lowercased().contains("\r\nhost: api.shop.test\r\n") == true, "\(seen.value)")
        try shunt.stop()
    }

    @Test(arguments: [
        (["--against", "stagin"], 1, "Did you mean “staging”?"), (["usr"], 1, "Did you mean “user”?"),
        (["--path", "itm=/a"], 1, "no mock of profile “local” is called “itm”"),
        (["--path", "item"], 64, "names no path of a mock"), (["--path", "item=/a b"], 64, "names no path of a mock"),
        (["--path", "item=/a#b"], 64, "names no path of a mock"), (["old"], 1, "“old” has \"redirect\""),
        (["--profile", "staging"], 64, "against which profile? staging extends none"),
        (["--profile", "lcal"], 1, "Did you mean “local”?"), (["--keep"], 64, "takes no --keep"),
        (["--ignore", "$.a["], 64, "names no part of a response"), (["-H", "no field"], 64, "is no field"),
    ])
    func `what cannot be checked is told with the next step`(words: [String], status: Int, text: String) throws {
        let shunt = try serving(ScriptedOrigin.closedPort())
        let result = try ChildProcess.run(
            ShuntBinary.path, ["mocks", "check"] + words, directory: shunt.folder.path)
        #expect(Int(result.status) == status && result.errors.contains(text) && result.output.isEmpty, "\(result)")
        try shunt.stop()
    }

    @Test(arguments: [
        ("/me", [], 1), ("/me?_method=DELETE", [], 0), ("/me", ["-H", "X-HTTP-Method: PATCH"], 0),
        ("/graphql?query=mutation%7Bpay%7D", [], 0), ("/v1/graphql?id=7", [], 0), ("/graphql", [], 1),
        ("/own?query=mutation%7Bpay%7D", [], 0),
    ])
    func `what a server may take for a change is not sent`(path: String, more: [String], count: Int) throws {
        let seen = Kept<[String]>([])
        let origin = origin(seen, [:])
        defer { origin.stop() }
        let url = "http://127.0.0.1:\(origin.port)"
        let shunt = try ServingShunt([
            "local": #"{"kind": "local", "routes": [{"name": "any", "path": "/*", "mock": {}}]}"#,
            "staging": #"""
            {"kind": "staging", "routes": [{"origin": "\#(url)"}, {"path": "/own", "origin": "\#(url)", "graphql": true}]}
            """#,
        ])
        let result = try ChildProcess.run(
            ShuntBinary.path,
            ["mocks", "check", "any", "--profile", "local", "--against", "staging", "--path", "any=\(path)"] + more,
            directory: shunt.folder.path)
        #expect(result.status == 1 && result.output.contains("any  skipped: ") == (count == 0), "\(result)")
        #expect(seen.value.count == count)
        try shunt.stop()
    }

    @Test func `production is only read, and a profile without mocks is equal`() throws {
        let seen = Kept<[String]>([])
        let origin = origin(seen, ["/user": (Self.json, #"{"id": 1, "name": "", "tags": []}"#)])
        defer { origin.stop() }
        let shunt = try ServingShunt([
            "local": Self.mocks.replacing("staging", with: "production"),
            "production": profile("http://127.0.0.1:\(origin.port)", kind: "production"),
        ])
        #expect(try shunt.run("mocks", "check", "user", "login", "--profile", "local").status == 0)
        #expect(seen.value.count == 1 && seen.value[0].hasPrefix("GET /user "))
        let none = try shunt.run("mocks", "check", "--profile", "production", "--against", "local")
        #expect(none.status == 0 && none.output == "production and local: 0 equal\n", "\(none)")
        try shunt.stop()
    }
}
