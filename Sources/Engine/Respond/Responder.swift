import Profiles

/// Produces the response of an exchange.
///
/// A new kind of responder is one file here, one line in ``Responders``, and the decoding of its key in Profiles.
/// Responders are classes, because a list of structs would be copied element by element for each call.
protocol Responder: AnyObject, Sendable {
    /// Whether it responds to any request with these settings: others ask it nothing.
    func isUsed(by shared: Proxy.Shared) -> Bool

    /// Whether it responds to this request; asked in the order of the list, and without an effect.
    func claims(_ exchange: ClientExchange) -> Bool

    /// Who responds where the request needs no route, for people.
    var words: String { get }

    /// Its requests reach origins, so that production's guard counts.
    var reachesOrigins: Bool { get }

    /// Sends the response, or throws before anything was sent.
    /// - Parameter step: set if a chain leads here; its next candidate is asked if this one throws.
    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure)
}

/// A responder that a route names.
protocol RouteResponder: Responder {
    /// Makes the responder of a route; nil if the route names another kind.
    static func make(
        for route: Route, in profile: Profile, _ compiler: inout EnvironmentCompiler
    ) throws(ProxyError) -> Self?
}

extension Responder {
    func isUsed(by shared: Proxy.Shared) -> Bool { true }

    func claims(_ exchange: ClientExchange) -> Bool { true }

    var words: String { "Shunt itself" }

    var reachesOrigins: Bool { false }
}

/// All responders, in the order in which they are asked.
enum Responders {
    static let withoutRoute: [any Responder] = [
        HandlerResponder(), ConnectResponder(), ProxyScriptResponder(), BridgeResponder(),
        PageResponder(),
        HopLimitResponder(), ForwardResponder(),
    ]
    static let ofRoutes: [any RouteResponder.Type] = [
        PassthroughResponder.self, PreflightResponder.self, MockResponder.self, RedirectResponder.self,
        FilesResponder.self, RecordingResponder.self, PushResponder.self, PushTopicResponder.self,
        ChainResponder.self, OriginResponder.self,
    ]
}

/// Responds to routes whose key is known to Profiles and not here.
final class MissingResponder: Responder {
    func respond(in exchange: ClientExchange, _ step: ChainStep?) async throws(EngineFailure) {
        throw EngineFailure(.proxy, .route, status: 501, "the route asks for a responder that is not built in")
    }
}
