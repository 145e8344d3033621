import TLS
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Constrained, rotated and RSA authorities, as OpenSSL and a client of ours see them.
@Suite struct AuthorityRotationTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Whether openssl accepts a leaf, with what the server sends beside it.
    private func accepts(_ leaf: Identity, trusting pem: String, host: String) throws -> Bool {
        let root = try scratch.file("root.pem", pem)
        let chain = try scratch.file("chain.pem", leaf.certificatePEM)
        return run(
            "openssl verify -x509_strict -purpose sslserver -verify_hostname \(host) -CAfile \(root) "
                + "-untrusted \(chain) \(chain)") != nil
    }

    @Test func `clients of the old and of the new authority accept leaves until the old one is forgotten`() throws {
        let old = try DevelopmentCA.loadOrCreate(directory: scratch.path).authority.certificatePEM
        let rotation = AuthorityRotation(scratch.path)
        let rotated = try rotation.rotate(AuthoritySettings())
        #expect(rotated.authority.certificatePEM != old)
        #expect(try scratch.mode(of: "ca-key.pem") == 0o600)
        let leaf = try DevelopmentCA.loadOrCreate(directory: scratch.path).authority.mint(host: "a.test")
        #expect(try accepts(leaf, trusting: old, host: "a.test"))
        #expect(try accepts(leaf, trusting: rotated.authority.certificatePEM, host: "a.test"))
        #expect(rotation.oldFiles == [rotated.old])
        #expect(try scratch.read(String(rotated.old.dropFirst(scratch.path.count + 1))) == old)
        try rotation.forgetOld()
        #expect(rotation.oldFiles.isEmpty)
        let alone = try DevelopmentCA.loadOrCreate(directory: scratch.path).authority.mint(host: "a.test")
        #expect(try !accepts(alone, trusting: old, host: "a.test"))
        #expect(try accepts(alone, trusting: rotated.authority.certificatePEM, host: "a.test"))
    }

    @Test func `an authority that may sign leaves alone does not vouch for the next one`() throws {
        #expect(
            run(
                """
                cd \(scratch.path) && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj /CN=x \
                -addext basicConstraints=critical,CA:TRUE,pathlen:0 -keyout ca-key.pem -out ca.pem 2>/dev/null
                """) != nil)
        let rotated = try AuthorityRotation(scratch.path).rotate(AuthoritySettings()).authority
        #expect(!rotated.isCrossSigned)
        let leaf = try rotated.mint(host: "a.test")
        #expect(try accepts(leaf, trusting: rotated.certificatePEM, host: "a.test"))
        #expect(leaf.certificatePEM.ranges(of: "BEGIN CERTIFICATE").count == 1)
    }

    @Test func `after two rotations the authority in between is accepted, the first is not`() throws {
        let first = try DevelopmentCA.loadOrCreate(directory: scratch.path).authority.certificatePEM
        let rotation = AuthorityRotation(scratch.path)
        let second = try rotation.rotate(AuthoritySettings()).authority.certificatePEM
        let third = try rotation.rotate(AuthoritySettings()).authority
        let leaf = try third.mint(host: "a.test")
        #expect(try accepts(leaf, trusting: second, host: "a.test"))
        #expect(try !accepts(leaf, trusting: first, host: "a.test"))
        #expect(rotation.oldFiles.count == 2)
    }

    @Test(arguments: [[], ["leaf-key.pem"], ["leaf-key.pem", "ca-key.pem"]])
    func `a rotation that was interrupted is finished by the next start`(moved: [String]) throws {
        _ = try DevelopmentCA.loadOrCreate(directory: scratch.path)
        let other = try Scratch()
        _ = try DevelopmentCA.loadOrCreate(directory: other.path)
        for name in ["ca.pem", "ca-key.pem", "leaf-key.pem"] {
            _ = try scratch.file((moved.contains(name) ? "" : "next-") + name, try other.read(name))
        }
        let loaded = try DevelopmentCA.loadOrCreate(directory: scratch.path)
        #expect(try loaded.authority.certificatePEM == other.read("ca.pem"))
        #expect(scratch.names == ["ca.pem", "ca-key.pem", "leaf-key.pem"])
    }

    @Test func `a rotation that was interrupted before the new certificate was written changes nothing`() throws {
        let old = try DevelopmentCA.loadOrCreate(directory: scratch.path).authority.certificatePEM
        _ = try scratch.file("next-ca-key.pem", "half")
        _ = try scratch.file("next-cross.pem", "half")
        #expect(try DevelopmentCA.loadOrCreate(directory: scratch.path).authority.certificatePEM == old)
        let new = try AuthorityRotation(scratch.path).rotate(AuthoritySettings()).authority
        #expect(try accepts(try new.mint(host: "a.test"), trusting: old, host: "a.test"))
    }

    @Test(arguments: [
        ("*.shop.test,localhost", "api.shop.test", true), ("*.shop.test,localhost", "shop.test", true),
        ("*.shop.test,localhost", "localhost", true), ("*.shop.test,localhost", "127.0.0.1", true),
        ("*.shop.test,localhost", "::1", true), ("*.shop.test,localhost", "192.168.1.5", false),
        ("*.shop.test,localhost", "bank.example", false), ("*.shop.test,localhost", "notshop.test", false),
        ("*.shop.test,localhost", "fd00::1", false), ("shop.test", "127.0.0.1", false), ("shop.test", "::1", false),
        ("shop.test, 10.0.0.7", "10.0.0.7", true), ("shop.test,10.0.0.7", "10.0.0.8", false),
    ])
    func `a constrained authority signs for its hosts alone, and openssl agrees`(
        list: String, host: String, isPermitted: Bool
    ) throws {
        let authority = try DevelopmentCA.ephemeral(AuthoritySettings(hosts: PermittedHosts(list)))
        let leaf = try? authority.mint(host: host)
        #expect((leaf != nil) == isPermitted)
        guard let leaf else { return }
        let root = try scratch.file("root.pem", authority.certificatePEM)
        let file = try scratch.file("leaf.pem", leaf.certificatePEM)
        #expect(run("openssl verify -x509_strict -purpose sslserver -CAfile \(root) \(file)") != nil)
    }

    @Test func `openssl refuses what the constraints leave out, whoever signs it`() throws {
        _ = try DevelopmentCA.loadOrCreate(
            directory: scratch.path, AuthoritySettings(hosts: PermittedHosts("shop.test")))
        for name in ["DNS:bank.example", "IP:127.0.0.1", "IP:::1"] {
            _ = try scratch.file("names", "subjectAltName=critical,\(name)\n")
            #expect(
                run(
                    """
                    cd \(scratch.path) && openssl req -new -key leaf-key.pem -subj / -out r.pem 2>/dev/null && \
                    openssl x509 -req -in r.pem -CA ca.pem -CAkey ca-key.pem -extfile names -out l.pem 2>/dev/null
                    """) != nil)
            #expect(run("cd \(scratch.path) && openssl verify -CAfile ca.pem l.pem 2>/dev/null") == nil, "\(name)")
        }
    }

    @Test(arguments: ["", "*", "*.1.2.3.4", "a b,c", "127.0.0.1", "shop.test,,x", "-x", "shop.test/24"])
    func `hosts that cannot be constrained are refused`(list: String) {
        #expect(throws: TLSFailure.self) { _ = try PermittedHosts(list) }
    }

    @Test func `an authority of RSA has leaves of RSA that openssl verifies`() throws {
        let authority = try DevelopmentCA.ephemeral(AuthoritySettings(key: .rsa))
        let leaf = try authority.mint(host: "a.test")
        #expect(try accepts(leaf, trusting: authority.certificatePEM, host: "a.test"))
        let words = try #require(run("openssl x509 -noout -text -in \(scratch.path)/chain.pem"))
        for part in ["sha256WithRSAEncryption", "(2048 bit)", "Key Encipherment"] { #expect(words.contains(part)) }
        let server = try ServerContext(identities: .development(authority))
        let wired = try Wired(try ClientContext(policy: .none), server, host: "b.test")
        try wired.shakeHands()
        #expect(wired.client.session.verification.chain.first?.names == ["b.test"])
    }

    @Test func `a client without a name gets those of this machine that are permitted`() throws {
        for (list, names) in [
            ("localhost", ["localhost", "127.0.0.1", "::1"]), ("shop.test,127.0.0.1", ["127.0.0.1"]),
        ] {
            let authority = try DevelopmentCA.ephemeral(AuthoritySettings(hosts: PermittedHosts(list)))
            let server = try ServerContext(identities: .development(authority))
            let wired = try Wired(try ClientContext(policy: .none), server, host: "127.0.0.1")
            try wired.shakeHands()
            #expect(wired.client.session.verification.chain.first?.names == names)
        }
    }
}
