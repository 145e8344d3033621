import Foundation
import JSON
import TestSupport
import Testing

/// Expectations on the traffic of a command, and on what was recorded.
@Suite struct ExpectCommandTests {
    let shunt: Shunt

    init() throws {
        shunt = try Shunt()
        try shunt.folder.write(
            "Profiles/local.json",
            """
            { kind: "local", routes: [
              { host: "api.shop.test", path: "/v1/cart", mock: { json: { items: 2 } } },
              { host: "api.shop.test", path: "/v1/busy", mock: { status: 503, text: "<b>busy" } },
            ] }
            """)
    }

    private func run(_ options: [String], _ script: String, _ environment: [String: String] = [:]) throws
        -> ChildProcess.Result
    {
        try ChildProcess.run(
            ShuntBinary.path, ["run"] + options + ["--", "sh", "-c", script], directory: shunt.folder.path,
            environment: environment.merging(["TMPDIR": shunt.folder.path]) { first, _ in first })
    }

    private static let get = "curl -sS -o /dev/null --noproxy '*' $SHUNT_URL_API_SHOP_TEST"

    @Test(arguments: [
        // What is expected, what the command requests, and the exit status.
        ("~c 5xx: 0", "/v1/cart", "", 0), ("~c 5xx: 0", "/v1/busy", "", 2), ("~c 5xx: 0", "/v1/busy", "; exit 7", 7),
        ("~u /v1/cart: 1", "/v1/cart", "", 0), ("~u /v1/cart: 2..", "/v1/cart", "", 2),
        ("~d ^api.shop.test$: 1", "/v1/cart", "", 0), ("never unmatched", "/v2", "", 2),
        ("never unmatched", "/v1/cart", "", 0),
        ("~c 5xx: x", "/v1/cart", "", 125), ("~nope: 0", "/v1/cart", "", 125), ("missing.json5", "/v1/cart", "", 125),
    ]) func `a run ends with 2 where only expectations fail`(
        expectation: String, path: String, more: String, status: Int32
    ) throws {
        let result = try run(["--expect", expectation], Self.get + path + more)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains("NOT MET") == (status == 2 || status == 7))
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [("/v1/cart", 0), ("/v1/busy", 2)]) func `a run fails where its traffic does not fit a document`(
        path: String, status: Int32
    ) throws {
        try shunt.folder.write(
            "api.yaml",
            "openapi: 3.1.0\npaths: {/v1/cart: {get: {responses: {200: {content: {application/json: {}}}}}}}\n")
        let result = try run(
            ["--openapi", "api.yaml", "--expect", "~d shop: 1", "--report", "junit=j.xml", "--report", "html=r.html"],
            Self.get + path, ["GITHUB_ACTIONS": "true"])
        #expect(result.status == status, "\(result.errors)")
        let found = "the path /v1/busy is not documented"
        let texts = [result.errors, try shunt.folder.read("j.xml"), try shunt.folder.read("r.html")]
        #expect(texts.map { $0.contains(found) } == Array(repeating: status == 2, count: 3), "\(texts)")
        #expect(result.errors.contains("::error file=api.yaml,line=2,") == (status == 2))
    }

    @Test func `a request that reaches production by another profile is caught`() throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        }
        defer { origin.stop() }
        try shunt.folder.write(
            "Profiles/production.json", profile("http://127.0.0.1:\(origin.port)", kind: "production"))
        try shunt.folder.write(
            "Profiles/local.json",
            """
            { kind: "local", routes: [
              { host: "api.shop.test", mock: { text: "fine" } },
              { path: "/legacy", origin: "http://127.0.0.1:\(origin.port)" },
            ] }
            """)
        #expect(try run(["--expect", "never production"], Self.get + "/x").status == 0)
        let caught = try run(
            ["--expect", "never production"], Self.get + "/x; curl -sS -o /dev/null --noproxy '*' $SHUNT_URL/legacy")
        #expect(caught.status == 2)
        #expect(caught.errors.contains("never a request to a production origin"))
        #expect(caught.errors.contains("/legacy 200: it went to http://127.0.0.1:\(origin.port)"), "\(caught.errors)")
    }

    @Test(arguments: [("-H 'Idempotency-Key: 1'", 0), ("-H \"Idempotency-Key: $n\"", 2), ("", 2)])
    func `a retry with another key is told from one with the same`(field: String, status: Int32) throws {
        try shunt.folder.write(
            "e.json5", #"{ expect: [{ filter: "~m POST", idempotent: "Idempotency-Key", count: 2 }] }"#)
        let result = try run(
            ["--expect", "e.json5"], "for n in 1 2; do \(Self.get)/v1/cart -d cart=7 \(field) || exit 9; done")
        #expect(result.status == status, "\(result.errors)")
    }

    @Test func `reports are what their readers accept`() throws {
        try shunt.folder.write(
            "Expectations/e.json5",
            """
            { expect: [
              { name: "busy & <wrong> \\"quotes\\" | 100%", filter: "~c 5xx", count: 0 },
              { filter: "~u /v1/cart", response: { json: { items: 3 } } },
              { filter: "~u /v1/cart", count: 1 },
            ] }
            """)
        let result = try run(
            [
                "--expect", "Expectations/e.json5", "--report", "junit=junit.xml", "--report",
                "codequality=quality.json",
                "--report", "html=report.html", "--report", "json=report.json", "--save", "failed.har",
            ], "\(Self.get)/v1/cart; \(Self.get)/v1/busy",
            ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "summary.md"])
        #expect(result.status == 2, "\(result.errors)")
        #expect(
            result.errors.contains(
                "::error file=Expectations/e.json5,line=2,title=busy & <wrong> \"quotes\" | 100%25::"))
        #expect(try shunt.folder.read("summary.md").contains("busy &amp; &lt;wrong&gt; \"quotes\" \\| 100%"))
        let checked = try ChildProcess.run(
            "/usr/bin/env",
            ["python3", "-B", ClientProgram.folder + "reports.py", "junit.xml", "quality.json", "report.html"],
            directory: shunt.folder.path)
        #expect(checked.output == "3 2\n", "\(checked.errors)")
        let json = try JSONReader.read(try shunt.folder.read("report.json"))
        #expect(json["met"]?.bool == false && json["exchanges"]?.number?.int64 == 2)
        #expect(try shunt.folder.read("report.html").contains("&lt;b&gt;busy"))
        // What failed can be checked again, from the archive alone.
        let again = try shunt.run("expect", "Expectations/e.json5", "--har", "failed.har")
        #expect(again.status == 2 && again.errors.contains("1 of 3 expectations are met over 2 exchanges"), "\(again)")
    }

    @Test func `recorded traffic is checked after the fact, or part of it`() throws {
        #expect(try run(["--store", "kept.db"], "\(Self.get)/v1/cart; \(Self.get)/v1/busy").status == 0)
        #expect(try shunt.run("expect", "~c 5xx: 0", "--store", "kept.db").status == 2)
        #expect(try shunt.run("expect", "~c 5xx: 0", "--store", "kept.db", "--filter", "~u cart").status == 0)
        #expect(try shunt.run("expect", "~c 5xx: 0", "--store", "missing.db").status == 1)
        #expect(try shunt.run("expect", "--store", "kept.db").status == 64)
        let suggested = try shunt.run("expect", "--suggest", "--store", "kept.db")
        #expect(suggested.status == 0)
        try shunt.folder.write("s.json5", suggested.output)
        #expect(try shunt.run("expect", "s.json5", "--store", "kept.db").status == 0)
    }

    @Test func `secrets are not written, nor shown in reports`() throws {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
        let result = try run(
            [
                "--store", "kept.db", "--expect", "never secretInURL", "--report", "html=r.html", "--save", "f.har",
            ], "\(Self.get)'/v1/cart?access_token=\(token)' -H 'Authorization: Bearer \(token)'")
        #expect(result.status == 2, "\(result)")
        for name in ["kept.db", "r.html", "f.har"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: shunt.folder.path + "/" + name))
            #expect(bytes.range(of: Data("dozjgNryP4J3".utf8)) == nil, "\(name)")
        }
        #expect(!result.errors.contains("dozjgNryP4J3"))
    }
}
