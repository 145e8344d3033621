import Patterns
import Testing

/// Pattern, text, and whether it is found.
private let rows: [(String, String, Bool)] = [
    ("a+", "xaay", true), ("^A$", "a", false), ("^[A-Z]$", "q", false), ("^\\D$", "é", true), ("^..$", "éé", true),
    ("^.$", "\n", false), ("^.$", "\u{2028}", false), ("^[α-ω]+$", "λόγος", false), ("^[α-ωό]+$", "λόγος", true),
    ("^[^é]$", "é", false), ("^[^é]$", "🐲", true), ("^🐲*$", "🐲🐲", true), ("^🐲*$", "🐉", false),
    ("^\\u{1F432}$", "🐲", true),
    ("^\\uD83D\\uDC32$", "🐲", true), ("^\\p{L}+$", "Straße", true), ("^\\p{Lu}", "straße", false),
    ("^\\P{L}$", "1", true),
    ("^[\\p{L}\\d]+$", "ä1", true), ("^\\p{gc=Decimal_Number}+$", "٣3", true), ("^\\cJ$", "\n", true),
    ("^\\s$", "\u{FEFF}", true),
    ("^\\S$", "\u{A0}", false), ("^\\w$", "é", false), ("\\bfoo\\b", "a foo b", true), ("^(?:a|b){2,3}$", "aba", true),
    ("^(?<year>\\d{4})$", "2026", true), ("^a{,3}$", "a{,3}", true), ("^[]$", "]", false), ("^[^]$", "]", true),
    ("^\\/$", "/", true),
    ("^\\x41$", "A", true), ("^\\0$", "\0", true), ("^[\\b]$", "\u{8}", true), ("^[\\w.-]+@", "a.b-c@d", true),
]

@Suite struct ECMAPatternTests {
    @Test(arguments: rows) func `a pattern of ECMAScript finds what it does there`(
        pattern: String, text: String, isFound: Bool
    ) throws {
        #expect(try Pattern(ecmaScript: pattern, limit: 1000).isFound(in: text) == isFound)
    }

    @Test(arguments: [
        ("(?=a)", 0), ("(?<!a)", 0), ("(a)\\1", 3), ("\\k<a>", 0), ("\\p{Greek}", 0), ("\\q", 0), ("\\u{110000}", 0),
        ("[z-a]", 1),
        ("\\uD800", 0), ("[\\P{L}]", 1), ("a**", 1),
    ]) func `what is not supported is refused with its place`(pattern: String, index: Int) {
        let error = #expect(throws: PatternFailure.self) { _ = try Pattern(ecmaScript: pattern, limit: 1000) }
        #expect(error?.index == index)
    }
}
