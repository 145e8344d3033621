import Foundation
import JSON
import TestSupport
import Testing

@Suite struct FormatCommandTests {
    let shunt: Shunt
    init() throws { shunt = try Shunt() }

    private let untidy = "{kind:'local', // ours\n}"
    private let tidy = "{\n  kind: 'local', // ours\n}\n"

    @Test func `what init writes stays as it is`() throws {
        _ = try shunt.run("init")
        let names = ["local.json", "production.json", "staging.json", "profile.schema.json"]
        let before = try names.map { try shunt.folder.read("Profiles/" + $0) }
        for arguments in [["fmt", "--check"], ["fmt"], ["fmt"] + names.map { "Profiles/" + $0 }] {
            let result = try ChildProcess.run(ShuntBinary.path, arguments, directory: shunt.folder.path)
            #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result)")
        }
        #expect(try names.map { try shunt.folder.read("Profiles/" + $0) } == before)
    }

    @Test func `profiles and personal overrides are rewritten, schemas and hidden files are not`() throws {
        let named = ["Profiles/a.json", "Profiles/a.local.json", "Profiles/b.json5"]
        let others = ["Profiles/.hidden.json", "Profiles/README.md", "Profiles/x.schema.json"]
        for name in named + others { try shunt.folder.write(name, untidy) }
        try shunt.folder.write("Profiles/tidy.json", tidy)

        let check = try shunt.run("fmt", "--check")
        #expect(check.status == 1)
        #expect(check.output == named.map { $0 + "\n" }.joined())
        for name in named { #expect(try shunt.folder.read(name) == untidy) }

        let result = try shunt.run("fmt")
        #expect(result.status == 0)
        #expect(result.output == check.output && result.errors.isEmpty)
        for name in named { #expect(try shunt.folder.read(name) == tidy) }
        for name in others { #expect(try shunt.folder.read(name) == untidy) }
        #expect(try shunt.run("fmt", "--check").status == 0)

        #expect(try shunt.run("fmt", "Profiles/x.schema.json").output == "Profiles/x.schema.json\n")
        #expect(try shunt.folder.read("Profiles/x.schema.json") == tidy)
        #expect(
            try names(in: "Profiles").sorted()
                == (named + others + ["Profiles/tidy.json"]).map { String($0.dropFirst(9)) }.sorted())
    }

    @Test func `a file that is no JSON5 is named with its place, and the others are done`() throws {
        try shunt.folder.write("Profiles/a.json", "{\n  \"kind\": lokal\n}")
        try shunt.folder.write("Profiles/b.json", untidy)
        let result = try shunt.run("fmt")
        #expect(result.status == 1)
        #expect(result.output == "Profiles/b.json\n")
        #expect(result.errors.hasPrefix("Profiles/a.json:2:11: the word `lokal`"))
        #expect(try shunt.folder.read("Profiles/a.json") == "{\n  \"kind\": lokal\n}")
        #expect(try shunt.folder.read("Profiles/b.json") == tidy)

        let json = try JSONReader.read(try shunt.run("fmt", "--json").output)
        #expect(json["changed"]?.array?.isEmpty == true)
        #expect(json["problems"]?.array?.first?["line"]?.number?.int64 == 2)

        let missing = try shunt.run("fmt", "none.json", "Profiles/b.json")
        #expect(missing.status == 1)
        #expect(missing.errors == "none.json: cannot be read: No such file or directory\n")
    }

    @Test func `a file keeps its mode, and a link stays a link`() throws {
        let path = try shunt.folder.write("shared/a.json", untidy)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try shunt.folder.write("Profiles/b.json", tidy)
        let link = shunt.folder.path + "/Profiles/a.json"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "../shared/a.json")
        #expect(try shunt.run("fmt").output == "Profiles/a.json\n")
        #expect(try shunt.folder.read("shared/a.json") == tidy)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../shared/a.json")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try names(in: "shared") == ["a.json"])
    }

    @Test func `a file that needs no change is not written`() throws {
        let path = try shunt.folder.write("Profiles/a.json", tidy)
        let before = try FileManager.default.attributesOfItem(atPath: path)
        #expect(try shunt.run("fmt").status == 0)
        let after = try FileManager.default.attributesOfItem(atPath: path)
        #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
        #expect(before[.modificationDate] as? Date == after[.modificationDate] as? Date)
    }

    @Test func `a dash formats standard input to standard output`() throws {
        try shunt.folder.write("input", untidy)
        try shunt.folder.write("tidy", tidy)
        try shunt.folder.write("broken", "[1,\n2")
        func filter(_ file: String, _ options: String = "") throws -> ChildProcess.Result {
            let line = "exec '\(ShuntBinary.path)' fmt - \(options) < \(file)"
            return try ChildProcess.run("/bin/sh", ["-c", line], directory: shunt.folder.path)
        }
        let result = try filter("input")
        #expect(result.status == 0 && result.output == tidy && result.errors.isEmpty)
        let check = try filter("input", "--check")
        #expect(check.status == 1 && check.output == "<stdin>\n")
        #expect(try filter("tidy", "--check").status == 0)
        let broken = try filter("broken")
        #expect(broken.status == 1 && broken.output.isEmpty && broken.errors.hasPrefix("<stdin>:2:2: "))
        #expect(try filter("input", "other.json").status == 64)
    }

    @Test func `without profiles it names the first step`() throws {
        for arguments in [["fmt"], ["fmt", "--profiles", "none"], ["fmt", "--profiles", "."]] {
            let result = try ChildProcess.run(ShuntBinary.path, arguments, directory: shunt.folder.path)
            #expect(result.status == 1)
            #expect(result.errors.contains("shunt init"), "\(arguments)")
        }
        #expect(try shunt.run("fmt", "a.json", "--profiles", "b").status == 64)
    }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path + "/" + folder)
    }
}
