import Bytes
import HTTP
import Rewriting
import Testing

/// Two environments behind one address, and a client that moves between them.
@Suite struct CookieJarTests {
    /// A client, and Shunt in front of the environments.
    struct World {
        var client = CookieClient()
        var scheme = "https"

        /// One exchange: the Cookie field that the environment's origin gets, as a sorted list.
        @discardableResult
        mutating func ask(
            _ jar: String?, _ path: String = "/", host: String = "api.shop.test", set: [String] = [],
            http2: Bool = false
        ) throws -> [String] {
            let request = try request(host, path, http2: http2)
            let sent = try send(jar, request, host: host)
            try response(jar, request, path, host: host, set: set)
            return sent
        }

        func request(_ host: String = "api.shop.test", _ path: String = "/", http2: Bool = false) throws -> Head {
            let cookies = client.cookies(host: host, path: path)
            if http2 { return try Head(cookies.map { "cookie: " + $0 }) }
            return try Head(cookies.isEmpty ? [] : ["Cookie: " + cookies.joined(separator: "; ")])
        }

        func send(_ jar: String?, _ request: Head, host: String = "api.shop.test") throws -> [String] {
            let address = ClientAddress(scheme + "://" + host)
            let settings = settings(jar)
            var changes: RewriteChanges = []
            let text = appended {
                CookieRewriter.append(
                    cookies: request.fields, from: request.bytes.span, settings: settings,
                    authority: address.authority.span, client: address.name, to: &$0, changes: &changes)
            }
            guard !text.isEmpty else { return [] }
            // Some write the line out again, and some let it pass.
            return text.split(separator: "\r\n").flatMap { $0.dropFirst("Cookie: ".count).split(separator: "; ") }
                .map { String($0) }.sorted()
        }

        mutating func response(
            _ jar: String?, _ request: Head, _ path: String = "/", host: String = "api.shop.test", set: [String]
        ) throws {
            let address = ClientAddress(scheme + "://" + host)
            let settings = settings(jar)
            let response = try Head(set.map { "Set-Cookie: " + $0 })
            var changes: RewriteChanges = []
            var lines = appended {
                CookieRewriter.appendJarFields(
                    requestFields: request.fields, from: request.bytes.span, settings: settings,
                    authority: address.authority.span, client: address.name, to: &$0, changes: &changes)
            }
            for field in response.fields {
                lines += appended {
                    CookieRewriter.append(
                        setCookie: field, from: response.bytes.span, settings: settings,
                        authority: address.authority.span, client: address.name, to: &$0, changes: &changes)
                }
            }
            for line in lines.split(separator: "\r\n") {
                client.set(line.dropFirst("Set-Cookie: ".count), host: host, path: path)
            }
        }

        /// A response with Clear-Site-Data: what is left of that field.
        mutating func response(
            _ jar: String?, _ request: Head, _ path: String, clearing value: String
        ) throws -> String? {
            let host = "api.shop.test"
            let address = ClientAddress(scheme + "://" + host)
            let settings = settings(jar)
            let target = Array(path.utf8)
            let all = request.bytes + target
            let response = try Head(["Clear-Site-Data: \(value)"])
            var changes: RewriteChanges = []
            let clears = CookieRewriter.clears(response.fields[0], from: response.bytes.span, settings: settings)
            let lines = appended {
                CookieRewriter.appendJarFields(
                    requestFields: request.fields, from: all.span, settings: settings,
                    authority: address.authority.span, client: address.name,
                    clearing: clears ? request.bytes.count..<all.count : nil, to: &$0, changes: &changes)
            }
            for line in lines.split(separator: "\r\n") {
                client.set(line.dropFirst("Set-Cookie: ".count), host: host, path: path)
            }
            let field = appended {
                RewriteRules(settings).append(
                    responseField: response.fields[0], from: response.bytes.span, authority: address.authority.span,
                    client: address.name, to: &$0, changes: &changes)
            }
            return field.isEmpty ? nil : String(field.dropFirst("Clear-Site-Data: ".count).dropLast())
        }

        mutating func script(_ text: String, host: String = "api.shop.test", path: String = "/") {
            client.set(text, host: host, path: path, byScript: true)
        }

