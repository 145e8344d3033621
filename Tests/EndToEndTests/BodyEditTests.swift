import Foundation
import JSON
import TestSupport
import Testing

/// A route edits bodies: the client gets the edited one, the store has both, and a route can be made of what was recorded.
@Suite struct BodyEditTests {
    private static let cart = #"{"total": 19.90, "flags": {"newCart": false}, "password": "hunter2hunter2"}"#

    @Test func `both bodies are kept, shown and exported, and an edit is made of one`() throws {
        let seen = Kept<[String]>([])
        let origin = ScriptedOrigin { connection, _ in
            while true {
                let head = try connection.readHead()
                let body = head.hasPrefix("POST") ? try connection.read(count: 13) : ""
                seen.change { $0.append(body) }
                let content = try packed(Self.cart, "gzip")
                try connection.send(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: \(content.count)\r\n\r\n"
                )
                try connection.send(content)
            }
        }
        let url = "http://127.0.0.1:\(origin.port)"
        let shunt = try ServingShunt([
            "local": """
            { "kind": "local", "routes": [
                { "method": "POST", "path": "/v1/cart", "origin": "\(url)",
                  "request": { "json": { "increment": { "$.count": 1 } } },
                  "response": { "json": { "set": { "$.flags.newCart": true } } } },
                { "origin": "\(url)" },
            ] }
            """
        ])
        let base = "http://127.0.0.1:\(shunt.port)"
        let type = "Content-Type: application/json"
        let got = try shunt.curl("--compressed", "-H", type, "-d", #"{"count": 41}"#, base + "/v1/cart")
        #expect(got.output == Self.cart.replacing("false", with: "true"), "\(got.output) \(got.errors)")
        #expect(seen.value == [#"{"count": 42}"#])

        let text = try shunt.run("show", "1").output
        for line in [
            "REQUEST body, what Shunt changed before the origin got it", "  -   \"count\": 41", "  +   \"count\": 42",
            "RESPONSE body, what Shunt changed before the client got it", "    \"newCart\": true",
        ] {
            #expect(text.contains(line), "\(text)")
        }
        let sent = try shunt.run("show", "1", "--raw", "origin-response").output
        #expect(sent.contains(#""newCart": false"#) && !sent.contains("hunter2"), "\(sent)")
        #expect(try shunt.run("show", "1", "--raw", "response").output.contains(#""newCart": true"#))
        #expect(try shunt.run("show", "1", "--raw", "origin-request").output == #"{"count": 42}"#)
        let json = try JSONReader.read(try shunt.run("show", "1", "--json").output, dialect: .strict)
        #expect(json["bodies"]?["request"]?["text"]?.string == #"{"count": 41}"#)
        #expect(json["bodies"]?["origin_request"]?["text"]?.string == #"{"count": 42}"#)
        let har = try shunt.run("export", "--har", "~id 1").output
        #expect(har.contains("_originResponseBody") && !har.contains("hunter2"), "\(har)")
        #expect(try shunt.run("logs", "~bs newCart.*false").output.contains("/v1/cart"))

        // What was not changed is kept once.
        _ = try shunt.curl("--compressed", base + "/v2/cart")
        let plain = try JSONReader.read(try shunt.run("show", "2", "--json").output, dialect: .strict)
        #expect(plain["bodies"]?["origin_response"]?.isNull == true)

        let route = try shunt.run("edit", "2", "--set", "$.flags.newCart=true", "--append", "$.none=1").output
        let made = try JSONReader.read(route, dialect: .strict)
        #expect(made["path"]?.string == "/v2/cart" && made["origin"]?.string == url && made["host"] == nil, "\(route)")
        #expect(made["response"]?["json"]?["set"]?["$.flags.newCart"]?.bool == true, "\(route)")
        let written = try shunt.run("edit", "2", "--remove", "$.password", "--profile", "local")
        #expect(written.output.contains("added  1 route to Profiles/local.json"), "\(written)")
        let isServed = eventually {
            (try? shunt.curl("--compressed", base + "/v2/cart").output)
                == #"{"total": 19.90, "flags": {"newCart": false}}"#
        }
        #expect(isServed)
        let again = try shunt.run("edit", "2", "--remove", "$.password", "--profile", "local")
        #expect(again.status == 1 && again.errors.contains("a route for GET /v2/cart is at"), "\(again)")

        let production = #"{"kind": "production", "routes": [{"origin": "https://api.shop.test"}]}"#
        try shunt.folder.write("Profiles/live.json", production)
        let foreign = try shunt.run("edit", "2", "--remove", "$.password", "--profile", "live")
        #expect(foreign.status == 1 && foreign.errors.contains("#2 did not go through live"), "\(foreign)")
        #expect(try shunt.folder.read("Profiles/live.json") == production)
        origin.stop()
    }

    @Test(
        arguments: [
            (["12", "--set", "flag=true"], 64, "has no path with a value"),
            (["12", "--remove", "$"], 64, "is no path in JSON"),
            (["12", "--increment", "$.a=x"], 64, "without a number"),
            (["local", "--set", "$.a=1"], 64, "is no number of an exchange"),
            (["local", "--request"], 64, "says nothing of an edit"),
        ] as [([String], Int32, String)])
    func `what is no edit is said`(arguments: [String], status: Int32, message: String) async {
        let run = await CapturedRun.run(["edit"] + arguments)
        #expect(run.status == status && (run.output + run.errors).contains(message), "\(run)")
    }

    @Test func `an explanation shows what would change in a body`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "Profiles/only.json",
            """
            { "kind": "staging", "routes": [{ "host": "shop.test", "origin": "https://o.test",
                "request": { "json": { "set": { "$.a": 2 } }, "text": { "x": "y" } },
                "response": { "json": { "if": { "$.a": 1 }, "set": { "$.flag": true } } } }] }
            """)
        try folder.write("cart.json", #"{"a": 1, "b": "x"}"#)
        let profiles = ["--profiles", folder.path + "/Profiles"]
        let file = await CapturedRun.run(
            ["explain", "https://shop.test/", "-X", "POST", "--data", "@" + folder.path + "/cart.json"] + profiles)
        for line in [
            "request  body sets $.a = 2; body replaces \"x\" by \"y\"",
            "response body sets $.flag = true if $.a is 1",
            "  request  the body changes\n    -   \"a\": 1,\n    -   \"b\": \"x\"\n    +   \"a\": 2,\n    +   \"b\": \"y\"\n",
        ] {
            #expect(file.output.contains(line), "\(file.output) \(file.errors)")
        }
        let other = await CapturedRun.run(
            ["explain", "https://shop.test/", "-X", "POST", "-H", "Content-Type: text/plain", "--data", "xx", "--json"]
                + profiles)
        #expect(
            other.output.contains("\"- xx\"") && other.output.contains("\"+ yy\""), "\(other.output) \(other.errors)")
        let broken = await CapturedRun.run(["explain", "https://shop.test/", "--data", "xx"] + profiles)
        #expect(broken.status == 64 && broken.errors.contains("--data is no JSON"), "\(broken)")
        try folder.write("response.txt", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\": 1}\n")
        let response = await CapturedRun.run(
            ["explain", "https://shop.test/", "--response", folder.path + "/response.txt"] + profiles)
        #expect(response.output.contains("    + {\"a\": 1,\"flag\": true}"), "\(response.output)")
    }
}
