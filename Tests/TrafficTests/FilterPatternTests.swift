import Filter
import Testing

@Suite struct FilterPatternTests {
    private func isFound(_ pattern: String, in url: String) throws -> Bool {
        try TrafficFilter("~u '\(pattern)'").matches(Subject.with { $0.url = url })
    }

    private static let patterns: [(String, String, String)] = [
        (#"\d{3}"#, "a123", "a12"), (#"^\w+$"#, "a_1", "a-1"), (#"\bcat\b"#, "a cat.", "concat"),
        (#"\Bcat"#, "concat", "cat"), (#"a{2}"#, "aa", "a"), (#"^a{,2}$"#, "a", "aaa"), (#"^a{2,}$"#, "aaa", "a"),
        (#"a{b"#, "a{b", "ab"), (#"a{,}"#, "a{,}", "a"), (#"{"x"}"#, #"{"x"}"#, "x"), (#"[]a]x"#, "]x", "bx"),
        (#"[^]a]x"#, "bx", "]x"), (#"[a-]x"#, "-x", "bx"), (#"[\w-]x"#, "-x", ".x"), (#"[^\d]x"#, "ax", "1x"),
        (#"[\x41-C]x"#, "bx", "dx"), (#"^[^a]$"#, "b", "A"), (#"\x61b"#, "AB", "b"), (#"\A.\z"#, "x", "xy"),
        (#"a\.b"#, "a.b", "axb"), (#"a\/b\-c"#, "a/b-c", "abc"), (#"(?:ab)+?c"#, "ababc", "c"), (#"a??b"#, "b", "a"),
        (#"a|"#, "x", "\u{0}"), (#"(a|b)(c|d)"#, "bd", "ab"), (#"ä{2}"#, "ää", "ä"), (#"^(|a)b$"#, "b", "aab"),
        (#"(a*)*b"#, "aab", "aa"), (#"(^a|b)c"#, "xbc", "xac"), (#"a$|^b"#, "ba", "ab "), (#"\s\S"#, "a b", "ab"),
        (#"[\]\\]x"#, #"\x"#, "x"), (#"(ab){2,3}$"#, "ababab", "ab"), (#"\tx"#, "\tx", "tx"),
        (#"abab"#, "aabaabab", "aabaab"),
    ]

    @Test(arguments: patterns)
    func `a pattern is found in the one and not in the other`(pattern: String, one: String, other: String) throws {
        #expect(try isFound(pattern, in: one))
        // What can be empty is found everywhere.
        #expect(try pattern == "a|" || !isFound(pattern, in: other))
    }

    private static func randomPattern(depth: Int, using random: inout SeededGenerator) -> String {
        let inner = { (random: inout SeededGenerator) in randomPattern(depth: depth - 1, using: &random) }
        switch depth == 0 ? 0 : Int.random(in: 0..<8, using: &random) {
        case 1: return "(\(inner(&random))|\(inner(&random)))"
        case 2:
            return "(?:\(inner(&random)))"
                + (["*", "+", "?", "{2}", "{1,3}", "*?"].randomElement(using: &random) ?? "")
        case 3...5: return inner(&random) + inner(&random)
        case 6: return inner(&random) + "|" + inner(&random)
        default:
            return ["a", "b", "ab", ".", "[ab]", "[^a]", "^", "$", "\\b", "\\w", " ", "B"].randomElement(using: &random)
                ?? ""
        }
    }

    @Test func `patterns find what the standard library's find`() throws {
        var random = SeededGenerator(state: 7)
        var found = 0
        for _ in 0..<400 {
            let pattern = Self.randomPattern(depth: 4, using: &random)
            let regex = try Regex(pattern).ignoresCase().wordBoundaryKind(.simple)
            for _ in 0..<8 {
                let text = String(
                    (0..<Int.random(in: 0..<8, using: &random)).map { _ in "abABc ".randomElement(using: &random) ?? "a"
                    })
                let expected = try regex.firstMatch(in: text) != nil
                #expect(try isFound(pattern, in: text) == expected, "\(pattern) in '\(text)'")
                found += expected ? 1 : 0
            }
        }
        #expect(300...2900 ~= found)
    }

    @Test func `a match is found wherever the pieces of a body end`() throws {
        let body = Array("xx aab aabaac <end>")
        for pattern in ["aabaac", "aab[a]+c", "^xx.*>$", #"\baabaac\b"#, #"c <end>$"#] {
            let filter = try TrafficFilter("~b '\(pattern)'")
            for first in 0...body.count {
                for second in first...body.count {
                    let pieces = [String(body[..<first]), String(body[first..<second]), String(body[second...])]
                    #expect(filter.matches(Subject.with { $0.requestBody = pieces }), "\(pattern): \(pieces)")
                }
            }
        }
    }

    /// What engines that go back or that build their automaton ahead need minutes or gigabytes for.
    @Test(.timeLimit(.minutes(1)), arguments: ["(a|b)*a(a|b){20}c", "(a*)*c", "(a|aa)+c", "(a|a|a|a|a)*c", "a.{100}c"])
    func `no pattern takes more than time in proportion to the text`(pattern: String) throws {
        let body = String(repeating: "abaab", count: 4000)
        #expect(try !TrafficFilter("~b '\(pattern)'").matches(Subject.with { $0.responseBody = [body] }))
        #expect(try TrafficFilter("~b '\(pattern)'").matches(Subject.with { $0.responseBody = [body, body + "ac"] }))
    }
}
