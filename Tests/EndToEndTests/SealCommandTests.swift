import Foundation
import JSON
import TestSupport
import Testing

@Suite struct SealCommandTests {
    let shunt: Shunt
    init() throws {
        shunt = try Shunt()
        try shunt.folder.write("Profiles/local.json", profile("http://127.0.0.1:9"))
        let made = try shunt.run("keys", "new")
        try shunt.folder.write("Profiles/recipients.txt", "# the team\n\n\(made.output)")
    }

    private func path(_ name: String) -> String { shunt.folder.path + "/" + name }

    private func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    private func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    private func write(_ name: String, _ count: Int) throws -> Data {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 11) })
        try data.write(to: URL(fileURLWithPath: path(name)))
        return data
    }

    @Test func `an identity is for its owner alone, is not printed and is not overwritten`() throws {
        let key = ".data/shunt/identity.txt"
        #expect(try mode(key) == 0o600)
        let before = try shunt.folder.read(key)
        #expect(before.contains("AGE-SECRET-KEY-1"))
        let again = try shunt.run("keys", "new")
        #expect(again.status == 1 && again.errors.contains("never overwritten"))
        #expect(try shunt.folder.read(key) == before)
        let other = try shunt.run("keys", "new", "other.txt")
        #expect(other.status == 0 && other.output.hasPrefix("age1"))
        #expect(!(other.output + other.errors).contains("SECRET"))
        let shown = try shunt.run("keys", "show", "other.txt")
        #expect(shown.output == other.output)
        let secret = try shunt.run("keys", "show", "other.txt", "--secret")
        #expect(try shunt.folder.read("other.txt").contains(secret.output))
    }

    @Test func `an identity under a passphrase opens with it alone`() throws {
        try shunt.folder.write("right", "one two\n")
        try shunt.folder.write("wrong", "one three\n")
        let made = try shunt.run("keys", "new", "locked.txt", "--passphrase-file", "right")
        #expect(made.status == 0, "\(made.errors)")
        #expect(try !shunt.folder.read("locked.txt").contains("SECRET"))
        let plain = try write("plain", 1000)
        let recipient = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try shunt.run("seal", "--to", recipient, "plain").status == 0)
        let right = try shunt.run("unseal", "-i", "locked.txt", "--passphrase-file", "right", "-o", "out", "plain.age")
        #expect(right.status == 0, "\(right.errors)")
        #expect(try bytes("out") == plain)
        let wrong = try shunt.run("unseal", "-i", "locked.txt", "--passphrase-file", "wrong", "-o", "no", "plain.age")
        #expect(wrong.status == 1 && wrong.errors.contains("passphrase of locked.txt is another one"))
    }

    @Test(arguments: [0, 65_536, 1_000_003], [[], ["-a"]])
    func `a file goes through seal and unseal, and through age`(_ size: Int, _ options: [String]) throws {
        let plain = try write("plain", size)
        let sealed = try ChildProcess.run(
            ShuntBinary.path, ["seal"] + options + ["plain"], directory: shunt.folder.path)
        #expect(sealed.status == 0, "\(sealed.errors)")
        #expect(try mode("plain.age") == 0o600)
        #expect(try shunt.run("unseal", "-o", "opened", "plain.age").status == 0)
        #expect(try bytes("opened") == plain)
        try FileManager.default.removeItem(atPath: path("plain"))
        let age = try ChildProcess.run(
            "/usr/bin/env", ["age", "-d", "-i", ".data/shunt/identity.txt", "-o", "plain", "plain.age"],
            directory: shunt.folder.path)
        #expect(age.status == 0, "\(age.errors)")
        #expect(try size == 0 || bytes("plain") == plain)
    }

    @Test func `a cut or changed file gives no output`() throws {
        _ = try write("plain", 200_000)
        #expect(try shunt.run("seal", "plain").status == 0)
        let sealed = try bytes("plain.age")
        for (name, data) in [
            ("cut", sealed.prefix(100_000)), ("border", sealed.dropLast(200_000 - 3 * 65_536 + 16)),
            ("long", sealed + Data([0])), ("head", sealed.prefix(90)), ("empty", Data()),
        ] {
            try data.write(to: URL(fileURLWithPath: path("\(name).age")))
            let result = try shunt.run("unseal", "\(name).age")
            #expect(result.status == 1 && result.errors.contains(name), "\(name): \(result.errors)")
            #expect(!shunt.folder.exists(name))
        }
        var changed = sealed
        changed[sealed.count - 70_000] ^= 1
        try changed.write(to: URL(fileURLWithPath: path("changed.age")))
        let piped = try shunt.run("unseal", "-o", "-", "changed.age")
        #expect(piped.status == 1 && piped.errors.contains("chunk 2 was changed") && piped.output.utf8.count >= 65_536)
    }

    @Test(arguments: [
        (["seal", "--to", "age1nonsense", "plain"], 64, "misspelt"),
        (["seal", "--to", "nothing", "plain"], 64, "no file"),
        (["seal", "missing"], 1, "missing"), (["seal", "-o", "plain", "plain"], 64, "the same"),
        (["unseal", "plain"], 64, "-o OUT"), (["unseal", "-o", "x", "plain"], 1, "not a valid age file"),
        (["unseal", "-i", "other.txt", "sealed.age"], 1, "none of the identities opens it"),
        (["unseal", "-i", "none.txt", "sealed.age"], 1, "none.txt"),
        (["keys", "old"], 64, "unknown action “old”"),
        (["seal", "--passphrase", "--to", "age1x", "plain"], 64, "exclude each other"),
        (["seal", "--passphrase-file", "right", "--to", "age1x", "plain"], 64, "exclude each other"),
        (["unseal", "--passphrase-file", "wrong", "by-word.age"], 1, "its passphrase is another one"),
        (["unseal", "-i", "other.txt", "by-word.age"], 1, "it was sealed with a passphrase"),
        (["unseal", "--passphrase-file", "right", "sealed.age"], 1, "it was sealed to recipients"),
        (["import", "--passphrase-file", "wrong", "by-word.age"], 1, "its passphrase is another one"),
    ])
    func `what cannot be done is said with the next step`(_ line: [String], _ status: Int32, _ words: String) throws {
        _ = try write("plain", 10)
        #expect(try shunt.run("seal", "-o", "sealed.age", "plain").status == 0)
        #expect(try shunt.run("keys", "new", "other.txt").status == 0)
        try shunt.folder.write("right", "open sesame\n")
        try shunt.folder.write("wrong", "open barley\n")
        if line.contains("by-word.age") {
            // The file of a passphrase alone says that one is meant.
            let sealed = try shunt.run("seal", "--passphrase-file", "right", "-o", "by-word.age", "plain")
            #expect(sealed.status == 0, "\(sealed)")
        }
        let result = try ChildProcess.run(ShuntBinary.path, line, directory: shunt.folder.path)
        #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
    }

    @Test func `an export is sealed while it is written, and imported again`() throws {
        let har = #"""
            {"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": [
            {"startedDateTime": "2026-01-01T00:00:00Z", "time": 1, "request": {"method": "GET", "url": "http://a.test/marker",
            "httpVersion": "HTTP/1.1", "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
            "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "headers": [], "cookies": [],
            "content": {"size": 0, "mimeType": ""}, "redirectURL": "", "headersSize": -1, "bodySize": 0},
            "cache": {}, "timings": {"send": 0, "wait": 1, "receive": 0}}]}}
            """#
        try shunt.folder.write("one.har", har)
        let first = try shunt.run("import", "one.har", "--store", "one.db")
        #expect(first.status == 0, "\(first.errors)")
        let export = try shunt.run(
            "export", "--har", "--store", "one.db", "--to", "Profiles/recipients.txt", "-o", "two.har.age")
        #expect(export.status == 0, "\(export.errors)")
        let sealed = try bytes("two.har.age")
        #expect(
            sealed.starts(with: Data("age-encryption.org/v1\n".utf8)) && sealed.range(of: Data("marker".utf8)) == nil)
        let back = try shunt.run("import", "two.har.age", "--store", "two.db")
        #expect(back.status == 0, "\(back.errors)")
        #expect(try shunt.run("logs", "--store", "two.db").output.contains("http://a.test/marker"))
        try sealed.dropLast(1).write(to: URL(fileURLWithPath: path("cut.har.age")))
        let cut = try shunt.run("import", "cut.har.age", "--store", "cut.db")
        #expect(cut.status == 1 && cut.errors.contains("cut or changed"), "\(cut.errors)")
        // Where it would come to lie in the clear, it is not opened.
        try sealed.write(to: URL(fileURLWithPath: path("sealed.har")))
        let mocks = try shunt.run("mocks", "from", "sealed.har")
        #expect(mocks.status == 1 && mocks.errors.contains("is sealed"), "\(mocks.errors)")
    }
}
