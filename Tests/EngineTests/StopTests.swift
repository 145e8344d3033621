import Engine
import Reactor
import TestSupport
import Testing

/// What a proxy leaves behind in a program that goes on without it, as a test run with an engine for each test does.
@Suite struct StopTests {
    @Test func `a proxy that was stopped is released, with its threads and descriptors`() async throws {
        let networks = Released<Networks>()
        do {
            var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)], workers: 2)
            configuration.networks = Networks()
            networks.object = configuration.networks
            let library = try Harness.library(["only": #"{"kind": "local", "routes": [{"mock": {}}]}"#])
            let proxy = try await Proxy.start(configuration, profiles: library, active: "only")
            let port = proxy.addresses[0].port
            let response = try await blocking {
                let client = try RawConnection.connect(port)
                try client.send("GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n")
                return try client.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 200 "))
            #expect(networks.object != nil)
            await proxy.drain()
            proxy.stop()
        }
        // The last thread ends on its own.
        let isReleased = try await blocking { eventually { networks.object == nil } }
        #expect(isReleased)
    }
}

/// Does not keep what it names; to be set before another thread reads it.
private final class Released<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?
}
