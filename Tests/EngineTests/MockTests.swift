import Exchanges
import TestSupport
import Testing

/// Responses of Shunt's own.
@Suite struct MockTests {
    @Test(arguments: ClientKind.allCases, [true, false])
    func `what a client sends to a mock is counted`(client: ClientKind, hasLength: Bool) async throws {
        let harness = try await Harness.start(
            profiles: ["only": #"{"kind": "local", "routes": [{"mock": {"text": "hi"}}]}"#], active: "only")
        let (port, log) = (harness.port, harness.log)
        let seen = try await blocking {
            let seen = try client.ask(port, "POST", "/", body: "hello", hasLength: hasLength)
            // Whether it comes before the end of the response is left to chance.
            #expect(eventually { !log.exchanges.isEmpty })
            return seen
        }
        await harness.stop()
        #expect(seen.body == "hi")
        #expect(log.exchanges.map(\.bytes.request) == [5] && log.exchanges.map(\.bytes.response) == [2])
    }
}
