import TLS
import TestSupport
import Testing

/// An authority with an intermediate, made by `openssl`; files lie in a folder of the test.
///
/// `root.pem`, `mid.pem` and their `.key`s; a certificate NAME has `NAME.pem`, `NAME-chain.pem` and `NAME.key`.
struct TestAuthority {
    let scratch: Scratch
    var path: String { scratch.path }

    static let usage = "keyUsage=critical,keyCertSign,cRLSign"
    static let leaf = ["subjectAltName=DNS:shop.test", "authorityKeyIdentifier=keyid:always"]
    private static let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null"

    /// - Parameter middle: lines of extensions of the intermediate.
    init(middle: [String] = ["basicConstraints=critical,CA:TRUE", usage]) throws {
        scratch = try Scratch()
        try shell(
            """
            openssl req -x509 \(Self.new) -keyout root.key -out root.pem -subj /CN=root -days 3 \
            -addext basicConstraints=critical,CA:TRUE -addext \(Self.usage)
            """)
        try sign(
            "mid", by: "root",
            middle + ["subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid:always"])
    }

    func shell(_ command: String) throws {
        try #require(run("cd \(path) && \(command)") != nil, "\(command)")
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// - Parameters:
    ///   - extensions: lines of the extensions file.
    ///   - key: options of `openssl req` for the key.
    ///   - options: more options of `openssl x509`.
    func sign(
        _ name: String, by issuer: String = "mid", _ extensions: [String] = leaf, key: String = new,
        subject: String? = nil, options: String = "-days 2"
    ) throws {
        _ = try scratch.file("\(name).ext", extensions.joined(separator: "\n") + "\n")
        try shell(
            """
            openssl req \(key) -keyout \(name).key -out \(name).req -subj '\(subject ?? "/CN=" + name)' && openssl x509 \
            -req -in \(name).req -CA \(issuer).pem -CAkey \(issuer).key -CAcreateserial \(options) \
            -extfile \(name).ext -out \(name).pem && cat \(name).pem $([ \(issuer) = root ] || echo \(issuer).pem) \
            > \(name)-chain.pem
            """)
    }

    /// The same, valid from 2099 on.
    func signForLater(_ name: String, by issuer: String = "mid", _ extensions: [String] = leaf) throws {
        _ = try scratch.file("\(name).ext", extensions.joined(separator: "\n") + "\n")
        _ = try scratch.file(
            "later.cnf",
            """
            [ca]
            default_ca = own
            [own]
            database = later.txt
            rand_serial = yes
            new_certs_dir = .
            policy = any
            default_md = sha256
            [any]
            commonName = supplied

            """)
        try shell(
            """
            : > later.txt && openssl req \(Self.new) -keyout \(name).key -out \(name).req -subj /CN=\(name) && openssl ca \
            -batch -notext -config later.cnf -cert \(issuer).pem -keyfile \(issuer).key -in \(name).req -startdate \
            20990101000000Z -enddate 20990201000000Z -extfile \(name).ext -out \(name).pem && \
            cat \(name).pem \(issuer).pem > \(name)-chain.pem
            """)
    }

    func selfSigned(_ name: String, host: String = "shop.test") throws {
        try shell(
            """
            openssl req -x509 \(Self.new) -keyout \(name).key -out \(name).pem -subj /CN=\(name) -days 3 \
            -addext subjectAltName=DNS:\(host) && cp \(name).pem \(name)-chain.pem
            """)
    }

    func server(_ name: String) throws -> ServerContext {
        try ServerContext(
            identities: .own(.load(certificateFile: file("\(name)-chain.pem"), keyFile: file("\(name).key"))))
    }

    /// The reason for which a handshake is refused; nil for one that passes.
    func refusal(
        _ requirements: [ChainRequirement], of server: ServerContext, host: String = "shop.test",
        store: ResumptionStore? = nil
    ) throws -> String? {
        try refusal(ClientContext(policy: .evaluated(requirements)), of: server, host: host, store: store)
    }

    func refusal(
        _ client: ClientContext, of server: ServerContext, host: String = "shop.test", store: ResumptionStore? = nil
    ) throws -> String? {
        let wired = try Wired(client, server, host: host, store: store)
        do {
            try wired.shakeHands()
            return nil
        } catch let failure as TLSFailure {
            guard case .certificateRejected(_, let reason, _) = failure.kind else { throw failure }
            return reason
        }
    }
}
