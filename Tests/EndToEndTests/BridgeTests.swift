import Foundation
import JSON
import TestSupport
import Testing

/// Pages of hybrid apps in a real browser, with a contract in place of their native side.
@Suite struct BridgeTests {
    static let contract = """
        {
          // iOS
          webkit: {
            session: { template: true, reply: { token: "t-{{message.user.name}}", n: "{{json message.none|7}}" } },
            log: {},
            pay: { error: "declined", delay: "10ms" },
            router: [
              { match: { action: "cart" }, template: true, reply: ["{{json message}}"] },
              { reply: null },
            ],
          },
          // Android
          android: { Bank: {
            version: { reply: "7.2" }, log: {}, fail: { error: "no network" }, slow: { reply: true, delay: "60ms" },
            balance: { template: true, reply: "{{message.account}} {{arguments.1}} {{arguments.2|none}}" },
            profile: { reply: { name: "</script><!--" } }, count: { template: true, reply: "{{json counter}}" },
          } },
          prompt: {
            "bank://": { reply: null }, "bank://version": { reply: "7.2" },
            "bank://session": { template: true, reply: { token: "{{arguments.1}}" } },
          },
        }
        """
    static let events = """
        {
          android: { Bank: {
            later: { template: true, events: [{ call: "window.{{message}}", with: [{ ok: true }, "{{message}}"] }] },
          } },
          events: [
            { call: "app.onPush", with: [{ title: "Hello" }, 1] }, { after: "5ms", post: { kind: "news" } },
            { after: ["1ms", "20ms"], dispatch: "resume", target: "document", detail: { from: "background" } },
          ],
        }
        """

    private func browse(_ site: ServingShunt, port: UInt16, native: Bool = false) throws -> [String: JSONValue] {
        let task = try JSONSerialization.data(withJSONObject: [
            "driver": try program("chromedriver"), "browser": try program("chromium", "google-chrome"),
            "port": Int(port), "site": "http://127.0.0.1:\(site.port)", "native": native,
        ])
        let result = try ChildProcess.run(
            "/usr/bin/env", ["python3", SampleApp.scripts + "/bridge_pages.py", String(decoding: task, as: UTF8.self)],
            directory: site.folder.path, seconds: 120)
        #expect(result.status == 0, "\(result.errors)")
        let pages = try #require(try JSONReader.read(result.output).array)
        return Dictionary(pages.map { ($0["name"]?.string ?? "", $0) }) { first, _ in first }
    }

    private func text(_ value: JSONValue?) -> String {
        var writer = JSONWriter()
        if let value { writer.value(value) }
        return writer.text
    }

