import Foundation
import JSON
import TestSupport
import Testing

/// `shunt lint` on apps that Python makes, and on files of every shape.
@Suite struct LintTests {
    let shunt: Shunt

    init() throws {
        shunt = try Shunt()
        _ = try shunt.run("init", "--project-ca")
        let made = try ChildProcess.run(
            "/usr/bin/env", ["python3", "-B", ClientProgram.folder + "lint_fixtures.py", "certs/ca.pem"],
            directory: shunt.folder.path)
        try #require(made.status == 0, "\(made.errors)")
    }

    /// The rules that a file breaks.
    private func rules(_ file: String) throws -> [String] {
        let result = try shunt.run("lint", "--sarif", file)
        let results = try JSONReader.read(result.output)["runs"]?.array?.first?["results"]?.array ?? []
        #expect(result.status == (results.isEmpty ? 0 : 1), "\(file): \(result.errors)")
        return results.compactMap { $0["ruleId"]?.string }
    }

    @Test func `exceptions to App Transport Security are found in text and binary, and nothing else is`() throws {
        for (name, expected) in [
            ("good", []), ("local", []), ("pinned", []), ("strict-domain", []), ("loads", ["arbitrary-loads"]),
            ("loads-number", ["arbitrary-loads"]), ("loads-text", ["arbitrary-loads"]), ("web", ["arbitrary-loads"]),
            ("media", ["arbitrary-loads"]), ("domain", ["exception-domain"]), ("temporary", ["exception-domain"]),
            ("old-tls", ["exception-domain"]), ("secrecy", ["exception-domain"]),
        ] as [(String, [String])] {
            for form in ["", "-binary"] {
                #expect(try rules("plists/\(name)\(form)/Info.plist") == expected, "\(name)\(form)")
            }
        }
    }

    @Test func `an app is judged with its extensions and all of its parts`() throws {
        for (name, expected) in [
            ("good.ipa", []), ("loads.ipa", ["arbitrary-loads"]), ("extension.ipa", ["exception-domain"]),
            ("pem.ipa", ["shunt-authority"]), ("der.ipa", ["shunt-authority"]), ("base64-0.ipa", ["shunt-authority"]),
            ("base64-1.ipa", ["shunt-authority"]), ("base64-2.ipa", ["shunt-authority"]),
            ("kit.ipa", ["shunt-authority"]), ("disabled.ipa", ["disabled-evaluator"]), ("alamofire.ipa", []),
            ("good.apk", []), ("debug-overrides.apk", []), ("user.apk", ["user-authorities"]),
            ("user16.apk", ["user-authorities"]), ("debuggable.apk", ["debuggable"]), ("nameless.apk", ["debuggable"]),
            ("not-debuggable.apk", []), ("cleartext.apk", ["cleartext-traffic"]), ("raw.apk", ["shunt-authority"]),
            ("cut.ipa", ["unread"]), ("loop.ipa", ["unread"]), ("other.ipa", ["unread"]), ("none.ipa", ["unread"]),
            ("twice.apk", ["unread"]), ("damaged.ipa", ["unread"]), ("deep.apk", ["unread"]), ("cut.apk", ["unread"]),
            ("missing.ipa", ["unread"]), ("certs/ca.pem", ["unread"]), ("good.app", []),
            ("pem.app", ["shunt-authority"]), ("empty.app", ["unread"]), ("good.xcarchive", []),
            ("loads.xcarchive", ["arbitrary-loads"]),
        ] as [(String, [String])] {
            #expect(try rules(name) == expected, "\(name)")
        }
    }

    @Test func `code that accepts every certificate is found, and code that judges it is not`() throws {
        for (name, expected) in [
            ("accepting.ipa", true), ("accepting.app", true), ("judging.ipa", false), ("challenged.ipa", false),
            ("empty-trust.apk", true), ("trust.apk", false), ("clients.apk", false), ("any-name.apk", true),
            ("no-name.apk", false), ("other-verify.apk", false), ("proceed.apk", true), ("cancel.apk", false),
        ] {
            #expect(try rules(name) == (expected ? ["accepts-everything"] : []), "\(name)")
        }
        #expect(try rules("torn.apk") == ["unread"])
        let text = try shunt.run("lint", "any-name.apk", "accepting.app").output
        #expect(text.contains("any-name.apk!classes2.dex: accepts-everything: Lshop/Names;"), "\(text)")
        #expect(text.contains("accepting.app/Frameworks/Net.framework/Net: accepts-everything: "), "\(text)")
    }

