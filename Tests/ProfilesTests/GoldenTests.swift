import Profiles
import Testing

/// What is wrong with a profile reads as recorded: drop in a file, get a test.
///
/// Each entry of `Golden` is a profile, or a directory of profiles, with its messages beside it in `name.expected`.
@Suite struct GoldenTests {
    private static let directory = LibraryTests.root + "/Tests/ProfilesTests/Golden"

    static var cases: [String] {
        (try? names(directory))?.filter { !$0.hasSuffix(".expected") && !$0.hasPrefix(".") }.sorted() ?? []
    }

    @Test(arguments: cases)
    func `problems read as recorded`(name: String) throws {
        let path = Self.directory + "/" + name
        let isFile = name.hasSuffix(".json")
        let base = isFile ? String(name.dropLast(".json".count)) : name
        let files =
            isFile
            ? [(path: "Profiles/" + name, bytes: try bytes(path))]
            : try names(path).sorted().map { (path: "Profiles/" + $0, bytes: try bytes(path + "/" + $0)) }
        var rendered = ""
        do throws(ProfileProblems) {
            // Messages name days to come: here it is always noon of 2026-11-21.
            _ = try ProfileLibrary.load(files: files, now: 1_795_262_400)
        } catch {
            rendered = error.description + "\n"
        }
        // Where the repository lies shows in the paths of certificates only.
        rendered = rendered.split(separator: workingDirectory() + "/", omittingEmptySubsequences: false).joined(
            separator: "")
        let recorded = Self.directory + "/" + base + ".expected"
        let expected = try? String(decoding: bytes(recorded), as: UTF8.self)
        if expected == nil { try write(rendered, recorded) }
        #expect(rendered == expected, "recorded anew where there was none; read it before you keep it")
    }

    @Test func `there are cases`() {
        #expect(Self.cases.count > 8)
    }
}
