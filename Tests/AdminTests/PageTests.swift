import Admin
import Engine
import Foundation
import JSON
import Reactor
import Synchronization
import TestSupport
import Testing

/// The page `/__shunt/`, asked over real sockets.
@Suite struct PageTests {
    private func shown(
        from client: String? = nil, _ devices: Devices, locks: Locks = Locks(),
        _ didChange: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) throws -> ShownPages {
        ShownPages(
            pages: DevicePages(devices: devices, locks: locks, didChange: didChange), devices: devices,
            library: try environments(), client: client.flatMap { SocketAddress(literal: $0, port: 5) })
    }

    @Test func `a phone pairs itself, chooses, and is forgotten`() async throws {
        let devices = Devices()
        let events = Mutex<[String]>([])
        let asked = try await Asked(
            try shown(from: "192.168.1.7", devices) { event in
                events.withLock {
                    switch event {
                    case .paired(let device): $0.append("paired \(device.name)")
                    case .assigned(let device): $0.append("\(device.name) \(device.profile ?? "-")")
                    case .forgotten(let name): $0.append("forgotten \(name)")
                    }
                }
            })
        let before = try await asked.get("/__shunt/")
        #expect(before.status == "200" && before.body.contains("<h1>local</h1>"))
        #expect(before.body.contains("name=\"code\"") && !before.body.contains("value=\"staging\""))
        let code = devices.issueCode().text
        // Whatever fetches the link of the QR code changes nothing.
        for _ in 0..<10 {
            let link = try await asked.get("/__shunt/pair?code=\(code)")
            #expect(link.status == "200" && link.body.contains("value=\"\(code)\""))
        }
        #expect(devices.list.isEmpty)
        let paired = try await asked.post("/__shunt/pair", "code=\(code)")
        #expect(paired.status == "303" && paired.field("Location") == "/__shunt/")
        let cookie = try #require(paired.cookie)
        #expect(
            paired.field("Set-Cookie")
                == "\(cookie); Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict")
        #expect(cookie.wholeMatch(of: /shunt-device=[0-9a-f]{32}/) != nil)
        let page = try await asked.get("/__shunt/", "Cookie: a=b; \(cookie)\r\n")
        #expect(page.body.contains("production, read-only") && page.body.contains("value=\"staging\""))
        let used = try await asked.post(
            "/__shunt/use", "profile=staging", "Cookie: \(cookie)\r\nOrigin: http://app.test:1\r\n")
        #expect(used.status == "303" && used.cookie == nil)
        // By its token, and everything else on the phone by its address.
        #expect(try await asked.get("/__shunt/", "Cookie: \(cookie)\r\n").body.contains("<h1>staging</h1>"))
        let other = try JSONReader.read(try await asked.get("/__shunt/status.json").body)
        #expect(other["profile"]?.string == "staging" && other["source"]?.string == "address")
        let back = try await asked.post(
            "/__shunt/use", "active=1", "Cookie: \(cookie)\r\nOrigin: http://app.test:1\r\n")
        #expect(back.status == "303" && devices.list.map(\.profile) == [nil])
        let gone = try await asked.post(
            "/__shunt/forget", "", "Cookie: \(cookie)\r\nOrigin: http://app.test:1\r\n")
        #expect(gone.status == "303" && gone.field("Set-Cookie")?.contains("Max-Age=0") == true)
        #expect(devices.list.isEmpty)
        await asked.stop()
        #expect(
            events.withLock { $0 }
                == ["paired iPhone", "iPhone staging", "iPhone -", "forgotten iPhone"])
    }

    @Test(arguments: [
        // What a browser says of where a form comes from, and whether that is the page itself.
        ("Origin: http://app.test:1\r\n", true), ("Origin: https://app.test:1\r\n", true),
        ("Origin: HTTP://APP.TEST:1\r\n", true), ("Sec-Fetch-Site: same-origin\r\n", true),
        ("Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n", true),
        ("", false), ("Origin: null\r\n", false), ("Origin: http://evil.test\r\n", false),
        ("Origin: http://app.test\r\n", false), ("Origin: http://app.test:11\r\n", false),
        ("Origin: http://app.test:1.evil.test\r\n", false), ("Origin: app.test:1\r\n", false),
        ("Sec-Fetch-Site: cross-site\r\n", false), ("Sec-Fetch-Site: same-site\r\n", false),
        ("Sec-Fetch-Site: none\r\n", false),
        ("Sec-Fetch-Site: cross-site\r\nOrigin: http://app.test:1\r\n", false),
        // Scripts and frames of a page that is proxied under the same host.
        ("Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n", false),
        ("Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n", false),
    ])
    func `only the page itself changes anything`(fields: String, isTaken: Bool) async throws {
        let devices = Devices()
        let asked = try await Asked(try shown(devices))
        let code = devices.issueCode().text
        let answer = try await asked.post("/__shunt/pair", "code=\(code)", fields)
        #expect(answer.status == (isTaken ? "303" : "403"))
        #expect(devices.list.count == (isTaken ? 1 : 0))
        await asked.stop()
    }

    @Test func `an origin without a port means its scheme's`() async throws {
        let devices = Devices()
        let asked = try await Asked(try shown(devices))
        for (host, origin, status) in [
            ("app.test", "http://app.test", "303"), ("app.test:80", "http://app.test", "303"),
            ("app.test", "http://app.test:80", "303"), ("app.test:443", "https://app.test", "303"),
            ("[::1]", "http://[::1]:80", "303"), ("app.test", "https://app.test", "403"),
            ("[::1]:81", "http://[::1]", "403"),
        ] {
            let content = "code=\(devices.issueCode().text)"
            let answer = try await asked.send(
                "POST /__shunt/pair HTTP/1.1\r\nHost: \(host)\r\nOrigin: \(origin)\r\nContent-Length: \(content.count)"
                    + "\r\nContent-Type: application/x-www-form-urlencoded; charset=utf-8\r\n", content)
            #expect(answer.status == status, "\(host) \(origin)")
        }
        await asked.stop()
    }

    @Test(arguments: ["text/plain", "multipart/form-data", "application/json"])
    func `other content than a form's is refused`(type: String) async throws {
        let devices = Devices()
        let asked = try await Asked(try shown(devices))
        let content = "code=\(devices.issueCode().text)"
        let answer = try await asked.send(
            "POST /__shunt/pair HTTP/1.1\r\nHost: app.test\r\nOrigin: http://app.test\r\nContent-Type: \(type)\r\n"
                + "Content-Length: \(content.count)\r\n", content)
        #expect(answer.status == "415" && devices.list.isEmpty)
        await asked.stop()
    }

    @Test(arguments: ["8.8.8.8", "2001:db8::1", "172.32.0.1"])
    func `clients from elsewhere get nothing`(client: String) async throws {
        let devices = Devices()
        let asked = try await Asked(try shown(from: client, devices))
        let code = devices.issueCode().text
        #expect(try await asked.get("/__shunt/").status == "403")
        #expect(try await asked.get("/__shunt/status.json").status == "403")
        let answer = try await asked.post("/__shunt/pair", "code=\(code)")
        #expect(answer.status == "403" && devices.list.isEmpty)
        await asked.stop()
    }

    @Test func `an address alone, or a wrong token, changes nothing`() async throws {
        let devices = Devices()
        let home = try #require(SocketAddress(literal: "10.0.0.5", port: 0))
        devices.assign("staging", at: home)
        let asked = try await Asked(try shown(from: "10.0.0.5", devices))
        for cookie in ["", "Cookie: shunt-device=00000000000000000000000000000000\r\n", "Cookie: shunt-device=\r\n"] {
            for (target, content) in [("use", "profile=production"), ("forget", "")] {
                let answer = try await asked.post(
                    "/__shunt/\(target)", content, cookie + "Origin: http://app.test:1\r\n")
                #expect(answer.status == "403")
            }
        }
        #expect(devices.list.map(\.profile) == ["staging"])
        #expect(try await asked.get("/__shunt/").body.contains("chosen for its address"))
        await asked.stop()
    }

    @Test func `wrong codes are counted over all requests`() async throws {
        let devices = Devices()
        let asked = try await Asked(try shown(devices))
        let code = devices.issueCode().text
        for number in 1...5 {
            let answer = try await asked.post("/__shunt/pair", "code=AAAAAAA\(number)")
            #expect(
                answer.status == "403" && answer.body.contains(number == 5 ? "one wrong code too many" : "not valid"))
        }
        #expect(try await asked.post("/__shunt/pair", "code=\(code)").status == "403")
        #expect(devices.list.isEmpty)
        await asked.stop()
    }

    @Test(arguments: [
        ("GET", "/__shunt", "307"), ("HEAD", "/__shunt/", "200"), ("GET", "/__shunt/?x", "200"),
        ("GET", "/__shunt/use", "405"), ("GET", "/__shunt/forget", "405"), ("PUT", "/__shunt/", "405"),
        ("DELETE", "/__shunt/pair", "405"), ("POST", "/__shunt/status.json", "405"), ("GET", "/__shunt/nothing", "404"),
        ("GET", "/__shunt//", "404"), ("GET", "/__shunt/pair", "200"),
    ])
    func `what there is, and how it is asked for`(method: String, target: String, status: String) async throws {
        let asked = try await Asked(try shown(Devices()))
        let answer = try await asked.send("\(method) \(target) HTTP/1.1\r\nHost: app.test\r\n")
        #expect(answer.status == status)
        #expect(status != "405" || answer.field("Allow") != nil)
        await asked.stop()
    }

    @Test func `no page runs scripts, is framed, kept, or says what a link put into it`() async throws {
        let asked = try await Asked(try shown(Devices()))
        for target in ["/__shunt/", "/__shunt/pair?code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "/__shunt/none"] {
            let answer = try await asked.get(target)
            #expect(
                answer.field("Content-Security-Policy")
                    == "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'")
            #expect(answer.field("Cache-Control") == "no-store")
            #expect(answer.field("X-Content-Type-Options") == "nosniff")
            #expect(!answer.body.lowercased().contains("<script") && !answer.body.contains("src="))
        }
        let escaped = try await asked.get("/__shunt/pair?code=%22%3E%3Cscript%3E")
        #expect(escaped.body.contains("&quot;&gt;&lt;script&gt;"))
        await asked.stop()
    }

    @Test func `a cookie that came over TLS goes over TLS only`() async throws {
        let devices = Devices()
        let pages = try shown(devices)
        let content = "code=" + devices.issueCode().text
        let answer = await pages.answer(
            HandledRequest(
                method: "POST", target: "/__shunt/pair", authority: "app.test",
                fields: [
                    ("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin"),
                ], body: Array(content.utf8), client: .loopback(.ipv6, port: 1), isSecure: true))
        let cookie = try #require(answer.fields.first { $0.name == "Set-Cookie" })
        #expect(cookie.value.hasSuffix("; SameSite=Strict; Secure"))
    }

    @Test func `a phone that comes back under another address is followed when it chooses again`() async throws {
        let devices = Devices()
        let old = try #require(SocketAddress(literal: "192.168.1.7", port: 0))
        let (_, token) = try devices.pair(code: devices.issueCode().text, from: old, userAgent: "iPhone")
        let asked = try await Asked(try shown(from: "192.168.1.8", devices))
        let cookie = "Cookie: \(DeviceToken.cookie)=\(token)\r\n"
        #expect(try await asked.get("/__shunt/", cookie).body.contains("another address"))
        #expect(devices.list.map { $0.address?.host } == ["192.168.1.7"])
        _ = try await asked.post("/__shunt/use", "profile=staging", cookie + "Origin: http://app.test:1\r\n")
        #expect(devices.list.map { $0.address?.host } == ["192.168.1.8"])
        let missing = try await asked.post(
            "/__shunt/use", "profile=gone", cookie + "Origin: http://app.test:1\r\n")
        #expect(missing.status == "404" && devices.list.map(\.profile) == ["staging"])
        await asked.stop()
    }

    @Test func `an unlocked profile says so`() async throws {
        let devices = Devices()
        let locks = Locks()
        let (_, token) = try devices.pair(
            code: devices.issueCode().text, from: .loopback(.ipv4, port: 1), userAgent: "")
        let asked = try await Asked(try shown(devices, locks: locks))
        let cookie = "Cookie: \(DeviceToken.cookie)=\(token)\r\n"
        #expect(try await asked.get("/__shunt/", cookie).body.contains("production, read-only"))
        try locks.unlock("production", seconds: 60, reason: "test")
        #expect(try await asked.get("/__shunt/", cookie).body.contains("production, unlocked"))
        await asked.stop()
    }
}
