import TLS
import Testing

/// Alamofire's evaluators, each line of their semantics with chains as servers send them.
@Suite struct EvaluatorTests {
    let authority: TestAuthority
    /// The system's authorities with the root, as `certificateAuthorities` adds it.
    let system: ChainRequirement.Anchors

    init() throws {
        authority = try TestAuthority()
        try authority.sign("good")
        try authority.sign("other", ["subjectAltName=DNS:other.test", "authorityKeyIdentifier=keyid:always"])
        try authority.sign("none", by: "root", ["basicConstraints=critical,CA:FALSE", "subjectKeyIdentifier=hash"])
        try authority.sign("byNone", by: "none")
        try authority.selfSigned("own")
        try authority.selfSigned("stranger")
        system = .system(extra: [authority.file("root.pem")])
    }

    private func pin(_ name: String) throws -> String {
        try Identity.load(certificateFile: authority.file("\(name).pem"), keyFile: authority.file("\(name).key"))
            .summary.pin
    }

    @Test func `line 4: default checks chain and host, and without validateHost the chain alone`() throws {
        let (full, chain) = (ChainRequirement(anchors: system), ChainRequirement(checksHost: false, anchors: system))
        for (requirement, name, reason) in [
            (full, "good", nil), (full, "other", "hostname mismatch"), (full, "own", "self-signed certificate"),
            (chain, "good", nil), (chain, "other", nil), (chain, "own", "self-signed certificate"),
        ] as [(ChainRequirement, String, String?)] {
            #expect(try authority.refusal([requirement], of: authority.server(name)) == reason, "\(name)")
        }
    }

    @Test func `line 6: pinned certificates pass with any of them in the chain, as anchors only on request`() throws {
        for (pins, isOnlyAnchor, chain, host, name, reason) in [
            (["good"], false, true, true, "good", nil), (["mid"], false, true, true, "good", nil),
            (["root"], false, true, true, "good", nil), (["own", "mid"], false, true, true, "good", nil),
            (["own"], false, true, true, "good", "no pinned certificate is in the chain"),
            (["mid"], false, true, true, "other", "hostname mismatch"), (["mid"], false, true, false, "other", nil),
            (["own"], false, true, true, "own", "self-signed certificate"),
            (["own"], true, true, true, "own", nil), (["own"], true, true, false, "own", nil),
            // The system's authorities do not count beside pins that are the only anchors.
            (["own"], true, true, true, "good", "unable to get local issuer certificate"),
            (["own"], true, true, true, "stranger", "self-signed certificate"),
            (["root"], true, true, true, "good", nil),
            (["own"], false, false, false, "own", nil), (["mid"], false, false, false, "other", nil),
            (["own"], false, false, false, "stranger", "no pinned certificate is in the chain"),
            // A certificate that is pinned itself passes, whatever else is wrong with it.
            (["byNone"], false, false, false, "byNone", nil),
            (["byNone"], false, true, false, "byNone", "invalid CA certificate"),
            (["none"], false, false, false, "byNone", "no pinned certificate is in the chain"),
        ] as [([String], Bool, Bool, Bool, String, String?)] {
            let files = pins.map { authority.file("\($0).pem") }
            let requirement = ChainRequirement(
                checksChain: chain, checksHost: host, anchors: isOnlyAnchor ? .only(files) : system,
                pins: .certificates(files))
            let seen = try authority.refusal([requirement], of: authority.server(name))
            #expect(seen == reason, "\(pins) \(isOnlyAnchor) \(chain) \(host) \(name)")
        }
    }

