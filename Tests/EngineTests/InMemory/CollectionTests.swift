import Engine
import Profiles
import Reactor
import TestSupport
import Testing

/// Mocks that remember what was created, changed and deleted.
@Suite struct CollectionTests {
    private static let items = """
        [{"id": 1, "name": "apple", "price": 3, "tags": ["red", "sweet"]},
         {"id": 2, "name": "Banana", "price": 2, "maker": {"land": "CO"}},
         {"id": 3, "name": "cherry", "price": 10, "maker": {"land": "DE"}}]
        """
    private static let profile = """
        {"kind": "local", "routes": [
            {"name": "items", "path": "/v1/items", "mock": {"collection": \(items), "headers": {"X-Mock": "1"}}},
            {"path": "/v1/items/special", "mock": {"text": "special"}},
            {"path": "/v1/notes/*", "mock": {"collection": [{"id": "a", "text": "x"}]}}]}
        """

    struct Response {
        let status: Int
        let head: String
        let body: String

        init(_ text: String) {
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            (head, body) = (String(parts.first ?? ""), String(parts.dropFirst().first ?? ""))
            status = Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0
        }

        func field(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }

        /// The identifiers of a list, in its order.
        var ids: [String] {
            body.split(separator: "\"id\":").dropFirst().map { String($0.prefix { $0 != "," && $0 != "}" }) }
        }
    }

