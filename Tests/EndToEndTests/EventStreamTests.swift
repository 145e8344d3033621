import JSON
import TestSupport
import Testing

/// Server-sent events: each comes when it is written, not when there are more.
@Suite(
    .serialized,
    .enabled(if: ClientProgram.hasNode && ClientProgram.hasPython, "node or httpx \(ClientProgram.hint)"))
struct EventStreamTests {
    struct Way: CustomTestStringConvertible, Sendable {
        let version: String
        let tls: Bool
        let origin: String
        var testDescription: String { "HTTP/\(version)\(tls ? " in TLS" : "") to \(origin)" }
    }

    private static let ways = Circle.values(
        [Way(version: "1.1", tls: false, origin: "http"), Way(version: "2", tls: true, origin: "https")],
        andAll: [
            Way(version: "1.1", tls: true, origin: "https"), Way(version: "1.1", tls: false, origin: "h2c"),
            Way(version: "2", tls: true, origin: "http"), Way(version: "2", tls: false, origin: "h2c"),
        ])

    @Test(arguments: ways)
    func `each of 200 events arrives before the next one is written`(way: Way) throws {
        let origin = try ServerProgram(ClientProgram.node("origin.js"))
        let shunt = try origin.shunt(way.origin)
        let said = try ClientProgram.run(
            ClientProgram.python(
                "event_stream.py", way.version, shunt.address(tls: way.tls), shunt.authority, origin.address("http")))
        try #require(said.status == 0, "\(said.errors)")
        let told = try JSONReader.read(said.output)
        #expect(told["numbers"]?.array?.compactMap(\.number?.int64) == Array(0..<200))
        #expect(told["type"]?.string == "text/event-stream")
        #expect(told["version"]?.string == (way.version == "2" ? "HTTP/2" : "HTTP/1.1"))
    }
}