    @Test func `line 7: public keys pass by pin or file, of any certificate of the chain`() throws {
        for (keys, chain, host, name, reason) in [
            ([try pin("good")], true, true, "good", nil), ([try pin("mid")], true, true, "good", nil),
            ([authority.file("root.pem")], true, true, "good", nil),
            ([try pin("own"), authority.file("good.pem")], true, true, "good", nil),
            ([try pin("own")], true, true, "good", "no pinned public key is in the chain"),
            ([try pin("other")], true, true, "other", "hostname mismatch"),
            // There is no option for self-signed certificates: only without both checks they pass.
            ([try pin("own")], true, true, "own", "self-signed certificate"),
            ([try pin("own")], false, true, "own", "self-signed certificate"),
            ([try pin("own")], true, false, "own", "self-signed certificate"),
            ([try pin("own")], false, false, "own", nil),
            ([try pin("own")], false, false, "stranger", "no pinned public key is in the chain"),
        ] as [([String], Bool, Bool, String, String?)] {
            let requirement = ChainRequirement(
                checksChain: chain, checksHost: host, anchors: system, pins: .publicKeys(keys))
            #expect(
                try authority.refusal([requirement], of: authority.server(name)) == reason,
                "\(keys) \(chain) \(host) \(name)")
        }
    }

    @Test func `lines 6 and 7: pins that name nothing are refused`() throws {
        let empty = try authority.scratch.file("empty.pem", "nothing")
        for pins in [
            .certificates([]), .publicKeys([]), .certificates([empty]), .publicKeys([empty]),
            .publicKeys(["sha256/AA="]),
        ] as [ChainRequirement.Pins] {
            #expect(throws: TLSFailure.self) {
                _ = try ClientContext(policy: .evaluated([ChainRequirement(pins: pins)]))
            }
        }
    }

    @Test func `line 8: a check of the host alone does not exist`() throws {
        let requirement = ChainRequirement(checksChain: false, checksHost: true, anchors: system)
        #expect(try authority.refusal([requirement], of: authority.server("own")) == "self-signed certificate")
        #expect(try authority.refusal([requirement], of: authority.server("good")) == nil)
    }

    @Test func `line 9: a composite wants all of its parts, and the first that fails is told`() throws {
        let keys = ChainRequirement(anchors: system, pins: .publicKeys([try pin("mid")]))
        let wrong = ChainRequirement(anchors: system, pins: .certificates([authority.file("own.pem")]))
        let loose = ChainRequirement(checksChain: false, checksHost: false, anchors: system)
        let only = ChainRequirement(
            anchors: .only([authority.file("good.pem")]), pins: .certificates([authority.file("good.pem")]))
        let full = ChainRequirement(anchors: system)
        for (parts, name, reason) in [
            ([full, keys], "good", nil), ([keys, only], "good", nil), ([loose, full], "good", nil),
            ([keys, wrong], "good", "no pinned certificate is in the chain"),
            ([wrong, keys], "good", "no pinned certificate is in the chain"),
            ([loose, full], "other", "hostname mismatch"), ([loose, loose], "stranger", nil),
            ([full, wrong], "own", "self-signed certificate"),
            ([only, full], "own", "self-signed certificate"),
        ] as [([ChainRequirement], String, String?)] {
            #expect(try authority.refusal(parts, of: authority.server(name)) == reason, "\(name)")
        }
    }

    @Test func `line 10: disabled always passes, and the judgement is known`() throws {
        let wired = try Wired(ClientContext(policy: .none), authority.server("stranger"))
        try wired.shakeHands()
        #expect(!wired.client.session.verification.isTrusted)
    }

    /// A chain as sent proves nothing: anyone can send the certificate of anyone.
    @Test func `a pinned certificate that is only sent along does not count`() throws {
        let authority = authority
        // A stranger's certificate, with the pinned one and its authority behind it.
        try authority.shell("cat stranger.pem good.pem mid.pem root.pem > stranger-chain.pem")
        // The same by a name: issued by a CA of the stranger's that calls itself like the pinned one.
        try authority.shell(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null -keyout fake.key \
            -out fake.pem -subj /CN=mid -days 3 -addext basicConstraints=critical,CA:TRUE
            """)
        try authority.sign("forged", by: "fake")
        try authority.shell("cat forged.pem mid.pem root.pem > forged-chain.pem")
        for name in ["stranger", "forged"] {
            let server = try authority.server(name)
            for file in ["good", "mid", "root"] {
                let files = [authority.file("\(file).pem")]
                for pins in [.certificates(files), .publicKeys(files)] as [ChainRequirement.Pins] {
                    for checks in [true, false] {
                        let requirement = ChainRequirement(
                            checksChain: checks, checksHost: checks, anchors: system, pins: pins)
                        #expect(try authority.refusal([requirement], of: server) != nil, "\(name) \(pins) \(checks)")
                    }
                }
            }
        }
    }

    @Test func `what passes without a check of the host is not called verified`() throws {
        let chain = ChainRequirement(checksHost: false, anchors: system)
        for (name, reason) in [("good", "ok"), ("other", "hostname mismatch")] {
            let wired = try Wired(ClientContext(policy: .evaluated([chain])), authority.server(name))
            try wired.shakeHands()
            #expect(wired.client.session.verification.reason == reason)
            #expect(wired.client.session.verification.isTrusted == (reason == "ok"))
        }
    }

    @Test func `pins hold for resumed connections, since their sessions stay with their policy`() throws {
        let server = try authority.server("good")
        let store = ResumptionStore()
        func connect(_ client: ClientContext) throws -> Bool {
            let wired = try Wired(client, server, store: store)
            try wired.shakeHands()
            _ = try wired.server.write("hello")
            _ = try wired.client.readText()
            return wired.client.session.wasResumed
        }
        let loose = try ClientContext(policy: .none)
        #expect(try connect(loose) == false)
        #expect(try connect(loose))
        let pinned = try ClientContext(
            policy: .evaluated([ChainRequirement(anchors: system, pins: .publicKeys([try pin("own")]))]))
        #expect(throws: TLSFailure.self) { _ = try connect(pinned) }
        let right = try ClientContext(
            policy: .evaluated([ChainRequirement(anchors: system, pins: .publicKeys([try pin("good")]))]))
        #expect(try connect(right) == false)
        #expect(try connect(right))
    }

    @Test func `a session that comes late is not kept under another policy`() throws {
        let server = try authority.server("good")
        let store = ResumptionStore()
        let loose = try ClientContext(policy: .none)
        let strict = try ClientContext(policy: .standard(extraAuthorities: [authority.file("root.pem")]))
        // Both connections are open before a ticket comes.
        let first = try Wired(loose, server, store: store)
        let second = try Wired(strict, server, store: store)
        try first.shakeHands()
        try second.shakeHands()
        _ = try first.server.write("late")
        _ = try first.client.readText()
        #expect(store.count == 0)
        _ = try second.server.write("late")
        _ = try second.client.readText()
        #expect(store.count == 1)
    }
}
