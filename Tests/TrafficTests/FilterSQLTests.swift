import Filter
import Testing

@Suite struct FilterSQLTests {
    @Test(arguments: [
        (#"~d ^api\.shop\.test$"#, "host = ?", true), ("~d ^api.", "(host >= ? AND host < ?)", true),
        ("!~d shop", "NOT coalesce(instr(host, ?) > 0, FALSE)", true), ("~d .*", "TRUE", false),
        ("~u /v1/", "instr(lower(url), ?) > 0", true), ("~u ^https:", "instr(lower(url), ?) = 1", true),
        ("~u /v1/$", "substr(lower(url), length(lower(url)) - ? + 1) = ?", true),
        (#"~u /v\d+/items/\d"#, "instr(lower(url), ?) > 0", false),
        (#"!~u /v\d+/"#, "TRUE", false), ("~m ^get$", "lower(method) = ?", true), ("~c 404", "status = ?", true),
        ("~c 4xx", "(status BETWEEN ? AND ?)", true), ("~c 404 ~b x", "status = ?", false),
        ("~c 404 | ~b x", "TRUE", false), ("!(~c 404 | ~b x)", "NOT coalesce(status = ?, FALSE)", false),
        ("~reason x", "status >= ?", false), ("~contract", "facts IS NOT NULL", false), ("!~contract", "TRUE", false),
        ("!~reason x", "TRUE", false), ("~all | ~b x", "TRUE", true),
        ("!~all ~b x", "FALSE", true), ("~h x", "TRUE", false), ("", "TRUE", true),
        ("~env local|staging", "(lower(profile) = ? OR lower(profile) = ?)", true),
        ("~since 2001-09-09T01:46:40Z ~slow 2s", "(started_us >= ? AND total_us >= ?)", true),
        (#"~u \x00"#, "TRUE", false), (#"~u \xFF"#, "TRUE", false),
    ])
    func `a filter becomes a condition`(text: String, condition: String, isExact: Bool) throws {
        let sql = try TrafficFilter(text).sql
        #expect(sql.condition == condition)
        #expect(sql.isExact == isExact)
    }

    @Test func `parameters have their types`() throws {
        #expect(
            try TrafficFilter(#"~d ^API. ~c 4xx ~u '\?Q$'"#).sql.parameters
                == [.text("api."), .text("api/"), .integer(400), .integer(499), .integer(2), .text("?q")])
    }

    private static func randomFilter(depth: Int, using random: inout SeededGenerator) -> String {
        switch depth == 0 ? 0 : Int.random(in: 0..<6, using: &random) {
        case 1: return "!\(randomFilter(depth: depth - 1, using: &random))"
        case 2, 3:
            let parts = (0..<2).map { _ in randomFilter(depth: depth - 1, using: &random) }
            return "(\(parts.joined(separator: " & ")))"
        case 4:
            let parts = (0..<2).map { _ in randomFilter(depth: depth - 1, using: &random) }
            return "(\(parts.joined(separator: " | ")))"
        default:
            let patterns = [
                "a", "^a", "b$", "^ab$", "'a|b'", "'^(a|shop)$'", "api.shop.test", "%", "_", "'a.b'", "ä", "Ä", "''",
                "'^$'",
                "'^'", "'$'", "'a?'", "'[a-c]+/'", "'\\.test'", "::1", "'^\\[::1\\]:1'", ":80", "'\\x00'", "'a\\x7f'",
                "^~",
                "image", "json$", "'a+b'", "'(a|b)c?'", "\\\\", "'^a%'", "^@", "'^\\x7e'", "\"'\"",
            ]
            let operators = [
                "d", "u", "m", "t", "tq", "ts", "src", "dst", "env", "route", "trust", "app", "session", "gql", "b",
            ]
            let plain = [
                "~c 200", "~c 4xx", "~c 100-300", "~e", "~q", "~s", "~a", "~websocket", "~http", "~all", "~mock",
                "~bridge", "~fault", "~network", "~stale", "~push", "~reason a", "~grpc a", "~grpcstatus 1-16",
                "!~grpcstatus OK", "~contract", "~gqlerror",
                "~slow 1s",
                "~id 3", "~id 1,3-4", "!~id 2-3", "~since 10s",
            ]
            if Int.random(in: 0..<3, using: &random) == 0 { return plain.randomElement(using: &random) ?? "" }
            let pattern = patterns.randomElement(using: &random) ?? ""
            return "~\(operators.randomElement(using: &random) ?? "u") \(pattern == "^~" ? "'^~'" : pattern)"
        }
    }

    @Test(.enabled(if: Database.isThere, "SQLite is not installed"))
    func `the database selects what matches, or more if it says so`() throws {
        var random = SeededGenerator(state: 3)
        let subjects = (1...120).map { Subject.random(id: $0, using: &random) }
        let database = try #require(Database(holding: subjects))
        var exact = 0
        var selective = 0
        for _ in 0..<1500 {
            let text = Self.randomFilter(depth: 3, using: &random)
            let filter = try TrafficFilter(text, now: 20_000_000)
            let sql = filter.sql
            let selected = try #require(database.identifiers(where: sql), "\(text): \(database.message) in \(sql)")
            let matching = Set(subjects.filter(filter.matches).map(\.id))
            if sql.isExact {
                #expect(selected == matching, "\(text): \(sql)")
                exact += 1
            } else {
                #expect(selected.isSuperset(of: matching), "\(text): \(sql)")
            }
            if !selected.isEmpty, selected.count < subjects.count { selective += 1 }
        }
        #expect(exact > 500 && exact < 1400)
        #expect(selective > 600)
    }

    @Test(.enabled(if: Database.isThere, "SQLite is not installed"))
    func `the largest filters are not too large for the database`() throws {
        let database = try #require(Database(holding: [Subject()]))
        let alternatives = (1...16).map { "\($0)" }.joined(separator: "|")
        let texts = [
            Array(repeating: "~src \(alternatives)", count: 7).joined(separator: " | "),
            Array(repeating: "~d shop", count: 100).joined(separator: " | "),
            String(repeating: "!", count: 8) + "~d shop",
            "~d a | ~e" + String(repeating: " & (~d shop | ~m x", count: 8) + " & ~src 'a|b'"
                + String(repeating: ")", count: 8),
            "~d a | ~e" + String(repeating: " & (~m x | ~d shop", count: 8) + " & ~d 'a|b$'"
                + String(repeating: ")", count: 8),
        ]
        for text in texts {
            #expect(try database.identifiers(where: TrafficFilter(text).sql) != nil, "\(text): \(database.message)")
        }
    }
}
