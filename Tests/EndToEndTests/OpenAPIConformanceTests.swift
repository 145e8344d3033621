import Foundation
import JSON
import TestSupport
import Testing

/// The admin interface beside its description, as schemathesis (PyPI) tells from outside.
@Suite(.extended) struct OpenAPIConformanceTests {
    private static let schemathesis =
        URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
        + "/.build/python/bin/schemathesis"

    private static let profiles = [
        "local": #"{"kind": "local", "routes": [{"path": "/*", "mock": {"json": {"a": [1, 2]}}}]}"#,
        "production": #"{"kind": "production", "routes": [{"path": "/*", "mock": {"text": "live"}}]}"#,
    ]

    /// - Parameter arguments: what is asked, and how often.
    private func check(_ shunt: ServingShunt, _ arguments: [String], configuration: String = "") throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: Self.schemathesis), "`make setup-test` installs schemathesis")
        let token = try #require(
            try JSONReader.read(try shunt.folder.read(".shunt/\(shunt.port).json"))["token"]?.string)
        let folder = try TemporaryFolder()
        // Whatever is too long for HTTP is refused before anybody looks at it.
        let refusals = "[400, 401, 403, 404, 405, 409, 413, 414, 415, 422, 431, 503]"
        try folder.write(
            "schemathesis.toml", "[checks.negative_data_rejection]\nexpected-statuses = \(refusals)\n" + configuration)
        let result = try ChildProcess.run(
            Self.schemathesis,
            [
                "--config-file", "schemathesis.toml", "run", "\(shunt.admin)/openapi.json", "--url", shunt.admin,
                "--header", "Authorization: Bearer \(token)", "--phases", "coverage,fuzzing", "--seed", "1",
                // A filter or a name may be wrong though it is a string.
                "--exclude-checks", "positive_data_acceptance",
                // It has no end; its own tests read it.
                "--exclude-path", "/v1/traffic/events",
                // A breakpoint would hold what other calls send.
                "--exclude-path", "/v1/breakpoints", "--request-timeout", "20", "--max-time", "15", "--no-color",
            ] + arguments, directory: folder.path, seconds: 60)
        #expect(result.status == 0, "\(result.output)\n\(result.errors)")
        #expect(result.output.contains(" Fuzzing") && !result.output.contains(" 0 generated"), "\(result.output)")
    }

    private func serving() throws -> ServingShunt {
        let shunt = try ServingShunt(Self.profiles, ["--profile", "local"])
        for path in ["", "v1/cart?x=1", "v1/user"] {
            #expect(try shunt.curl("-d", "a=1", "http://127.0.0.1:\(shunt.port)/\(path)").status == 0)
        }
        let isRecorded = try eventually { try shunt.run("logs").output.split(separator: "\n").count == 3 }
        #expect(isRecorded)
        return shunt
    }

    @Test func `whatever is asked, responses are as they are described`() throws {
        let shunt = try serving()
        try check(shunt, ["--max-examples", "10"])
        try shunt.stop()
    }

    @Test func `so are those about an exchange that is there`() throws {
        let shunt = try serving()
        try check(
            shunt, ["--max-examples", "10", "--include-path-regex", "[{]id[}]", "--mode", "positive"],
            configuration: "[parameters]\nid = 1\n")
        try shunt.stop()
    }
}
