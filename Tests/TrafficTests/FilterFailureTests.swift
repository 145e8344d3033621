import Filter
import Testing

@Suite struct FilterFailureTests {
    private static let errors: [(String, Int, String)] = [
        ("~x", 1, "unknown filter ~x"), ("~d a ~url b", 6, "unknown filter ~url"), ("~", 1, "unknown filter ~"),
        ("~c200", 1, "unknown filter ~c200"), ("~d", 3, "~d with nothing behind it"),
        ("~d & ~c 200", 4, "~d with nothing behind it"), ("~d ~c 200", 4, "~d with nothing behind it"),
        ("(~d)", 4, "~d with nothing behind it"), ("~c abc", 4, "~c with \"abc\""), ("~c 20", 4, "~c with \"20\""),
        ("~c 499-400", 4, "~c with \"499-400\""), ("~c 1-2-3", 4, "~c with \"1-2-3\""), ("~c |", 4, "~c with nothing"),
        ("~slow 5", 7, "~slow with \"5\""), ("~slow 1.s", 7, "~slow"), ("~slow .5s", 7, "~slow"),
        ("~slow 99999999999999d", 7, "~slow"), ("~slow -1s", 7, "~slow"), ("~id x", 5, "~id with"),
        ("~id 3-1", 5, "~id with"), ("~id 1,", 5, "~id with"), ("~id 1-2-3", 5, "~id with"),
        ("~id 99999999999999999999", 5, "~id with"), ("~since soon", 8, "~since with \"soon\""),
        ("~since 2026-02-29T00:00:00Z", 8, "~since"), ("~since 2026-01-01T24:00:00Z", 8, "~since"),
        ("~since 2026-01-01T00:00:00", 8, "~since"), ("~since 2026-01-01T00:00:00.Z", 8, "~since"),
        ("~since 2026-01-01", 8, "~since"), ("(~e", 1, "a ( without its )"), ("~e)", 3, "a ) without its ("),
        ("~e &", 5, "the filter ends early"), ("~e | | ~q", 6, "nothing before |"), ("& ~e", 1, "nothing before &"),
        ("()", 2, "nothing before )"), ("!", 2, "the filter ends early"), ("~u \"abc", 4, "a quote that is not closed"),
        ("~u ab\"c\"", 6, "a quote within a word"), ("ä ~u 'ö", 6, "a quote that is not closed"),
        // Within patterns.
        ("~u a(b", 5, "a ( without its )"), ("~u 'a)b'", 6, "a ) without its ("),
        ("~u *a", 4, "nothing before * to repeat"),
        ("~u ä+*", 5, "repeated twice"), ("~u a{3,2}", 5, "a range that ends before it starts"),
        ("~u a{9999}", 5, "a number that is too large"), ("~u [a-", 4, "a [ without its ]"),
        ("~u [b-a]", 5, "a range without order"), ("~u [ä]", 5, "ä in brackets"),
        ("~u a[\\b]", 6, "nothing that brackets"),
        ("~u x\\y", 5, "unknown escape \\y"), ("~u (a)\\1", 7, "a back-reference"), ("~u a\\", 5, "a \\ with nothing"),
        ("~u \\xg1", 4, "\\x without two digits"), ("~u (?=a)", 4, "an unknown kind of group"),
        ("~u 'it\\'s*?+'", 10, "repeated twice"), ("~e ~u (((a{1000}){1000}){1000})", 7, "a pattern that is too large"),
        ("~u (((a{0}){1000}){1000}){1000}", 4, "a pattern that is too large"),
        ("~u a{300}b+ ~u c{300}d+", 16, "a pattern that is too large"),
    ]

    @Test(arguments: errors)
    func `an error points at its place`(text: String, column: Int, message: String) throws {
        let failure = try #require(throws: FilterFailure.self) { try TrafficFilter(text) }
        #expect(failure.column == column)
        #expect(failure.message.hasPrefix(message))
        #expect(!failure.expected.isEmpty)
    }

    @Test func `an error shows the filter with a caret`() throws {
        let failure = try #require(throws: FilterFailure.self) { try TrafficFilter("~d shop\t~c many") }
        #expect(
            failure.description == """
                ~c with "many" (column 12)
                  ~d shop ~c many
                             ^
                expected a status like 404, 4xx or 400-499
                """)
    }

    @Test func `of a long filter an error shows what stands around its place`() throws {
        let text = String(repeating: "~e ", count: 50) + "~c \u{1b}[31m" + String(repeating: " ~e", count: 40)
        let failure = try #require(throws: FilterFailure.self) { try TrafficFilter(text) }
        let lines = failure.description.split(separator: "\n").map(Array.init)
        try #require(lines.count == 4)
        #expect(lines[1].count < 110)
        #expect(lines[1].count(where: { $0 == "…" }) == 2)
        let caret = try #require(lines[2].firstIndex(of: "^"))
        #expect(String(lines[1][caret...].prefix(5)) == " [31m")
        #expect(!failure.description.unicodeScalars.contains("\u{1b}"))
    }

    @Test(arguments: [
        String(repeating: "(", count: 9) + "~e" + String(repeating: ")", count: 9),
        String(repeating: "(", count: 2000), String(repeating: "!", count: 2000), String(repeating: "~e ", count: 101),
        String(repeating: "a", count: 4097), "~u '" + String(repeating: "(", count: 2000) + "'",
    ])
    func `what has no bounds is refused`(text: String) {
        #expect(throws: FilterFailure.self) { try TrafficFilter(text) }
    }

    @Test(arguments: [
        String(repeating: "(", count: 8) + "~e" + String(repeating: ")", count: 8),
        String(repeating: "~e ", count: 100), String(repeating: "a", count: 4096), "~u a{490}b+",
    ])
    func `what is within the bounds is read`(text: String) {
        #expect(throws: Never.self) { try TrafficFilter(text) }
    }

    @Test func `no text makes it crash`() {
        var random = SeededGenerator(state: 1)
        let pieces = [
            "~d", "~u", "~c", "~b", "~h", "~slow", "~since", "~env", "~route", "~id", "~", "(", ")", "[", "]", "{", "}",
            "!", "&", "|", "\"", "'", "\\", "*", "+", "?", ".", "^", "$", "-", ",", "1", "99", "a", "ä", "e\u{301}",
            " ",
            "\r\n", "\u{0}", "\u{1F469}\u{200D}\u{1F680}", "x", "d", ":", "T", "Z", "s", "4xx", "2026-01-01",
        ]
        var understood = 0
        for _ in 0..<4000 {
            let text = (0..<Int.random(in: 0..<14, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            do throws(FilterFailure) {
                let filter = try TrafficFilter(text)
                _ = filter.matches(Subject())
                #expect(filter.sql.condition.count(where: { $0 == "?" }) == filter.sql.parameters.count)
                understood += 1
            } catch {
                #expect(1...text.count + 1 ~= error.column, "\(text)")
                #expect(
                    error.description.split(separator: "\n", omittingEmptySubsequences: false).count == 4, "\(text)")
            }
        }
        #expect(500...3500 ~= understood)
    }
}
