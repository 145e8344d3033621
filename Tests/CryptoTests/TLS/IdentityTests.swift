import TLS
import Testing

@Suite struct IdentityTests {
    let scratch: Scratch
    let authority: DevelopmentCA

    init() throws {
        scratch = try Scratch()
        authority = try .ephemeral()
    }

    private func load(_ certificate: String, _ key: String) throws -> Identity {
        try Identity.load(
            certificateFile: scratch.file("site.pem", certificate), keyFile: scratch.file("site-key.pem", key))
    }

    private func message(_ certificate: String, _ key: String) -> String {
        do {
            _ = try load(certificate, key)
            return "no failure"
        } catch { return "\(error)" }
    }

    @Test func `an own certificate with what leads to its authority is served as it is`() throws {
        let leaf = try authority.mint(host: "shop.test")
        let identity = try load(leaf.certificatePEM + authority.certificatePEM, leaf.keyPEM)
        #expect(identity.certificatePEM == leaf.certificatePEM + authority.certificatePEM)
        let wired = try Wired(ClientContext(policy: .none), ServerContext(identities: .own(identity)), host: "any.test")
        try wired.shakeHands()
        #expect(wired.client.session.verification.chain == [leaf.summary, authority.summary])
    }

    @Test func `what is wrong with the files is said, file by file`() throws {
        let leaf = try authority.mint(host: "shop.test")
        let other = try Identity.selfSigned(host: "shop.test")
        let expired = try authority.mint(host: "shop.test", daysAgo: 60)
        let future = try authority.mint(host: "shop.test", daysAgo: -10)
        #expect(message(leaf.certificatePEM, other.keyPEM).contains("is not the one of the certificate"))
        #expect(message(expired.certificatePEM, expired.keyPEM).contains("expired on"))
        #expect(message(future.certificatePEM, future.keyPEM).contains("only valid from"))
        #expect(message("hello", leaf.keyPEM).contains("site.pem holds no PEM certificate"))
        #expect(message("", leaf.keyPEM).contains("site.pem holds no PEM certificate"))
        #expect(message(leaf.certificatePEM, "hello").contains("site-key.pem holds no PEM private key"))
        let missing = #expect(throws: TLSFailure.self) {
            _ = try Identity.load(certificateFile: scratch.path + "/none.pem", keyFile: "")
        }
        #expect(missing?.message.contains("No such file or directory") == true)
        #expect(throws: TLSFailure.self) { _ = try Identity.load(certificateFile: scratch.path, keyFile: "") }
    }

    @Test func `a key is read however its file is laid out, and no other takes its place`() throws {
        let leaf = try authority.mint(host: "shop.test")
        let key = leaf.keyPEM
        let lines = key.split(separator: "\n").map(String.init)
        let base64 = lines.dropFirst().dropLast().joined()
        let forms = [
            key, "Bag Attributes\n" + key, lines.joined(separator: "\r\n") + "\r\n", lines.joined(separator: "\n"),
            key + key, key + leaf.certificatePEM,
            "\(lines[0])\n\(base64.prefix(64))\n\(base64.dropFirst(64).prefix(64))\n"
                + "\(base64.dropFirst(128))\n\(lines[lines.count - 1])\n",
        ]
        for form in forms {
            let identity = try load(leaf.certificatePEM, form)
            let wired = try Wired(
                ClientContext(policy: .none), ServerContext(identities: .own(identity)), host: "any.test")
            try wired.shakeHands()
            #expect(identity.keyPEM == key)
        }
        for broken in [
            key.replacing("PRIVATE", with: "PUBLIC"), lines[0], key.replacing(base64.prefix(8), with: "AAAA"),
        ] {
            #expect(message(leaf.certificatePEM, broken).contains("site-key.pem holds no PEM private key"))
        }
    }

    @Test(arguments: ["a b", "", "*.shop.test", "a,DNS:b", "a..b"])
    func `nothing is minted for what is no host`(host: String) {
        #expect(throws: TLSFailure.self) { _ = try authority.mint(host: host) }
        #expect(throws: TLSFailure.self) { _ = try Identity.selfSigned(host: host) }
    }
}