        func seen(host: String = "api.shop.test", path: String = "/") -> [String] {
            client.cookies(host: host, path: path, forScript: true).sorted()
        }

        private func settings(_ jar: String?) -> RewriteRules.Settings {
            RewriteRules.Settings(origin: "https://api.shop.example", jar: jar, usesJars: true)
        }
    }

    static let jars: [(String?, String?)] = [("staging", "local"), (nil, "local"), ("staging", nil), ("a", "a.b-c_d")]

    @Test(arguments: jars)
    func `a login that scripts do not see survives a visit elsewhere`(a: String?, b: String?) throws {
        var world = World()
        #expect(try world.ask(a) == [])
        try world.ask(a, "/login", set: ["sid=A; Path=/; HttpOnly; Secure"])
        #expect(try world.ask(a) == ["sid=A"])
        #expect(try world.ask(b) == [])
        try world.ask(b, set: ["sid=B; Path=/; HttpOnly"])
        #expect(try world.ask(b) == ["sid=B"])
        #expect(try world.ask(a) == ["sid=A"])
        #expect(try world.ask(b, http2: true) == ["sid=B"])
        #expect(world.seen() == [])
    }

    @Test(arguments: jars)
    func `a login that scripts see survives a visit elsewhere`(a: String?, b: String?) throws {
        var world = World()
        try world.ask(a, set: ["token=A; Path=/", "theme=dark"])
        #expect(try world.ask(a) == ["theme=dark", "token=A"])
        #expect(world.seen() == ["theme=dark", "token=A"])
        #expect(try world.ask(b, http2: true) == [])
        #expect(world.seen() == [])
        try world.ask(b, set: ["token=B"])
        #expect(world.seen() == ["token=B"])
        #expect(try world.ask(b) == ["token=B"])
        #expect(try world.ask(a) == ["theme=dark", "token=A"])
        #expect(world.seen() == ["theme=dark", "token=A"])
        #expect(try world.ask(b) == ["token=B"])
        #expect(world.seen() == ["token=B"])
    }

    @Test(arguments: jars, [nil, "other.test"])
    func `a partitioned cookie stays with its environment`(jars: (String?, String?), embedder: String?) throws {
        let (a, b) = jars
        var world = World()
        world.client.embedder = embedder
        let flags = "; Path=/; Secure; SameSite=None; Partitioned"
        try world.ask(
            a, set: ["id=A" + flags, "token=a-token-of-32-letters-for-sure-A" + flags, "sid=A; HttpOnly" + flags])
        let all = ["id=A", "sid=A", "token=a-token-of-32-letters-for-sure-A"]
        #expect(try world.ask(a) == all)
        for _ in 0..<2 {
            #expect(try world.ask(b) == [])
            #expect(world.seen() == [])
        }
        try world.ask(b, set: ["id=B" + flags])
        #expect(try world.ask(b) == ["id=B"])
        #expect(try world.ask(a) == all)
        #expect(world.seen() == ["id=A", "token=a-token-of-32-letters-for-sure-A"])
        #expect(try world.ask(b) == ["id=B"])
        // Below another site it is another one.
        world.client.embedder = "third.test"
        #expect(try world.ask(b) == [])
        #expect(try world.ask(a) == [])
        world.client.embedder = embedder
        #expect(try world.ask(a) == all)
        // The origin deletes it.
        try world.ask(a, set: ["id=; Max-Age=0" + flags])
        #expect(try world.ask(a) == Array(all.dropFirst()))
        #expect(try world.ask(b) == ["id=B"])
        #expect(try world.ask(a) == Array(all.dropFirst()))
    }

    @Test func `a partitioned cookie of a domain, and one beside another that is not, stay with their environment`()
        throws
    {
        var world = World()
        try world.ask(
            "a",
            set: [
                "id=1; Domain=shop.test; Secure; SameSite=None; Partitioned",
                "id2=2; Secure; SameSite=None; Partitioned",
                "id3=3",
            ])
        #expect(try world.ask("b") == [] && world.ask("b", host: "other.shop.test") == [])
        #expect(try world.ask("b", host: "other.shop.test") == [])
        #expect(try world.ask("a") == ["id2=2", "id3=3", "id=1"])
        #expect(try world.ask("a", host: "other.shop.test") == ["id=1"])
    }