    @Test(.extended) func `pages of each kind get what the contract says, and every call is in the traffic`() throws {
        let port = FreePort.find()
        let shunt = try ServingShunt(
            [
                "local": """
                {"kind": "local", "routes": [{"origin": "http://127.0.0.1:\(port)", "bridge": "bridge.json"},
                  {"path": "/events", "origin": "http://127.0.0.1:\(port)", "bridge": "events.json"}]}
                """
            ], ["--profile", "local", "--no-pages"],
            files: ["Profiles/bridge.json": Self.contract, "Profiles/events.json": Self.events])
        let pages = try browse(shunt, port: port)
        let webkit = #"[{"n":"7","token":"t-ann"},"undefined","declined",[{"action":"cart","id":7}],null,false]"#
        let android =
            #"["7.2","a<b> EUR none","{\"name\":\"</script><!--\"}","no network",true,true,1,2,"undefined"]"#
        let prompt = #"["7.2","{\"token\":\"old\"}",null]"#
        for (name, result) in [
            ("webkit", webkit), ("nonce", webkit), ("meta", webkit), ("android", android), ("hash", android),
            ("prompt", prompt), ("headless", prompt), ("base", prompt), ("charset", #"["ä","7.2"]"#),
            (
                "events",
                #"[[{"title":"Hello"},1],{"from":"background"},{"kind":"news"},[{"ok":true},"callback7"],"undefined"]"#
            ),
        ] {
            let page = try #require(pages[name])
            #expect(text(page["result"]) == result, "\(name)")
            #expect(page["console"]?.array?.isEmpty == true, "\(name): \(page["console"]?.array ?? [])")
            #expect(page["scripts"]?.number?.int64 == 1, "\(name)")
        }
        #expect(pages.count == 10)
        let log = try shunt.stop().errors
        #expect(log.contains("+injection") && !log.contains("no injection"), "\(log)")
        func calls(_ filter: String) throws -> [String] {
            try shunt.run("logs", "--json", "-n", "100", "~bridge \(filter)").output
                .split(separator: "\n").map(String.init)
        }
        #expect(try calls("").count == 46)
        // Secrets are replaced, as everywhere.
        #expect(try calls("~bq t-ann").isEmpty)
        let session = try calls("~bq ann ~u webkit.session")
        #expect(session.count == 3, "\(session)")
        #expect(try calls("~u event.app.onPush").count == 1 && calls("~m GET").isEmpty)
        let first = try #require(session.last)
        let id = try #require(try JSONReader.read(first)["id"]?.number?.int64)
        let shown = try shunt.run("show", "\(id)").output
        #expect(shown.contains(#""by": "contract""#) && shown.contains(#""page": "/"#), "\(shown)")
    }

    @Test func `calls to an app's own bridge are recorded`() throws {
        let port = FreePort.find()
        let shunt = try ServingShunt(
            [
                "local": """
                {"kind": "local", "routes": [{"origin": "http://127.0.0.1:\(port)", "bridge": "bridge.json"}]}
                """
            ], ["--profile", "local"],
            files: ["Profiles/bridge.json": "{ record: true, android: { Bank: {}, None: {} } }"])
        let page = try #require(try browse(shunt, port: port, native: true)["record"])
        #expect(page["console"]?.array?.isEmpty == true, "\(page["console"]?.array ?? [])")
        #expect(
            text(page["result"])
                == #"[{"token":"real-ann"},"undefined","really declined","9.1","5 EUR","real bank://version",true,false]"#
        )
        // One more, that makes a difference by the message, and one to which native code replied in another way.
        for report in [
            #"{"name":"webkit.log","by":"app","arguments":["{\"a\": 1}"],"reply":"x"}"#,
            #"{"name":"webkit.scan","by":"app","arguments":["code"]}"#,
        ] {
            #expect(
                try shunt.curl(
                    "-f", "http://127.0.0.1:\(shunt.port)/__shunt/bridge/webkit.log", "-H",
                    "Content-Type: application/json", "-H", "Origin: http://127.0.0.1:\(shunt.port)", "-d", report
                ).status == 0)
        }
        try shunt.stop()
        let contract = try shunt.run("bridge", "from", "-o", "new.json")
        #expect(contract.output == "wrote  8 calls to new.json\n", "\(contract)")
        #expect(contract.errors.contains("\n1 secret was replaced"), "\(contract.errors)")
        #expect(contract.errors.contains("webkit.never: the app had not replied when the page ended"))
        #expect(contract.errors.contains("\nno reply was seen from webkit.scan: "), "\(contract.errors)")
        let text = self.text(try JSONReader.read(try shunt.folder.read("new.json")))
        #expect(text.contains(#""log":[{"match":{"a":1},"reply":"x"},{"match":"x"}]"#), "\(text)")
        #expect(text.contains(#""pay":{"error":"really declined"}"#), "\(text)")
        // Two calls of a page may be reported in any order.
        let bank = [#""balance":{"reply":"5 EUR"}"#, #""version":{"reply":"9.1"}"#]
        #expect(
            [bank, bank.reversed()].contains { text.contains(#""android":{"Bank":{\#($0[0]),\#($0[1])}},"#) }
                && text.hasSuffix(#""prompt":{"bank://version":{"reply":"real bank://version"}}}"#), "\(text)")
        try shunt.folder.write("Profiles/bridge.json", try shunt.folder.read("new.json"))
        #expect(try shunt.run("validate").status == 0)
        let again = try shunt.run("bridge", "from", "-o", "new.json")
        #expect(again.status == 1 && again.errors.contains("new.json exists already"))
        let one = try shunt.run("bridge", "from", "~u webkit.pay")
        #expect(one.output.contains(#""pay": { "error": "really declined" }"#), "\(one)")
        #expect(try shunt.run("bridge", "from", "1").errors.contains("no call to an app's bridge was recorded"))
    }

    private func program(_ names: String...) throws -> String {
        let found = try ChildProcess.run("/bin/sh", ["-c", names.map { "command -v \($0)" }.joined(separator: " || ")])
        let path = found.output.split(separator: "\n").first.map(String.init)
        return try #require(path, "none of \(names) is installed: run `make setup-test`")
    }
}
