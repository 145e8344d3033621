import Bytes
import Exchanges
import HTTP
import Profiles
import Reactor
import Redaction

/// Which responses of a route are kept, and which requests they respond to.
final class KeepingPlan: Sendable {
    let settings: OfflineSettings
    private let profile: String
    private let route: String
    private let uses: [OriginUse]
    /// Knows which fields carry credentials.
    private let redactor: Redactor

    /// Responses of other profiles in a chain are kept by their own routes.
    init(
        _ settings: OfflineSettings, of route: Route, in profile: Profile, _ responders: [any Responder],
        _ redactor: Redactor
    ) {
        self.settings = settings
        self.profile = profile.name
        self.route = route.label
        self.redactor = redactor
        uses = responders.flatMap { responder -> [OriginUse] in
            if let origin = responder as? OriginResponder { return [origin.use] }
            guard let chain = responder as? ChainResponder else { return [] }
            return chain.candidates.compactMap { if case .origin(let responder) = $0 { responder.use } else { nil } }
        }
    }

    /// The use of an origin that responds for the route; nil where none does any more.
    func use(of origin: OriginAddress) -> OriginUse? { uses.first { $0.origin.address == origin } }

    func has(_ use: OriginUse) -> Bool { uses.contains { $0 === use } }

    /// The key of a request; nil for one whose response is neither kept nor made of a kept one.
    @inline(never)
    func key(of exchange: ClientExchange) -> KeptKey? {
        let (head, bytes) = (exchange.request.head, exchange.headBytes)
        guard head.method == .get || head.method == .head, head.framing == .none, head.targetForm != .asterisk,
            !head.names.meets(Self.excluding)
        else { return nil }
        var credentials: [UInt8] = []
        for field in head.fields {
            let name = [UInt8](bytes.extracting(field.name))
            if field.id == .cacheControl, CacheDirectives.has("no-store", bytes.extracting(field.value)) { return nil }
            // Another method may have been meant than the one that can be read.
            if let demand = MethodOverride.demand(of: name),
                !MethodOverride.methods(in: [UInt8](bytes.extracting(field.value)), demand).isEmpty
            {
                return nil
            }
            let line = [UInt8](bytes.extracting(field.line))
            if field.id == .authorization || field.id == .cookie || redactor.redact(fields: line) != line {
                credentials += line
            }
        }
        let peer = exchange.client.peer?.unmapped
        let client = peer.map { $0.isLoopback ? "loopback" : $0.host } ?? ""
        return KeptKey(
            profile: profile, route: route,
            client: Routing(client: exchange.client, request: exchange.request).device?.0.name ?? client,
            host: RequestView(exchange.client, exchange.request, scenarios: nil).meantHost.lowercased(),
            target: [UInt8](bytes.extracting(head.pathAndQuery)), credentials: credentials)
    }

    private static let excluding: FieldNameSet = [.range, .ifMatch, .ifUnmodifiedSince, .ifRange, .upgrade]
}

/// Directives of Cache-Control (RFC 9111 5.2).
enum CacheDirectives {
    /// Whether a field value has a directive, also within what a quoted argument says.
    static func has(_ name: String, _ value: Span<UInt8>) -> Bool {
        String(value).lowercased().split { !($0.isLetter || $0 == "-") }.contains { $0 == name }
    }
}

extension KeepingPlan: Wrapper {
    /// Lets a route respond, or what was kept of it where its origin cannot be reached.
    func run(_ exchange: ClientExchange, _ step: ChainStep?, _ next: Next) async throws(EngineFailure) {
        guard let key = key(of: exchange) else { return try await next.run(exchange, step) }
        // A candidate that comes next is better than what is old.
        let kept = step?.fallback == nil ? kept(key, for: exchange) : nil
        let outer = exchange.way.keeper
        exchange.way.keeper = ResponseKeeper(self, key, isHead: exchange.request.head.method == .head)
        var failure: EngineFailure?
        do throws(EngineFailure) {
            try await next.run(exchange, kept == nil ? step : patientStep(step, now: exchange.state.core.now))
            exchange.way.keeper?.finish(in: exchange.state.kept)
        } catch {
            failure = error
        }
        exchange.way.keeper = outer
        guard let failure else { return }
        guard let kept, let use = use(of: kept.origin), Self.meansNoResponse(failure),
            !exchange.metrics.hasResponseBegun
        else { throw failure }
        try await respond(with: kept, use, in: exchange, next, insteadOf: failure)
    }

    /// The origin could not be reached, or sent no response.
    ///
    /// A faulty response or certificate does not count: it would stay hidden.
    private static func meansNoResponse(_ failure: EngineFailure) -> Bool {
        guard failure.side == .origin else { return false }
        if case .noResponse = failure.kind { return true }
        return failure.hasConnectFailed || failure.kind.isStaleConnection || failure.kind.isRefused
    }

    private func kept(_ key: KeptKey, for exchange: ClientExchange) -> KeptResponse? {
        let view = RequestView(exchange.client, exchange.request, scenarios: nil)
        let isHead = exchange.request.head.method == .head
        return exchange.state.kept.find(key, maxSize: settings.maxSize) { response in
            (isHead || !response.isHead) && use(of: response.origin) != nil
                && response.head.varied.allSatisfy { view.fields($0.name) == $0.values }
        }
    }

    /// The same step with the time that the origin has, as there is a response that can take the place of its own.
    private func patientStep(_ step: ChainStep?, now: Instant) -> ChainStep? {
        guard let limit = settings.slowerThan else { return step }
        return ChainStep(
            fallback: step?.fallback, depth: step?.depth ?? 0, hold: step?.hold ?? 0,
            patience: ChainStep.Patience(limit: limit, until: now.after(limit)))
    }

    /// Sends a kept response on the way that the origin's own would take, so that the same is changed in it.
    @inline(never)
    private func respond(
        with kept: KeptResponse, _ use: OriginUse, in exchange: ClientExchange, _ next: Next,
        insteadOf failure: EngineFailure
    ) async throws(EngineFailure) {
        let (metrics, request) = (exchange.metrics, exchange.request)
        metrics.incidents = metrics.incidents.adding(
            Exchange.Attempt(origin: metrics.address?.description ?? kept.origin.description, outcome: failure.message))
        metrics.willRespondStale()
        let age = kept.age(now: exchange.state.clock())
        exchange.way.staleAge = age
        if let edits = next.route.edits { exchange.way.edits = try edits.applied(to: exchange, for: next) }
        let message = kept.message(to: request.head, request.bytes, age: age, use.cache)
        try await MessageRelay(exchange: exchange, use: use).send(message)
    }
}
