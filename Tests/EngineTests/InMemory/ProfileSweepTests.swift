import Engine
import Foundation
import JSON
import Profiles
import TestSupport
import Testing

/// Profiles drawn from the schema, with extreme values: each loads or is refused with a place, and what loads serves.
@Suite struct ProfileSweepTests {
    private static let cases = 500

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

    private static func object(_ part: JSONValue, _ random: inout SweepRandom, _ depth: Int) -> String {
        let required = (part["required"]?.array ?? []).compactMap(\.string)
        let known = part["properties"]?.object ?? []
        var members: [String] = []
        for member in known where required.contains(member.key) || random.once(in: UInt64(max(2, known.count / 2))) {
            members.append("\(quoted(member.key)): \(value(member.value, &random, depth: depth + 1))")
        }
        if let more = part["additionalProperties"], more.object != nil {
            let key = random.pick(["a", "X-A", "200", "204", "/a/*", "*.test", "x.test", "@loopback", "10.0.0.0/8"])
            members.append("\(quoted(key)): \(value(more, &random, depth: depth + 1))")
        }
        return "{" + members.joined(separator: ", ") + "}"
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(text)
        return writer.text
    }

    private static let responders = [
        #""mock": {"text": "x"}"#, #""origin": "http://x.test""#, #""origin": ["http://x.test", "http://y.test"]"#,
        #""redirect": "https://y.test""#,
    ]

    /// Keys of a part of the schema, each at times.
    private static func members(_ part: JSONValue?, _ count: Int, _ random: inout SweepRandom) -> [String] {
        let known = part?["properties"]?.object ?? []
        let wanted = (0..<count).map { _ in random.pick(known) }.filter {
            !["kind", "routes", "path"].contains($0.key)
        }
        return wanted.map { "\(quoted($0.key)): \(value($0.value, &random, depth: 0))" }
    }

    /// Few keys at once: of many, one would be wrong nearly always.
    private static func profile(_ random: inout SweepRandom) -> String {
        let routes = (0..<random.pick([1, 2, 3])).map { at in
            let own = random.once(in: 4) ? [] : [random.pick(responders)]
            let more = members(schema?["$defs"]?["route"], random.pick([1, 1, 2, 3]), &random)
            return "{" + (["\"path\": \"/\(at)/*\""] + own + more).joined(separator: ", ") + "}"
        }
        let more = members(schema, random.pick([0, 0, 1, 2]), &random)
        return "{"
            + (["\"kind\": \"local\"", "\"routes\": [\(routes.joined(separator: ","))]"] + more)
            .joined(separator: ", ") + "}"
    }

    @Test(arguments: Sweep.seeds)
    func `a profile loads or is refused with a place, and what loads serves a request`(seed: UInt64) async throws {
        try #require(Self.schema != nil)
        var (random, loaded) = (SweepRandom(seed: seed), 0)
        for number in 0..<Self.cases {
            let text = Self.profile(&random)
            Sweep.begins("\(seed) \(number): \(text)")
            let library: ProfileLibrary
            do {
                library = try Harness.library(["only": text])
                _ = try Environment(library, active: "only", Mocks())
            } catch let problems as ProfileProblems {
                #expect(!problems.all.isEmpty && problems.all.allSatisfy { !$0.file.isEmpty && $0.line > 0 }, "\(text)")
                continue
            } catch is ProxyError {
                // Such as a certificate's file that is not there.
                continue
            }
            loaded += 1
            Self.send(library.profiles[0].network)
            let seed = random.next()
            try await MemoryWorker.run(library: library) { worker in
                var random = SweepRandom(seed: seed)
                for path in ["/0/a", "/1/a", "/2/a", "/"] {
                    let client = await worker.connect(
                        "POST \(path) HTTP/1.1\r\nHost: x.test\r\nContent-Length: 7\r\n\r\n{\"a\":1}GET \(path) HTTP/1.1\r\n"
                            + "Host: x.test\r\nOrigin: http://x.test\r\nAccept: text/html\r\n\r\n")
                    await worker.letOriginsRespond(&random)
                    for seconds in [1.0, 100, 100_000] { await worker.advance(by: seconds) }
                    client.receiveEnd()
                    await worker.advance(by: 100_000)
                    #expect(!client.isOpen, "\(text)")
                }
            }
        }
        #expect(loaded > Self.cases / 50, "the sweep draws too few profiles that load: \(loaded)")
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
