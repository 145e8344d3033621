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
            client: Routing(exchange.client, exchange.request).device?.0.name ?? client,
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
