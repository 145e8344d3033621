import Profiles
import Testing

/// Programs of this machine that profiles name.
@Suite struct AppTests {
    private static func local(_ apps: String, _ more: String = "") -> String {
        "{ kind: 'local', routes: [], apps: \(apps)\(more) }"
    }

    @Test func `a program belongs to the profile that names it, by its most exact name`() throws {
        let library = try load(
            ("a.json", Self.local("['Safari', 'python3']")), ("b.json", Self.local("['tests.py', 'Google Chrome']")),
            ("c.json", "{ kind: 'local', routes: [], extends: 'a' }"))
        func profile(_ names: String...) -> String? { library.profile(of: names).map { library.profiles[$0].name } }
        #expect(profile("Safari") == "a" && profile("Google Chrome") == "b")
        #expect(profile("python3 tests.py", "tests.py", "python3") == "b")
        #expect(profile("python3 x.py", "x.py", "python3") == "a")
        #expect(profile("safari") == nil && profile("curl") == nil && profile() == nil)
        // It is not inherited.
        #expect(library["c"]?.apps == [])
    }

    @Test func `a personal override says for itself which programs a profile has`() throws {
        let library = try load(
            ("a.json", Self.local("['curl']")), ("a.local.json", "{ apps: ['Shop'] }"),
            ("b.json", Self.local("['curl']")))
        #expect(library["a"]?.apps == ["Shop"] && library["b"]?.apps == ["curl"])
    }

    @Test(arguments: [
        ("['']", "it is empty"), ("['/usr/bin/curl']", "it has a `/`"), ("['a\\u0007']", "it has a control character"),
        ("['\(String(repeating: "x", count: 201))']", "it is longer than 200 bytes"), ("'curl'", "\"apps\" is a"),
        ("[1]", "1"),
    ])
    func `what names no program is refused`(apps: String, fault: String) {
        let found = problems(("a.json", Self.local(apps)))
        #expect(found.count == 1 && found[0].contains(fault), "\(found)")
    }

    @Test func `two profiles do not name the same program`() {
        let found = problems(("a.json", Self.local("['curl', 'x']")), ("b.json", Self.local("['y', 'curl']")))
        #expect(
            found.count == 1
                && found[0].contains("Profiles/b.json:1:42: the program \"curl\" belongs to the profile \"a\" already"),
            "\(found)")
    }
}
