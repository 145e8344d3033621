import Admin
import Engine
import Foundation
import JSON
import Profiles
import Reactor
import Synchronization
import TestSupport
import Testing

/// The pages for devices, asked over real sockets.
@Suite struct PageTests {
    private func shown(
        from client: String? = nil, _ devices: Devices, locks: Locks = Locks(), port: UInt16 = 1,
        library: ProfileLibrary? = nil,
        _ didChange: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) throws -> ShownPages {
        let library = try library ?? environments()
        let pages = DevicePages(
            devices: devices, locks: locks,
            choose: { request in
                let view = DeviceView(devices)
                let cookie = ContiguousArray((request.field("Cookie") ?? "").utf8)
                var (name, source) = ("local", ProfileChoice.Source.active)
                if let device = view.device(inCookie: cookie.span) {
                    if let profile = device.profile { (name, source) = (profile, .token) }
                } else if let profile = view.device(at: request.client)?.profile {
                    (name, source) = (profile, .address)
                }
                return ProfileChoice(profile: name, source: source, library: library, active: "local")
            }, didChange: didChange)
        pages.listens(on: port)
        return ShownPages(pages: pages, client: client.flatMap { SocketAddress(literal: $0, port: 5) })
    }

    @Test func `a phone pairs itself, chooses, and is forgotten`() async throws {
        let devices = Devices()
        let events = Mutex<[String]>([])
        let asked = try await Asked(
            try shown(from: "192.168.1.7", devices) { event in
                events.withLock {
                    switch event {
                    case .app(let name, _): $0.append(name)
                    case .paired(let device): $0.append("paired \(device.name)")
                    case .assigned(let device): $0.append("\(device.name) \(device.profile ?? "-")")
                    case .forgotten(let name): $0.append("forgotten \(name)")
                    }
                }
            })
        let before = try await asked.get("/")
        #expect(before.status == "200" && before.body.contains("<h1>local</h1>"))
        #expect(before.body.contains("name=\"code\"") && !before.body.contains("value=\"staging\""))
        let code = devices.issueCode().text
        // Whatever fetches the link of the QR code changes nothing.
        for _ in 0..<10 {
            let link = try await asked.get("/pair?code=\(code)")
            #expect(link.status == "200" && link.body.contains("value=\"\(code)\""))
        }
        #expect(devices.list.isEmpty)
        let paired = try await asked.post("/pair", "code=\(code)")
        #expect(paired.status == "303" && paired.field("Location") == "/")
        let cookie = try #require(paired.cookie)
        #expect(
            paired.field("Set-Cookie")
                == "\(cookie); Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict")
        #expect(cookie.wholeMatch(of: /shunt-device=[0-9a-f]{32}/) != nil)
        let page = try await asked.get("/", "Cookie: a=b; \(cookie)\r\n")
        #expect(page.body.contains("production, read-only") && page.body.contains("value=\"staging\""))
        let key = "key=" + (try await asked.key(cookie))
        let used = try await asked.post(
            "/use", "profile=staging&\(key)", "Cookie: \(cookie)\r\nOrigin: http://app.test:1\r\n")
        #expect(used.status == "303" && used.cookie == nil)
        // By its token, and everything else on the phone by its address.
        #expect(try await asked.get("/", "Cookie: \(cookie)\r\n").body.contains("<h1>staging</h1>"))
        let other = try JSONReader.read(try await asked.get("/status.json").body)
        #expect(other["profile"]?.string == "staging" && other["source"]?.string == "address")
        let back = try await asked.post(
            "/use", "active=1&\(key)", "Cookie: \(cookie)\r\nOrigin: http://app.test:1\r\n")
        #expect(back.status == "303" && devices.list.map(\.profile) == [nil])
        let gone = try await asked.post(
            "/forget", key, "Cookie: \(cookie)\r\nOrigin: http://app.test:1\r\n")
        #expect(gone.status == "303" && gone.field("Set-Cookie")?.contains("Max-Age=0") == true)
        #expect(devices.list.isEmpty)
        await asked.stop()
        #expect(
            events.withLock { $0 }
                == ["paired iPhone", "iPhone staging", "iPhone -", "forgotten iPhone"])
    }

    @Test(arguments: [
        // What a browser says of where a form comes from, and whether that is the page itself.
        ("Origin: http://app.test:1\r\n", true), ("Origin: HTTP://APP.TEST:1\r\n", true),
        ("Origin: http://app.test:1\r\nSec-Fetch-Site: same-origin\r\n", true),
        (own + "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n", true),
        ("", false), ("Origin: null\r\n", false), ("Origin: http://evil.test\r\n", false),
        ("Origin: https://app.test:1\r\n", false), ("Origin: http://app.test\r\n", false),
        ("Origin: http://app.test:11\r\n", false), ("Origin: http://app.test:1.evil.test\r\n", false),
        ("Origin: app.test:1\r\n", false), ("Origin: http://app.test:1/\r\n", false),
        ("Origin: http://evil.test, http://app.test:1\r\n", false), (own + "Origin: http://evil.test\r\n", false),
        // No word of where it comes from but this.
        ("Sec-Fetch-Site: same-origin\r\n", false),
        // Proxied pages at the same host: another port.
        ("Origin: http://app.test:4884\r\n", false),
        ("Origin: http://app.test:4884\r\nSec-Fetch-Site: same-site\r\nSec-Fetch-Mode: navigate\r\n", false),
        (own + "Sec-Fetch-Site: same-site\r\n", false), (own + "Sec-Fetch-Site: cross-site\r\n", false),
        (own + "Sec-Fetch-Site: none\r\n", false),
        (own + "Sec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n", false),
        // Said twice, whichever comes first.
        (own + "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n", false),
        (own + "Sec-Fetch-Site: same-origin, cross-site\r\n", false),
        (own + "Sec-Fetch-Dest: document\r\nsec-fetch-dest: iframe\r\n", false),
        (own + "Sec-Fetch-Mode: no-cors\r\n", false), (own + "Sec-Fetch-Dest: iframe\r\n", false),
    ])
    func `only the page itself changes anything`(fields: String, isTaken: Bool) async throws {
        let devices = Devices()
        let asked = try await Asked(try shown(devices))
        let code = devices.issueCode().text
        let response = try await asked.post("/pair", "code=\(code)", fields)
        #expect(response.status == (isTaken ? "303" : "403"))
        #expect(devices.list.count == (isTaken ? 1 : 0))
        await asked.stop()
    }

    private static let own = "Origin: http://app.test:1\r\n"

    @Test(arguments: [
        // The port of the pages, whether over TLS, the host, the origin, and what comes of it.
        (80, false, "app.test", "http://app.test", 303), (80, false, "app.test:80", "http://app.test", 303),
        (80, false, "app.test", "http://app.test:80", 303), (80, false, "[::1]", "http://[::1]:80", 303),
        (80, false, "app.test", "https://app.test", 403), (80, true, "app.test:80", "http://app.test:80", 403),
        (443, true, "app.test", "https://app.test:443", 303), (443, true, "app.test", "http://app.test:443", 403),
        (81, false, "[::1]:81", "http://[::1]", 403), (81, false, "[::1]:81", "http://[::1]:81", 303),
        // What is meant for another port is another origin's, also where that origin says so itself: an Alt-Svc field
        // of a proxied page can lead the browser here.
        (81, false, "app.test", "http://app.test", 421), (81, false, "app.test:4884", "http://app.test:4884", 421),
        (81, true, "app.test:4884", "https://app.test:4884", 421), (81, false, "", "http://app.test:81", 421),
        (81, false, "app.test:81x", "http://app.test:81x", 421),
    ])
    func `a port is part of an origin, and the pages know theirs`(
        port: UInt16, isSecure: Bool, host: String, origin: String, status: Int
    ) async throws {
        let devices = Devices()
        let pages = try shown(devices, port: port)
        let body = "code=\(devices.issueCode().text)"
        let response = await pages.response(
            HandledRequest(
                method: "POST", target: "/pair", authority: host,
                fields: [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"), ("Origin", origin)],
                body: Array(body.utf8), client: .loopback(.ipv4, port: 9), isSecure: isSecure))
        #expect(response.status == status && devices.list.count == (status == 303 ? 1 : 0))
    }

    @Test(arguments: [
        ("localhost", true), ("127.0.0.1", true), ("192.168.1.5", true), ("8.8.8.8", true), ("[fd00::7]", true),
        ("mac.local", true), ("MAC", true), ("app.test.", true), ("API.shop.com", true), ("api.shop.com.", true),
        ("staging--api.shop.com", true), ("a.b.shop.net", true), ("staging--a.shop.net", true),
        ("evil.com", false), ("evil--api.shop.com", false), ("api.shop.com.evil.com", false), ("shop.net", false),
        ("localhost.evil.com", false), ("127.0.0.1.nip.io", false), ("xapi.shop.com", false),
        ("0x7f.1.evil.com", false),
        ("api.shop.com@evil.com", false), ("a..b", false),
    ])
    func `a stranger's name does not lead to the pages`(host: String, isKnown: Bool) async throws {
        let routes = ["api.shop.com", "*.shop.net", "*"].map { #"{"host": "\#($0)", "mock": {}}"# }
        let library = try ProfileLibrary.load(
            files: [
                ("local", #""kind": "local", "routes": [\#(routes.joined(separator: ", "))]"#),
                ("staging", #""kind": "staging", "routes": []"#),
            ].map { (path: "Profiles/\($0.0).json", bytes: Array("{\($0.1)}".utf8)) })
        let devices = Devices()
        let pages = try shown(devices, library: library)
        let code = devices.issueCode().text
        for (method, target) in [("GET", "/"), ("HEAD", "/pair"), ("GET", "/status.json"), ("POST", "/pair")] {
            let response = await pages.response(
                HandledRequest(
                    method: method, target: target, authority: host + ":1",
                    fields: [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "http://\(host):1")],
                    body: Array("code=\(code)".utf8), client: .loopback(.ipv4, port: 9), isSecure: false))
            #expect(response.status == (isKnown ? method == "POST" ? 303 : 200 : 421), "\(method) \(target)")
        }
        #expect(devices.list.count == (isKnown ? 1 : 0))
    }

    @Test func `a form is good for the device that it was made for`() async throws {
        let devices = Devices()
        let asked = try await Asked(try shown(devices))
        let cookies = try (0..<2).map { _ in
            let code = devices.issueCode().text
            return "shunt-device="
                + (try devices.pair(code: code, from: .loopback(.ipv4, port: 1), userAgent: "curl/8").token)
        }
        let keys = [try await asked.key(cookies[0]), try await asked.key(cookies[1])]
        for (cookie, key, changed) in [
            (cookies[0], "", nil), (cookies[0], "key=", nil), (cookies[0], "key=\(keys[1])", nil),
            (cookies[0], "key=\(keys[0])0", nil), ("", "key=\(keys[0])", nil),
            (cookies[0], "key=\(keys[0])", "curl"), (cookies[1], "key=\(keys[1])", "curl-2"),
            // Whichever the browser sends first.
            ("shunt-device=bad; " + cookies[0] + "; " + cookies[1], "key=\(keys[1])", "curl-2"),
        ] as [(String, String, String?)] {
            for name in ["curl", "curl-2"] { devices.assign("local", to: name) }
            let response = try await asked.post(
                "/use", "profile=production&\(key)", Self.own + "Cookie: \(cookie)\r\n")
            #expect(response.status == (changed == nil ? "403" : "303"), "\(cookie) \(key)")
            #expect(devices.list.filter { $0.profile == "production" }.map(\.name) == (changed.map { [$0] } ?? []))
        }
        let kept = try await asked.post("/forget", "key=\(keys[1])", Self.own + "Cookie: \(cookies[0])\r\n")
        #expect(kept.status == "403" && devices.list.count == 2)
        let gone = try await asked.post("/forget", "key=\(keys[0])", Self.own + "Cookie: \(cookies[0])\r\n")
        #expect(gone.status == "303" && devices.list.map(\.name) == ["curl-2"])
        await asked.stop()
    }

    @Test(arguments: ["text/plain", "multipart/form-data", "application/json"])
    func `other content than a form's is refused`(type: String) async throws {
        let devices = Devices()
        let asked = try await Asked(try shown(devices))
        let body = "code=\(devices.issueCode().text)"
        let response = try await asked.send(
            "POST /pair HTTP/1.1\r\nHost: app.test:1\r\nOrigin: http://app.test:1\r\nContent-Type: \(type)\r\n"
                + "Content-Length: \(body.count)\r\n", body)
        #expect(response.status == "415" && devices.list.isEmpty)
        await asked.stop()
    }

    @Test(arguments: ["8.8.8.8", "2001:db8::1", "172.32.0.1"])
    func `clients from elsewhere get nothing`(client: String) async throws {
        let devices = Devices()
        let asked = try await Asked(try shown(from: client, devices))
        let code = devices.issueCode().text
        #expect(try await asked.get("/").status == "403")
        #expect(try await asked.get("/status.json").status == "403")
        let response = try await asked.post("/pair", "code=\(code)")
        #expect(response.status == "403" && devices.list.isEmpty)
        await asked.stop()
    }

    @Test func `an address alone, or a wrong token, changes nothing`() async throws {
        let devices = Devices()
        let home = try #require(SocketAddress(literal: "10.0.0.5", port: 0))
        devices.assign("staging", at: home)
        let asked = try await Asked(try shown(from: "10.0.0.5", devices))
        for cookie in ["", "Cookie: shunt-device=00000000000000000000000000000000\r\n", "Cookie: shunt-device=\r\n"] {
            for (target, body) in [("use", "profile=production"), ("forget", "")] {
                let response = try await asked.post(
                    "/\(target)", body, cookie + "Origin: http://app.test:1\r\n")
                #expect(response.status == "403")
            }
        }
        #expect(devices.list.map(\.profile) == ["staging"])
        #expect(try await asked.get("/").body.contains("chosen for its address"))
        await asked.stop()
    }

    @Test func `wrong codes are counted over all requests`() async throws {
        let devices = Devices()
        let asked = try await Asked(try shown(devices))
        let code = devices.issueCode().text
        for number in 1...5 {
            let response = try await asked.post("/pair", "code=AAAAAAA\(number)")
            #expect(
                response.status == "403"
                    && response.body.contains(number == 5 ? "one wrong code too many" : "not valid"))
        }
        #expect(try await asked.post("/pair", "code=\(code)").status == "403")
        #expect(devices.list.isEmpty)
        await asked.stop()
    }

    @Test(arguments: [
        ("GET", "/", "200"), ("HEAD", "/", "200"), ("GET", "/?x", "200"), ("HEAD", "/status.json", "200"),
        ("GET", "/use", "405"), ("GET", "/forget", "405"), ("PUT", "/", "405"),
        ("DELETE", "/pair", "405"), ("POST", "/status.json", "405"), ("GET", "/nothing", "404"),
        ("GET", "//", "404"), ("GET", "/pair", "200"), ("HEAD", "/pair", "200"), ("GET", "/__shunt/", "404"),
        ("OPTIONS", "/use", "405"), ("HEAD", "/use", "405"),
    ])
    func `what there is, and how it is asked for`(method: String, target: String, status: String) async throws {
        let asked = try await Asked(try shown(Devices()))
        let response = try await asked.send("\(method) \(target) HTTP/1.1\r\nHost: app.test:1\r\n")
        #expect(response.status == status)
        #expect(status != "405" || response.field("Allow") != nil)
        await asked.stop()
    }

    @Test func `no page runs scripts, is framed, kept, or says what a link put into it`() async throws {
        let asked = try await Asked(try shown(Devices()))
        for target in ["/", "/pair?code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "/none"] {
            let response = try await asked.get(target)
            #expect(
                response.field("Content-Security-Policy")
                    == "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'")
            #expect(response.field("Cache-Control") == "no-store")
            #expect(response.field("X-Frame-Options") == "DENY")
            #expect(response.field("Cross-Origin-Opener-Policy") == "same-origin")
            #expect(response.field("Cross-Origin-Resource-Policy") == "same-origin")
            #expect(!response.head.lowercased().contains("access-control-"))
            #expect(response.field("X-Content-Type-Options") == "nosniff")
            #expect(!response.body.lowercased().contains("<script") && !response.body.contains("src="))
        }
        let escaped = try await asked.get("/pair?code=%22%3E%3Cscript%3E")
        #expect(escaped.body.contains("&quot;&gt;&lt;script&gt;"))
        await asked.stop()
    }

    @Test func `a cookie that came over TLS goes over TLS only`() async throws {
        let devices = Devices()
        let pages = try shown(devices)
        let body = "code=" + devices.issueCode().text
        let response = await pages.response(
            HandledRequest(
                method: "POST", target: "/pair", authority: "app.test:1",
                fields: [
                    ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "https://app.test:1"),
                ], body: Array(body.utf8), client: .loopback(.ipv6, port: 1), isSecure: true))
        let cookie = try #require(response.fields.first { $0.name == "Set-Cookie" })
        #expect(cookie.value.hasSuffix("; SameSite=Strict; Secure"))
    }

    @Test func `a phone that comes back under another address is followed when it chooses again`() async throws {
        let devices = Devices()
        let old = try #require(SocketAddress(literal: "192.168.1.7", port: 0))
        let (_, token) = try devices.pair(code: devices.issueCode().text, from: old, userAgent: "iPhone")
        let asked = try await Asked(try shown(from: "192.168.1.8", devices))
        let cookie = "Cookie: \(DeviceToken.cookie)=\(token)\r\n"
        #expect(try await asked.get("/", cookie).body.contains("another address"))
        #expect(devices.list.map { $0.address?.host } == ["192.168.1.7"])
        let key = try await asked.key("\(DeviceToken.cookie)=\(token)")
        _ = try await asked.post("/use", "profile=staging&key=\(key)", cookie + "Origin: http://app.test:1\r\n")
        #expect(devices.list.map { $0.address?.host } == ["192.168.1.8"])
        let missing = try await asked.post(
            "/use", "profile=gone&key=\(key)", cookie + "Origin: http://app.test:1\r\n")
        #expect(missing.status == "404" && devices.list.map(\.profile) == ["staging"])
        await asked.stop()
    }

    @Test(arguments: [(["nope"], 400), (["local", "local"], 400), (["staging"], 200), ([], 200)])
    func `a request that names no profile gets no page, as it gets no response of a route`(
        names: [String], status: Int
    ) async throws {
        let proxy = try await Proxy.start(
            Proxy.Configuration(addresses: []), profiles: try environments(), active: "local")
        let pages = DevicePages(devices: proxy.devices, locks: proxy.locks, choose: { proxy.choice(for: $0) })
        pages.listens(on: 1)
        let response = await pages.response(
            HandledRequest(
                method: "GET", target: "/status.json", authority: "localhost:1",
                fields: names.map { ("Shunt-Profile", $0) }, body: [],
                client: SocketAddress(literal: "127.0.0.1", port: 5),
                isSecure: false))
        #expect(response.status == status)
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(text.contains(status == 400 ? "Shunt-Profile" : names.first ?? "local"), "\(text)")
        await proxy.drain()
        proxy.stop()
    }

    @Test func `an unlocked profile says so`() async throws {
        let devices = Devices()
        let locks = Locks()
        let (_, token) = try devices.pair(
            code: devices.issueCode().text, from: .loopback(.ipv4, port: 1), userAgent: "")
        let asked = try await Asked(try shown(devices, locks: locks))
        let cookie = "Cookie: \(DeviceToken.cookie)=\(token)\r\n"
        #expect(try await asked.get("/", cookie).body.contains("production, read-only"))
        try locks.unlock("production", seconds: 60, reason: "test")
        #expect(try await asked.get("/", cookie).body.contains("production, unlocked"))
        await asked.stop()
    }

    @Test func `what is read-only is told of every profile that asks production's origins`() async throws {
        let library = try ProfileLibrary.load(
            files: [
                ("local", #""kind": "local", "routes": [{"origin": "http://own.test"}]"#),
                ("copy", #""kind": "local", "routes": [{"origin": "http://api.test/base"}]"#),
                ("chain", #""kind": "staging", "routes": [{"origin": ["http://own.test", "profile:heir"]}]"#),
                ("heir", #""kind": "local", "extends": "production", "routes": []"#),
                ("mock", #""kind": "local", "routes": [{"mock": {}}]"#),
                ("production", #""kind": "production", "routes": [{"origin": "https://api.test"}]"#),
                ("eu", #""kind": "production", "extends": "production", "routes": []"#),
            ].map { (path: "Profiles/\($0.0).json", bytes: Array("{\($0.1)}".utf8)) })
        let devices = Devices()
        let locks = Locks()
        let (_, token) = try devices.pair(
            code: devices.issueCode().text, from: .loopback(.ipv4, port: 1), userAgent: "")
        let asked = try await Asked(try shown(devices, locks: locks, library: library))
        func told() async throws -> [String: String] {
            let page = try await asked.get("/", "Cookie: \(DeviceToken.cookie)=\(token)\r\n").body
            let buttons = page.matches(
                of: /name="profile" value="([a-z]+)"( class="production")?.*?<small>(.*?)<\/small>/)
            return Dictionary(
                uniqueKeysWithValues: buttons.map { (String($0.1), ($0.2 == nil ? "" : "marked: ") + $0.3) })
        }
        let shared = "read-only where it asks production"
        #expect(
            try await told() == [
                "local": "local", "copy": "marked: local, \(shared)", "chain": "marked: staging, \(shared)",
                "heir": "marked: local, \(shared)", "mock": "local", "production": "marked: production, read-only",
                "eu": "marked: production, read-only",
            ])
        try locks.unlock("production", seconds: 60, reason: "test")
        #expect(
            try await told() == [
                "local": "local", "copy": "marked: local, production unlocked",
                "chain": "marked: staging, production unlocked", "heir": "marked: local, production unlocked",
                "mock": "local", "production": "marked: production, unlocked", "eu": "marked: production, read-only",
            ])
        await asked.stop()
    }

    @Test(arguments: [
        // What a request to the proxy itself is told: never more than where the pages are.
        ("GET", "/__shunt", "shop.test:4884", false, 303, "http://shop.test:77/"),
        ("GET", "/__shunt/", "shop.test:4884", false, 303, "http://shop.test:77/"),
        ("HEAD", "/__shunt/", "shop.test", true, 303, "https://shop.test:77/"),
        ("GET", "/__shunt/pair?code=A%22", "[fd00::7]:1", true, 303, "https://[fd00::7]:77/pair?code=A%22"),
        ("GET", "/__shunt/status.json", "localhost", false, 303, "http://localhost:77/status.json"),
        ("GET", "/__shunt//evil.test/", "localhost", false, 303, "http://localhost:77//evil.test/"),
        ("POST", "/__shunt/use", "localhost:4884", false, 405, nil),
        ("POST", "/__shunt/pair", "localhost", true, 405, nil),
        ("POST", "/__shunt/forget", "localhost", false, 405, nil), ("PUT", "/__shunt/", "localhost", false, 405, nil),
        ("GET", "/__shunt/", "", false, 404, nil), ("GET", "/__shunt/", "user@evil.test", false, 404, nil),
        ("GET", "/__shunt/", "evil.test/x", false, 404, nil), ("GET", "/__shunt/", "a\"b", false, 404, nil),
    ])
    func `the proxy's own origin only tells where the pages are`(
        method: String, target: String, host: String, isSecure: Bool, status: Int, location: String?
    ) async throws {
        let signpost = PageSignpost()
        signpost.pagesListen(on: 77)
        let fields = [("Origin", "http://\(host)"), ("Content-Type", "application/x-www-form-urlencoded")]
        func response(from client: SocketAddress?) async -> HandledResponse {
            await signpost.response(
                HandledRequest(
                    method: method, target: target, authority: host, fields: fields, body: Array("active=1".utf8),
                    client: client, isSecure: isSecure))
        }
        let told = await response(from: SocketAddress(literal: "192.168.1.7", port: 5))
        #expect(told.status == status)
        #expect(told.fields.first { $0.name == "Location" }?.value == location)
        #expect(!told.fields.contains { $0.name == "Set-Cookie" })
        #expect(await response(from: SocketAddress(literal: "8.8.8.8", port: 5)).status == 403)
        #expect(await response(from: nil).status == 403)
    }
}
