import Profiles
import Testing

/// Profiles that are decoded on several cores.
@Suite struct ManyRoutesTests {
    @Test func `routes keep their order, lines and names`() throws {
        let lines = (0..<2_300).map { "{path: '/r\($0)', mock: {text: '\($0)'}}," }
        let library = try load(("p.json", "{kind: 'local', routes: [\n\(lines.joined(separator: "\n"))\n]}"))
        let routes = try #require(library["p"]).routes
        #expect(routes.map(\.line) == Array(2..<2_302))
        #expect(routes.map(\.name) == (0..<2_300).map { "r\($0)" })
    }

    @Test func `each mistake is reported once, by its line, and so is a route that ties with one far away`() {
        var lines = (0..<2_300).map { "{path: '/r\($0)', origin: 'http://a.test'}," }
        for line in [10, 499, 500, 1_700] { lines[line] = "{path: '/r\(line)', orgin: 'http://a.test'}," }
        lines[2_299] = "{path: '/r3', origin: 'http://a.test'},"
        let found = problems(("p.json", "{kind: 'local', routes: [\n\(lines.joined(separator: "\n"))\n]}"))
        let unknown = found.filter { $0.contains("unknown key \"orgin\"") }
        #expect([12, 501, 502, 1_702].allSatisfy { line in unknown.contains { $0.contains(":\(line):") } })
        #expect(unknown.count == 4, "\(unknown)")
        #expect(found.contains { $0.contains("the same requests as the one on line 5") }, "\(found)")
    }
}
