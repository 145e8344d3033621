import Foundation
import TestSupport
import Testing

/// Real programs that have Shunt as their proxy, and a real proxy on Shunt's own way.
@Suite struct ProxyClientTests {
    private static func has(_ program: String) -> Bool {
        ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/bin/"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + program)
        }
    }

    /// A program, and a script that uses it with the variables of `shunt proxy env`; `$PROXY` is the proxy's URL.
    struct Client: CustomTestStringConvertible, Sendable {
        let program: String
        let script: String
        var expected = "mocked"

        var testDescription: String { script }
    }

    private static let chromium = "chromium --headless --no-sandbox --disable-gpu --user-data-dir=\"$PWD/browser\" "

    private static let clients = [
        Client(program: "wget", script: "wget -qO- http://api.shop.test/a"),
        Client(program: "wget", script: "wget -qO- --ca-certificate=\"$SSL_CERT_FILE\" https://api.shop.test/a"),
        Client(
            program: "git",
            script: """
                git init -q -b main work && git -C work -c user.name=a -c user.email=a@b.test commit -q --allow-empty -m x
                git clone -q --bare work site/repo.git && git -C site/repo.git update-server-info
                git clone -q https://files.shop.test/repo.git cloned && git -C cloned log --format=cloned:%s
                """, expected: "cloned:x"),
        Client(
            program: "pip",
            script: """
                mkdir -p site/simple/demo && python3 - <<'END'
                import zipfile
                with zipfile.ZipFile("site/simple/demo/demo-1.0-py3-none-any.whl", "w") as wheel:
                    wheel.writestr("demo.py", "")
                    wheel.writestr("demo-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: demo\\nVersion: 1.0\\n")
                    wheel.writestr("demo-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
                    wheel.writestr("demo-1.0.dist-info/RECORD", "")
                END
                echo '<a href="demo-1.0-py3-none-any.whl">demo-1.0-py3-none-any.whl</a>' > site/simple/demo/index.html
                pip download -q --disable-pip-version-check --no-cache-dir --no-deps -i https://files.shop.test/simple/ demo
                ls demo-*
                """, expected: "demo-1.0-py3-none-any.whl"),
        Client(
            program: "apt-get",
            script: """
                mkdir -p site/deb lists/partial cache/archives/partial && echo 'Package: demo' > site/deb/Packages
                echo 'deb [trusted=yes] http://files.shop.test/deb ./' > sources
                apt-get update -o Dir::Etc::SourceList="$PWD/sources" -o Dir::Etc::SourceParts=none \
                  -o Dir::State::Lists="$PWD/lists" -o Dir::Cache="$PWD/cache" -o APT::Sandbox::User="$(id -un)" 2>&1
                """, expected: "http://files.shop.test/deb ./ Packages ["),
        Client(
            program: "node",
            script: """
                cat > client.mjs <<'END'
                import http from "node:http"; import tls from "node:tls"
                const proxy = new URL(process.env.HTTPS_PROXY)
                http.request({host: proxy.hostname, port: proxy.port, method: "CONNECT", path: "api.shop.test:443"})
                  .on("connect", (_, socket) => {
                    const inner = tls.connect({socket, servername: "api.shop.test"}, () =>
                      inner.write("GET /a HTTP/1.1\\r\\nHost: api.shop.test\\r\\nConnection: close\\r\\n\\r\\n"))
                    inner.pipe(process.stdout)
                  }).end()
                END
                node client.mjs
                """),
        Client(
            program: "chromium",
            script: chromium
                + "--ignore-certificate-errors --proxy-server=\"$PROXY\" --dump-dom https://api.shop.test/a"),
    ].filter { has($0.program) || $0.program == "pip" }

    private static let heavyClients = [
        Client(
            program: "java",
            script: """
                cat > Client.java <<'END'
                public class Client {
                    public static void main(String[] arguments) throws Exception {
                        var connection = new java.net.URL("https://api.shop.test/a").openConnection();
                        System.out.println(new String(connection.getInputStream().readAllBytes()));
                    }
                }
                END
                java Client.java
                """),
        Client(
            program: "chromium",
            script: chromium + "--proxy-server=\"$PROXY\" --dump-dom http://api.shop.test/a"),
        Client(
            program: "chromium",
            script: chromium
                + "--ignore-certificate-errors --proxy-pac-url=\"$(shunt proxy pac -p $PORT)\" --dump-dom https://api.shop.test/a"
        ),
    ].filter { has($0.program) }

    @Test(arguments: clients) func `a program reaches a host that no DNS knows`(client: Client) throws {
        try expectReach(client)
    }

    @Test(.extended, arguments: heavyClients) func `a heavy program reaches a host that no DNS knows`(client: Client)
        throws
    { try expectReach(client) }

    private func expectReach(_ client: Client) throws {
        let shunt = try ServingShunt(
            [
                "local": """
                {"kind": "local", "routes": [
                  {"host": "api.shop.test", "path": "/*", "mock": {"text": "mocked"}},
                  {"host": "files.shop.test", "path": "/*", "files": "../site"}]}
                """
            ], files: ["site/there.txt": "there"])
        let result = try ChildProcess.run(
            "/bin/bash",
            [
                "-c",
                """
                shunt() { '\(ShuntBinary.path)' "$@"; }
                export PORT=\(shunt.port) PROXY=http://localhost:\(shunt.port) HOME="$PWD"
                eval "$(shunt proxy env -p $PORT)"
                set -e
                \(client.script)
                """,
            ], directory: shunt.folder.path, seconds: 120)
        #expect(result.output.contains(client.expected), "\(result)")
        try shunt.stop()
    }

    // MARK: A company's proxy

    /// tinyproxy with one user.
    private final class Tinyproxy {
        let folder: TemporaryFolder
        let port = FreePort.find()
        private let process: ChildProcess

        init() throws {
            folder = try TemporaryFolder()
            let config = """
                Port \(port)
                Listen 127.0.0.1
                Allow 127.0.0.1
                MaxClients 20
                BasicAuth joe secret7
                LogFile "\(folder.path)/log"
                LogLevel Connect

                """
            try folder.write("conf", config)
            process = try ChildProcess("/usr/bin/env", ["tinyproxy", "-d", "-c", "conf"], directory: folder.path)
            let port = port
            guard eventually({ (try? RawConnection.connect(port)) != nil }) else {
                throw ChildProcess.Overdue(description: "tinyproxy does not listen: \(process.errors)")
            }
        }

        deinit {
            process.signal(15)
            _ = try? process.wait(seconds: 10)
        }

        var log: String { (try? folder.read("log")) ?? "" }
    }

    @Test(.enabled(if: has("tinyproxy"))) func `a route's origin is reached by a company's proxy with credentials`()
        throws
    {
        let origin = ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            try connection.send(
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n\(head.hasPrefix("GET /far") ? "far." : "bad.")\n")
        }
        defer { origin.stop() }
        let proxy = try Tinyproxy()
        func serve(_ credentials: String) throws -> ServingShunt {
            try ServingShunt(
                [
                    "local": """
                    {"kind": "local", "routes": [
                      {"path": "/far", "origin": "http://127.0.0.1:\(origin.port)",
                       "proxy": {"url": "http://127.0.0.1:\(proxy.port)", "credentialsVariable": "CORP_PROXY"}}]}
                    """
                ], environment: ["CORP_PROXY": credentials])
        }
        let shunt = try serve("joe:secret7")
        let response = try shunt.curl("http://127.0.0.1:\(shunt.port)/far")
        #expect(response.output == "far.\n", "\(response)")
        #expect(eventually { proxy.log.contains("CONNECT 127.0.0.1:\(origin.port)") }, "\(proxy.log)")
        let explained = try shunt.run("explain", "http://127.0.0.1/far")
        let line = "  proxy    http://127.0.0.1:\(proxy.port), with the credentials in $CORP_PROXY\n"
        #expect(explained.status == 0 && explained.output.contains(line), "\(explained)")
        #expect(explained.errors.contains("production's guard would say is not known here"), "\(explained)")
        let errors = try shunt.stop().errors
        #expect(!errors.contains("secret7"))
        let other = try serve("joe:wrong")
        let refused = try other.curl("http://127.0.0.1:\(other.port)/far").output
        #expect(
            refused.contains(
                "the proxy http://127.0.0.1:\(proxy.port) on the way to http://127.0.0.1:\(origin.port) refused"))
        #expect(
            refused.contains("\"credentialsVariable\" beside the proxy's \"url\" names the environment variable"),
            "\(refused)")
        try other.stop()
    }

    @Test func `a proxy's variable that is not set is named at the start`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            "Profiles/local.json",
            """
            {"kind": "local", "routes": [{"origin": "http://a.test",
              "proxy": {"url": "http://corp.test:3128", "credentialsVariable": "CORP_PROXY"}}]}
            """)
        let result = try ChildProcess.run(
            ShuntBinary.path, ["serve", "--port", "0", "--certs", "certs"], directory: folder.path)
        #expect(result.status == 1)
        #expect(
            result.errors.contains(
                """
                shunt: a route of profile “local” cannot reach its origin: the environment variable CORP_PROXY with the \
                credentials for http://corp.test:3128 is not set
                  Set it to USER:PASSWORD before Shunt starts.

                """), "\(result.errors)")
    }
}
