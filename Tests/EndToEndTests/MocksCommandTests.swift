import Foundation
import JSON
import TestSupport
import Testing

/// `shunt mocks`, as people type it.
@Suite struct MocksCommandTests {
    private static let profiles = [
        "local": """
        {"kind": "local", "routes": [
          {"name": "promo", "path": "/promo", "mock": {"text": "mock"}}, {"path": "/v1/user", "mock": {}},
          {"path": "/promo/*", "mock": {"text": "next"}}
        ]}
        """
    ]

    @Test func `mocks are listed, switched, kept, and shown by status and log`() throws {
        let shunt = try ServingShunt(Self.profiles)
        #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/promo").output == "mock")
        let list = try shunt.run("mocks")
        #expect(list.status == 0 && list.output.hasPrefix("MOCK "), "\(list)")
        #expect(list.output.contains("promo    on     1     now "), "\(list)")
        #expect(list.output.contains("v1-user  on     0     -  "), "\(list)")
        let off = try shunt.run("mocks", "off", "promo", "--keep")
        #expect(off.status == 0 && off.output.contains("promo    off    1"), "\(off)")
        #expect(off.output.hasSuffix("Kept for the next start.\n"), "\(off)")
        #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/promo").output == "next")
        #expect(try shunt.run("status").output.contains("  mocks        3, off: promo, see `shunt mocks`\n"))
        let kept = try shunt.folder.read(".shunt/mocks.json")
        let errors = try shunt.stop().errors
        #expect(errors.contains("shunt: mocks off: promo\n") && errors.contains(" mock promo is off"), "\(errors)")
        let again = try ServingShunt(Self.profiles, files: [".shunt/mocks.json": kept])
        #expect(try again.curl("http://127.0.0.1:\(again.port)/promo").output == "next")
        #expect(try again.run("mocks", "--all", "on").output.contains("promo    on "))
        #expect(try again.curl("http://127.0.0.1:\(again.port)/promo").output == "mock")
        let only = try again.run("mocks", "only", "v1-user", "--json").output
        let states = try JSONReader.read(only)["mocks"]?.array?.compactMap { $0["on"]?.bool }
        #expect(states == [false, true, false], "\(only)")
        try again.stop()
    }