    private static func ask(
        _ worker: isolated MemoryWorker, _ method: String, _ path: String, _ body: String? = nil, _ fields: String = ""
    ) async -> Response {
        let length = body.map { "Content-Length: \($0.utf8.count)\r\n" } ?? ""
        let client = await worker.connect(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(length)\(fields)\r\n\(body ?? "")")
        return Response(client.text)
    }

    @Test func `items are listed, got, created, replaced, patched and deleted`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            let rows: [(String, String, String?, Int, String)] = [
                ("GET", "/v1/items/2", nil, 200, #"{"id":2,"name":"Banana","price":2,"maker":{"land":"CO"}}"#),
                ("GET", "/v1/items/9", nil, 404, "the collection has no item 9"),
                ("GET", "/v1/items/special", nil, 200, "special"),
                ("GET", "/v1/items/1/tags", nil, 404, "nothing below an item"),
                ("POST", "/v1/items", #"{"name": "date"}"#, 201, #"{"id":4,"name":"date"}"#),
                ("POST", "/v1/items", #"{"id": 4}"#, 409, "has an item 4 already"),
                ("POST", "/v1/items", #"{"id": "x y/é"}"#, 201, #"{"id":"x y/é"}"#),
                ("GET", "/v1/items/x%20y%2F%C3%A9", nil, 200, #"{"id":"x y/é"}"#),
                ("PUT", "/v1/items/4", #"{"price": 1}"#, 200, #"{"id":4,"price":1}"#),
                ("PUT", "/v1/items/4", #"{"id": 5}"#, 400, "another id than the path, which is 4"),
                ("PUT", "/v1/items/9", "{}", 404, "no item 9"),
                (
                    "PATCH", "/v1/items/2", #"{"price": null, "maker": {"town": "x"}}"#, 200,
                    #"{"id":2,"name":"Banana","maker":{"land":"CO","town":"x"}}"#
                ),
                ("PATCH", "/v1/items/2", #"{"id": null}"#, 400, "without"),
                ("DELETE", "/v1/items/4", nil, 204, ""), ("DELETE", "/v1/items/4", nil, 404, "no item 4"),
                // An identifier is not given twice.
                ("POST", "/v1/items/", "{}", 201, #"{"id":5}"#),
                ("POST", "/v1/items", #"{"name": "e", "id": null}"#, 201, #"{"id":6,"name":"e"}"#),
                ("PUT", "/v1/items/6", #"{"id": null, "price": 1}"#, 200, #"{"id":6,"price":1}"#),
                ("POST", "/v1/items", "{\n  \"a\": }", 400, "line 2, column 8"),
                ("POST", "/v1/items", "[1]", 400, "the body is an array"),
                ("POST", "/v1/items", #"{"id": []}"#, 400, "the id is an array"),
                ("POST", "/v1/items", "", 400, "line 1, column 1"),
                ("POST", "/v1/notes", "{}", 201, #"{"id":"1"}"#),
            ]
            for (method, path, body, status, expected) in rows {
                let response = await Self.ask(worker, method, path, body)
                #expect(response.status == status, "\(method) \(path)")
                #expect(
                    status < 300 ? response.body == expected : response.body.contains(expected),
                    "\(method) \(path): \(response.body)")
                if status != 200 || path != "/v1/items/special", !path.contains("notes") {
                    #expect(response.field("x-mock") == "1" && response.field("Cache-Control") == "no-cache")
                }
            }
            let list = await Self.ask(worker, "GET", "/v1/items")
            #expect(list.ids == ["1", "2", "3", "\"x y/é\"", "5", "6"] && list.field("X-Total-Count") == "6")
            let head = await Self.ask(worker, "HEAD", "/v1/items")
            #expect(head.status == 200 && head.body.isEmpty && head.field("ETag") == list.field("ETag"))
            #expect(head.field("Content-Length") == "\(list.body.utf8.count)")
            let created = await Self.ask(worker, "POST", "/v1/items", #"{"id": "a b"}"#)
            #expect(created.field("Location") == "http://localhost/v1/items/a%20b")
        }
    }

    @Test func `what a path does not allow says what it allows`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            for (method, path, status, allow) in [
                ("PUT", "/v1/items", 405, "GET, HEAD, POST, OPTIONS"),
                ("DELETE", "/v1/items", 405, "GET, HEAD, POST, OPTIONS"),
                ("POST", "/v1/items/1", 405, "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
                ("OPTIONS", "/v1/items", 204, "GET, HEAD, POST, OPTIONS"),
                ("OPTIONS", "/v1/items/1", 204, "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
            ] {
                let response = await Self.ask(worker, method, path, method == "OPTIONS" ? nil : "{}")
                #expect(response.status == status && response.field("Allow") == allow, "\(method) \(path)")
            }
            let patch = await Self.ask(
                worker, "PATCH", "/v1/items/1", "[]", "Content-Type: application/other-patch+json\r\n")
            #expect(patch.status == 415 && patch.field("Accept-Patch")?.contains("json-patch+json") == true)
        }
    }

    @Test func `an item is patched operation by operation, wholly or not at all`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            let rows: [(String, String, Int, String)] = [
                (
                    "2",
                    #"[{"op": "test", "path": "/price", "value": 2}, {"op": "add", "path": "/tags", "value": ["a"]}]"#,
                    200, #"{"id":2,"name":"Banana","price":2,"maker":{"land":"CO"},"tags":["a"]}"#
                ),
                (
                    "2", #"[{"op": "remove", "path": "/tags"}, {"op": "test", "path": "/price", "value": 3}]"#, 409,
                    #"the operation at index 1, test \"/price\": it is 2, not 3"#
                ),
                ("2", #"[{"op": "move", "from": "/tags/0", "path": "/tag"}]"#, 200, #""tags":[],"tag":"a"}"#),
                ("2", #"[{"op": "replace", "path": "/id", "value": 7}]"#, 400, "another id than the path"),
                ("2", #"[{"op": "remove", "path": "/id"}]"#, 400, "without"),
                ("2", #"[{"op": "add", "path": "", "value": []}]"#, 400, "array"),
                ("2", #"[{"op": "remove", "path": "/none"}]"#, 409, "remove \\\"/none\\\": there is no member"),
                ("2", #"[{"op": "remov", "path": "/tags"}]"#, 400, "the operation at index 0 has another"),
                ("2", #"{"price": 1}"#, 400, "expected an array of operations"),
                ("9", "[]", 404, "no item 9"),
            ]
            for (id, body, status, expected) in rows {
                let response = await Self.ask(
                    worker, "PATCH", "/v1/items/\(id)", body, "Content-Type: application/json-patch+json; a=b\r\n")
                #expect(response.status == status && response.body.contains(expected), "\(body): \(response.body)")
                if status != 200 { #expect(response.body.contains("\"status\":\(status)"), "\(response.body)") }
            }
            let left = await Self.ask(worker, "GET", "/v1/items/2")
            #expect(left.body == #"{"id":2,"name":"Banana","price":2,"maker":{"land":"CO"},"tags":[],"tag":"a"}"#)
            let old = await Self.ask(
                worker, "PATCH", "/v1/items/2", "[]",
                "Content-Type: application/json-patch+json\r\nIf-Match: \"0\"\r\n")
            #expect(old.status == 412)
        }
    }

    @Test func `a query selects, sorts and pages`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            for (query, ids, total) in [
                ("name=apple", ["1"], "1"), ("name=apple&name=cherry", ["1", "3"], "2"), ("price=3.0", ["1"], "1"),
                ("maker.land=DE", ["3"], "1"), ("tags=sweet", ["1"], "1"), ("name=nothing", [], "0"),
                ("price_gte=3", ["1", "3"], "2"), ("price_lt=3", ["2"], "1"), ("price_gt=2&price_lte=9", ["1"], "1"),
                ("name_ne=apple", ["2", "3"], "2"), ("name_like=AN", ["2"], "1"), ("q=de", ["3"], "1"),
                ("_sort=price", ["2", "1", "3"], "3"), ("_sort=-price", ["3", "1", "2"], "3"),
                ("_sort=name&_order=desc", ["3", "1", "2"], "3"), ("_sort=maker.land,price", ["2", "3", "1"], "3"),
                ("_page=2&_limit=2", ["3"], "3"), ("_page=9&_per_page=2", [], "3"), ("_limit=1", ["1"], "3"),
                ("_start=1&_end=2", ["2"], "3"), ("_start=1&_limit=9", ["2", "3"], "3"),
                ("_=17", ["1", "2", "3"], "3"),
            ] as [(String, [String], String)] {
                let response = await Self.ask(worker, "GET", "/v1/items?\(query)")
                #expect(response.ids == ids && response.field("X-Total-Count") == total, "\(query): \(response.body)")
            }
            let page = await Self.ask(worker, "GET", "/v1/items?_page=2&price_gt=1&_limit=1")
            #expect(
                page.field("Link")
                    == ["first": 1, "prev": 1, "next": 3, "last": 3].sorted { $0.value < $1.value }
                    .sorted { Self.order($0.key) < Self.order($1.key) }
                    .map { "<http://localhost/v1/items?_page=\($0.value)&price_gt=1&_limit=1>; rel=\"\($0.key)\"" }
                    .joined(separator: ", "))
            for query in [
                "_page=0", "_page=x", "_limit=-1", "_order=up&_sort=a", "_embed=x", "_limit=99999999999999999999",
            ] {
                #expect(await Self.ask(worker, "GET", "/v1/items?\(query)").status == 400, "\(query)")
            }
        }
    }

    private static func order(_ name: String) -> Int { ["first", "prev", "next", "last"].firstIndex(of: name) ?? 9 }

    @Test func `entity tags tell whether an item is still the same`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            let first = try #require(await Self.ask(worker, "GET", "/v1/items/1").field("ETag"))
            #expect(await Self.ask(worker, "GET", "/v1/items/1", nil, "If-None-Match: \(first)\r\n").status == 304)
            let rows: [(String, String, String?, Int)] = [
                ("PUT", "If-Match: \"x\"", "{}", 412), ("PUT", "If-Match: W/\(first)", "{}", 412),
                ("PATCH", "If-None-Match: *", "{}", 412), ("DELETE", "If-Match: \"x\", \"y\"", nil, 412),
                ("PATCH", "If-Match: \"x\", \(first)", #"{"price": 4}"#, 200),
                ("PATCH", "If-Match: \(first)", "{}", 412),
                ("GET", "If-Match: \(first)", nil, 412), ("DELETE", "If-Match: *", nil, 204),
            ]
            for (method, field, body, status) in rows {
                let response = await Self.ask(worker, method, "/v1/items/1", body, field + "\r\n")
                #expect(response.status == status, "\(method) \(field)")
            }
        }
    }

    @Test func `sessions and profiles have items of their own, which a reset brings back`() async throws {
        let library = try Harness.library([
            "base": Self.profile, "only": #"{"kind": "local", "extends": "base", "routes": []}"#,
        ])
        try await MemoryWorker.run(library: library) { worker in
            let one = try worker.active.start(SessionWish(), now: worker.loop.core.now, at: 0)
            let two = try worker.active.start(SessionWish(), now: worker.loop.core.now, at: 0)
            let own = #"{"name": "own", "path": "/own", "mock": {"collection": [{"id": 7}]}}"#
            _ = try worker.active.add(Array(own.utf8), to: two.id, isTrusted: false, now: 0)
            let (first, second) = ("Shunt-Session: \(one.id)\r\n", "Shunt-Session: \(two.id)\r\n")
            func ids(_ path: String, _ fields: String) async -> [String] {
                await Self.ask(worker, "GET", path, nil, fields).ids
            }
            #expect(await Self.ask(worker, "DELETE", "/v1/items/1", nil, first).status == 204)
            #expect(await Self.ask(worker, "DELETE", "/v1/items/2", nil, "Shunt-Profile: base\r\n").status == 204)
            #expect(await Self.ask(worker, "POST", "/own", "{}", second).body == #"{"id":8}"#)
            #expect(await ids("/v1/items", first) == ["2", "3"])
            #expect(await ids("/v1/items", second) == ["1", "2", "3"])
            #expect(await ids("/v1/items", "") == ["1", "2", "3"])
            #expect(await ids("/v1/items", "Shunt-Profile: base\r\n") == ["1", "3"])
            // Other routes of the session leave it as it is; the same route posted anew begins anew.
            _ = try worker.active.add(
                Array(#"{"path": "/x", "mock": {}}"#.utf8), to: two.id, isTrusted: false, now: 0)
            #expect(await ids("/own", second) == ["7", "8"])
            _ = try worker.active.add(Array(own.utf8), to: two.id, isTrusted: false, now: 0)
            #expect(await ids("/own", second) == ["7"])
            try worker.active.removeRoutes(nil, of: one.id, now: 0)
            #expect(await ids("/v1/items", first) == ["1", "2", "3"])
        }
    }

    @Test func `shunt mocks reset brings back the items of one profile`() async throws {
        let harness = try await Harness.start(profiles: ["only": Self.profile, "other": Self.profile], active: "only")
        func ids(_ fields: String = "") async throws -> [String] {
            Response("HTTP/1.1 200 OK\r\n\r\n" + (try await askOnce(harness.port, "GET", "/v1/items", fields).body)).ids
        }
        let other = "Shunt-Profile: other\r\n"
        _ = try await askOnce(harness.port, "DELETE", "/v1/items/1")
        _ = try await askOnce(harness.port, "DELETE", "/v1/items/2", other)
        let profile = try #require(harness.proxy.profiles?.library["only"])
        try harness.proxy.change(.reset, ["v1-notes"], of: profile)
        #expect(try await ids() == ["2", "3"])
        try harness.proxy.change(.reset, ["items"], of: profile)
        #expect(try await ids() == ["1", "2", "3"])
        #expect(try await ids(other) == ["1", "3"])
        await harness.stop()
    }

    @Test func `a file is what the items begin with, and is never written`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/items.json"
        _ = try folder.write("items.json", "// json5\n[{id: 1}]")
        let profile = #"{"kind": "local", "routes": [{"path": "/i", "mock": {"collection": "\#(path)"}}]}"#
        let harness = try await Harness.start(profiles: ["only": profile], active: "only")
        func body(_ method: String = "GET", _ body: String = "") async throws -> String {
            try await askOnce(harness.port, method, "/i", "", body).body
        }
        #expect(try await body() == #"[{"id":1}]"#)
        // As long as nothing has changed, a changed file is used at once.
        _ = try folder.write("items.json", "[{\"id\": 2}]")
        #expect(try await body() == #"[{"id":2}]"#)
        #expect(try await body("POST", "{}") == #"{"id":3}"#)
        _ = try folder.write("items.json", "[\n  {\"id\": 4},\n  {\"id\": }]")
        #expect(try await body().contains("is no collection: line 3, column 10"))
        await harness.stop()
        let problems = #expect(throws: ProfileProblems.self) { try Harness.library(["only": profile]) }
        #expect(problems?.all.map(\.file) == [path] && problems?.all.map(\.line) == [3])
    }

    @Test func `a collection does not grow without end`() async throws {
        try await MemoryWorker.run(profile: Self.profile) { worker in
            let long = #"{"text": "\#(String(repeating: "x", count: 1_000_000))"}"#
            var statuses: [Int] = []
            for _ in 0..<5 {
                let client = await worker.connect(
                    "POST /v1/notes HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(long.utf8.count)\r\n\r\n\(long)")
                statuses.append(Response(await worker.response(to: client)).status)
            }
            #expect(statuses == [201, 201, 201, 201, 507])
            #expect(await Self.ask(worker, "POST", "/v1/items", "{}").status == 201)
        }
    }
}
