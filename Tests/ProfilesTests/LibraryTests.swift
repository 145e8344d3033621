import Profiles
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct LibraryTests {
    /// The top of this package.
    static let root = String(#filePath.dropLast("/Tests/ProfilesTests/LibraryTests.swift".count))

    @Test func `the starter loads and is what this repository ships`() throws {
        let library = try ProfileLibrary.load(directory: Self.root + "/Profiles")
        #expect(library.profiles.map(\.name) == ["local", "production", "staging"])
        #expect(
            library.files.map { $0.split(separator: "/").last } == ["local.json", "production.json", "staging.json"])
        for (name, text) in Starter.files { #expect(try bytes(Self.root + "/Profiles/" + name) == Array(text.utf8)) }
        #expect(try names(Self.root + "/Profiles").sorted() == [".gitignore"] + Starter.files.map(\.name).sorted())
    }

    @Test func `a directory is read without schemas, hidden files and other things`() throws {
        try inDirectory { directory in
            let profile = "{kind: 'local'}"
            for name in ["a.json", "b.json5"] { try write(profile, directory + "/" + name) }
            for name in ["x.schema.json", ".local.json", ".hidden.json", "README.md"] {
                try write("no", directory + "/" + name)
            }
            mkdir(directory + "/dir.json", 0o755)
            try write("ca", directory + "/ca.pem")
            try write(
                "{kind: 'local', certificateAuthorities: ['ca.pem'], trust: {x: {policy: 'default', certificateAuthorities: ['./dir.json/../ca.pem']}}}",
                directory + "/b.json5")
            let library = try ProfileLibrary.load(directory: directory)
            #expect(library.profiles.map(\.name) == ["a", "b"])
            #expect(library.files == [directory + "/a.json", directory + "/b.json5", directory + "/ca.pem"])
            #expect(library["b"]?.trustWithoutRule == .default(certificateAuthorities: [directory + "/ca.pem"]))
            #expect(library["b"]?.trust[0].policy == .default(certificateAuthorities: [directory + "/ca.pem"]))
            #expect(library.nearestName(to: "aa") == "a")
            #expect(library.nearestName(to: "production") == nil)
        }
    }

    @Test func `a directory without profiles, or none at all, says what to do`() throws {
        try inDirectory { directory in
            for path in [directory, directory + "/none"] {
                let failure = #expect(throws: ProfileProblems.self) { try ProfileLibrary.load(directory: path) }
                #expect(failure?.description.contains("`shunt init`") ?? false)
            }
        }
    }

    @Test func `profiles are found beside oneself, then upwards to the git root`() throws {
        try inDirectory { top in
            for path in ["/Profiles", "/repo", "/repo/.git", "/repo/sub", "/repo/sub/deep"] { mkdir(top + path, 0o755) }
            #expect(ProfileLibrary.discover(from: top) == top + "/Profiles")
            #expect(ProfileLibrary.discover(from: top + "/repo/sub") == nil)
            mkdir(top + "/repo/Profiles", 0o755)
            #expect(ProfileLibrary.discover(from: top + "/repo/sub/deep") == top + "/repo/Profiles")
            mkdir(top + "/repo/sub/Profiles", 0o755)
            #expect(ProfileLibrary.discover(from: top + "/repo/sub/deep/") == top + "/repo/sub/Profiles")
        }
    }

    @Test func `no bytes make loading crash`() {
        var random = SystemRandomNumberGenerator()
        let seeds = Starter.files.map { Array($0.text.utf8) }
        let words = [
            "{", "}", "[", "\"", "*", "://", ":", "%", "..", "@loopback", "null", "1e9", "\"extends\":\"p\",", "[::",
            "é", "disabled",
        ]
        for round in 0..<600 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let at = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.insert(contentsOf: Array((words.randomElement(using: &random) ?? "").utf8), at: at)
                case 1: if at < bytes.count { bytes[at] = UInt8.random(in: 0...255, using: &random) }
                default: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 0...9, using: &random)))
                }
            }
            guard let profile = try? ProfileLibrary.load(files: [("p.json", bytes)]).profiles.first else { continue }
            let noise = ContiguousArray((0..<Int.random(in: 0...30)).map { _ in UInt8.random(in: 0...255) })
            let path: ContiguousArray<UInt8> = [0x2F] + noise
            _ = profile.match(host: noise.span, port: 1, path: path.span, method: noise.span) { _, _ in true }
            _ = try? profile.explain(url: "https://a.test/" + String(decoding: noise, as: UTF8.self))
        }
    }

    @Test(arguments: ["Local.json", "-a.json", ".json", "a b.json", "é.json"])
    func `a name that could not stand in a header field is refused`(name: String) {
        #expect(problems((name, "{kind: 'local'}")).count == 1)
    }

    @Test func `a profile is in one file`() {
        #expect(
            problems(("a.json", "{kind: 'local'}"), ("a.json5", "{kind: 'local'}")) == [
                "Profiles/a.json5: the profile \"a\" is in Profiles/a.json already; expected one file per profile"
            ])
    }
}
