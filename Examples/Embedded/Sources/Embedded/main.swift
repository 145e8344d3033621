import Foundation
import ShuntEngine

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Prints what passes, on the thread of the worker that served it.
struct Printer: ExchangeObserver {
    func exchangeEnded(_ exchange: Exchange) { print(exchange.method, exchange.url, exchange.status ?? 0) }
}

let profiles = try ProfileLibrary.load(files: [
    (path: "mocks.json", bytes: Array(#"{ "kind": "local", "routes": [{ "mock": { "text": "mock" } }] }"#.utf8)),
    (path: "moved.json", bytes: Array(#"{ "kind": "local", "routes": [{ "redirect": "/new" }] }"#.utf8)),
])
// TLS and plain HTTP on one port, with a certificate authority that lives as long as the program.
let proxy = try await Proxy.start(
    Proxy.Configuration(
        addresses: [.loopback(.ipv4, port: 0)], identities: .development(try DevelopmentCA.ephemeral()),
        observer: Printer()),
    profiles: profiles, active: "mocks")

guard let url = URL(string: "http://\(proxy.addresses[0])/hello") else { fatalError("an address is no URL") }
let (body, _) = try await URLSession.shared.data(from: url)
print("the body is", String(decoding: body, as: UTF8.self))

try proxy.use("moved")
print("now \(proxy.profiles?.active ?? "none") responds")

await proxy.abort()
await proxy.drain()
proxy.stop()
