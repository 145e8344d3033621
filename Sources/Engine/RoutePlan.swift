import Contracts
import HTTP
import Profiles
import Push
import Reactor
import Redaction
import Rewriting
import TLS

/// A profile with its routes made ready for the data path.
final class ProfilePlan: Sendable {
    let profile: Profile
    let routes: [RoutePlan]
    /// Its rules for secrets; nil without any.
    let redaction: ProfileRedaction?
    /// The routes that are on for all clients.
    let selection: RouteSelection
    let scenarios: Scenarios
    /// A script in pages of a route reports the calls of a bridge.
    let hasBridge: Bool
    /// Exchanges of some route are compared with a contract.
    let hasContracts: Bool
    /// How its routes come by a token; nil without one.
    let token: TokenUse?
    /// How its mocks of gRPC calls describe themselves; nil without any.
    let descriptions: DescriptionPlans?

    init(
        _ profile: Profile, _ routes: [RoutePlan], _ redaction: ProfileRedaction?, _ selection: RouteSelection,
        _ scenarios: Scenarios, _ token: TokenUse?, _ descriptions: DescriptionPlans?
    ) {
        (self.token, self.descriptions) = (token, descriptions)
        self.profile = profile
        self.routes = routes
        self.redaction = redaction
        self.selection = selection
        self.scenarios = scenarios
        hasBridge = profile.routes.contains { $0.changes?.bridge != nil }
        hasContracts = routes.contains { $0.contract != nil }
    }

    /// The same with mocks switched.
    func switched(by switches: MockSwitches) -> ProfilePlan {
        ProfilePlan(profile, routes, redaction, switches.selection(of: profile), scenarios, token, descriptions)
    }
}

/// A route made ready for the data path.
final class RoutePlan: Sendable {
    let route: Route
    let profileName: String
    let profile: Profile
    /// It is for every host.
    let takesAnyHost: Bool
    let cors: CORSRules?
    /// The guard of all its requests; nil if none goes to production, or only at single origins of a chain.
    let guarded: WriteGuard?
    /// What surrounds its responder, from the outside in.
    let wrappers: [any Wrapper]
    /// What is changed on the way, one of ``wrappers``; nil where all passes as it is.
    let edits: RouteEdits?
    /// The `Shunt-Answered-By` field line of what Shunt itself responds.
    let answeredBy: [UInt8]
    /// A client that has closed its sending side still gets its response.
    let allowsHalfClose: Bool
    /// Nothing limits the time of its responses: a debugger may have stopped what responds.
    let isUntimed: Bool
    /// What its exchanges are compared with as they are recorded; nil without one.
    let contract: RouteContract?
    /// Responds unless one of ``special`` claims the request.
    private let responder: any Responder
    private let special: [any Responder]

    /// - Parameter responders: the last one claims every request.
    init(
        _ route: Route, in profile: Profile, responders: [any Responder], wrappers: [any Wrapper],
        guarded: WriteGuard?
    ) {
        self.route = route
        self.wrappers = wrappers
        edits = wrappers.lazy.compactMap { $0 as? RouteEdits }.first
        self.guarded = guarded
        takesAnyHost = route.pattern.host.scope == .any
        cors = route.cors.map { CORSRules($0) }
        answeredBy = Self.answeredBy(route, in: profile)
        allowsHalfClose = route.client.halfClose
        isUntimed = route.kind == .local
        contract = route.contract
        profileName = profile.name
        self.profile = profile
        responder = responders.last ?? MissingResponder()
        special = responders.dropLast()
    }

    func responder(to exchange: ClientExchange) -> any Responder {
        if !special.isEmpty, let claiming = special.first(where: { $0.claims(exchange) }) { return claiming }
        return responder
    }

    /// The rule that gave an origin of it its trust policy, and where that is written; nil without a rule.
    func trustRule(of address: OriginAddress) -> String? {
        profile.trustRule(of: address, in: route).map { "\($0.pattern) (\($0.file):\($0.line))" }
    }

    /// It belongs to no profile: a forward proxy's client has named the host.
    var isForwarding: Bool { (responder as? OriginResponder)?.use.isForwarded ?? false }

    /// Whether it responds for the route; a preflight is about another request.
    func isOwn(_ responder: any Responder) -> Bool {
        responder === self.responder || responder is FilesResponder || responder is RecordingResponder
    }

    /// The `Shunt-Answered-By` field line.
    static func answeredBy(_ route: Route, in profile: Profile, more: String = "") -> [UInt8] {
        // In pieces: interpolation was 6 % of reading 10,000 routes.
        var line: [UInt8] = []
        line.reserveCapacity(64 + profile.name.utf8.count + 2 * route.label.utf8.count + more.utf8.count)
        for text in ["Shunt-Answered-By: ", profile.name, "; route=\""] { line += text.utf8 }
        // A quoted-string (RFC 9110 5.6.4).
        for byte in route.label.utf8 {
            if byte == UInt8(ascii: "\"") { line.append(UInt8(ascii: "\\")) }
            line.append(byte)
        }
        line.append(UInt8(ascii: "\""))
        if route.place.profile != profile.name { line += "; from=\(route.place.profile)".utf8 }
        for text in [more, "\r\n"] { line += text.utf8 }
        return line
    }
}

