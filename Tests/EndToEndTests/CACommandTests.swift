import Foundation
import JSON
import TestSupport
import Testing

/// Where the development CA lies, and what `shunt ca` says and does.
@Suite struct CACommandTests {
    let shunt: Shunt
    init() throws { shunt = try Shunt() }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: shunt.folder.path + "/" + name)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }

    @Test func `projects share one CA, in a folder for this user alone`() throws {
        let data = shunt.folder.path + "/home"
        var authorities: Set<String> = []
        for project in ["one", "two"] {
            let made = try shunt.run("init", project, environment: ["XDG_DATA_HOME": data])
            #expect(made.status == 0, "\(made.errors)")
            #expect(!shunt.folder.exists(project + "/certs"))
            let file = try ChildProcess.run(
                ShuntBinary.path, ["ca", "--file"], directory: shunt.folder.path + "/" + project,
                environment: ["XDG_DATA_HOME": data])
            #expect(file.output == data + "/shunt/ca/ca.pem\n")
            authorities.insert(try shunt.folder.read("home/shunt/ca/ca.pem"))
        }
        #expect(authorities.count == 1)
        #expect(try mode("home/shunt") == 0o700 && mode("home/shunt/ca") == 0o700)
        #expect(try mode("home/shunt/ca/ca-key.pem") == 0o600)
    }

    @Test func `a project keeps a CA of its own where it has one or wants one`() throws {
        #expect(try shunt.run("init", "--project-ca").output.contains("wrote  certs/ca.pem"))
        #expect(try shunt.folder.read("certs/.gitignore").contains("*"))
        #expect(!shunt.folder.exists(".data/shunt/ca"))
        let shown = try JSONReader.read(try shunt.run("ca", "--json").output)
        #expect(shown["reason"]?.string == "project")
        #expect(shown["file"]?.string == shunt.folder.path + "/certs/ca.pem")
        #expect(try shunt.run("init").output.contains("kept   certs/ca.pem"))
        // A certificate that came without its key is no CA of this machine.
        try FileManager.default.removeItem(atPath: shunt.folder.path + "/certs/ca-key.pem")
        #expect(try shunt.run("init").output.contains(".data/shunt/ca/ca.pem"))
    }

    @Test func `ca says which is used and since when, and rotates it`() throws {
        #expect(try shunt.run("ca").errors.contains("there is no CA in"))
        _ = try shunt.run("init", "--only-for", "*.shop.test,localhost")
        let first = try JSONReader.read(try shunt.run("ca", "--json").output)
        #expect(first["reason"]?.string == "person")
        #expect(first["onlyFor"]?.array?.compactMap(\.string) == ["shop.test", "localhost"])
        let text = try shunt.run("ca").output
        for part in [
            "yours, for all projects", "since", "shop.test, localhost and names below", "SHA-256", "by no store",
        ] {
            #expect(text.contains(part), "\(text)")
        }
        let rotated = try shunt.run("ca", "rotate", "--key", "rsa")
        #expect(rotated.status == 0 && rotated.output.contains("shunt ca forget"), "\(rotated)")
        let second = try JSONReader.read(try shunt.run("ca", "--json").output)
        #expect(second["sha256"]?.string != first["sha256"]?.string && second["onlyFor"] == nil)
        #expect(second["old"]?.array?.count == 1)
        let forgotten = try shunt.run("ca", "forget", "--json")
        #expect(try JSONReader.read(forgotten.output)["old"]?.array?.isEmpty == true)
    }

    @Test(
        arguments: [
            (["ca", "turn"], 64, "unknown action"), (["ca", "--key", "rsa"], 64, "shunt ca rotate"),
            (["ca", "rotate", "--key", "dsa"], 64, "Give ec or rsa"), (["ca", "rotate"], 1, "there is no CA"),
            (["init", "--only-for", "1.2.3"], 64, "neither a host name"), (["ca", "--file"], 1, "shunt serve"),
        ] as [([String], Int32, String)])
    func `what cannot be done is said`(words: [String], status: Int32, message: String) throws {
        let result = try ChildProcess.run(ShuntBinary.path, words, directory: shunt.folder.path)
        #expect(result.status == status && result.errors.contains(message), "\(result)")
    }

    @Test func `init does not change a CA that is there`() throws {
        _ = try shunt.run("init")
        let result = try shunt.run("init", "--only-for", "shop.test")
        #expect(result.status == 1 && result.errors.contains("shunt ca rotate"), "\(result)")
    }

    @Test func `serve and a rotated CA satisfy a client of the old one and of the new one`() throws {
        try shunt.folder.write("Profiles/local.json", profile("http://127.0.0.1:1"))
        _ = try shunt.run("init")
        let old = try shunt.folder.read(".data/shunt/ca/ca.pem")
        try shunt.folder.write("old.pem", old)
        #expect(try shunt.run("ca", "rotate").status == 0)
        let process = try ChildProcess(
            ShuntBinary.path,
            ["serve", "--port", "0", "--admin-port", "0", "--workers", "1", "--ready-file", "ready.json"],
            directory: shunt.folder.path)
        defer { process.signal(15) }
        #expect(eventually { shunt.folder.exists("ready.json") }, "\(process.errors)")
        let port = Int(try JSONReader.read(try shunt.folder.read("ready.json"))["port"]?.number?.int64 ?? 0)
        for file in ["old.pem", ".data/shunt/ca/ca.pem"] {
            let response = try ChildProcess.run(
                "/usr/bin/env",
                ["curl", "-sS", "--noproxy", "*", "--cacert", file, "-o", "/dev/null", "https://localhost:\(port)/"],
                directory: shunt.folder.path)
            #expect(response.status == 0, "\(file): \(response.errors)")
        }
    }
}
