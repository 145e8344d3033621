import Engine
import Foundation
import JSON
import Profiles
import TestSupport
import Testing

/// Profiles drawn from the schema, with extreme values: each loads or is refused with a place, and what loads serves.
@Suite struct ProfileSweepTests {
    private static let cases = 200

    private static let schema: JSONValue? = Starter.files.first { $0.name == "profile.schema.json" }
        .flatMap { try? JSONReader.read($0.text) }

    /// Texts of every kind of value that a profile has, at and beyond its limits.
    private static let texts = [
        "0ms", "1ms", "0.5s", "10s", "59s", "1m", "1h", "24h", "1000000h", "1kbit/s", "1Mbit/s", "10Gbit/s", "0bit/s",
        "0%", "0.0001%", "50%", "100%", "0", "1", "64k", "64kB", "4g", "4294967295g", "2999-12-31", "0000-01-01", "",
        "/", "/*", "/a/*", "/api/v1/*/x", "GET", "QUERY", "websocket", "http://x.test", "http://x.test:1/base?q", "*",
        "https://x.test", "h2c://x.test", "direct", "http://127.0.0.1:9", "socks5://127.0.0.1:1080", "local", "a.test",
        "*.a.test", "text/plain", "{{now +999999d}}", "{{now -999999d http}}", "{{random -9 9}}", "{{counter}}",
        "é\u{0}",
        "{{random -9223372036854775808 9223372036854775807}}", "{{body.a.0}}", "started", "300", "599",
        String(repeating: "a", count: 3000), "../x.json", "(a+)+$", "^.*$", "ffffffffffffffff", "no-store",
    ]
    private static let numbers = [
        "0", "1", "-1", "2", "100", "200", "204", "304", "599", "600", "1000000", "4294967296", "9007199254740993",
        "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e308", "-0.0", "0.5", "1e-320",
    ]

    /// A value of a part of the schema, as JSON.
    private static func value(_ part: JSONValue?, _ random: inout SweepRandom, depth: Int) -> String {
        guard let part, depth < 9 else { return "{}" }
        if let name = part["$ref"]?.string?.split(separator: "/").last {
            return value(schema?["$defs"]?[String(name)], &random, depth: depth + 1)
        }
        // What is of another kind is refused.
        if random.once(in: 60) { return random.pick(["null", "[]", "{}", "true", "\"\"", "1", "[[[[]]]]"]) }
        if let choices = part["anyOf"]?.array ?? part["oneOf"]?.array {
            return value(random.pick(choices), &random, depth: depth + 1)
        }
        if let constant = part["const"] { return constant.string.map(quoted) ?? "true" }
        if let choices = part["enum"]?.array { return quoted(random.pick(choices).string ?? "") }
        switch part["type"]?.string {
        case "object": return object(part, &random, depth)
        case "array":
            let count = random.pick([1, 1, 2, 3])
            return "[" + (0..<count).map { _ in value(part["items"], &random, depth: depth + 1) }.joined(separator: ",")
                + "]"
        case "integer", "number":
            let limits = ["minimum", "maximum", "exclusiveMinimum"].compactMap { part[$0]?.number?.text }
            return random.pick(limits.isEmpty || random.once(in: 3) ? numbers : limits)
        case "boolean": return random.pick(["true", "false"])
        default:
            let pattern = part["pattern"]?.string.flatMap { try? Regex($0) }
            let fitting = texts.filter { text in pattern.map { text.firstMatch(of: $0) != nil } ?? true }
            return quoted(random.pick(fitting.isEmpty || random.once(in: 20) ? texts : fitting))
        }
    }

    /// Each member on lines of its own, which are indented by its depth, so that it can be left out.
    private static func object(_ part: JSONValue, _ random: inout SweepRandom, _ depth: Int) -> String {
        let required = (part["required"]?.array ?? []).compactMap(\.string)
        let known = part["properties"]?.object ?? []
        let share = random.pick([1, 2, UInt64(max(2, known.count / 2))])
        var members: [String] = []
        for member in known where required.contains(member.key) || random.once(in: share) {
            members.append("\(quoted(member.key)): \(value(member.value, &random, depth: depth + 1))")
        }
        if let more = part["additionalProperties"], more.object != nil {
            let key = random.pick(["a", "X-A", "200", "204", "/a/*", "*.test", "x.test", "@loopback", "10.0.0.0/8"])
            members.append("\(quoted(key)): \(value(more, &random, depth: depth + 1))")
        }
        let indent = String(repeating: " ", count: depth + 1)
        return "{\n" + members.map { "\(indent)\($0),\n" }.joined() + String(repeating: " ", count: depth) + "}"
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(text)
        return writer.text
    }