    @Test func `a script's partitioned cookie goes where its environment does not respond`() throws {
        var world = World()
        try world.ask("a")
        world.script("mine=1; Path=/; Secure; SameSite=None; Partitioned")
        #expect(try world.ask("a") == ["mine=1"])
        #expect(try world.ask("b") == [])
        #expect(try world.ask("b") == [] && world.seen() == [])
        #expect(try world.ask("a") == ["mine=1"])
    }

    @Test(arguments: jars)
    func `what scripts make, change and delete is kept`(a: String?, b: String?) throws {
        var world = World()
        try world.ask(a, set: ["token=A", "old=A"])
        world.script("token=A2; Path=/")
        world.script("cart=3; Path=/")
        world.script("old=; Path=/; Max-Age=0")
        // Moved before the environment saw any of it, but for what was deleted.
        try world.ask(a)
        world.script("late=1; Path=/")
        world.script("token=A3; Path=/")
        #expect(try world.ask(b) == [])
        #expect(world.seen() == [])
        world.script("cart=9; Path=/")
        #expect(try world.ask(b) == ["cart=9"])
        #expect(try world.ask(a) == ["cart=3", "late=1", "token=A3"])
        #expect(world.seen() == ["cart=3", "late=1", "token=A3"])
        #expect(try world.ask(a) == ["cart=3", "late=1", "token=A3"])
        #expect(try world.ask(b) == ["cart=9"])
    }

    @Test(arguments: ["token=; Max-Age=0", "token=x; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly"])
    func `what an origin deletes is gone under all names`(deletion: String) throws {
        var world = World()
        try world.ask("a", set: ["token=A; Path=/"])
        try world.ask("b", set: ["token=B; Path=/"])
        #expect(try world.ask("a") == ["token=A"])
        try world.ask("a", set: [deletion])
        #expect(world.seen() == [])
        #expect(try world.ask("a") == [])
        #expect(try world.ask("b") == ["token=B"])
        #expect(try world.ask("a") == [])
    }

    @Test func `a cookie is of one kind at a time`() throws {
        var world = World()
        try world.ask("a", set: ["sid=1; Path=/"])
        try world.ask("a", set: ["sid=2; Path=/; HttpOnly"])
        #expect(try world.ask("a") == ["sid=2"])
        #expect(world.seen() == [])
        try world.ask("a", set: ["sid=3; Path=/"])
        #expect(try world.ask("a") == ["sid=3"])
        #expect(world.seen() == ["sid=3"])
        try world.ask("a", set: ["sid=; Path=/; HttpOnly; Max-Age=0"])
        #expect(try world.ask("a") == [])
    }

    @Test func `a response sets what it wants during a move, too`() throws {
        var world = World()
        try world.ask("a", set: ["token=A"])
        try world.ask("b", set: ["token=B", "sid=B; HttpOnly"])
        try world.ask("a", set: ["token=A2"])
        #expect(world.seen() == ["token=A2"])
        #expect(try world.ask("b") == ["sid=B", "token=B"])
        #expect(try world.ask("a") == ["token=A2"])
    }

    @Test func `narrow paths do not leak`() throws {
        var world = World()
        try world.ask("a", "/app/login", set: ["token=A", "sid=A; HttpOnly"])
        world.script("made=by-a-script-of-environment-a", path: "/app/x")
        #expect(try world.ask("a", "/app/x") == ["made=by-a-script-of-environment-a", "sid=A", "token=A"])
        #expect(try world.ask("b", "/other") == [])
        #expect(try world.ask("b", "/app/x") == [])
        #expect(try world.ask("b", "/app/x") == [])
        #expect(try world.ask("a", "/app/x").contains("token=A"))
    }

    @Test func `a late response of the environment before does not leak`() throws {
        var world = World()
        try world.ask("a", set: ["token=first-token-of-environment-a"])
        try world.ask("b", set: ["token=first-token-of-environment-b"])
        try world.ask("a")
        let slow = try world.request()
        #expect(try world.ask("b") == ["token=first-token-of-environment-b"])
        try world.response("a", slow, set: ["token=other-token-of-environment-a"])
        #expect(try world.ask("b") == ["token=first-token-of-environment-b"])
        #expect(world.seen() == ["token=first-token-of-environment-b"])
        #expect(try world.ask("a") == ["token=other-token-of-environment-a"])
    }

