import Foundation
import JSON
import TestSupport
import Testing

/// Personal overrides, `--set` and `--strict` on the command line.
@Suite struct ProfileOptionTests {
    let shunt: Shunt
    init() throws {
        shunt = try Shunt()
        try shunt.folder.write(
            "Profiles/local.json", #"{"kind": "local", "routes": [{"path": "/a", "mock": {"status": 201}}]}"#)
        try shunt.folder.write(
            "Profiles/staging.json", #"{"kind": "staging", "routes": [{"mock": {"status": 202}}]}"#)
    }

    /// What `explain` says of a request, from a folder of the project.
    private func explain(_ arguments: String..., from directory: String = "") throws -> ChildProcess.Result {
        try ChildProcess.run(
            ShuntBinary.path, ["explain"] + arguments, directory: shunt.folder.path + "/" + directory)
    }

    @Test func `profiles and their overrides are found from below, up to the root of the repository`() throws {
        try shunt.folder.write("Profiles/local.local.json", #"{"routes": [{"mock": {"status": 203}}]}"#)
        try shunt.folder.write("app/src/main.txt", "")
        let found = try explain("/a", from: "app/src")
        #expect(found.output.contains("mock: 203") && found.output.contains("Profiles/local.local.json:1"))
        // A repository of its own ends the search.
        try shunt.folder.write("app/.git/HEAD", "")
        let ended = try explain("/a", from: "app/src")
        #expect(ended.status == 1 && ended.errors.contains("there is no folder Profiles"))
    }

    @Test func `validate lists each override, and strict lets none pass`() throws {
        try shunt.folder.write("Profiles/staging.local.json", #"{"trust": {"localhost": "disabled"}}"#)
        try shunt.folder.write("Profiles/mine.local.json", #"{"kind": "local"}"#)
        let valid = try shunt.run("validate")
        #expect(valid.status == 0)
        #expect(valid.output.contains("Profiles/staging.json, with Profiles/staging.local.json\n"))
        #expect(valid.output.contains("Profiles/mine.local.json\n"))
        let json = try JSONReader.read(try shunt.run("validate", "--json").output)
        #expect(json["overrides"]?.array?.compactMap { $0["profile"]?.string } == ["mine", "staging"])

        let strict = try shunt.run("validate", "--strict")
        #expect(strict.status == 1)
        for place in ["mine.local.json:1: ", "staging.local.json:1: this is", "staging.local.json:1: certificates"] {
            #expect(strict.errors.contains(place), "\(place)")
        }
        let listed = try JSONReader.read(try shunt.run("validate", "--strict", "--json").output)
        #expect(listed["valid"]?.bool == false && listed["problems"]?.array?.count == 3)
        let serve = try shunt.run("serve", "--strict", "--port", "0")
        #expect(serve.status == 1 && serve.errors.contains("staging.local.json:1: certificates"))
    }

    @Test func `without an exception strict is content`() throws {
        #expect(try shunt.run("validate", "--strict").status == 0)
    }

    @Test func `a command ends in order while the system's authorities are still read`() throws {
        _ = try shunt.run("init")
        let certificate = try shunt.folder.read(".data/shunt/ca/ca.pem")
        try shunt.folder.write("Profiles/ca.pem", certificate)
        try shunt.folder.write(
            "Profiles/local.json", profile("https://a.test", #", "certificateAuthorities": ["ca.pem"]"#))
        let bundle = try shunt.folder.write("bundle.pem", String(repeating: certificate, count: 300))
        for _ in 0..<12 {
            let result = try ChildProcess.run(
                ShuntBinary.path, ["validate"], directory: shunt.folder.path, environment: ["SSL_CERT_FILE": bundle])
            #expect(result.status == 0, "\(result)")
        }
    }

    @Test(arguments: [
        ["--profile", "nope"], ["--profile", "nope", "--json"], ["Profiles/local.json", "--profile=nope"],
    ])
    func `validate fails for a profile that is not there`(arguments: [String]) throws {
        try shunt.folder.write("Profiles/local.json", profile("http://127.0.0.1:9"))
        let result = try ChildProcess.run(
            ShuntBinary.path, ["validate"] + arguments, directory: shunt.folder.path)
        #expect(result.status == 1 && result.output.isEmpty, "\(result)")
        #expect(result.errors.contains("there is no profile “nope”"), "\(result)")
        #expect(try shunt.run("validate", "--profile", "local").status == 0)
    }

    @Test func `one run can have a route of its own`() throws {
        let route = "routes.api.test/v1/*=https://localhost:1"
        let explained = try explain("https://api.test/v1/x", "--set", route, "--set", "trust.localhost=disabled")
        for text in ["api.test/v1/* (--set)", "https://localhost:1/v1/x", "rule localhost, --set)"] {
            #expect(explained.output.contains(text), "\(explained.output)\(explained.errors)")
        }
        // It is laid over the profile that one begins with, and over no other.
        #expect(try explain("https://api.test/v1/x", "--set", route, "--profile", "staging").output.contains("--set"))
        #expect(try shunt.run("validate", "--set", route).output.contains("Profiles/local.json, with --set\n"))
        let wrong = try shunt.run("validate", "--set", "routes.a=b", "--set", "nothing")
        #expect(wrong.status == 1 && wrong.errors.contains("--set:1:10: ") && wrong.errors.contains("--set:2:1: "))
        #expect(try shunt.run("validate", "--set", route, "Profiles/local.json").status == 64)
    }

    @Test func `a host label is explained with its profile`() throws {
        let explained = try explain("https://staging--api.test/")
        #expect(explained.output.contains("profile  staging"))
        #expect(explained.output.contains("host     api.test, the label staging-- chose the profile"))
    }

    @Test func `init keeps personal overrides out of git`() throws {
        #expect(try shunt.run("init").output.contains("wrote  Profiles/.gitignore"))
        #expect(try shunt.folder.read("Profiles/.gitignore") == "*.local.json\n*.local.json5\n")
        #expect(try shunt.run("init").output.contains("kept   Profiles/.gitignore"))
        try shunt.folder.write("Profiles/.gitignore", "secret.json\n*.local.json")
        #expect(try shunt.run("init").output.contains("to Profiles/.gitignore"))
        #expect(
            try shunt.folder.read("Profiles/.gitignore") == "secret.json\n*.local.json\n*.local.json5\n")
        let status = try ChildProcess.run(
            "/usr/bin/env", ["sh", "-c", "git init -q && git check-ignore Profiles/a.local.json Profiles/local.json"],
            directory: shunt.folder.path)
        #expect(status.output == "Profiles/a.local.json\n")
    }

    @Test func `what one run was given outlives a reload, and changed overrides are told`() throws {
        let serving = try ServingShunt(
            ["local": #"{"kind": "local", "routes": [{"path": "/a", "mock": {"text": "shared"}}]}"#],
            ["--set", "routes./b={mock:{text:'set'}}", "--log", "json"],
            files: ["Profiles/local.local.json": #"{"routes": [{"path": "/c", "mock": {"text": "mine"}}]}"#])
        func ask(_ path: String) throws -> String {
            try serving.curl("http://127.0.0.1:\(serving.port)\(path)").output
        }
        let began = try #require(serving.process.errors.split(separator: "\n").first.map(String.init))
        let started = try JSONReader.read(began)
        #expect(started["overrides"]?.array?.compactMap(\.string) == ["Profiles/local.local.json"])
        #expect(started["set"]?.array?.count == 1)
        #expect(try ["/a", "/b", "/c"].map(ask) == ["shared", "set", "mine"])

        try serving.folder.write("Profiles/local.json", #"{"kind": "local", "routes": []}"#)
        try serving.folder.write(
            "Profiles/local.local.json", #"{"routes": [{"path": "/c", "mock": {"text": "mine too"}}]}"#)
        let reloaded = try serving.run("reload")
        #expect(reloaded.status == 0, "\(reloaded.errors)")
        #expect(try ask("/b") == "set" && ask("/c") == "mine too")
        #expect(try !ask("/a").contains("shared"))

        try FileManager.default.removeItem(atPath: serving.folder.path + "/Profiles/local.local.json")
        #expect(
            eventually { serving.process.errors.contains("without Profiles/local.local.json") },
            "\(serving.process.errors)")
        #expect(try ask("/b") == "set")
        try serving.stop()
    }
}
