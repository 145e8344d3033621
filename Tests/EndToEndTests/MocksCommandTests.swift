import Foundation
import JSON
import TestSupport
import Testing

/// `shunt mocks`, as people type it.
@Suite struct MocksCommandTests {
    private static let profiles = [
        "local": """
        {"kind": "local", "routes": [
          {"name": "promo", "path": "/promo", "mock": {"text": "mock"}}, {"path": "/v1/user", "mock": {}},
          {"path": "/promo/*", "mock": {"text": "next"}}
        ]}
        """
    ]

    @Test func `mocks are listed, switched, kept, and shown by status and log`() throws {
        let shunt = try ServingShunt(Self.profiles)
        #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/promo").output == "mock")
        let list = try shunt.run("mocks")
        #expect(list.status == 0 && list.output.hasPrefix("MOCK "), "\(list)")
        #expect(list.output.contains("promo    on     1     now "), "\(list)")
        #expect(list.output.contains("v1-user  on     0     -  "), "\(list)")
        let off = try shunt.run("mocks", "off", "promo", "--keep")
        #expect(off.status == 0 && off.output.contains("promo    off    1"), "\(off)")
        #expect(off.output.hasSuffix("Kept for the next start.\n"), "\(off)")
        #expect(try shunt.curl("http://127.0.0.1:\(shunt.port)/promo").output == "next")
        #expect(try shunt.run("status").output.contains("  mocks        3, off: promo, see `shunt mocks`\n"))
        let kept = try shunt.folder.read(".shunt/mocks.json")
        let errors = try shunt.stop().errors
        #expect(errors.contains("shunt: mocks off: promo\n") && errors.contains(" mock promo is off"), "\(errors)")
        let again = try ServingShunt(Self.profiles, files: [".shunt/mocks.json": kept])
        #expect(try again.curl("http://127.0.0.1:\(again.port)/promo").output == "next")
        #expect(try again.run("mocks", "--all", "on").output.contains("promo    on "))
        #expect(try again.curl("http://127.0.0.1:\(again.port)/promo").output == "mock")
        let only = try again.run("mocks", "only", "v1-user", "--json").output
        let states = try JSONReader.read(only)["mocks"]?.array?.compactMap { $0["on"]?.bool }
        #expect(states == [false, true, false], "\(only)")
        try again.stop()
    }

    @Test(arguments: [
        (["off"], 64, "needs names"), (["of", "promo"], 64, "nothing that can be done with mocks"),
        (["--all", "of"], 64, "--all is"), (["off", "promo", "--all", "off"], 64, "exclude each other"),
        (["--keep"], 64, "--keep needs"), (["off", "prmo"], 1, "There are: promo, v1-user, promo-2"),
        (["off", "promo", "--profile", "lcal"], 1, "Did you mean “local”?"),
        (["off", "promo", "--device", "phone"], 1, "no device is called “phone”"),
    ])
    func `what cannot be done is told with the next step`(words: [String], status: Int, text: String) throws {
        let shunt = try ServingShunt(Self.profiles)
        let result = try ChildProcess.run(
            ShuntBinary.path, ["mocks"] + words, directory: shunt.folder.path)
        #expect(Int(result.status) == status && result.errors.contains(text), "\(result)")
        try shunt.stop()
    }
}
