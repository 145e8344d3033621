import Foundation
import JSON
import TestSupport
import Testing

/// `serve --trace` and `--otlp`, with a collector that decodes what it gets by opentelemetry-proto.
@Suite(.enabled(if: ClientProgram.hasPython, "Python \(ClientProgram.hint)")) struct SpanTests {
    /// The collector of `Clients/collector.py`.
    private final class Collector {
        let process: ChildProcess
        let port: UInt16

        init(_ arguments: [String]) throws {
            process = try ChildProcess(
                "/usr/bin/env", [ClientProgram.python, "-B", ClientProgram.folder + "collector.py"] + arguments)
            let process = process
            guard eventually({ process.output.contains("\n") || !process.isRunning }), process.isRunning
            else { throw ChildProcess.Overdue(description: "no collector: \(process.errors)") }
            let told = try JSONReader.read(String(process.output.prefix { $0 != "\n" }))
            port = UInt16(told["port"]?.number?.int64 ?? 0)
        }

        deinit { process.signal(9) }

        /// What it has got so far.
        var requests: [JSONValue] {
            process.output.split(separator: "\n").dropFirst().compactMap { try? JSONReader.read(String($0)) }
        }

        var spans: [JSONValue] { requests.flatMap { $0["spans"]?.array ?? [] } }
    }

    private static let usual = """
        { kind: "local", routes: [
            { path: "/mock", mock: { text: "hello" } },
            { path: "/away/*", origin: "http://127.0.0.1:1" },
        ] }
        """

    private func serve(
        _ options: [String], _ variables: [String: String] = [:], profiles: [String: String]? = nil
    ) throws -> ServingShunt {
        try ServingShunt(
            profiles ?? ["local": Self.usual], options + ["--metrics"],
            environment: ["OTEL_BSP_SCHEDULE_DELAY": "50"].merging(variables) { $1 })
    }

    private func metrics(_ shunt: ServingShunt) throws -> String {
        let token = try shunt.folder.read(".shunt/metrics-token").filter { $0 != "\n" }
        return try shunt.curl("-H", "Authorization: Bearer \(token)", "\(shunt.admin)/metrics").output
    }

    private func ask(_ shunt: ServingShunt, _ path: String, _ more: String...) throws {
        _ = try shunt.curl(["-o", "/dev/null"] + more + ["http://localhost:\(shunt.port)\(path)"])
    }

    @Test func `spans have the names of the conventions and none of the secrets`() throws {
        let collector = try Collector([])
        let shunt = try serve(
            ["--otlp", "http://127.0.0.1:\(collector.port)", "--log", "json"],
            [
                "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20s3cret-key, x-tenant = a+b",
                "OTEL_SERVICE_NAME": "gateway", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=ci,service.name=no",
            ])
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        try ask(shunt, "/mock?access_token=hunter2-hunter2&x=1", "-H", "traceparent: \(parent)")
        try ask(shunt, "/away/a")
        #expect(eventually { collector.spans.count == 3 }, "\(collector.process.errors)")
        let request = try #require(collector.requests.first)
        #expect(request["path"]?.string == "/v1/traces")
        #expect(request["fields"]?["content-type"]?.string == "application/x-protobuf")
        #expect(request["fields"]?["authorization"]?.string == "Bearer s3cret-key")
        #expect(request["fields"]?["x-tenant"]?.string == "a+b")
        #expect(request["resource"]?["service.name"]?.string == "gateway")
        #expect(request["resource"]?["deployment.environment"]?.string == "ci")
        #expect(request["resource"]?["telemetry.sdk.language"]?.string == "swift")

        let spans = collector.spans
        let mock = try #require(spans.first { $0["trace"]?.string == "0af7651916cd43dd8448eb211c80319c" })
        let facts = mock["attributes"]
        #expect(mock["kind"]?.number?.int64 == 2 && mock["name"]?.string == "GET */mock")
        #expect(mock["parent"]?.string == "b7ad6b7169203331" && mock["flags"]?.number?.int64 == 0x301)
        #expect(mock["status"]?.number?.int64 == 0 && facts?["error.type"] == nil)
        for (name, value) in [
            ("http.request.method", "GET"), ("url.scheme", "http"), ("url.path", "/mock"), ("http.route", "/mock"),
            ("server.address", "localhost"), ("network.protocol.version", "1.1"), ("shunt.profile", "local"),
            ("shunt.responder", "mock"), ("client.address", "127.0.0.1"),
        ] { #expect(facts?[name]?.string == value, "\(name): \(String(describing: facts?[name]))") }
        #expect(facts?["http.response.status_code"]?.number?.int64 == 200)
        #expect(facts?["server.port"]?.number?.int64 == Int64(shunt.port))
        #expect(facts?["url.full"]?.string?.contains("access_token=") == true)
        let (start, end) = (mock["start"]?.number?.int64 ?? 0, mock["end"]?.number?.int64 ?? 0)
        #expect(start > 1_600_000_000 * 1_000_000_000 && end >= start && end - start < 60 * 1_000_000_000)

        let server = try #require(
            spans.first {
                $0["kind"]?.number?.int64 == 2 && $0["span"]?.string != mock["span"]?.string
            })
        let client = try #require(spans.first { $0["kind"]?.number?.int64 == 3 })
        #expect(client["trace"]?.string == server["trace"]?.string)
        #expect(client["parent"]?.string == server["span"]?.string)
        #expect(server["parent"]?.string == "" && server["flags"]?.number?.int64 == 0x101)
        #expect(client["attributes"]?["url.full"]?.string == "http://127.0.0.1:1/away/a")
        #expect(client["attributes"]?["server.port"]?.number?.int64 == 1)
        for span in [server, client] {
            #expect(span["attributes"]?["error.type"]?.string == "origin.connect")
            #expect(span["status"]?.number?.int64 == 2)
            #expect(span["message"]?.string?.contains("refused the connection") == true)
        }
        #expect(client["attributes"]?["http.response.status_code"] == nil)
        #expect(server["attributes"]?["http.response.status_code"]?.number?.int64 == 502)

        // The log names the trace; neither it nor the collector sees a secret.
        #expect(
            eventually {
                shunt.process.errors.contains(
                    #""trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"\#(mock["span"]?.string ?? "?")""#)
            })
        #expect(!collector.process.output.contains("hunter2"))
        let text = try metrics(shunt)
        #expect(text.contains("\nshunt_spans_exported_total 3\n"))
        let said = try shunt.stop()
        #expect(!(said.errors + said.output).contains("s3cret-key"))
        #expect(said.errors.contains("\"spans\":\"http://127.0.0.1:\(collector.port)/v1/traces\""))
    }

    @Test func `a profile's own secrets are not sent, whichever profile responds`() throws {
        let collector = try Collector([])
        let shunt = try serve(
            ["--otlp", "http://127.0.0.1:\(collector.port)/v1/traces", "--no-store"],
            profiles: [
                "local": #"{ kind: "local", routes: [{ path: "/*", mock: { text: "a" } }] }"#,
                "other":
                    #"{ kind: "local", routes: [{ path: "/*", mock: { text: "a" } }], redact: { parameters: ["plate"] } }"#,
            ])
        try ask(shunt, "/a?plate=B-XY-1234")
        #expect(eventually { collector.spans.count == 1 }, "\(collector.process.errors)")
        #expect(!collector.process.output.contains("B-XY-1234"), "\(collector.process.output)")
        #expect(collector.requests.first?["path"]?.string == "/v1/traces")
    }

    @Test func `gzip is sent where it is asked for, and one connection serves many batches`() throws {
        let collector = try Collector([])
        let shunt = try serve(
            ["--trace"],
            [
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:\(collector.port)/base",
                "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
            ])
        for number in 1...3 {
            try ask(shunt, "/mock")
            #expect(eventually { collector.spans.count == number }, "\(collector.process.errors)")
        }
        #expect(Set(collector.requests.compactMap { $0["path"]?.string }) == ["/base/v1/traces"])
        #expect(collector.requests.allSatisfy { $0["fields"]?["content-encoding"]?.string == "gzip" })
        #expect(Set(collector.requests.compactMap { $0["connection"]?.number?.int64 }).count == 1)
    }

    @Test(arguments: ["429:1", "502", "503:1", "504", "cut", "garbage", "slow:3"])
    func `what a collector does not take now is sent again`(behaviour: String) throws {
        let collector = try Collector([behaviour])
        let shunt = try serve(
            ["--otlp", "http://127.0.0.1:\(collector.port)"], ["OTEL_EXPORTER_OTLP_TIMEOUT": "1000"])
        let start = Date.now
        try ask(shunt, "/mock")
        #expect(eventually { collector.requests.count >= 2 }, "\(collector.process.errors)")
        #expect(Set(collector.spans.compactMap { $0["span"]?.string }).count == 1)
        // Not at once: the pause is half a second at least, and what Retry-After says.
        let least = behaviour.hasSuffix(":1") ? 1.0 : 0.5
        #expect(Date.now.timeIntervalSince(start) >= least)
        #expect(eventually { (try? metrics(shunt))?.contains("\nshunt_spans_exported_total 1\n") == true })
        let text = try metrics(shunt)
        #expect(text.contains("shunt_spans_lost_total{reason=\"full\"} 0") && !text.contains("requests_total 0"))
        #expect(eventually { shunt.process.errors.contains("spans are sent again") })
        #expect(shunt.process.errors.contains("spans cannot be sent at present"))
    }

    @Test(arguments: ["400", "401", "413", "500"])
    func `what a collector refuses is dropped, counted and told`(behaviour: String) throws {
        let collector = try Collector([behaviour])
        let shunt = try serve(["--otlp", "http://127.0.0.1:\(collector.port)"])
        try ask(shunt, "/mock")
        #expect(
            eventually { (try? metrics(shunt))?.contains(#"shunt_spans_lost_total{reason="rejected"} 1"#) == true })
        #expect(eventually { shunt.process.errors.contains("the collector does not take spans") })
        #expect(shunt.process.errors.contains("responded with \(behaviour)"))
        // The next one is sent as ever.
        try ask(shunt, "/mock")
        #expect(eventually { collector.requests.count == 2 })
    }

    @Test func `a part that is rejected is counted, and its reason cannot rule a terminal`() throws {
        let collector = try Collector(["partial:1"])
        let shunt = try serve(["--otlp", "http://127.0.0.1:\(collector.port)"])
        try ask(shunt, "/away/a")
        #expect(
            eventually { (try? metrics(shunt))?.contains(#"shunt_spans_lost_total{reason="rejected"} 1"#) == true })
        #expect(try metrics(shunt).contains("\nshunt_spans_exported_total 1\n"))
        #expect(eventually { shunt.process.errors.contains("rejected 1 of 2 spans: too?[31m old") })
    }

    @Test func `a collector that is away delays nothing, and gets what waited when it is back`() throws {
        let port = FreePort.find()
        let shunt = try serve(["--otlp", "http://127.0.0.1:\(port)"])
        try ask(shunt, "/mock")
        #expect(eventually { shunt.process.errors.contains("spans cannot be sent at present") })
        try ask(shunt, "/mock")
        let collector = try Collector(["--port", "\(port)"])
        #expect(eventually { collector.spans.count == 2 }, "\(collector.process.errors)")
    }

    @Test func `what waits is bounded, and what is too much is counted`() throws {
        let origin = ScriptedOrigin { connection, _ in
            // Takes what comes and never responds.
            while let some = try? connection.readSome(), !some.isEmpty {}
        }
        defer { origin.stop() }
        let shunt = try serve(
            ["--otlp", "http://127.0.0.1:\(origin.port)", "--log", "off", "--no-store"],
            ["OTEL_EXPORTER_OTLP_TIMEOUT": "600000"])
        let count = 6000
        let client = try RawConnection.connect(shunt.port)
        let request = "GET /mock HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for _ in 0..<count / 100 {
            try client.send(String(repeating: request, count: 100))
            for _ in 0..<100 {
                #expect(try client.readHead().hasPrefix("HTTP/1.1 200"))
                _ = try client.read(count: 5)
            }
        }
        #expect(
            eventually {
                guard let text = try? metrics(shunt),
                    let line = text.split(separator: "\n").first(where: {
                        $0.hasPrefix(#"shunt_spans_lost_total{reason="full"} "#)
                    }), let lost = Int(line.split(separator: " ").last ?? "")
                else { return false }
                // Eight batches wait, and one or two were taken.
                return lost > 0 && lost <= count - 4096
            })
        // The end does not wait ten minutes for a collector that is silent: it would be overdue.
        #expect(try shunt.stop().status == 0)
    }

    @Test func `spans that wait are sent at the end`() throws {
        let collector = try Collector([])
        let shunt = try serve(
            ["--otlp", "http://127.0.0.1:\(collector.port)"], ["OTEL_BSP_SCHEDULE_DELAY": "3600000"])
        try ask(shunt, "/mock")
        #expect(try shunt.stop().status == 0)
        #expect(collector.spans.count == 1)
    }

    @Test func `a collector's certificate is verified`() throws {
        let folder = try TemporaryFolder()
        let made = try ChildProcess.run(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost",
            ], directory: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let (cert, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
        let collector = try Collector(["--cert", cert, "--key", key])
        let stranger = try serve(["--otlp", "https://localhost:\(collector.port)"])
        try ask(stranger, "/mock")
        #expect(eventually { stranger.process.errors.contains("spans cannot be sent at present") })
        #expect(collector.requests.isEmpty)
        let trusting = try serve(
            ["--otlp", "https://localhost:\(collector.port)"], ["OTEL_EXPORTER_OTLP_CERTIFICATE": cert])
        try ask(trusting, "/mock")
        #expect(eventually { collector.spans.count == 1 }, "\(trusting.process.errors)")
    }

    @Test(
        arguments: [
            (["--otlp", "http://ada:hunter2@localhost:4318"], [:], "--otlp is no URL of a collector"),
            (["--otlp", "localhost:4318"], [:], "--otlp is no URL of a collector"),
            (["--trace"], ["OTEL_EXPORTER_OTLP_ENDPOINT": "hunter2"], "OTEL_EXPORTER_OTLP_ENDPOINT is no URL"),
            (
                ["--trace"],
                ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"],
                "speaks http/protobuf"
            ),
            (["--otlp", "http://localhost:1"], ["OTEL_EXPORTER_OTLP_HEADERS": "hunter2"], "is not NAME=VALUE"),
            (
                ["--otlp", "http://localhost:1"], ["OTEL_EXPORTER_OTLP_HEADERS": "a=hunter2%0d%0aX: y"],
                "control characters"
            ),
            (["--otlp", "http://localhost:1"], ["OTEL_EXPORTER_OTLP_HEADERS": "Host=hunter2"], "cannot be sent"),
            (["--otlp", "http://localhost:1"], ["OTEL_EXPORTER_OTLP_HEADERS": "a b=hunter2"], "cannot be sent"),
            (["--otlp", "http://localhost:1"], ["OTEL_EXPORTER_OTLP_TIMEOUT": "soon"], "OTEL_EXPORTER_OTLP_TIMEOUT"),
            (["--trace"], ["OTEL_TRACES_SAMPLER": "always_on"], "the decision of clients counts"),
            (
                ["--trace"], ["OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "2"],
                "is no share"
            ),
        ] as [([String], [String: String], String)])
    func `a setting that cannot be used is refused, and no secret is repeated`(
        options: [String], variables: [String: String], message: String
    ) throws {
        let folder = try TemporaryFolder()
        try folder.write("Profiles/local.json", Self.usual)
        let result = try ChildProcess.run(
            ShuntBinary.path, ["serve", "--port", "0", "--admin-port", "0"] + options, directory: folder.path,
            environment: variables)
        #expect(result.status == 64 && result.errors.contains(message), "\(result.status) \(result.errors)")
        #expect(!result.errors.contains("hunter2"))
    }

    @Test func `without a word about it nothing is sent, and no trace begins`() throws {
        let collector = try Collector([])
        let shunt = try serve(
            ["--log", "json"], ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:\(collector.port)"])
        try ask(shunt, "/mock")
        #expect(eventually { shunt.process.errors.contains("/mock") })
        #expect(try shunt.stop().status == 0)
        #expect(!shunt.process.errors.contains("trace_id") && collector.requests.isEmpty)
    }

    @Test func `a recorded exchange names its trace, and the origin's head as sent has its span`() throws {
        let heads = Box()
        let origin = ScriptedOrigin { connection, _ in
            heads.put(try connection.readHead())
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        defer { origin.stop() }
        let shunt = try serve(["--trace"], profiles: ["local": profile("http://127.0.0.1:\(origin.port)")])
        try ask(shunt, "/a", "-H", "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        var shown: JSONValue?
        #expect(
            eventually {
                shown = try? JSONReader.read(try shunt.run("show", "1", "--json").output)
                return shown?["status"]?.number?.int64 == 200
            })
        #expect(shown?["trace_id"]?.string == "0af7651916cd43dd8448eb211c80319c")
        #expect(shown?["span_id"]?.string?.utf8.count == 16)
        let found = try shunt.run("logs", "~hq 0af7651916cd43dd8448eb211c80319c", "--json").output
        #expect(found.contains("\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\""), "\(found)")
        let sent = heads.take().split(separator: "\r\n").first { $0.hasPrefix("traceparent: ") } ?? "none"
        #expect(try shunt.run("show", "1").output.contains(sent), "\(sent)")
    }
}
