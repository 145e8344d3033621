import Foundation
import JSON
import TestSupport
import Testing

/// Programs that people use, over HTTP/2 by ALPN and with prior knowledge, to origins of every version.
@Suite(.serialized, .enabled(if: ClientProgram.hasNode, "node, the origin, \(ClientProgram.hint)"))
struct HTTP2ClientTests {
    /// How a client comes and where its requests go.
    struct Way: CustomTestStringConvertible, Sendable {
        let tls: Bool
        let origin: String
        var testDescription: String { "\(tls ? "TLS" : "prior knowledge") to \(origin)" }

        static let all = [true, false].flatMap { tls in ["http", "h2c", "https"].map { Way(tls: tls, origin: $0) } }
        /// All of them in `make check`.
        static let usual = Circle.isWhole ? all : some
        static let some = [
            Way(tls: true, origin: "http"), Way(tls: true, origin: "https"), Way(tls: false, origin: "h2c"),
        ]
    }

    private static func origin() throws -> ServerProgram { try ServerProgram(ClientProgram.node("origin.js")) }

    /// Arguments for curl, and how lines must begin that it prints, with `@` for the version: head, content, status.
    private static let requests: [(arguments: [String], lines: [String])] = [
        (["/hello"], ["HTTP/@ 200 ", "content-type: application/json", "@ 200"]),
        (["-I", "/hello"], ["HTTP/@ 200 ", "@ 200"]),
        (["/empty"], ["HTTP/@ 204 ", "@ 204"]),
        (["/missing"], ["HTTP/@ 404 ", "nothing here", "@ 404"]),
        (["--data-binary", "@upload", "/sum"], ["HTTP/@ 200 ", #"{"bytes":10000000,"#, "@ 200"]),
        (["-T", "upload", "/sum"], ["HTTP/@ 200 ", #"{"bytes":10000000,"#, "@ 200"]),
        (["-H", "TE: trailers", "/trailers"], ["HTTP/@ 200 ", "content", "x-checksum: 123", "@ 200"]),
        (
            ["/early-hints"],
            ["HTTP/@ 103 ", "link: </style.css>; rel=preload; as=style", "HTTP/@ 200 ", "late", "@ 200"]
        ),
        (["-d", "x", "/early-response"], ["HTTP/@ 413 ", "too large", "@ 413"]),
    ]

    @Test(arguments: Way.usual) func `curl`(way: Way) throws {
        try Self.curl(way, version: "2", way.tls ? "--http2" : "--http2-prior-knowledge")
    }

    @Test(arguments: Way.usual.filter { $0.origin != "http" }) func `curl in HTTP 1 to origins of HTTP 2`(way: Way)
        throws
    {
        try Self.curl(way, version: "1.1", "--http1.1")
    }

    private static func curl(_ way: Way, version: String, _ option: String) throws {
        let origin = try Self.origin()
        let shunt = try origin.shunt(way.origin)
        try shunt.folder.write("upload", String(repeating: "x", count: 10_000_000))
        for (arguments, wanted) in Self.requests {
            // Told 413 before it has sent its body, curl 7.88 ends the stream short of its Content-Length, which is
            // malformed (RFC 9113 8.1.1), and resets what is still to come.
            if version == "2", arguments.last == "/early-response" { continue }
            let address = shunt.address(tls: way.tls) + (arguments.last ?? "")
            let said = try shunt.curl(
                [option, "-D", "-", "-w", "\n%{http_version} %{http_code}"] + arguments.dropLast() + [address])
            #expect(said.status == 0, "\(arguments): \(said.errors)")
            let lines = said.output.split(whereSeparator: \.isNewline).map(String.init)
            for line in wanted.map({ $0.replacing("@", with: version) }) {
                #expect(lines.contains { $0.lowercased().hasPrefix(line.lowercased()) }, "\(arguments): \(said.output)")
            }
        }
    }

    @Test func `an upgrade to h2c, which is no more, is answered in HTTP 1`() throws {
        let origin = try Self.origin()
        let shunt = try origin.shunt("http")
        let said = try shunt.curl(
            "--http2", "-o", "/dev/null", "-w", "%{http_version} %{http_code}", shunt.address(tls: false) + "/hello")
        #expect(said.output == "1.1 200", "\(said.errors)")
    }

    @Test(.enabled(if: ClientProgram.hasNghttp, "nghttp \(ClientProgram.hint)"), arguments: Way.usual)
    func `nghttp with many streams, and h2load`(way: Way) throws {
        let origin = try Self.origin()
        let shunt = try origin.shunt(way.origin)
        let address = shunt.address(tls: way.tls)
        let streams = try ClientProgram.run(["nghttp", "-n", "-s", "-m", "100", address + "/bytes?count=5000"])
        #expect(streams.output.split(separator: "\n").count { $0.contains(" 200 ") } == 100, "\(streams.output)")
        let load = try ClientProgram.run(
            ["h2load", "-n", "1000", "-c", "8", "-m", "16", address + "/bytes?count=1024"])
        #expect(load.output.contains(" 1000 succeeded, 0 failed, 0 errored, 0 timeout"), "\(load.output)")
        #expect(load.output.contains("status codes: 1000 2xx"), "\(load.output)")
    }

    private static let httpxCases = [
        "version", "head, 204, 404", "upload", "many streams on one connection", "fields",
        "a download broken off leaves the connection as it is",
    ]

    @Test(.enabled(if: ClientProgram.hasPython, "httpx \(ClientProgram.hint)"), arguments: Way.some)
    func `httpx`(way: Way) throws {
        let origin = try Self.origin()
        let shunt = try origin.shunt(way.origin)
        try ClientProgram.expect(
            Self.httpxCases, of: ClientProgram.python("httpx_client.py", shunt.address(tls: way.tls), shunt.authority))
    }

    private static let nodeCases = [
        "version", "head, 204, 404", "trailers of a response", "trailers of a request", "early hints",
        "cookies in crumbs", "upload", "both ways at once", "a response before the request's end",
        "a response that breaks off", "a cancelled stream is seen by the origin",
        "a stream that is not read holds back no other", "a hundred streams at once", "ping",
    ]

    @Test(arguments: Way.usual) func `node`(way: Way) throws {
        let origin = try Self.origin()
        let shunt = try origin.shunt(way.origin)
        try ClientProgram.expect(
            Self.nodeCases, of: ClientProgram.node("node_client.js", shunt.address(tls: way.tls), shunt.authority))
    }

    private static let javaCases = ["version", "head, 204, 404", "upload", "a hundred requests at once", "fields"]

    @Test(
        .extended,
        .enabled(if: ClientProgram.hasJava, "no JDK is installed; any of 11 or later does"), arguments: [true, false])
    func `Java's HttpClient`(tls: Bool) throws {
        let origin = try Self.origin()
        let shunt = try origin.shunt("https")
        try ClientProgram.expect(
            Self.javaCases,
            of: ["java", ClientProgram.folder + "JavaClient.java", shunt.address(tls: tls), shunt.authority])
    }
}
