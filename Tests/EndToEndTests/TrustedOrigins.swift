import Foundation
import TestSupport

/// Servers with certificates of an authority made by `openssl`: an nginx with a port for each certificate, and live
/// OCSP responders.
///
/// Certificates are for `localhost` and `v0.localhost` to `v3.localhost`, so that one of them can be judged by several
/// rules.
final class TrustedOrigins {
    let folder: TemporaryFolder
    private var processes: [ChildProcess] = []
    private(set) var ports: [String: UInt16] = [:]
    var path: String { folder.path }

    /// A certificate of one server.
    struct Server {
        let name: String
        var serial = 1
        /// More lines of the certificate's extensions.
        var extensions: [String] = []
        /// More lines of nginx's configuration.
        var config = ""
        /// The one that signs.
        var issuer = "ca"
        var isHTTP2 = true
    }

    static let hosts = "DNS:localhost,DNS:v0.localhost,DNS:v1.localhost,DNS:v2.localhost,DNS:v3.localhost"
    private static let new = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config /dev/null"

    init() throws {
        folder = try TemporaryFolder()
        for name in ["ca", "stranger"] {
            try shell(
                """
                openssl req -x509 \(Self.new) -keyout \(name).key -out \(name).pem -subj /CN=\(name) -days 3 \
                -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
                """)
        }
    }

    /// In an orderly way, for nginx's workers must end, too.
    deinit {
        for process in processes { process.signal(15) }
        for process in processes { _ = try? process.wait(seconds: 10) }
    }

    @discardableResult
    func shell(_ command: String) throws -> String {
        let result = try ChildProcess.run("/bin/sh", ["-c", command], directory: path)
        guard result.status == 0 else { throw ChildProcess.Overdue(description: "\(command): \(result.errors)") }
        return result.output
    }

    func sign(_ server: Server) throws {
        let name = server.name
        try folder.write(
            "\(name).ext",
            (["subjectAltName=\(Self.hosts)", "authorityKeyIdentifier=keyid:always", "subjectKeyIdentifier=hash"]
                + server.extensions).joined(separator: "\n") + "\n")
        try shell(
            """
            openssl req \(Self.new) -keyout \(name).key -out \(name).req -subj /CN=\(name) && openssl x509 -req \
            -in \(name).req -CA \(server.issuer).pem -CAkey \(server.issuer).key -set_serial \(server.serial) -days 2 \
            -extfile \(name).ext -out \(name).pem && cp \(name).pem \(name)-chain.pem
            """)
        if server.issuer != "ca" { try shell("cat \(server.issuer).pem >> \(name)-chain.pem") }
    }

    /// The file of `openssl ca` with the serial numbers that are known, and those of them that are revoked.
    func writeIndex(good: [Int], revoked: [Int]) throws {
        func serial(_ number: Int) -> String { (number < 16 ? "0" : "") + String(number, radix: 16, uppercase: true) }
        let lines =
            good.map { "V\t491231235959Z\t\t\(serial($0))\tunknown\t/CN=\($0)" }
            + revoked.map { "R\t491231235959Z\t260101000000Z,keyCompromise\t\(serial($0))\tunknown\t/CN=\($0)" }
        try folder.write("index.txt", lines.joined(separator: "\n") + "\n")
        try folder.write(
            "ca.cnf",
            """
            [ca]
            default_ca = own
            [own]
            database = index.txt
            crlnumber = crlnumber
            default_md = sha256
            default_crl_days = 1

            """)
        try folder.write("crlnumber", "01\n")
        try shell(
            """
            openssl ca -config ca.cnf -gencrl -keyfile ca.key -cert ca.pem -out list.pem && \
            openssl crl -in list.pem -outform DER -out list.crl
            """)
    }

