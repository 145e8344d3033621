import Exchanges
import HTTP
import JSON
import Reactor

/// Takes the reports of bridge calls that the script in pages sends; each is an exchange of its own in the traffic.
///
/// Its path is the same on every host, so that no report reaches an origin. Every page of the host can send reports: they
/// change nothing, tell nothing, and are few and short, so that they do not push other exchanges out of the store.
final class BridgeResponder: Responder {
    private static let path: StaticString = "/__shunt/bridge/"
    private static let maxReport = 64 << 10

    func claims(_ exchange: ClientExchange) -> Bool {
        let request = exchange.request
        return request.head.method == .post && request.bytes.extracting(request.head.path).starts(with: Self.path)
    }

    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        guard exchange.state.bridgeRate.admits(now: exchange.state.core.now) else {
            exchange.ignore()
            return await exchange.respond(Self.tooMany)
        }
        try Self.admit(exchange)
        try await exchange.body.buffer(max: Self.maxReport, within: exchange.state.limits.headTime, exchange.recording)
        guard exchange.request.head.framing == .none || exchange.body.isBuffered else {
            throw EngineFailure(.client, .route, status: 413, "a report of a bridge call is longer than 64 KiB")
        }
        let report = exchange.body.buffered?.bytes ?? []
        guard let value = try? JSONReader.read(report, dialect: .strict), value["name"]?.string != nil else {
            throw EngineFailure(.client, .route, status: 400, "a report of a bridge call is not JSON with a \"name\"")
        }
        exchange.metrics.bytes.request = UInt64(report.count)
        exchange.metrics.willRespond(as: "bridge")
        await exchange.respond(Self.taken)
    }

    /// Pages of the host alone report: those of other sites, which a browser lets send POSTs here, have another `Origin`.
    @inline(never)
    private static func admit(_ exchange: ClientExchange) throws(EngineFailure) {
        try HostAdmission(request: exchange.request, state: exchange.state).check()
        guard try RouteChoice(exchange: exchange).profile().hasBridge else {
            throw EngineFailure(
                .client, .route, status: 404, "no route of the profile has a \"bridge\"",
                advice: "The page was loaded while another profile responded: load it again.")
        }
        let (bytes, head) = (exchange.headBytes, exchange.request.head)
        let own = (exchange.client.isSecure ? "https://" : "http://") + String(bytes.extracting(head.authority))
        let origins = head.fields.filter { $0.id == .origin }.map { String(bytes.extracting($0.value)) }
        let type = head.field(.contentType).map { String(bytes.extracting($0.value)).lowercased() } ?? ""
        guard origins.count == 1, origins[0].lowercased() == own.lowercased(), type.hasPrefix("application/json") else {
            throw EngineFailure(
                .client, .route, status: 403, "reports of bridge calls come from pages of the same host alone")
        }
    }

    private static let taken = LocalResponse(204, "Cache-Control: no-store\r\n")
    private static let tooMany = LocalResponse(
        429, "Cache-Control: no-store\r\nContent-Type: text/plain; charset=utf-8\r\n",
        "shunt: too many bridge calls; this one is not recorded\n")
}

/// Bounds how many reports a worker takes: 400 at once, and 40 more with each second.
struct BridgeRate {
    private static let burst: UInt64 = 400
    private static let interval = Limits.second / 40

    /// When all that was admitted will be paid off.
    private var paid: UInt64 = 0

    mutating func admits(now: UInt64) -> Bool {
        let start = max(paid, now)
        guard start - now <= Self.burst * Self.interval else { return false }
        paid = start + Self.interval
        return true
    }
}