    @Test func `an explanation says what responds now`() throws {
        let shunt = try ServingShunt([
            "local": """
            {"kind": "local", "routes": [
              {"name": "promo", "path": "/promo", "mock": {"text": "mock"}}, {"path": "/promo/*", "mock": {"text": "next"}},
              {"path": "/me", "when": "out", "mock": {"status": 401}}, {"path": "/me", "when": "in", "mock": {"text": "ann"}},
              {"path": "/login", "then": "in", "mock": {}}, {"path": "/chain", "origin": ["http://127.0.0.1:9", "profile:other"]}
            ]}
            """,
            "other": #"{"kind": "local", "routes": [{"name": "promo", "path": "/chain", "mock": {}}]}"#,
        ])
        func explain(_ path: String, _ more: String...) throws -> String {
            try ChildProcess.run(
                ShuntBinary.path, ["explain", "http://a\(path)"] + more, directory: shunt.folder.path
            ).output
        }
        #expect(try explain("/promo").contains("mock: 200, 4 bytes") && !explain("/promo").contains("  now "))
        #expect(try explain("/me").contains("mock: 401"))
        #expect(try shunt.run("mocks", "off", "promo").status == 0)
        #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/login").status == 0)
        let promo = try explain("/promo")
        #expect(
            promo.contains("  route    */promo/*") && promo.contains("  now      off: promo; state: in\n"), "\(promo)")
        #expect(try explain("/me").contains("mock: 200, 3 bytes"))
        // The same name in another profile is another mock.
        #expect(try explain("/chain").contains("mock: 200, 0 bytes"))
        #expect(try explain("/chain", "--profile", "other").contains("mock: 200, 0 bytes"))
        try shunt.stop()
        #expect(try explain("/promo").contains("  route    */promo (") && explain("/me").contains("mock: 401"))
    }

    @Test func `mocks are made of what was recorded, and respond as the origin did`() throws {
        let origin = ScriptedOrigin { connection, _ in
            let path = try connection.readHead().split(separator: " ")[1]
            let body = #"{"path":"\#(path)","password":"secret"}"#
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nSet-Cookie: sid=secret\r\nX-A: 1\r\nX-A: 2\r\n"
                    + "Date: today\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
        }
        defer { origin.stop() }
        let shunt = try ServingShunt([
            "local":
                "{\n  // mine\n  kind: 'local', extends: 'staging', routes: [{path: '/own', mock: {text: 'own'}}],\n}\n",
            "staging": #"{"kind": "staging", "routes": [{"origin": "http://127.0.0.1:\#(origin.port)"}]}"#,
        ])
        for path in ["/v1/cart/7?n=1", "/v1/cart/7?n=2", "/v1/items", "/own", "/v1/cart/a*b"] {
            #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)\(path)").status == 0)
        }
        #expect(eventually { (try? shunt.run("logs").output.split(separator: "\n").count) == 5 })
        let archive = try shunt.run("export", "--har", "~u items").output
        try shunt.folder.write("items.har", archive)
        let made = try shunt.run("mocks", "from", "~u /v1/cart | ~u /own")
        #expect(made.status == 0 && made.output.contains("added  1 mock to Profiles/local.json\n"), "\(made)")
        #expect(made.output.contains("1 older responses") && made.output.contains("2 secrets were replaced"), "\(made)")
        #expect(made.errors.contains("left out  #5 GET /v1/cart/a*b: `*` within a segment"), "\(made)")
        #expect(made.errors.contains("/own: Shunt itself responded"), "\(made)")
        let archived = try shunt.run("mocks", "from", "items.har")
        #expect(archived.status == 0 && archived.output.contains("get-v1-items.json"), "\(archived)")
        let again = try shunt.run("mocks", "from", "~u /v1/cart")
        #expect(again.status == 1 && again.errors.contains("a route for it is at Profiles/local.json:"), "\(again)")
        let profile = try shunt.folder.read("Profiles/local.json")
        #expect(
            profile.contains("// mine") && !profile.contains("secret") && !profile.contains("Set-Cookie"), "\(profile)")
        #expect(profile.contains(#""X-A": ["1", "2"]"#) && !profile.contains("Date"), "\(profile)")
        #expect(try shunt.run("reload").status == 0)
        let response = try shunt.curl("-i", "http://127.0.0.1:\(shunt.port)/v1/cart/7").output
        #expect(
            response.contains("; mock") && response.contains(#"{"path":"/v1/cart/7?n=2","password":"<redacted:"#),
            "\(response)")
        try shunt.stop()
    }

    @Test(arguments: [
        (["from"], 64, "from which traffic?"), (["from", "~nope x"], 64, "~nope"),
        (["from", "99"], 1, "no exchange 99"),
        (["from", "1", "--profile", "lcal"], 1, "there is no profile “lcal”"), (["off"], 64, "lacks an argument"),
        (["of", "promo"], 64, "unknown action"),
        (["--all", "of"], 64, "--all “of” is not possible"),
        (["off", "promo", "--all", "off"], 64, "exclude each other"),
        (["--keep"], 64, "--keep needs"), (["off", "prmo"], 1, "There are: promo, v1-user, promo-2"),
        (["off", "promo", "--profile", "lcal"], 1, "Did you mean “local”?"),
        (["off", "promo", "--device", "phone"], 1, "no device is called “phone”"),
    ])
    func `what cannot be done is told with the next step`(words: [String], status: Int, text: String) throws {
        let shunt = try ServingShunt(Self.profiles)
        let result = try ChildProcess.run(
            ShuntBinary.path, ["mocks"] + words, directory: shunt.folder.path)
        #expect(Int(result.status) == status && result.errors.contains(text), "\(result)")
        try shunt.stop()
    }
}
