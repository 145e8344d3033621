import Admin
import Engine
import Foundation
import JSON
import TestSupport
import Testing

/// The inspector's way in, and the ways round it.
@Suite struct InspectorTests {
    /// An admin interface with an inspector, and a browser that has logged in.
    struct Browser {
        let admin: AskedAdmin
        let cookie: String
        let key: String

        init(_ admin: AskedAdmin) async throws {
            self.admin = admin
            let code = try await Self.code(admin)
            let response = try await Self.logIn(admin, code)
            #expect(response.status == 200)
            let line = try #require(response.head.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") })
            #expect(line.contains("; HttpOnly") && line.contains("; SameSite=Strict") && line.contains("; Path=/"))
            cookie = String(line.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" })
            key = try #require(try response.json["key"]?.string)
        }

        static func code(_ admin: AskedAdmin) async throws -> String {
            let link = try await admin.ask("POST", "/v1/inspector/link", "Content-Type: application/json\r\n")
            let url = try #require(try link.json["url"]?.string)
            #expect(url.hasPrefix("http://127.0.0.1:\(admin.server.port)/#login="))
            return String(try #require(url.split(separator: "=").last))
        }

        static func logIn(_ admin: AskedAdmin, _ code: String, _ fields: String = "") async throws
            -> AskedAdmin.Response
        {
            try await admin.ask(
                "POST", "/v1/inspector/login", "Content-Type: application/json\r\n\(fields)",
                body: #"{"code": "\#(code)"}"#, token: nil)
        }

        var usual: String { "Cookie: \(cookie)\r\nShunt-Inspector: \(key)\r\n" }

        func ask(_ target: String, _ fields: String, method: String = "GET", body: String = "") async throws
            -> AskedAdmin.Response
        {
            try await admin.ask(method, target, fields, body: body, token: nil)
        }
    }

    private static let web = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/Admin/Inspector/Web").standardized.path

    /// Runs a module of the page's own that imports others, and returns what it prints.
    private func node(_ script: String) throws -> String {
        let result = try ChildProcess.run(
            "/usr/bin/env", ["node", "--input-type=module", "-e", script.replacing("WEB", with: "file://" + Self.web)])
        #expect(result.status == 0, "\(result)")
        return result.output
    }

    private static let hasNode = FileManager.default.isExecutableFile(atPath: "/usr/bin/node")

    @Test(.enabled(if: hasNode, "node is not installed"))
    func `the list loses no rows between those that it has`() throws {
        let output = try node(
            """
            import { Rows, LIMIT } from "WEB/rows.js";
            const rows = new Rows();
            const some = (from, count) => Array.from({ length: count }, (_, index) => ({ id: from + index }));
            rows.take(some(200000, 300));
            rows.prepend(some(194000, 6000));
            rows.take(some(200300, LIMIT - 6300));
            console.log(rows.all.length === LIMIT, rows.isFull, rows.prepend(some(190000, 4000)));
            rows.take(some(200300 + LIMIT - 6300, 5001));
            console.log(rows.all.length === LIMIT, rows.dropped, rows.first, rows.isFull);
            console.log(rows.all.every((row, index) => index === 0 || row.id === rows.all[index - 1].id + 1));
            """)
        #expect(output == "true true 0\ntrue 5001 199001 true\ntrue\n")
    }

    @Test(.enabled(if: hasNode, "node is not installed"))
    func `an exchange that ends late makes no hole in front of the list`() throws {
        let output = try node(
            """
            import { Rows } from "WEB/rows.js";
            const rows = new Rows();
            console.log(rows.take([{ id: 100 }, { id: 101 }]), rows.take([{ id: 101 }, { id: 102 }]), rows.take([{ id: 5 }]), rows.first);
            console.log(rows.prepend([{ id: 98 }, { id: 99 }]), rows.first);
            rows.isWhole = true;
            console.log(rows.take([{ id: 97 }]), rows.first);
            """)
        #expect(output == "2 1 0 100\n2 98\n0 97\n")
    }

    @Test(.enabled(if: hasNode, "node is not installed"))
    func `text becomes one word of the filter language, and paths one endpoint`() throws {
        let output = try node(
            #"""
            import { pattern, quoted } from "WEB/filter.js";
            import { endpoints } from "WEB/numbers.js";
            for (const text of ["a.b", "a b", 'a"b', "it's", "(a)", "a\\.b", "a & ~e"]) console.log(quoted(text));
            console.log(pattern("a.b/(c)?"));
            const paths = ["/v1/cart/7", "/v1/cart/12?x=1", "/v1/cart/x7", "/v1/0f8fad5b-d9cb-469f-a165-70867728950e/items"];
            console.log([...endpoints(paths.map(path => ({ method: "GET", host: "a", path }))).keys()].join(" "));
            """#)
        #expect(
            output == #"""
                a.b
                "a b"
                "a\"b"
                "it's"
                "(a)"
                a\.b
                "a & ~e"
                a\.b/\(c\)\?
                GET a/v1/cart/* GET a/v1/cart/x7 GET a/v1/*/items

                """#)
    }

    @Test(.enabled(if: hasNode, "node is not installed"))
    func `a command of curl becomes a request, and what it cannot have is named`() throws {
        let output = try node(
            #"""
            import { parseCurl } from "WEB/curl.js";
            const form = "Content-Type: application/x-www-form-urlencoded";
            const cases = [
                ["curl https://a.test/b?c=d", "GET https://a.test/b?c=d"],
                [`curl -sSX PUT -H 'A: b' -H "C: d\\"e" --data-raw $'{"x":"it\\'s\\n"}' \\\n --compressed 'http://a.test/'`,
                 `PUT http://a.test/|A: b|C: d"e|${form}|{"x":"it's\n"}`],
                ["curl a.test -d a=1 -d b=2 -u me:ü", `POST http://a.test|Authorization: Basic bWU6w7w=|${form}|a=1&b=2`],
                ["curl -G a.test/x?y=1 --data-urlencode 'q=a b'", "GET http://a.test/x?y=1&q=a%20b"],
                ["curl -I http://a/ -o file -H 'X-Empty;' -H 'Accept:' -b a=b", "HEAD http://a/|X-Empty: |Cookie: a=b"],
                ["curl --json '{}' http://a", "POST http://a|Content-Type: application/json|Accept: application/json|{}"],
                ["curl http://a -F x=@y -d @file --data-raw @text", `POST http://a|${form}|@text|left -F, -d @file`],
                ["curl 'http://a/$HOME`id`'", "GET http://a/$HOME`id`"],
            ];
            for (const [command, wanted] of cases) {
                const { method, url, fields, body, left } = parseCurl(command);
                const found = [`${method} ${url}`, ...fields.map(pair => pair.join(": ")), ...(body ? [body] : []), ...(left.length ? [`left ${left.join(", ")}`] : [])].join("|");
                if (found !== wanted) console.log(found, "and not", wanted);
            }
            console.log(parseCurl("wget http://a"), parseCurl("http://a"), parseCurl(""));
            """#)
        #expect(output == "null null null\n")
    }

    @Test(.enabled(if: hasNode, "node is not installed"))
    func `the phases of an exchange take all of its time`() throws {
        let output = try node(
            """
            import { phases, phasesOf } from "WEB/timing.js";
            const none = { dns: null, connect: null, tls: null, send: null, wait: null, receive: null };
            const cases = [
                [{ ...none, total: 90 }, "queued 90"],
                [{ ...none, send: 1, wait: 7, receive: 2, total: 30 }, "queued 20, send 1, wait 7, receive 2"],
                [{ dns: 1, connect: 2, tls: 3, send: 1, wait: 7, receive: 2, total: 30 }, "queued 14, resolve 1, connect 2, tls 3, send 1, wait 7, receive 2"],
                [{ ...none, wait: 9, total: 8 }, "queued 0, wait 9"],
            ];
            for (const [timings, wanted] of cases) {
                const found = phases(timings).map(part => part.join(" ")).join(", ");
                if (found !== wanted) console.log(found, "and not", wanted);
            }
            console.log(phasesOf({ ms: 30, connect: 6, wait: 8, receive: 2 }).join(";"));
            """)
        #expect(output == "queued,14;connect,6;wait,8;receive,2\n")
    }

    @Test func `a link logs one browser in, once`() async throws {
        let admin = try await AskedAdmin(hasInspector: true)
        let browser = try await Browser(admin)
        #expect(try await browser.ask("/v1/status", browser.usual).status == 200)
        let code = try await Browser.code(admin)
        #expect(try await Browser.logIn(admin, code).status == 200)
        for code in [code, "", "0", String(repeating: "0", count: 64), code + "0", code.uppercased()] {
            let again = try await Browser.logIn(admin, code)
            #expect(again.status == 401 && !again.head.contains("Set-Cookie") && !again.body.contains(browser.key))
        }
        await admin.stop()
    }

    @Test func `of many links only the last eight are valid`() async throws {
        let admin = try await AskedAdmin(hasInspector: true)
        var codes: [String] = []
        for _ in 0..<9 { codes.append(try await Browser.code(admin)) }
        #expect(try await Browser.logIn(admin, codes[0]).status == 401)
        for code in codes.dropFirst() { #expect(try await Browser.logIn(admin, code).status == 200) }
        await admin.stop()
    }

    @Test func `neither the cookie nor the key opens anything alone, nor both from elsewhere`() async throws {
        let admin = try await AskedAdmin(hasInspector: true)
        let browser = try await Browser(admin)
        let (cookie, key) = ("Cookie: \(browser.cookie)\r\n", "Shunt-Inspector: \(browser.key)\r\n")
        let port = admin.server.port
        // What a page at another port, at another site, or a server that got the cookie could send.
        for (fields, status) in [
            (cookie, 401), (key, 401), (cookie + "Shunt-Inspector: 1\r\n", 401),
            (key + "Cookie: \(browser.cookie.prefix(20))\r\n", 401),
            // The name of another port, and a value that only begins alike.
            (key + cookie.replacingOccurrences(of: "-\(port)=", with: "-1="), 401),
            (key + "Cookie: \(browser.cookie)0\r\n", 401),
            ("Authorization: Bearer \(browser.key)\r\n", 401),
            (cookie + "Authorization: Bearer \(browser.key)\r\n", 401),
            (cookie + key + "Sec-Fetch-Site: same-site\r\n", 401),
            (cookie + key + "Sec-Fetch-Site: cross-site\r\n", 401),
            (cookie + key + "Sec-Fetch-Site: none\r\n", 401),
            (cookie + key + "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n", 401),
            (cookie + key + "Origin: http://127.0.0.1:1\r\n", 403), (cookie + key + "Origin: null\r\n", 403),
            (cookie + key + "Origin: https://127.0.0.1:\(port)\r\n", 403),
            (cookie + key + "Origin: http://127.0.0.1:\(port)\r\nSec-Fetch-Site: same-origin\r\n", 200),
            ("Cookie: a=b; \(browser.cookie); c=d\r\n" + key, 200),
        ] {
            #expect(try await browser.ask("/v1/status", fields).status == status, "\(fields)")
        }
        await admin.stop()
    }

    @Test func `the page changes nothing without the type of its body`() async throws {
        let admin = try await AskedAdmin(hasInspector: true)
        let browser = try await Browser(admin)
        let form = "Content-Type: application/x-www-form-urlencoded\r\n"
        #expect(
            try await browser.ask(
                "/v1/use", browser.usual + form, method: "POST", body: "profile=staging"
            ).status == 415)
        let json = "Content-Type: application/json\r\n"
        let used = try await browser.ask(
            "/v1/use", browser.usual + json, method: "POST", body: #"{"profile": "staging"}"#)
        #expect(used.status == 200 && admin.proxy.profiles?.active == "staging")
        await admin.stop()
    }

    @Test(arguments: ["evil.test", "127.0.0.1", "127.0.0.1.evil.test:PORT", "localhost:1", "0.0.0.0:PORT", "[::]:PORT"])
    func `a name that was bound to this machine gets neither page nor login`(host: String) async throws {
        let admin = try await AskedAdmin(hasInspector: true)
        let browser = try await Browser(admin)
        let name = host.replacingOccurrences(of: "PORT", with: "\(admin.server.port)")
        for (method, target) in [("GET", "/"), ("GET", "/v1/status"), ("POST", "/v1/inspector/login")] {
            let response = try await admin.ask(method, target, browser.usual, token: nil, host: name)
            #expect(response.status == 403, "\(name) \(target)")
        }
        await admin.stop()
    }

    @Test func `a browser that is not logged in gets a page that says how, under the same policy`() async throws {
        let admin = try await AskedAdmin(hasInspector: true)
        let browser = try await Browser(admin)
        let (page, login) = (
            try await browser.ask("/", browser.usual), try await browser.ask("/", "Cookie: shunt-inspector-1=x\r\n")
        )
        #expect(page.status == 200 && page.body.contains("main.js"))
        #expect(login.status == 200 && login.body.contains("shunt inspect") && !login.body.contains("main.js"))
        for response in [page, login] {
            func field(_ name: String) -> String? {
                response.head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }
                    .map { String($0.dropFirst(name.count + 2)) }
            }
            let policy = try #require(field("Content-Security-Policy"))
            for part in [
                "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
                "form-action 'none'", "require-trusted-types-for 'script'",
            ] { #expect(policy.contains(part)) }
            #expect(!policy.contains("unsafe") && !policy.contains("http"))
            #expect(field("X-Content-Type-Options") == "nosniff" && field("X-Frame-Options") == "DENY")
            #expect(field("Referrer-Policy") == "no-referrer" && field("Cross-Origin-Opener-Policy") == "same-origin")
            #expect(field("Cache-Control") == "no-store" && field("Cross-Origin-Resource-Policy") == "same-origin")
            // Nothing but files of its own, and no script within.
            #expect(!response.body.contains("http:") && !response.body.contains("https:"))
            #expect(response.body.matches(of: /<script(?![^>]* src="\/inspector\/)/).isEmpty)
            #expect(response.body.matches(of: /<style| on[a-z]+=| style=/).isEmpty)
        }
        await admin.stop()
    }

    @Test func `files are named by their contents, compressed, and kept for ever`() async throws {
        let admin = try await AskedAdmin(hasInspector: true)
        let page = try await admin.ask("GET", "/", "Cookie: x=y\r\n", token: nil)
        let path = try #require(page.body.firstMatch(of: /src="(\/inspector\/[0-9a-f]{16}\/)login.js"/)).1
        let plain = try await admin.ask("GET", "\(path)main.js", token: nil)
        #expect(plain.status == 200 && plain.head.contains("Content-Type: text/javascript"))
        #expect(plain.head.contains("immutable") && plain.head.contains("Content-Security-Policy"))
        let tag = try #require(plain.head.firstMatch(of: /ETag: ("[0-9a-f]+")/)).1
        #expect(try await admin.ask("GET", "\(path)main.js", "If-None-Match: \(tag)\r\n", token: nil).status == 304)
        let coded = try await admin.ask("HEAD", "\(path)main.js", "Accept-Encoding: gzip, deflate, br\r\n", token: nil)
        #expect(coded.head.contains("Content-Encoding: deflate"))
        for wrong in [
            "/inspector/0000000000000000/main.js", "\(path)", "\(path)../main.js", "\(path)index.html",
            "\(path)nothing.js",
        ] {
            #expect(try await admin.ask("GET", wrong, token: nil).status == 404, "\(wrong)")
        }
        await admin.stop()
    }

    @Test func `every file of the folder is embedded as it is`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/Admin/Inspector/Web")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(InspectorAssets.embedded.map(\.name) == names)
        for (name, bytes) in InspectorAssets.embedded {
            #expect(Array(try Data(contentsOf: folder.appendingPathComponent(name))) == bytes, "\(name)")
        }
    }

    @Test func `all scripts are less than 150 KB on their way`() throws {
        let scripts = InspectorAssets.embedded.filter { $0.name.hasSuffix(".js") }
        let size = scripts.map { InspectorAssets.deflated($0.bytes).count }.reduce(0, +)
        #expect(size < 150_000 && scripts.count > 30)
    }

    @Test func `without an inspector there is neither page nor login`() async throws {
        let admin = try await AskedAdmin()
        #expect(try await admin.ask("GET", "/", token: nil).status == 401)
        #expect(try await admin.ask("GET", "/").status == 404)
        let json = "Content-Type: application/json\r\n"
        #expect(try await admin.ask("POST", "/v1/inspector/link", json).status == 409)
        #expect(
            try await admin.ask("POST", "/v1/inspector/login", json, body: #"{"code": "0"}"#, token: nil).status == 409)
        await admin.stop()
    }

    @Test func `a login outlives a restart, unless the file may be others'`() throws {
        let folder = try TemporaryFolder()
        let profiles = folder.path + "/Profiles"
        func secrets() -> String {
            _ = InspectorSecrets.kept(profilesDirectory: profiles)
            return (try? folder.read(".shunt/inspector.json")) ?? ""
        }
        let first = secrets()
        #expect(first.contains("\"cookie\"") && secrets() == first)
        let path = folder.path + "/.shunt/inspector.json"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        for text in [
            "", "{}", #"{"cookie": "a", "key": "b"}"#,
            first.replacingOccurrences(of: "\"key\": \"", with: "\"key\": \"g"),
        ] {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
            #expect(secrets() != text)
        }
        let kept = secrets()
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(secrets() != kept)
    }
}