    /// What responds, as few words; the other keys of a route that stand beside it.
    private static let responders: [(key: String, plain: String, beside: [String])] = [
        ("mock", #"{"text": "x"}"#, ["cors", "match", "inject"]),
        (
            "origin", #""http://x.test""#,
            [
                "rewrite", "cors", "allow", "graphql", "request", "response", "inject", "offline", "preserveHost",
                "proxy",
            ]
        ),
        ("origin", #"["http://x.test", "http://y.test"]"#, ["fallback", "fallback", "offline", "match"]),
        ("redirect", #""https://y.test""#, ["match"]), ("push", #"{"environment": "mock"}"#, []),
    ]
    private static let general = ["name", "method", "headers", "network", "network", "fault", "fault"]

    /// Members of an object, each key once, on lines of their own.
    private static func members(
        _ part: JSONValue?, _ keys: [String], _ random: inout SweepRandom, depth: Int
    ) -> String {
        Set(keys).sorted().map { key in
            let indent = String(repeating: " ", count: depth)
            return "\(indent)\(quoted(key)): \(value(part?["properties"]?[key], &random, depth: depth)),\n"
        }.joined()
    }

    private static func profile(_ random: inout SweepRandom) -> String {
        let route = schema?["$defs"]?["route"]
        var text = "{\n\"kind\": \"local\",\n\"routes\": [\n"
        for at in 0..<random.pick([1, 1, 2]) {
            let (key, plain, beside) = random.pick(responders)
            let own = random.once(in: 2) ? plain : value(route?["properties"]?[key], &random, depth: 1)
            let all = random.once(in: 3) ? (route?["properties"]?.object ?? []).map(\.key) : beside + general
            let keys = (0..<random.pick([0, 1, 2, 4])).map { _ in random.pick(all) }
            text += "{\"path\": \"/\(at)/*\",\n \(quoted(key)): \(own),\n"
            text += members(route, keys.filter { $0 != key && $0 != "path" }, &random, depth: 1) + "},\n"
        }
        let all = (schema?["properties"]?.object ?? []).map(\.key).filter { $0 != "kind" && $0 != "routes" }
        let keys = (0..<random.pick([0, 1, 2])).map { _ in random.once(in: 2) ? "network" : random.pick(all) }
        return text + "],\n" + members(schema, keys, &random, depth: 0) + "}"
    }

    /// Loads a profile; members that are refused are left out, by the lines that the problems name.
    private static func load(_ drawn: String) throws -> (library: ProfileLibrary, text: String)? {
        var lines = drawn.split(separator: "\n").map(String.init)
        while true {
            let text = lines.joined(separator: "\n")
            do {
                let library = try Harness.library(["only": text])
                _ = try Environment(library, active: "only", Mocks())
                return (library, text)
            } catch let problems as ProfileProblems {
                #expect(!problems.all.isEmpty && problems.all.allSatisfy { !$0.file.isEmpty && $0.line > 0 }, "\(text)")
                guard let line = problems.all.map(\.line).max(), removeMember(at: line - 1, from: &lines) else {
                    return nil
                }
            } catch is ProxyError {
                // Such as a certificate's file that is not there.
                return nil
            }
        }
    }

    /// Removes the innermost member that has a line; false where that is what each profile has.
    private static func removeMember(at line: Int, from lines: inout [String]) -> Bool {
        func depth(_ at: Int) -> Int { lines[at].prefix { $0 == " " }.count }
        func begins(_ at: Int) -> Bool { lines[at].drop { $0 == " " }.hasPrefix("\"") }
        var first = min(line, lines.count - 1)
        while !begins(first) {
            guard let outer = lines[..<first].indices.last(where: { depth($0) < depth(first) }) else { return false }
            first = outer
        }
        guard first > 2 else { return false }
        var next = first + 1
        while next < lines.count, depth(next) > depth(first) || depth(next) == depth(first) && !begins(next) {
            // The end of the whole.
            if depth(next) == 0, next == lines.count - 1 || lines[next].hasPrefix("{") { break }
            next += 1
        }
        lines.removeSubrange(first..<next)
        return true
    }

    @Test(arguments: Sweep.seeds)
    func `a profile loads or is refused with a place, and what loads serves a request`(seed: UInt64) async throws {
        try #require(Self.schema != nil)
        var (random, loaded) = (SweepRandom(seed: seed), 0)
        for number in 0..<Self.cases {
            let drawn = Self.profile(&random)
            Sweep.begins("\(seed) \(number): \(drawn)")
            guard let (library, text) = try Self.load(drawn) else { continue }
            loaded += 1
            Self.send(library.profiles[0].network)
            let seed = random.next()
            try await MemoryWorker.run(library: library) { worker in
                var random = SweepRandom(seed: seed)
                for path in ["/0/a", "/1/a", "/"] {
                    let client = await worker.connect(
                        "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 7\r\n\r\n{\"a\":1}"
                            + "GET \(path) HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
                            + "Accept: text/html\r\n\r\n")
                    await worker.letOriginsRespond(&random)
                    for seconds in [1.0, 100, 100_000] { await worker.advance(by: seconds) }
                    client.receiveEnd()
                    // With `halfClose` the request goes on, through one limit after the other.
                    for _ in 0..<4 {
                        await worker.letOriginsRespond(&random)
                        await worker.advance(by: 100_000)
                    }
                    #expect(!client.isOpen, "\(text)")
                }
            }
        }
        #expect(loaded > Self.cases / 2, "the sweep draws too few profiles that load: \(loaded)")
    }

    /// What a connection does under the conditions of a network.
    private static func send(_ conditions: NetworkConditions?) {
        guard let conditions else { return }
        var model = LinkModel(conditions, begins: 1_000_000_000_000)
        for direction in [LinkModel.Direction.down, .up] {
            let (piece, window) = (model.piece(direction), model.window(direction))
            #expect(piece > 0 && window >= piece)
            for _ in 0..<100 {
                let passage = model.pass(piece, direction, now: model.opens(now: 1_000_000_000_000))
                #expect(passage.arrives >= passage.leaves)
            }
        }
    }
}
