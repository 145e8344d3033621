import Commands
import Exchanges
import Foundation
import JSON
import Store
import TestSupport
import Testing

/// `shunt mcp`: messages in the process of the test, the program with bytes of every kind, and the protocol's own SDK.
@Suite struct MCPTests {
    private static let hello =
        #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}"#

    private static func call(_ tool: String, _ arguments: String = "{}", id: String = "1") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
    }

    /// A store as `--keep-secrets` leaves it.
    private func recorded() throws -> RecordedStore {
        let store = try RecordedStore()
        try store.shunt.folder.write(
            "Profiles/local.json",
            #"{"kind": "local", "redact": {"json": ["colour"]}, "routes": [{"host": "a.test", "path": "/mocked", "name": "one", "mock": {"text": "1"}}]}"#
        )
        try store.record(
            (1...3).map { number in
                var exchange = RecordedStore.exchange(
                    "https://a.test/\(number)?token=zq7marked9thing", status: 199 + number)
                exchange.profile = "local"
                return RecordedStore.piece(
                    UInt64(number), exchange,
                    parts: [
                        (
                            .clientRequest,
                            Array("GET /\(number) HTTP/1.1\r\nAuthorization: Bearer zq7marked9thing\r\n\r\n".utf8)
                        ),
                        (.clientResponse, Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n".utf8)),
                        (
                            .responseBody,
                            Array(
                                #"{"password": "zq7marked9thing", "colour": "zq7marked9thing", "n": \#(number)}"#.utf8)
                        ),
                    ])
            })
        return store
    }

    private func server(_ store: RecordedStore, _ words: String...) async throws -> MCPServer {
        var server = try MCPServer(["--profiles", store.shunt.folder.path + "/Profiles"] + words)
        let hello = await server.respond(to: Array(Self.hello.utf8))
        #expect(hello != nil)
        return server
    }

    /// The text of a tool, and whether it is an error.
    private func said(_ server: inout MCPServer, _ line: String) async throws -> (text: String, isError: Bool) {
        let response = try #require(await server.respond(to: Array(line.utf8)))
        let result = try #require(try JSONReader.read(response, dialect: .strict)["result"])
        return (try #require(result["content"]?.array?.first?["text"]?.string), result["isError"]?.bool == true)
    }

    @Test(
        arguments: [
            (#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#, #"{"jsonrpc":"2.0","id":"a","result":{}}"#),
            (#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, nil), ("", nil), ("  ", nil),
            (#"{"jsonrpc":"2.0","id":1,"result":{}}"#, nil),
            (#"{"jsonrpc":"2.0","id":1,"method":"nothing"}"#, "-32601"), (#"{"id":1,"method":"ping"}"#, "-32600"),
            (#"{"jsonrpc":"2.0","id":1}"#, "-32600"), (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, "-32600"),
            (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, "-32600"), ("[]", "-32600"), ("[1]", "-32600"),
            ("7", "-32600"),
            ("{", "-32700"), ("\u{0}", nil), (#"{"jsonrpc":"2.0","id":1,"method":"ping","id":2}"#, "-32700"),
            (String(repeating: "[", count: 100_000), "-32700"),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, "-32602"),
            (#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, "-32602"),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#, "-32602"),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}"#, "-32602"),
            (#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}"#, "-32002"),
            (
                #"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"shunt://help/topics/filters"}}"#,
                "mitmproxy"
            ),
            (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, "shunt://help/commands/serve"),
            (#"{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}"#, "resourceTemplates"),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, #""readOnlyHint":true"#),
        ] as [(String, String?)])
    func `each message has the response that JSON-RPC and the protocol ask for`(line: String, expected: String?)
        async throws
    {
        var server = try await server(try RecordedStore())
        let response = await server.respond(to: Array(line.utf8)).map { String(decoding: $0, as: UTF8.self) }
        if let expected {
            #expect(response?.contains(expected) == true, "\(response ?? "nothing")")
        } else {
            #expect(response == nil)
        }
    }

    @Test(arguments: [
        ("2024-11-05", "2024-11-05", true), ("2025-03-26", "2025-03-26", true), ("2025-06-18", "2025-06-18", false),
        ("2099-01-01", "2025-06-18", false),
    ])
    func `the version is the client's where it is known, and decides on batches`(
        wanted: String, given: String, takesBatches: Bool
    ) async throws {
        var server = try MCPServer([])
        let early = await server.respond(to: Array(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.utf8)) ?? []
        #expect(String(decoding: early, as: UTF8.self).contains("initialize"))
        let hello = try #require(await server.respond(to: Array(Self.hello.replacing("2025-06-18", with: wanted).utf8)))
        #expect(try JSONReader.read(hello)["result"]?["protocolVersion"]?.string == given)
        let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let batch = try #require(await server.respond(to: Array("[\(ping),\(ping)]".utf8)))
        #expect(try JSONReader.read(batch).array?.count == (takesBatches ? 2 : nil))
    }

    @Test func `tools read the traffic, and no secret comes out, though the store keeps them`() async throws {
        let store = try recorded()
        var server = try await server(store)
        for (tool, arguments, words) in [
            ("list_traffic", "{}", ["https://a.test/1", "https://a.test/3"]),
            ("list_traffic", #"{"filter":"~c 201"}"#, ["https://a.test/2"]),
            ("list_traffic", #"{"before":1}"#, ["No exchanges match."]),
            ("list_traffic", #"{"filter":"~c 202 | ~c 200","before":3}"#, ["https://a.test/1"]),
            ("list_traffic", #"{"limit":1,"before":3}"#, ["https://a.test/2", "before: 2"]),
            (
                "show_exchange", #"{"id":3}"#,
                ["#3  GET https://a.test/3?token=", "Authorization: Bearer <redacted:", #""n": 3"#]
            ),
            ("count_traffic", #"{"by":"status"}"#, ["200", "201", "202"]),
            ("check_expectations", #"{"expectations":["~d a.test: 3","~c 5xx: 1.."]}"#, ["~c 5xx"]),
            ("explain_request", #"{"url":"https://a.test/mocked?token=zq7marked9thing"}"#, ["a.test/mocked"]),
            ("help", #"{"subject":"filters"}"#, ["~c STATUS"]), ("help", #"{"subject":"mocks"}"#, ["shunt mocks"]),
        ] {
            let (text, isError) = try await said(&server, Self.call(tool, arguments))
            for word in words { #expect(text.contains(word), "\(tool): \(text)") }
            #expect(!isError && !text.contains("zq7marked"), "\(tool): \(text)")
        }
    }

    @Test(arguments: [
        ("list_traffic", #"{"filter":"~zz"}"#, "the filter is wrong"),
        ("list_traffic", #"{"limit":0}"#, "from 1 to 500"),
        ("list_traffic", #"{"limit":"1"}"#, "whole number"), ("list_traffic", #"{"filter":7}"#, "must be a string"),
        ("list_traffic", #"{"fliter":"x"}"#, "It has: filter"), ("list_traffic", "[]", "must be an object"),
        ("list_traffic", #"{"filter":"x) | (~all"}"#, "the filter is wrong"),
        ("show_exchange", "{}", "id is missing"), ("show_exchange", #"{"id":99}"#, "list_traffic lists"),
        ("check_expectations", #"{"expectations":["Profiles/local.json"]}"#, "is no expectation"),
        ("check_expectations", #"{"expectations":["/etc/passwd"]}"#, "is no expectation"),
        ("explain_request", #"{"url":"--data=@/etc/passwd"}"#, "Give a URL"), ("status", "{}", "shunt serve"),
        ("use_profile", #"{"profile":"local"}"#, "--allow use"), ("help", #"{"subject":"x"}"#, "There are: filters"),
        ("switch_mocks", #"{"state":"off","names":["one"]}"#, "--allow mocks"),
    ])
    func `what a tool cannot do is said with the next step`(tool: String, arguments: String, words: String) async throws
    {
        let store = try recorded()
        defer { withExtendedLifetime(store) {} }
        var server = try await server(store)
        let (text, isError) = try await said(&server, Self.call(tool, arguments))
        #expect(isError && text.contains(words), "\(text)")
    }

    @Test func `long outputs are cut, which is said`() async throws {
        var server = try await server(try recorded())
        let (text, _) = try await said(&server, Self.call("help", #"{"subject":"serve","max_bytes":1024}"#))
        #expect(text.utf8.count < 1200 && text.contains("cut after 1024 bytes"))
    }

    @Test func `only what is allowed is offered`() async throws {
        let store = try RecordedStore()
        let list = Array(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.utf8)
        for (words, changes) in [
            ([], []), (["--allow", "use"], ["use_profile"]), (["--allow=use,mocks"], ["use_profile", "switch_mocks"]),
        ] {
            var server = try MCPServer(["--profiles", store.shunt.folder.path + "/Profiles"] + words)
            _ = await server.respond(to: Array(Self.hello.utf8))
            let tools =
                try JSONReader.read(try #require(await server.respond(to: list)))["result"]?["tools"]?.array ?? []
            #expect(
                tools.filter { $0["annotations"]?["readOnlyHint"]?.bool == false }.map { $0["name"]?.string } == changes
            )
            #expect(tools.allSatisfy { $0["inputSchema"]?["type"]?.string == "object" })
        }
        #expect(throws: (any Error).self) { try MCPServer(["--allow", "unlock"]) }
    }

    @Test func `the guide's configuration is valid, and its table has every tool`() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let guide = try String(contentsOfFile: root.path + "/docs/mcp.md", encoding: .utf8)
        let snippet = try #require(guide.firstMatch(of: /```json\n([^`]*)```/)).1
        let entry = try #require(try JSONReader.read(String(snippet), dialect: .strict)["mcpServers"]?["shunt"])
        let words = entry["args"]?.array?.compactMap(\.string) ?? []
        #expect(entry["command"]?.string == "shunt" && words.first == "mcp")
        var server = try MCPServer(words.dropFirst() + ["--allow", "use,mocks"])
        _ = await server.respond(to: Array(Self.hello.utf8))
        let list = Array(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.utf8)
        let tools = try JSONReader.read(try #require(await server.respond(to: list)))["result"]?["tools"]?.array ?? []
        for tool in tools {
            let name = tool["name"]?.string ?? ""
            #expect(guide.contains("`\(name)`"), "\(name)")
            for argument in tool["inputSchema"]?["properties"]?.object ?? [] {
                #expect(guide.contains("`\(argument.key)`"), "\(name) \(argument.key)")
            }
        }
    }

    @Test func `no bytes end the program but the end of its input, and its output is nothing but messages`() throws {
        let store = try RecordedStore()
        var input = Data(Self.hello.utf8) + Data([10, 0xFF, 0xFE, 10, 0, 10, 0x7B, 10, 13, 10])
        input += Data(repeating: UInt8(ascii: "x"), count: (1 << 20) + 70_000) + Data([10])
        input += Data(
            (#"{"jsonrpc":"2.0","id":9,"method":"ping"}"# + "\r\n" + Self.call("list_traffic", id: "10")).utf8)
        try input.write(to: URL(fileURLWithPath: store.shunt.folder.path + "/input"))
        let result = try ChildProcess.run(
            "/bin/sh", ["-c", "exec '\(ShuntBinary.path)' mcp < input"], directory: store.shunt.folder.path)
        let lines = try result.output.split(separator: "\n").map { try JSONReader.read(String($0), dialect: .strict) }
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        #expect(lines.map { $0["id"]?.number?.int64 } == [0, nil, nil, nil, 9, 10])
        #expect(
            lines.map { $0["error"]?["code"]?.number?.json } == [nil, "-32700", "-32700", "-32600", nil, nil])
    }

    @Test func `a call that takes long keeps no other from its response, and one that is cancelled has none`() throws {
        let shunt = try ServingShunt(["local": #"{"kind": "local", "routes": [{"mock": {"text": "1"}}]}"#])
        defer { _ = try? shunt.stop() }
        let result = try ChildProcess.run(
            "/usr/bin/env",
            [
                "python3", "-B", ClientProgram.folder + "mcp_cancel.py", ShuntBinary.path, shunt.folder.path,
                "\(shunt.process.pid)",
            ], directory: shunt.folder.path)
        #expect(result.output == #"{"ids": [0, 2, 3, 4], "status": 0, "isError": false}"# + "\n", "\(result.errors)")
    }

    @Test(.extended, .enabled(if: ClientProgram.hasPython, "the protocol's SDK \(ClientProgram.hint)"))
    func `the protocol's own client sees the traffic, and changes what it may`() throws {
        let profiles = [
            "local": #"{"kind": "local", "routes": [{"host": "a.test", "name": "one", "mock": {"text": "1"}}]}"#,
            "staging": #"{"kind": "staging", "routes": [{"host": "a.test", "mock": {"text": "2"}}]}"#,
        ]
        let shunt = try ServingShunt(profiles, ["--profile", "local"])
        defer { _ = try? shunt.stop() }
        _ = try shunt.curl("-H", "Host: a.test", "http://127.0.0.1:\(shunt.port)/cart?token=zq7marked9thing")
        try ClientProgram.expect(
            ["initialize", "tools", "traffic", "resources", "errors", "refused", "use", "mocks"],
            of: ClientProgram.python("mcp_client.py", ShuntBinary.path, shunt.folder.path))
        #expect(try shunt.run("status", "--json").output.contains("\"active\": \"staging\""))
        let audit = try shunt.run("audit").output
        #expect(audit.contains("use") && audit.contains("mocks"), "\(audit)")
    }
}
