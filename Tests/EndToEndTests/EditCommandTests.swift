import Foundation
import TestSupport
import Testing

/// `shunt edit`, with editors that are lines of a shell.
@Suite struct EditCommandTests {
    private static let text = #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "one"}}]}"#

    private let shunt: Shunt
    private var folder: TemporaryFolder { shunt.folder }

    init() throws {
        shunt = try Shunt()
        try folder.write("Profiles/local.json", Self.text)
        try folder.write("Profiles/profile.schema.json", "{}")
    }

    private var copies: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter {
            $0.hasPrefix("shunt-edit")
        }
    }

    private func edit(_ name: String, _ editor: String, visual: String = "") throws -> ChildProcess.Result {
        try ChildProcess.run(
            ShuntBinary.path, ["edit", name], directory: folder.path,
            environment: ["EDITOR": editor, "VISUAL": visual, "TMPDIR": folder.path])
    }

    @Test func `what is valid replaces the file, with its mode and its link`() throws {
        try FileManager.default.moveItem(
            atPath: folder.path + "/Profiles/local.json", toPath: folder.path + "/elsewhere.json")
        symlink("../elsewhere.json", folder.path + "/Profiles/local.json")
        chmod(folder.path + "/elsewhere.json", 0o640)
        // The editor's own words and quotes count, and it finds the schema.
        let run = try edit(
            "local", "sed -i 's/one/two words/' --",
            visual: "test -f \"$TMPDIR\"/shunt-edit*/profile.schema.json && sed -i 's/one/two words/' --")
        #expect(run.status == 0 && run.output == "wrote  Profiles/local.json\n", "\(run)")
        #expect(try folder.read("elsewhere.json").contains("two words"))
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/Profiles/local.json")
                == "../elsewhere.json")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/elsewhere.json")
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(copies.isEmpty)
    }

    @Test(arguments: [
        // The editor, the status, and what is said.
        ("true", 0, "Nothing changed"), ("sed -i s/routes/routs/", 1, "Profiles/local.json:1:"),
        ("sed -i s/one/two/ \"$1\"; exit 3; true", 1, "ended with status"), ("no-such-editor", 1, "EDITOR=nano"),
        ("truncate -s 0", 1, "local.json"),
        ("sh -c 'echo >> Profiles/local.json; sed -i s/one/two/ $0'", 1, "was changed meanwhile"),
        ("sed -i s/kind/extends/", 1, "What you wrote is in"),
    ])
    func `the file stays as it was where there is nothing to take over`(editor: String, status: Int32, text: String)
        throws
    {
        let run = try edit("local", editor)
        #expect(run.status == status, "\(run)")
        #expect((run.output + run.errors).contains(text), "\(run)")
        #expect(try folder.read("Profiles/local.json").hasPrefix(Self.text))
        // What was written is not lost, and nothing else stays behind.
        #expect(copies.isEmpty == !run.errors.contains("What you wrote is in"), "\(copies)")
    }

    @Test func `errors that other files had before do not count, new ones there do`() throws {
        try folder.write("Profiles/broken.json", "{ kind: 'local', routs: [] }")
        #expect(try edit("local", "sed -i s/one/two/").status == 0)
        #expect(try folder.read("Profiles/local.json").contains("two"))
        try folder.write("Profiles/child.json", #"{"kind": "local", "extends": "base"}"#)
        try folder.write("Profiles/base.json", Self.text)
        let run = try edit("base", "sed -i s/local/production/")
        let isValid = try shunt.run("validate").errors.contains("child.json")
        #expect((run.status == 0) == !isValid, "\(run)")
    }

    @Test func `overrides can be edited, and a name that is not there has a near one`() throws {
        try folder.write("Profiles/local.local.json", #"{"routes": []}"#)
        #expect(try edit("local.local", "sed -i 's/\\[\\]/[ ]/'").status == 0)
        #expect(try folder.read("Profiles/local.local.json").contains("[ ]"))
        let run = try edit("locale", "true")
        #expect(run.status == 1 && run.errors.contains("Did you mean “local”?"), "\(run.errors)")
    }

    @Test func `on a terminal it offers to edit again`() throws {
        try folder.write(
            "editor",
            "#!/bin/sh\nif [ -e once ]; then sed -i s/routs/routes/ \"$1\"; else touch once; sed -i 's/routes/routs/; s/one/two/' \"$1\"; fi\n"
        )
        chmod(folder.path + "/editor", 0o755)
        let run = try TerminalRun(
            ["edit", "local"], typed: [("Edit again? [Y/n] ", "\n")], directory: folder.path,
            environment: ["EDITOR": folder.path + "/editor", "TMPDIR": folder.path])
        #expect(run.status == 0 && run.shown.contains("routs") && run.shown.contains("wrote"), "\(run.shown)")
        #expect(try folder.read("Profiles/local.json").contains("two"))
        #expect(copies.isEmpty)
    }

    @Test func `the folder of profiles is that of SHUNT_PROFILES where no option names one`() throws {
        let elsewhere = try Shunt()
        let run = try elsewhere.run("validate", environment: ["SHUNT_PROFILES": folder.path + "/Profiles"])
        #expect(run.status == 0 && run.output.contains("local"), "\(run)")
        #expect(
            try elsewhere.run("validate", environment: ["SHUNT_PROFILES": ""]).errors.contains("no folder Profiles"))
        let wrong = try elsewhere.run(
            "validate", "--profiles", folder.path + "/none", environment: ["SHUNT_PROFILES": folder.path + "/Profiles"])
        #expect(wrong.status == 1 && wrong.errors.contains("none"), "\(wrong)")
    }
}
