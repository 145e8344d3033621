import Profiles
import TestSupport
import Testing

/// Templates in files beside the profile.
@Suite struct TemplateFileTests {
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
