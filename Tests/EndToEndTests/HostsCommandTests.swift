import Foundation
import JSON
import TestSupport
import Testing

/// `shunt hosts`: a marked block in a hosts file.
@Suite struct HostsCommandTests {
    private static let profile = """
        {"kind": "local", "routes": [
            {"host": "api.shop.test", "origin": "https://api.staging.shop.example"},
            {"host": "API.shop.test:8443", "path": "/v2/*", "origin": "https://api.staging.shop.example"},
            {"host": "m.shop.test", "mock": {"text": "m"}}, {"host": "shop.localhost", "mock": {"text": "l"}},
            {"host": "127.0.0.1", "mock": {"text": "4"}}, {"host": "[::1]", "mock": {"text": "6"}},
            {"host": "*.cdn.test", "mock": {"text": "w"}}, {"path": "/*", "mock": {"text": "any"}},
            {"host": "same.test", "origin": "https://same.test"}
        ]}
        """

    private let shunt: Shunt
    private var folder: TemporaryFolder { shunt.folder }

    init() throws {
        shunt = try Shunt()
        try folder.write("Profiles/local.json", Self.profile)
    }

    private func hosts(_ words: String...) throws -> ChildProcess.Result {
        try ChildProcess.run(ShuntBinary.path, ["hosts"] + words + ["--file", "hosts"], directory: folder.path)
    }

