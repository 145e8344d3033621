import TLS
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite struct DevelopmentCATests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `an authority is made once, with the file modes it needs, and loaded after that`() throws {
        let made = try DevelopmentCA.loadOrCreate(directory: scratch.path + "/new/certs")
        #expect(made.created)
        #expect(try scratch.mode(of: "new/certs/ca.pem") == 0o644)
        #expect(try scratch.mode(of: "new/certs/ca-key.pem") == 0o600)
        #expect(try scratch.mode(of: "new/certs/leaf-key.pem") == 0o600)
        let loaded = try DevelopmentCA.loadOrCreate(directory: scratch.path + "/new/certs")
        #expect(!loaded.created)
        #expect(loaded.authority.certificatePEM == made.authority.certificatePEM)
        #expect(made.authority.summary.subject.hasPrefix("CN=Shunt development CA ("))
        let leaves = try (made.authority.mint(host: "a.test").summary, loaded.authority.mint(host: "a.test").summary)
        #expect(leaves.0.publicKeyFingerprint == leaves.1.publicKeyFingerprint)
        #expect(leaves.0.fingerprint != leaves.1.fingerprint)
    }

    @Test func `many that start at once end with one authority`() async throws {
        let path = scratch.path
        let made = try await withThrowingTaskGroup { group in
            for _ in 0..<16 {
                group.addTask {
                    let (authority, created) = try DevelopmentCA.loadOrCreate(directory: path)
                    return (authority.certificatePEM, try authority.mint(host: "a.test").keyPEM, created)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(made.map(\.0)).count == 1)
        #expect(Set(made.map(\.1)).count == 1)
        #expect(made.filter(\.2).count == 1)
        #expect(scratch.names == ["ca.pem", "ca-key.pem", "leaf-key.pem"])
    }

    @Test(arguments: ["ca-key.pem", "leaf-key.pem"], [0o644, 0o640, 0o604] as [mode_t])
    func `a key that others can read is refused with the way out`(name: String, mode: mode_t) throws {
        _ = try DevelopmentCA.loadOrCreate(directory: scratch.path)
        try #require(chmod(scratch.path + "/" + name, mode) == 0)
        let failure = #expect(throws: TLSFailure.self) { _ = try DevelopmentCA.loadOrCreate(directory: scratch.path) }
        #expect(failure?.message.contains("chmod 600 \(scratch.path)/\(name)") == true)
    }

    @Test func `what an interrupted start left is completed`() throws {
        _ = try DevelopmentCA.loadOrCreate(directory: scratch.path)
        try #require(unlink(scratch.path + "/ca.pem") == 0)
        #expect(try DevelopmentCA.loadOrCreate(directory: scratch.path).created)
        #expect(try DevelopmentCA.loadOrCreate(directory: scratch.path).created == false)
    }

    @Test func `a lost key and a foreign key are said plainly`() throws {
        _ = try DevelopmentCA.loadOrCreate(directory: scratch.path)
        let key = try scratch.read("leaf-key.pem")
        _ = try scratch.file("ca-key.pem", key)
        var failure = #expect(throws: TLSFailure.self) { _ = try DevelopmentCA.loadOrCreate(directory: scratch.path) }
        #expect(failure?.message.contains("not the one of the authority") == true)
        try #require(unlink(scratch.path + "/ca-key.pem") == 0)
        failure = #expect(throws: TLSFailure.self) { _ = try DevelopmentCA.loadOrCreate(directory: scratch.path) }
        #expect(failure?.message.contains("is missing beside") == true)
    }

    @Test func `a minted leaf has names and nothing else, for 45 days, and openssl verifies it`() throws {
        let authority = try DevelopmentCA.ephemeral()
        let leaf = try authority.mint(host: "Shop.Test")
        #expect(leaf.summary.names == ["shop.test"])
        #expect(leaf.summary.subject == "")
        let ca = try scratch.file("ca.pem", authority.certificatePEM)
        let file = try scratch.file("leaf.pem", leaf.certificatePEM)
        guard run("openssl version") != nil else { return }
        let verify = "openssl verify -x509_strict -purpose sslserver -CAfile \(ca)"
        #expect(run("\(verify) -verify_hostname shop.test \(file)") != nil)
        #expect(run("\(verify) -verify_hostname other.test \(file)") == nil)
        let words = try #require(run("openssl x509 -noout -text -in \(file)"))
        for part in [
            "Version: 3", "ecdsa-with-SHA256", "X509v3 Subject Alternative Name: critical", "DNS:shop.test",
            "TLS Web Server Authentication", "X509v3 Key Usage: critical", "Digital Signature",
            "X509v3 Authority Key Identifier", "X509v3 Subject Key Identifier", "NIST CURVE: P-256", "CA:FALSE",
        ] { #expect(words.contains(part), "\(part)") }
        #expect(!words.contains("Key Encipherment"))
        let root = try #require(run("openssl x509 -noout -text -in \(ca)"))
        #expect(root.contains("CA:TRUE, pathlen:1"))
        #expect(root.contains("Certificate Sign, CRL Sign"))
        // 45 days in all: valid in 43 days, not in 45, and since yesterday.
        #expect(run("openssl x509 -noout -checkend \(43 * 86400) -in \(file)") != nil)
        #expect(run("openssl x509 -noout -checkend \(44 * 86400) -in \(file)") == nil)
        let serial = try #require(run("openssl x509 -noout -serial -in \(file)"))
        #expect(serial.count > "serial=".count + 24)
    }

    @Test(arguments: [(40, false), (42, false), (43, true), (44, true), (50, true)])
    func `a leaf is replaced a day before it expires, while Shunt runs`(daysAgo: Int, isReplaced: Bool) throws {
        let authority = try DevelopmentCA.ephemeral()
        let old = try authority.keepLeaf(host: "a.test", daysAgo: daysAgo).summary.fingerprint
        let server = try ServerContext(identities: .development(authority))
        var seen: [String] = []
        for _ in 0..<2 {
            let wired = try Wired(try ClientContext(policy: .none), server, host: "a.test")
            try wired.shakeHands()
            seen.append(wired.client.session.verification.chain.first?.fingerprint ?? "")
        }
        // The second handshake has the leaf of the first.
        #expect(seen[0] == seen[1])
        #expect((seen[0] != old) == isReplaced)
    }

    @Test func `a leaf is made once per host, and no flood of names makes the cache grow without bound`() throws {
        let authority = try DevelopmentCA.ephemeral()
        let server = try ServerContext(identities: .development(authority))
        let client = try ClientContext(policy: .none)
        func fingerprint(_ host: String) throws -> String? {
            let wired = try Wired(client, server, host: host)
            try wired.shakeHands()
            return wired.client.session.verification.chain.first?.fingerprint
        }
        let first = try fingerprint("a.test")
        #expect(try fingerprint("a.test") == first)
        #expect(try fingerprint("b.test") != first)
        #expect(authority.cachedLeaves == 2)
        for number in 0..<1100 { _ = try fingerprint("host\(number).test") }
        #expect(authority.cachedLeaves <= 1000)
        #expect(try fingerprint("host1099.test") != nil)
    }
}