    @Test func `no damaged byte of a manifest or property list ends the program`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: shunt.folder.path)
            .filter { $0.hasPrefix("turned-") }
        #expect(files.count > 100)
        let result = try ChildProcess.run(ShuntBinary.path, ["lint"] + files, directory: shunt.folder.path)
        #expect(result.status == 0 || result.status == 1, "\(result.errors)")
        #expect(result.errors.isEmpty)
    }

    @Test(arguments: [
        (#"<base-config cleartextTrafficPermitted="true"/>"#, ["cleartext-traffic"]),
        (#"<base-config cleartextTrafficPermitted="false"/>"#, []),
        (
            #"<domain-config><domain>a.test</domain><trust-anchors><certificates src="user"/></trust-anchors></domain-config>"#,
            ["user-authorities"]
        ),
        (
            #"<base-config><trust-anchors><certificates overridePins="true" src="system"/></trust-anchors></base-config>"#,
            ["overridden-pins"]
        ),
        (
            #"<base-config><trust-anchors><certificates src="&#x75;ser"/></trust-anchors></base-config>"#,
            ["user-authorities"]
        ),
        (
            #"<base-config><trust-anchors><certificates src='@raw/shunt_ca'/></trust-anchors></base-config>"#,
            ["shunt-authority"]
        ),
        (#"<debug-overrides><trust-anchors><certificates src="user"/></trust-anchors></debug-overrides>"#, []),
        (#"<!-- <base-config cleartextTrafficPermitted="true"/> -->"#, []),
        (#"<base-config"#, ["unread"]), (#"<base-config a="1" a="2"/>"#, ["unread"]), ("&other;", ["unread"]),
    ])
    func `Android's network security configuration is judged outside of its debug overrides`(
        content: String, expected: [String]
    ) throws {
        try shunt.folder.write(
            "network_security_config.xml",
            "<?xml version=\"1.0\"?>\n<network-security-config>\n\(content)\n</network-security-config>\n")
        #expect(try rules("network_security_config.xml") == expected)
    }

    @Test func `entities of a document's own are not read`() throws {
        try shunt.folder.write(
            "a.xml", "<!DOCTYPE x [<!ENTITY a \"aaaa\">]><network-security-config>&a;</network-security-config>")
        #expect(try rules("a.xml") == ["unread"])
    }

    @Test func `a finding has its place in text and in SARIF`() throws {
        try shunt.folder.write(
            "app/network_security_config.xml",
            "<network-security-config>\n<base-config cleartextTrafficPermitted=\"true\"/></network-security-config>")
        let text = try shunt.run("lint", "app/network_security_config.xml", "user.apk")
        #expect(text.status == 1)
        #expect(text.output.contains("app/network_security_config.xml:2: cleartext-traffic: "), "\(text)")
        #expect(text.output.contains("user.apk!res/q1.xml: user-authorities: certificates src=\"user\""), "\(text)")
        let report = try JSONReader.read(try shunt.run("lint", "--sarif", "app/network_security_config.xml").output)
        #expect(report["version"]?.string == "2.1.0")
        let run = try #require(report["runs"]?.array?.first)
        let result = try #require(run["results"]?.array?.first)
        let location = result["locations"]?.array?.first?["physicalLocation"]
        #expect(location?["artifactLocation"]?["uri"]?.string == "app/network_security_config.xml")
        #expect(location?["region"]?["startLine"]?.number?.int64 == 2)
        let known = run["tool"]?["driver"]?["rules"]?.array?.compactMap { $0["id"]?.string } ?? []
        #expect(known.contains(result["ruleId"]?.string ?? ""))
        #expect(try shunt.run("lint", "good.ipa").output == "Nothing found.\n")
        #expect(try shunt.run("lint").status == 64)
    }
}
