import TestSupport
import Testing

/// Caches of clients that are no browsers, over a switch of environments.
@Suite struct CacheClientTests {
    private static let jars = ["okhttp", "okio"].map { "/usr/share/java/\($0).jar" }
    private static let hasOkHttp =
        ClientProgram.hasJava && (try? ChildProcess.run("/bin/ls", jars).status) == 0

    /// Lets its responses be stored in every way, and knows no page of the other environment.
    private static func origin(_ name: String) -> ScriptedOrigin {
        let isStaging = name == "staging"
        return ScriptedOrigin { connection, _ in
            while true {
                let head = try connection.readHead()
                func respond(_ status: String, _ fields: String) throws {
                    let body = status.hasPrefix("200") ? name : ""
                    let length = status.hasPrefix("304") ? "" : "Content-Length: \(body.utf8.count)\r\n"
                    try connection.send("HTTP/1.1 \(status)\r\n\(fields)\(length)\r\n\(body)")
                }
                if head.hasPrefix("GET /moved "), isStaging {
                    try respond("301 Moved", "Location: /arrived\r\nCache-Control: max-age=600\r\n")
                } else if head.hasPrefix("GET /aged ") {
                    try respond("200 OK", "Cache-Control: max-age=600\r\n")
                } else if head.hasPrefix("GET /dated ") {
                    // Local's is the older one.
                    if !isStaging, head.contains("If-Modified-Since") {
                        try respond("304 Not Modified", "")
                    } else {
                        try respond(
                            "200 OK", "Last-Modified: Tue, \(isStaging ? "10" : "03") Nov 2026 00:00:00 GMT\r\n")
                    }
                } else if head.hasPrefix("GET /tagged ") {
                    try respond(
                        head.contains("If-None-Match: \"1\"") ? "304 Not Modified" : "200 OK", "ETag: \"1\"\r\n")
                } else {
                    try respond("200 OK", "Expires: Thu, 26 Nov 2099 00:00:00 GMT\r\n")
                }
            }
        }
    }

    @Test(.extended, .enabled(if: hasOkHttp, "a JDK or OkHttp \(ClientProgram.hint)"))
    func `OkHttp shows what the present environment has`() throws {
        let (staging, local) = (Self.origin("staging"), Self.origin("local"))
        defer {
            staging.stop()
            local.stop()
        }
        let shunt = try ServingShunt(
            [
                "staging": profile("http://127.0.0.1:\(staging.port)", kind: "staging"),
                "local": profile("http://127.0.0.1:\(local.port)"),
            ], ["--profile", "staging", "--log", "off"])
        for name in ["staging", "local", "staging"] {
            #expect(try shunt.run("use", name).status == 0)
            let result = try ClientProgram.run(
                [
                    "java", "-cp", Self.jars.joined(separator: ":"), ClientProgram.folder + "OkHttpCache.java",
                    "http://127.0.0.1:\(shunt.port)", shunt.folder.path + "/okhttp",
                ] + ["/moved", "/aged", "/dated", "/tagged", "/expires", "/aged"])
            let moved = name == "staging" ? "staging/arrived" : "local/moved"
            let others = ["aged", "dated", "tagged", "expires", "aged"].map { "\(name)/\($0)" }
            #expect(result.output.split(separator: "\n").map(String.init) == [moved] + others, "\(result.errors)")
        }
        try shunt.stop()
    }
}
