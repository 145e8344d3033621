import TLS
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// In processes of their own, because the bundle is read once per process.
@Suite struct AuthorityBundleTests {
    @Test func `an authority in the bundle that SSL_CERT_FILE names is trusted, in every context`() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            let authority = try DevelopmentCA.ephemeral()
            let stranger = try DevelopmentCA.ephemeral()
            let bundle = stranger.certificatePEM + authority.certificatePEM
            setenv("SSL_CERT_FILE", try scratch.file("bundle.pem", bundle), 1)
            setenv("SSL_CERT_DIR", "/nonexistent", 1)
            let server = try ServerContext(identities: .development(authority))
            for _ in 0..<3 {
                let client = try ClientContext(policy: .standard(extraAuthorities: []))
                try Wired(client, server).shakeHands()
                try Wired(client, server, host: "other.test").shakeHands()
            }
        }
    }

    @Test func `an authority in no bundle is not`() async {
        await #expect(processExitsWith: .success) {
            let scratch = try Scratch()
            setenv("SSL_CERT_FILE", try scratch.file("bundle.pem", DevelopmentCA.ephemeral().certificatePEM), 1)
            setenv("SSL_CERT_DIR", "/nonexistent", 1)
            let client = try ClientContext(policy: .standard(extraAuthorities: []))
            let server = try ServerContext(identities: .development(.ephemeral()))
            for _ in 0..<3 {
                #expect(throws: TLSFailure.self) { try Wired(client, server).shakeHands() }
            }
        }
    }

    @Test func `a bundle that does not exist trusts nobody and breaks nothing`() async {
        await #expect(processExitsWith: .success) {
            setenv("SSL_CERT_FILE", "/nonexistent", 1)
            setenv("SSL_CERT_DIR", "/nonexistent", 1)
            let client = try ClientContext(policy: .standard(extraAuthorities: []))
            let server = try ServerContext(identities: .development(.ephemeral()))
            #expect(throws: TLSFailure.self) { try Wired(client, server).shakeHands() }
        }
    }
}
