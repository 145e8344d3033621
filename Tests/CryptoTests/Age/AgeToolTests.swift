import Age
import Foundation
import TestSupport
import Testing

/// Both ways with the tool `age`, and with keys of `ssh-keygen`.
@Suite struct AgeToolTests {
    private func path(_ name: String) -> String {
        ["/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + name }
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? name
    }

    private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

    /// `age` writes no file for an empty one.
    private func opened(_ path: String, _ size: Int) throws -> Bool {
        if size == 0 { try Data().write(to: URL(fileURLWithPath: path)) }
        return try bytes(path) == sample(size)
    }

    @Test(arguments: [0, 10, 65_536, 200_000], [false, true])
    func `files go both ways`(_ size: Int, _ hasArmor: Bool) throws {
        let folder = try TemporaryFolder()
        let identity = try X25519Identity.generate()
        let key = try folder.write("key.txt", identity.secretText + "\n")
        let sealed = try seal(sample(size), [identity.recipient])
        let ours = folder.path + "/ours.age"
        try Data(hasArmor ? try armored(sealed) : sealed).write(to: URL(fileURLWithPath: ours))
        let opened = folder.path + "/opened"
        let first = try ChildProcess.run(path("age"), ["-d", "-i", key, "-o", opened, ours])
        #expect(first.status == 0, "\(first.errors)")
        #expect(try self.opened(opened, size))

        let theirs = folder.path + "/theirs.age"
        let second = try ChildProcess.run(
            path("age"), (hasArmor ? ["-a"] : []) + ["-r", identity.recipient.text, "-o", theirs, opened])
        #expect(second.status == 0, "\(second.errors)")
        #expect(opens(try bytes(theirs), [identity], to: sample(size)))
    }

    @Test(arguments: [["-t", "ed25519"], ["-t", "rsa", "-b", "2048"], ["-t", "rsa", "-b", "3072"]])
    func `keys of SSH go both ways`(_ kind: [String]) throws {
        let folder = try TemporaryFolder()
        let key = folder.path + "/id"
        #expect(try ChildProcess.run(path("ssh-keygen"), kind + ["-q", "-N", "", "-C", "a b", "-f", key]).status == 0)
        let recipients = try RecipientText.recipients(try folder.read("id.pub")).get()
        let identities = try IdentityText.identities(try folder.read("id")).get()
        let sealed = try seal(sample(70_000), recipients)
        #expect(opens(sealed, identities, to: sample(70_000)))
        let ours = folder.path + "/ours.age"
        try Data(sealed).write(to: URL(fileURLWithPath: ours))
        let opened = folder.path + "/opened"
        let first = try ChildProcess.run(path("age"), ["-d", "-i", key, "-o", opened, ours])
        #expect(first.status == 0, "\(first.errors)")
        #expect(try self.opened(opened, 70_000))
        let theirs = folder.path + "/theirs.age"
        let second = try ChildProcess.run(path("age"), ["-R", key + ".pub", "-o", theirs, opened])
        #expect(second.status == 0, "\(second.errors)")
        #expect(opens(try bytes(theirs), identities, to: sample(70_000)))
    }

    @Test(arguments: [
        (["-t", "ed25519", "-N", "secret"], "passphrase"), (["-t", "ecdsa", "-N", ""], "not supported"),
        (["-t", "rsa", "-b", "2048", "-m", "PEM", "-N", ""], "OpenSSH's format"),
    ])
    func `a private key that cannot be used is refused in words`(_ options: [String], _ words: String) throws {
        let folder = try TemporaryFolder()
        let key = folder.path + "/id"
        #expect(try ChildProcess.run(path("ssh-keygen"), options + ["-q", "-f", key]).status == 0)
        guard case .failure(let failure) = IdentityText.identities(try folder.read("id")) else {
            Issue.record("the key was taken")
            return
        }
        #expect(failure.failure.message.contains(words), "\(failure.failure.message)")
    }

    @Test func `a short key of RSA is refused`() throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(
            path("ssh-keygen"), ["-t", "rsa", "-b", "1024", "-q", "-N", "", "-f", folder.path + "/id"])
        #expect(made.status == 0)
        guard case .failure(let failure) = RecipientText.recipients(try folder.read("id.pub")) else {
            Issue.record("the key was taken")
            return
        }
        #expect(failure.failure.message.contains("1024 bits"))
    }
}