    @Test func `cookies of a domain move host by host`() throws {
        var world = World()
        try world.ask("a", set: ["csrf=A; Domain=shop.example", "own=A"])
        world.script("csrf=A1; Path=/; Domain=shop.test", host: "www.shop.test")
        #expect(try world.ask("a") == ["csrf=A1", "own=A"])
        try world.ask("a", set: ["csrf=A; Domain=shop.example", "own=A"])
        #expect(world.seen(host: "www.shop.test") == ["csrf=A"])
        try world.ask("b", set: ["csrf=B; Domain=shop.example", "own=B"])
        #expect(world.seen(host: "www.shop.test") == ["csrf=B"])
        world.script("csrf=B2; Path=/; Domain=shop.test", host: "www.shop.test")
        #expect(try world.ask("b") == ["csrf=B2", "own=B"])
        #expect(try world.ask("a") == ["csrf=A", "own=A"])
        #expect(world.seen(host: "www.shop.test") == ["csrf=A"])
        #expect(try world.ask("b") == ["csrf=B2", "own=B"])
        // One host is moved, the other one comes later.
        #expect(try world.ask("a", host: "api.www.shop.test") == ["csrf=A"])
        #expect(try world.ask("b") == ["csrf=B2", "own=B"])
    }

    @Test func `without TLS names with prefixes move, too`() throws {
        var world = World(client: CookieClient(isSecure: false), scheme: "http")
        try world.ask("a", set: ["__Host-sid=A; Secure; Path=/", "__Secure-t=A; Secure; HttpOnly; SameSite=None"])
        #expect(try world.ask("a") == ["__Host-sid=A", "__Secure-t=A"])
        #expect(try world.ask("b") == [])
        #expect(try world.ask("a") == ["__Host-sid=A", "__Secure-t=A"])
        try world.ask("a", set: ["__Host-sid=; Secure; Path=/; Max-Age=0"])
        #expect(try world.ask("a") == ["__Secure-t=A"])
    }

    @Test func `with TLS names with prefixes move, too`() throws {
        var world = World()
        try world.ask("a", set: ["__Host-sid=A; Secure; Path=/", "__Host-t=A; Secure; HttpOnly; Path=/"])
        #expect(world.seen() == ["__Host-sid=A"])
        #expect(try world.ask("b") == [])
        #expect(world.seen() == [])
        #expect(try world.ask("a") == ["__Host-sid=A", "__Host-t=A"])
        #expect(world.seen() == ["__Host-sid=A"])
    }

    @Test func `a new session of the client does not mix them`() throws {
        var world = World()
        try world.ask(
            "a", set: ["token=token-of-environment-a; Max-Age=600", "sid=A; Max-Age=600; HttpOnly", "gone=A"])
        world.client.restart()
        #expect(try world.ask("b") == [])
        #expect(try world.ask(nil) == [])
        #expect(try world.ask("a") == ["sid=A", "token=token-of-environment-a"])
        world.client.restart()
        #expect(try world.ask(nil) == [])
        #expect(try world.ask("a") == ["sid=A", "token=token-of-environment-a"])
    }

    @Test func `without a name, and names that pass for Shunt's`() throws {
        var world = World()
        try world.ask(
            "a", set: ["just-a-value", "shunt~env=b; Path=/", "=shunt~env=b; Path=/", "shunt-device=1; Path=/"])
        #expect(try world.ask("a") == ["just-a-value", "shunt-device=1", "shunt~env=b"])
        #expect(try world.ask("b") == [])
        #expect(try world.ask("a") == ["just-a-value", "shunt-device=1", "shunt~env=b"])
    }