    private func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path + "/hosts")))
    }

    private func write(_ text: String) throws { try folder.write("hosts", text) }

    /// As it is written, with this end of lines.
    private func block(_ end: String = "\n", finishing: Bool = false) -> String {
        let root = URL(fileURLWithPath: folder.path).path
        return [
            "# BEGIN shunt\(finishing ? " behind an unfinished line" : ""): \(root)", "127.0.0.1 api.shop.test",
            "::1 api.shop.test", "127.0.0.1 m.shop.test", "::1 m.shop.test", "# END shunt: \(root)",
        ].map { $0 + end }.joined()
    }

    @Test(arguments: [
        "", "127.0.0.1 localhost\n", "127.0.0.1 localhost", "127.0.0.1\tlocalhost\r\n::1 localhost\r\n", "\n\n",
        "# only",
        "127.0.0.1 localhost\r\n::1 localhost", "a\rb\n", "# \u{E4} \u{0}\n10.0.0.1 x.test # END shunt: elsewhere\n",
        "# BEGIN shunt: /other\n127.0.0.1 api.shop.test\n# END shunt: /other\n",
    ])
    func `what add writes, remove takes out byte for byte`(text: String) throws {
        try write(text)
        let before = try bytes()
        #expect(try hosts("add").status == 0)
        let (added, end) = (try bytes(), text.contains("\r\n") ? "\r\n" : "\n")
        let isUnfinished = !text.isEmpty && !text.hasSuffix("\n") && !text.hasSuffix("\r\n")
        #expect(
            String(decoding: added, as: UTF8.self)
                == text + (isUnfinished ? end : "") + block(end, finishing: isUnfinished))
        #expect(try hosts("add").output.contains("Nothing changes"))
        #expect(try bytes() == added)
        #expect(try hosts("remove").status == 0)
        #expect(try bytes() == before)
        #expect(try hosts("remove").output.contains("There is no block"))
        #expect(try bytes() == before)
    }

    @Test func `a dry run shows the lines and writes nothing`() throws {
        try write("127.0.0.1 localhost\n")
        chmod(folder.path + "/hosts", 0o444)
        let run = try hosts("add", "--dry-run")
        #expect(run.status == 0, "\(run.errors)")
        for line in ["+ 127.0.0.1 api.shop.test\n", "+ ::1 m.shop.test\n", "Nothing was written"] {
            #expect(run.output.contains(line), "\(run.output)")
        }
        #expect(try folder.read("hosts") == "127.0.0.1 localhost\n")
    }

    @Test func `names that no line can lead here are left out, with the reason`() throws {
        try write("192.0.2.7 M.shop.test other # api.shop.test\n")
        let run = try hosts()
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n").map(String.init)
        func line(_ host: String) -> String { lines.first { $0.hasPrefix(host) } ?? "" }
        #expect(line("api.shop.test").hasSuffix("not in the block"))
        #expect(line("m.shop.test").hasSuffix("not in the block; line 1 leads it to 192.0.2.7"))
        #expect(line("*.cdn.test").contains("no wildcards") && line("same.test").contains("reach itself"))
        for host in ["shop.localhost", "127.0.0.1", "::1"] { #expect(line(host).isEmpty, "\(host)") }
        #expect(run.output.contains("shunt hosts add --dry-run"))
        let added = try hosts("add")
        #expect(added.output.contains("m.shop.test: line 1 leads it to 192.0.2.7"), "\(added.output)")
        #expect(try !folder.read("hosts").contains("same.test"))
        let json = try JSONReader.read(try hosts("--json").output)
        #expect(json["hosts"]?.array?.compactMap { $0["inBlock"]?.bool } == [true, true])
        #expect(json["leftOut"]?.array?.compactMap { $0["host"]?.string } == ["*.cdn.test", "same.test"])
    }

    @Test(arguments: [
        // A person's lines in the block stay; what Shunt has written goes.
        ("A\n127.0.0.1 m.shop.test\n10.0.0.9 mine.test\n# note\nZ\n", "10.0.0.9 mine.test\n# note\n"),
        // The second marker is gone, or the first one.
        (
            "A\n127.0.0.1 m.shop.test\n10.0.0.9 mine.test\n127.0.0.1 own.test\n",
            "10.0.0.9 mine.test\n127.0.0.1 own.test\n"
        ),
        ("127.0.0.1 m.shop.test\nZ\nlast\n", "127.0.0.1 m.shop.test\nlast\n"),
        // It stands there twice, with lines between and behind.
        ("A\n127.0.0.1 a.test\nZ\nx\nA\n::1 a.test\nZ\ny", "x\ny"),
        ("A\n::1 a.test\nx\n127.0.0.1 own.test\nA\n::1 a.test\nZ\n", "x\n127.0.0.1 own.test\n"),
        // Lines were added behind a block that had finished a line.
        ("first\nU\n127.0.0.1 m.shop.test\nZ\nlast\n", "first\nlast\n"),
        ("first\nU\n127.0.0.1 m.shop.test\nmine\nZ\n", "first\nmine\n"),
    ])
    func `a block that was edited by hand is removed without what others wrote`(text: String, rest: String) throws {
        let root = URL(fileURLWithPath: folder.path).path
        let marked = text.replacingOccurrences(of: "A\n", with: "# BEGIN shunt: \(root)\n")
            .replacingOccurrences(of: "U\n", with: "# BEGIN shunt behind an unfinished line: \(root)\n")
            .replacingOccurrences(of: "Z\n", with: "# END shunt: \(root)\n")
        try write(marked)
        #expect(try hosts("add").status == 0)
        #expect(try folder.read("hosts").hasPrefix(rest.hasSuffix("\n") ? rest : rest + "\n"))
        try write(marked)
        #expect(try hosts("remove").status == 0)
        #expect(try folder.read("hosts") == rest)
    }

    @Test func `hosts that profiles no longer have go with the next add`() throws {
        try write("")
        #expect(try hosts("add").status == 0)
        try folder.write("Profiles/local.json", #"{"kind": "local", "routes": [{"host": "new.test", "mock": {}}]}"#)
        #expect(try hosts().output.contains("no route names it any more"))
        let changed = try hosts("add")
        #expect(changed.output.contains("- 127.0.0.1 m.shop.test\n") && changed.output.contains("+ ::1 new.test\n"))
        #expect(try !folder.read("hosts").contains("shop"))
        try folder.write("Profiles/local.json", #"{"kind": "local", "routes": []}"#)
        #expect(try hosts("add").status == 0)
        #expect(try folder.read("hosts").isEmpty)
    }

    @Test func `only the hosts of one profile, and no profile that is not there`() throws {
        try folder.write("Profiles/staging.json", #"{"kind": "staging", "routes": [{"host": "s.test", "mock": {}}]}"#)
        try write("")
        #expect(try hosts("add", "--profile", "staging").status == 0)
        #expect(try folder.read("hosts").contains("127.0.0.1 s.test\n::1 s.test\n# END"))
        #expect(try !folder.read("hosts").contains("shop"))
        let wrong = try hosts("add", "--profile", "stagign")
        #expect(wrong.status == 1 && wrong.errors.contains("Did you mean “staging”?"), "\(wrong.errors)")
    }

    @Test func `a file that may not be written is left, with the line for the administrator`() throws {
        // Also for root, which may write to every other file.
        let run = try ChildProcess.run(
            ShuntBinary.path, ["hosts", "add", "--file", "/proc/sys/kernel/version"], directory: folder.path)
        #expect(run.status == 1, "\(run.output)")
        #expect(run.errors.contains("Run: sudo /") && run.errors.contains("hosts add --file /proc/sys/kernel/version"))
        #expect(run.errors.contains("--profiles \(URL(fileURLWithPath: folder.path).path)/Profiles"), "\(run.errors)")
        #expect(try hosts("add").errors.contains("hosts cannot be written: No such file"))
        #expect(!folder.exists("hosts"))
    }

    @Test func `links, the mode and hard links of the file stay`() throws {
        try folder.write("real", "127.0.0.1 localhost\n")
        chmod(folder.path + "/real", 0o640)
        symlink("real", folder.path + "/hosts")
        link(folder.path + "/real", folder.path + "/second")
        #expect(try hosts("add").status == 0)
        #expect(try folder.read("second").contains("api.shop.test"))
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/real")
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/hosts") == "real")
    }

    @Test func `a name of multicast DNS is published by what the system has for it`() throws {
        try folder.write(
            "Profiles/local.json",
            #"{"kind": "local", "routes": [{"host": "shop.local", "mock": {"text": "s"}}]}"#)
        try write("")
        let tool = try folder.write("bin/dns-sd", "#!/bin/sh\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool)
        let listed = try ChildProcess.run(
            ShuntBinary.path, ["hosts", "--file", "hosts"], directory: folder.path,
            environment: ["PATH": folder.path + "/bin:/usr/bin:/bin"])
        #expect(listed.output.contains(": dns-sd -P Shunt _http._tcp local 4884 shop.local "), "\(listed)")
    }
}
