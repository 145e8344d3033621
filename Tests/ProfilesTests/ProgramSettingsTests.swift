import Profiles
import Testing

/// The commands of origins: their keys, and what is wrong with them.
@Suite struct ProgramSettingsTests {
    private static func profile(_ origin: String, _ more: String = "") -> String {
        "{kind: 'local',\n routes: [{origin: \(origin)}\(more)]}"
    }

    private static let usual = "run: 'npm start', url: 'http://localhost:3000'"

    private static func program(_ text: String) throws -> ProgramSettings {
        let library = try load(("p.json", profile("{\(text)}")))
        return try #require(library["p"]?.routes.first?.responder.addresses.first?.program)
    }

    @Test func `an origin has a command, and says when its server is ready`() throws {
        let usual = try Self.program(Self.usual)
        #expect(usual.command == "npm start" && usual.directory.hasSuffix("/Profiles") && usual.ready == nil)
        #expect(usual.within == 60_000_000_000 && usual.start == .request)
        let more = try Self.program(Self.usual + ", in: '../api', ready: '/up?a=b', within: '2m', start: 'serve'")
        #expect(more.directory.hasSuffix("/api") && !more.directory.contains("..") && more.ready == "/up?a=b")
        #expect(more.within == 120_000_000_000 && more.start == .serve)
    }

    @Test(arguments: [
        ("npm start", "npm"), ("A=b exec ./server --key=secret", "./server"), ("(cd a && b)", "cd"),
        ("KEY='my secret' TOKEN=\"a b\" kubectl port-forward x", "kubectl"),
    ])
    func `a command is called by its first word, without what may be secret`(command: String, name: String) throws {
        let text = command.replacing("\"", with: "\\\"").replacing("'", with: "\\'")
        #expect(try Self.program("run: '\(text)', url: 'http://localhost:1'").name == name)
    }

    /// Each row: an origin, and the problem with its place in the second line.
    @Test(arguments: [
        ("{}", "2:20: the origin has no \"run\""), ("{url: 'http://a'}", "2:20: the origin has no \"run\""),
        ("{run: 'a'}", "2:20: the origin has no \"url\""), ("{run: '', url: 'http://a'}", "2:26: \"run\" is \"\""),
        ("{run: ['a'], url: 'http://a'}", "2:26: \"run\" is an array"),
        ("{run: 'A=b', url: 'http://a'}", "2:26: \"run\" is \"A=b\""),
        ("{run: 'a', url: 'a:3000'}", "2:36: the origin \"a:3000\" has no scheme"),
        ("{run: 'a', url: 3000}", "2:36: \"url\" is a number"),
        ("{run: 'a', url: 'http://a', in: ''}", "2:52: \"in\" names no folder"),
        ("{run: 'a', url: 'http://a', in: 1}", "2:52: \"in\" is a number"),
        ("{run: 'a', url: 'http://a', ready: 'up'}", "2:55: \"ready\" is \"up\""),
        ("{run: 'a', url: 'http://a', ready: '/a b'}", "2:55: \"ready\" is \"/a b\""),
        ("{run: 'a', url: 'http://a', within: 5}", "2:56: \"within\" is 5"),
        ("{run: 'a', url: 'http://a', within: '2h'}", "2:56: \"within\" is \"2h\""),
        ("{run: 'a', url: 'http://a', start: 'now'}", "2:55: \"start\" is \"now\""),
        ("{run: 'a', url: 'http://a', cwd: 'x'}", "2:48: unknown key \"cwd\""),
        (
            "{run: 'a', url: 'https://a'}, host: 'a.test', tls: 'passthrough'",
            "2:20: a command starts the origin, and connections pass through"
        ),
        ("[{run: 'a', url: 'http://a'}, 7]", "2:50: an origin is a number"),
    ])
    func `what is wrong with a command is told with its place`(origin: String, problem: String) {
        let found = problems(("p.json", Self.profile(origin)))
        #expect(found.contains { $0.hasPrefix("Profiles/p.json:\(problem)") }, "\(found)")
    }

    @Test func `one command in one folder has the same settings everywhere`() {
        let same = Self.profile(
            "{\(Self.usual)}", ",\n {path: '/b', origin: {run: 'npm start', url: 'http://localhost:3000/b'}}")
        #expect(problems(("p.json", same), ("q.json", Self.profile("{\(Self.usual)}"))).isEmpty)
        for other in ["ready: '/up'", "within: '5s'", "start: 'serve'"] {
            let found = problems(("p.json", same), ("q.json", Self.profile("{\(Self.usual), \(other)}")))
            #expect(found.count == 1 && found[0].hasPrefix("Profiles/q.json:2:11: the command `npm` has another"))
            #expect(found.joined().contains("Profiles/p.json:2"))
        }
        #expect(problems(("p.json", same), ("q.json", Self.profile("{\(Self.usual), in: '..', ready: '/up'}"))).isEmpty)
    }

    @Test func `no command comes from the command line`() {
        let settings = RunSettings(profile: "p", texts: ["routes.a.test={ origin: {\(Self.usual)} }"])
        let found = #expect(throws: ProfileProblems.self) {
            try ProfileLibrary.load(files: [("p.json", Array(Self.profile("'http://a'").utf8))], settings: settings)
        }
        #expect(found?.description.contains("commands come from the files of profiles alone") == true)
    }
}