    /// Makes an OCSP response, signed by the CA, one of 2020.
    func age(_ name: String) throws {
        try shell(
            """
            python3 - \(name).der <<'END'
            import re, subprocess, sys
            def parts(data):
                found = []
                while data:
                    length, start = data[1], 2
                    if length > 127:
                        start += length - 128
                        length = int.from_bytes(data[2:start], "big")
                    found.append((data[0], data[start:start + length], data[:start + length]))
                    data = data[start + length:]
                return found
            def wrap(tag, data):
                size = len(data)
                long = size.to_bytes((size.bit_length() + 7) // 8, "big")
                return bytes([tag]) + (bytes([size]) if size < 128 else bytes([128 + len(long)]) + long) + data
            (_, whole, _), = parts(open(sys.argv[1], "rb").read())
            (_, _, status), (_, holder, _) = parts(whole)
            (_, inner, _), = parts(holder)
            (_, _, kind), (_, text, _) = parts(inner)
            (_, basic, _), = parts(text)
            (_, _, facts), (_, _, algorithm), _, *rest = parts(basic)
            facts = re.sub(rb"\\x18\\x0f\\d{4}", b"\\x18\\x0f2020", facts)
            open("facts", "wb").write(facts)
            seal = subprocess.check_output(["openssl", "dgst", "-sha256", "-sign", "ca.key", "facts"])
            basic = wrap(0x30, facts + algorithm + wrap(3, b"\\0" + seal) + b"".join(raw for _, _, raw in rest))
            inner = wrap(0x30, kind + wrap(4, basic))
            open(sys.argv[1], "wb").write(wrap(0x30, status + wrap(0xA0, inner)))
            END
            """)
    }

    /// Runs a responder that signs with this certificate, for as long as this object lives.
    func startResponder(signer: String, port: UInt16) throws {
        let process = try ChildProcess(
            "/usr/bin/env",
            [
                "openssl", "ocsp", "-index", "index.txt", "-CA", "ca.pem", "-rsigner", "\(signer).pem", "-rkey",
                "\(signer).key", "-port", "\(port)", "-ndays", "1",
            ], directory: path)
        processes.append(process)
        // A connection without a request would keep it from others.
        guard eventually({ (process.errors + process.output).contains("waiting for") }) else {
            throw ChildProcess.Overdue(description: "no responder: \(process.errors)")
        }
    }

    /// Starts nginx with a port for each server, and `list.crl` on a plain port.
    func start(_ servers: [Server], plainPort: UInt16 = FreePort.find()) throws {
        var blocks = "server { listen 127.0.0.1:\(plainPort); root \(path)/www; }\n"
        try FileManager.default.createDirectory(atPath: path + "/www", withIntermediateDirectories: true)
        if folder.exists("list.crl") { try shell("cp list.crl www/") }
        for server in servers {
            let port = FreePort.find()
            ports[server.name] = port
            blocks += """
                server {
                  listen 127.0.0.1:\(port) ssl\(server.isHTTP2 ? " http2" : "");
                  ssl_certificate \(path)/\(server.name)-chain.pem; ssl_certificate_key \(path)/\(server.name).key;
                  \(server.config)
                  location / { return 200 "$connection $ssl_session_reused $ssl_protocol $ssl_cipher $ssl_client_s_dn"; }
                }

                """
        }
        let config = try folder.write(
            "nginx.conf",
            """
            daemon off; worker_processes 1; pid \(path)/nginx.pid; error_log \(path)/error.log;
            events { worker_connections 256; }
            http { access_log off; default_type text/plain; ssl_session_cache shared:s:1m;
              ssl_protocols TLSv1.2 TLSv1.3; \(blocks) }
            """)
        processes.append(
            try ChildProcess(
                "/usr/bin/env", ["nginx", "-e", path + "/error.log", "-g", "user \(NSUserName());", "-c", config],
                environment: ["PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin"]))
        guard eventually({ (try? RawConnection.connect(plainPort)) != nil }) else {
            throw ChildProcess.Overdue(description: "nginx did not start: \((try? folder.read("error.log")) ?? "")")
        }
    }

    /// The origin of a server under one of its hosts.
    func url(_ name: String, host: String = "localhost") -> String { "https://\(host):\(ports[name] ?? 0)" }

    func file(_ name: String) -> String { path + "/" + name }
}