    @Test func `a request without a cookie of Shunt keeps its own`() throws {
        var world = World()
        let request = try Head(["Cookie: sid=1; theme=dark"])
        for jar in ["a", "b", nil] { #expect(try world.send(jar, request) == ["sid=1", "theme=dark"]) }
        #expect(try world.send("a", Head(["Cookie: sid=1; shunt-device=2"])) == ["sid=1"])
        #expect(try world.send("a", Head(["Cookie: sid=1; shunt~env=b"])) == [])
        // A browser's own from before are the first environment's.
        world.script("old=1; Path=/")
        #expect(try world.ask("a") == ["old=1"])
        #expect(try world.ask("b") == [])
        #expect(try world.ask("a") == ["old=1"])
    }

    @Test(
        arguments: jars,
        [
            ("\"cookies\"", nil), ("\"cache\", \"Cookies\"", "\"cache\""),
            ("\"*\"", "\"cache\", \"storage\", \"executionContexts\""),
        ])
    func `Clear-Site-Data ends one environment's login`(
        _ jars: (String?, String?), field: (value: String, kept: String?)
    ) throws {
        var world = World()
        let set = ["sid=S; HttpOnly; Path=/app/", "wide=W; HttpOnly; Domain=shop.test; Path=/", "token=T; Path=/"]
        try world.ask(jars.0, set: set.map { $0.replacing("shop.test", with: "shop.example") })
        try world.ask(jars.1, set: set.map { $0.replacing("shop.test", with: "shop.example") })
        #expect(try world.ask(jars.1, "/app/x") == ["sid=S", "token=T", "wide=W"])
        let kept = try world.response(jars.1, world.request("api.shop.test", "/app/x"), "/app/x", clearing: field.value)
        #expect(kept == field.kept)
        #expect(try world.ask(jars.1, "/app/x") == [])
        #expect(try world.ask(jars.0, "/app/x") == ["sid=S", "token=T", "wide=W"])
        #expect(try world.ask(jars.1, "/app/x") == [])
    }

    @Test func `cookies from before there were jars are the common jar's`() throws {
        var world = World()
        world.script("old=1; Path=/")
        #expect(try world.ask(nil) == ["old=1"])
        #expect(try world.ask("a") == [])
        #expect(try world.ask(nil) == ["old=1"])
    }

    @Test func `nothing is added where nothing is kept apart`() throws {
        var world = World()
        try world.ask(nil)
        #expect(world.client.cookies.isEmpty)
        try world.ask("a")
        #expect(world.client.cookies.map(\.name) == ["shunt~env"])
        let after = world.client.cookies.count
        try world.ask("a")
        #expect(world.client.cookies.count == after)
    }

    @Test func `a flood of cookies stays within bounds`() throws {
        var world = World()
        try world.ask("a")
        for index in 0..<400 { world.script("c\(index)=\(String(repeating: "x", count: 60)); Path=/") }
        let request = try world.request()
        // Nothing is known of what is beyond the bound, so it is not sent.
        #expect(try world.send("a", request).count == 200)
        let before = world.client.cookies.count
        try world.response("b", request, set: [])
        // Too much to hand over in one response: all stays with whom it is.
        #expect(world.client.cookies.count == before)
        #expect(try world.send("b", world.request()) == [])
    }

    /// Moves at random, with cookies of all kinds: each origin gets its own, and scripts see what they set.
    @Test(arguments: 0..<40)
    func `environments never meet`(seed: UInt64) throws {
        var random = Random(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        var world = World()
        let jars: [String?] = [nil, "a", "b"]
        var model: [[String: String]] = [[:], [:], [:]]
        var current = 0
        for step in 0..<60 {
            let name = ["sid", "token", "csrf"][Int.random(in: 0..<3, using: &random)]
            let value = "value-\(step)-of-environment-\(current)"
            switch Int.random(in: 0..<6, using: &random) {
            case 0: current = Int.random(in: 0..<3, using: &random)
            case 1:
                try world.ask(jars[current], set: ["\(name)=\(value); Path=/; HttpOnly"])
                model[current][name] = value
            case 2:
                try world.ask(jars[current], set: ["\(name)=\(value); Path=/"])
                model[current][name] = value
            case 3:
                try world.ask(jars[current], set: ["\(name)=; Path=/; Max-Age=0"])
                model[current][name] = nil
            case 4:
                // Of a page of this environment, which was loaded through Shunt.
                try world.ask(jars[current])
                world.script("made=\(value); Path=/")
                model[current]["made"] = value
            default:
                try world.ask(jars[current])
                world.script("made=; Path=/; Max-Age=0")
                model[current]["made"] = nil
            }
            let sent = try world.ask(jars[current])
            #expect(sent == model[current].map { "\($0)=\($1)" }.sorted(), "step \(step)")
        }
    }
}

/// The same numbers in each run.
struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
