import Engine
import JSON
import Reactor
import TLS

/// A small origin of the demo: HTTPS on loopback, and a response that says whose it is.
struct DemoOrigin: Sendable {
    let name: String
    let proxy: Proxy
    let port: UInt16

    /// Starts it on any free port of 127.0.0.1.
    static func start(_ name: String, _ identity: Identity) async throws(ProxyError) -> DemoOrigin {
        let proxy = try await Proxy.start(
            Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)], identities: .own(identity)),
            handler: Greeting(name: name))
        return DemoOrigin(name: name, proxy: proxy, port: proxy.addresses.first?.port ?? 0)
    }

    func stop() async {
        await proxy.abort()
        await proxy.drain()
        proxy.stop()
    }

    private struct Greeting: Handler {
        let name: String

        func response(_ request: HandledRequest) async -> HandledResponse {
            let json = JSONWriter.object(["hello": "from \(name)", "method": request.method, "path": request.target])
            return HandledResponse(
                status: 200, fields: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
                body: json + [UInt8(ascii: "\n")])
        }
    }
}
