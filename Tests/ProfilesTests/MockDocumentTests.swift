import Profiles
import TestSupport
import Testing

/// The profiles that docs/mocks.md shows are right.
@Suite struct MockDocumentTests {
    private static var examples: [String] {
        guard let text = try? String(decoding: bytes(LibraryTests.root + "/docs/mocks.md"), as: UTF8.self) else {
            return []
        }
        return text.split(separator: "```json5 profile\n").dropFirst().map { block in
            let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.prefix { $0 != "```" }.joined(separator: "\n")
        }
    }

    @Test(arguments: examples)
    func `an example loads`(text: String) throws {
        let library = try load(("local.json", text))
        #expect(library["local"]?.routes.isEmpty == false)
    }

    @Test func `there are examples`() { #expect(Self.examples.count >= 5) }

    @Test func `a template in a file is wrong at its own place`() throws {
        let folder = try TemporaryFolder()
        try folder.write("page.html", "<p>\n  {{path.id}} {{nothing}}")
        let path = try folder.write(
            "Profiles/p.json",
            "{kind: 'local', routes: [{path: '/{id}', mock: {file: '../page.html', template: true}}]}")
        do throws(ProfileProblems) {
            _ = try ProfileLibrary.load(directory: folder.path + "/Profiles")
            Issue.record("\(path) loads")
        } catch {
            #expect(error.all.map(\.description).count == 1)
            #expect(error.all[0].description.hasPrefix("\(folder.path)/page.html:2:15: {{nothing}} is no value"))
        }
    }
}
