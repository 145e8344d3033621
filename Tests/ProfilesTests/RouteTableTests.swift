import Profiles
import Testing

/// Routes are found through an index; a walk over all of them must find the same.
@Suite struct RouteTableTests {
    private static let hosts = [
        "a.test", "b.a.test", "*.test", "*.a.test", "*.b.a.test", "*", "a.test:8443", "*.test:8443", "::1",
    ]
    private static let requestHosts = [
        "a.test", "A.TEST.", "b.a.test", "c.b.a.test", "x.test", "test", ".test", "a..test", "", "[::1]", "xa.test",
        "deep.er.b.a.test",
    ]
    private static let segments = ["a", "b", "*", "aa", ""]
    private static let requestPaths = [
        "", "/", "*", "/a", "/a/", "/a/b", "/a//b", "/aa", "/a/b/aa/", "/b/a", "/aa/b", "/a/x/b", "/x", "//", "//a",
        "/a/b/aa/a/b",
    ]

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `the index finds what a walk over all routes finds`(seed: UInt64) throws {
        var random = Repeatable(state: seed)
        var routes: Set<String> = []
        for _ in 0..<Int.random(in: 1...30, using: &random) {
            let host = Self.hosts[Int.random(in: 0..<Self.hosts.count, using: &random)]
            let count = Int.random(in: 0...3, using: &random)
            let path = (0..<count).map { _ in
                "/" + Self.segments[Int.random(in: 0..<Self.segments.count, using: &random)]
            }
            let method = Bool.random(using: &random) ? "" : ", method: 'PUT'"
            let spelled = path.isEmpty ? "/*" : path.joined()
            routes.insert("host: '\(host)', path: '\(spelled)'\(method)")
        }
        let profile = try profile(routes: routes.sorted())
        for host in Self.requestHosts {
            for path in Self.requestPaths {
                for (method, port) in [("GET", 443), ("PUT", 8443), ("PUT", nil)] as [(String, UInt16?)] {
                    let request = Request(host: host, port: port, path: path, method: method)
                    let found = profile.label(host, path, method: method, port: port)
                    #expect(found == request.bestLabel(in: profile), "seed \(seed), \(request)")
                }
            }
        }
    }

    @Test func `many segments deep, a route is found`() throws {
        let deep = String(repeating: "/s", count: 100)
        let profile = try profile(routes: ["path: '\(deep)/x'", "path: '\(deep)/y/*'", "path: '/s/*'"])
        #expect(profile.label("h.test", deep + "/x") == "*\(deep)/x")
        #expect(profile.label("h.test", deep + "/y/z") == "*\(deep)/y/*")
        #expect(profile.label("h.test", deep + "/z") == "*/s/*")
    }

    @Test func `ten thousand routes are told apart`() throws {
        let routes = (0..<10_000).map { number in
            switch number % 3 {
            case 0: "host: 'h\(number).test'"
            case 1: "host: '*.s\(number).test'"
            default: "path: '/api/v1/p\(number)/*'"
            }
        }
        let profile = try profile(routes: routes)
        for number in stride(from: 0, to: 9_990, by: 333) {
            #expect(profile.label("h\(number).test") == "h\(number).test/*")
            #expect(profile.label("a.b.s\(number + 1).test") == "*.s\(number + 1).test/*")
            #expect(profile.label("x.example", "/api/v1/p\(number + 2)/z") == "*/api/v1/p\(number + 2)/*")
        }
        #expect(profile.label("x.example", "/api/v1/p0") == nil)
    }
}

/// A request matched the way docs/profiles.md says it, without any index.
private struct Request {
    let host: String
    let port: UInt16?
    let path: String
    let method: String

    func bestLabel(in profile: Profile) -> String? {
        let ranked = profile.routes.filter(fits).map { (route: $0, rank: rank($0.pattern)) }
        return ranked.max { $0.rank.lexicographicallyPrecedes($1.rank) }?.route.label
    }

    private func fits(_ route: Route) -> Bool {
        let pattern = route.pattern
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        name.removeAll { $0 == "[" || $0 == "]" }
        let hostFits =
            switch pattern.host.scope {
            case .exact(let known): name == known
            case .below(let parent): name.hasSuffix("." + parent)
            case .loopback, .network: false
            case .any: true
            }
        guard hostFits, pattern.host.port == nil || pattern.host.port == port else { return false }
        guard pattern.methods.isEmpty || pattern.methods.contains(method) else { return false }
        var known = pattern.path.description.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        if known.count == 1, known.first == "*", pattern.path.isPrefix { return true }
        guard path.hasPrefix("/") else { return false }
        let given = segments.dropFirst()
        let isPrefix = pattern.path.isPrefix
        if isPrefix { known.removeLast() }
        guard given.count == known.count || isPrefix && given.count > known.count else { return false }
        return zip(known, given).allSatisfy { $0 == "*" ? !$1.isEmpty : $0 == $1 }
    }

    /// Larger is more specific.
    private func rank(_ pattern: RoutePattern) -> [Int] {
        let hostRank =
            switch pattern.host.scope {
            case .exact: [2, 0]
            case .below(let parent): [1, parent.utf8.count]
            case .loopback, .network, .any: [0, 0]
            }
        let text = pattern.path.description
        var segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            $0 == "*" ? 2 : 3
        }
        if pattern.path.isPrefix { segments.removeLast() }
        let path = segments + [pattern.path.isPrefix ? 0 : 1]
        // Padded, so that what follows the path does not come before it is over.
        let padded = path + Array(repeating: -1, count: 8 - path.count)
        return hostRank + [pattern.host.port == nil ? 0 : 1] + padded + [pattern.methods.isEmpty ? 0 : 1]
    }
}

/// The same numbers for the same seed.
private struct Repeatable: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed &>> 31)
    }
}