/// An origin as one route uses it.
final class OriginUse: Sendable {
    let origin: OriginPlan
    let preserveHost: Bool
    /// Responses that break RFC 9112 are refused.
    let isStrict: Bool
    let addsVia: Bool
    /// Calls of gRPC-Web are translated for it.
    let translatesWebCalls: Bool
    /// It is a host that the client named to Shunt as its proxy, and not a route's.
    let isForwarded: Bool
    /// `X-Forwarded-*` are added.
    let forwards: Bool
    /// The profile asks for them.
    let isForwardingAsked: Bool
    let rules: RewriteRules
    /// nil if bodies are not rewritten.
    let bodyMap: AddressMap?
    /// The rules for clients that use https; nil where they are those of all clients.
    let secureNames: SecureNames?
    let findings = OriginFindings()
    /// The route's `Shunt-Answered-By` field line, marked where the origin's certificate is not verified.
    let answeredBy: [UInt8]
    /// The guard of this origin, beside that of its route; nil where there is nothing to check.
    let guardian: OriginGuard?
    /// nil if there is no production profile that a redirect could lead to.
    let redirects: RedirectGuard?
    /// Makes the provider tokens for APNs; nil where those of clients pass, and for other origins.
    let signer: PushSigner?
    /// Keeps apart what clients store of it; nil where the origin decides.
    let cache: CacheRules?
    /// Puts a token into requests; nil where clients' own pass.
    let token: TokenUse?
    /// The token that responses of the origin may teach.
    let teacher: TokenUse?
    /// Whose tokens it accepts; nil where there is one profile alone.
    let owner: Owner?

    /// The profile of a route.
    final class Owner: Sendable {
        let name: String

        init(_ name: String) { self.name = name }
    }

    /// The names that a request and its response have at Shunt and at the origin.
    struct Names {
        var preserveHost = false
        let rules: RewriteRules
        var bodyMap: AddressMap?
        var secureNames: SecureNames?
        var cache: CacheRules?
    }

    /// What keeps requests from production.
    struct Guards {
        var guardian: OriginGuard?
        var redirects: RedirectGuard?
    }

    /// What requests prove who they are with.
    struct Credentials {
        var token: TokenUse?
        var teacher: TokenUse?
        var owner: Owner?
        var signer: PushSigner?
    }

    init(
        _ origin: OriginPlan, of route: Route, _ names: Names, _ guards: Guards = Guards(),
        _ credentials: Credentials = Credentials(), answeredBy: [UInt8], isForwarded: Bool = false
    ) {
        self.origin = origin
        self.isForwarded = isForwarded
        isStrict = route.relay.isStrict
        (addsVia, translatesWebCalls) = (route.relay.addsVia, route.relay.translatesWebCalls)
        forwards = route.relay.forwards(in: route.kind, isNeeded: names.secureNames != nil)
        isForwardingAsked = route.relay.forwards == true
        (preserveHost, rules, cache) = (names.preserveHost, names.rules, names.cache)
        (bodyMap, secureNames) = (names.bodyMap, names.secureNames)
        (guardian, redirects) = (guards.guardian, guards.redirects)
        (token, teacher) = (credentials.token, credentials.teacher)
        (owner, signer) = (credentials.owner, credentials.signer)
        let isUnverified = origin.address.isTLS && origin.address.trust.isUnverified
        self.answeredBy = isUnverified ? answeredBy.dropLast(2) + Array("; unverified\r\n".utf8) : answeredBy
    }
}

/// An origin with its constant bytes.
package final class OriginPlan: Sendable {
    /// What is offered to origins by ALPN, the preferred one first.
    static let protocols = ["h2", "http/1.1"]

    /// In ``Environment/origins``.
    let index: Int
    let address: OriginAddress
    /// nil for plain HTTP.
    let context: ClientContext?
    /// Scheme, host and port, for logs and traces.
    let name: String
    /// The `Host` field line.
    let hostLine: [UInt8]
    let basePath: [UInt8]
    /// HTTP/2 is spoken with it, and nothing else, without asking (RFC 9113 3.3).
    let isHTTP2Known: Bool

    /// A connection to it may turn out to speak HTTP/2, which many exchanges share.
    var offersHTTP2: Bool { isHTTP2Known || context != nil }

    let reach: OriginReach
    /// It is APNs for some route, or stands for it.
    let isPush: Bool
    let way: OriginWay
    /// What starts its server; nil where something else does.
    let program: OriginProgram?
    /// The machine of a user that opens the connections to it; nil where Shunt opens them.
    let attachment: Attachment?

    /// What accepts the connections to an origin.
    enum Server {
        /// Something that runs already.
        case running
        case program(OriginProgram)
        case attached(Attachment)
    }

    init(
        _ address: OriginAddress, context: ClientContext?, index: Int = 0, isPush: Bool = false,
        way: OriginWay = .usual, reach: OriginReach = OriginReach(), server: Server = .running
    ) {
        switch server {
        case .running: (program, attachment) = (nil, nil)
        case .program(let program): (self.program, attachment) = (program, nil)
        case .attached(let attachment): (program, self.attachment) = (nil, attachment)
        }
        (self.way, self.reach, self.isPush) = (way, reach, isPush)
        self.index = index
        self.address = address
        name = address.description
        self.context = context
        hostLine = Array("Host: \(address.authority)\r\n".utf8)
        basePath = Array(address.basePath.utf8)
        isHTTP2Known = address.isHTTP2 || attachment != nil
    }
}
