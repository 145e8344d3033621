import Bytes
import HTTP
import Platform
import Profiles
import Reactor
import TLS

/// The profile that responds to a request, and how it was chosen.
struct Choice {
    let plan: ProfilePlan
    let reason: ProfileChoice.Source
    /// Bytes of the environment's label in front of the host.
    let labelLength: Int
    /// nil for none.
    var session: SessionPlan?
}

/// Chooses the profile and the route of a request.
struct Routing {
    let client: Client
    let request: Request

    var host: HostAdmission { HostAdmission(request: request, state: client.state) }

    /// Chooses the profile: that of its session, else the one that the request names, else that of its token, its program, or its address, else
    /// the active one.
    func choosePlan(_ environment: Environment) throws(EngineFailure) -> Choice {
        if let id = try sessionID() { return try choose(session: id, environment) }
        return try ownProfile(environment) ?? Choice(plan: environment.active, reason: .active, labelLength: 0)
    }

    func ownProfile(_ environment: Environment) throws(EngineFailure) -> Choice? {
        let bytes = request.bytes
        let found = environment.library.label(of: bytes.extracting(request.head.host))
        let label: EnvironmentLabel? = if case .environment(let label) = found { label } else { nil }
        try checkServerName(label?.profile, environment)
        if request.head.names.contains(.shuntProfile), let field = request.head.field(.shuntProfile) {
            guard request.head.fields.count(where: { $0.id == .shuntProfile }) == 1 else {
                try host.check()
                throw .severalProfiles
            }
            let name = String(bytes.extracting(field.value))
            guard let plan = environment.plan(named: name) else {
                try host.check()
                throw .unknownProfile(name, environment.library)
            }
            return Choice(plan: plan, reason: .header, labelLength: label?.length ?? 0)
        }
        if let label {
            return Choice(plan: environment.plans[label.profile], reason: .hostLabel, labelLength: label.length)
        }
        if case .unknown = found { try refuseMisspelt(String(bytes.extracting(request.head.host)), environment) }
        let known = client.state.devices.isEmpty ? nil : device
        if let known, known.1 == .token, let choice = choice(of: known, environment) { return choice }
        if client.state.choosesByProgram, let program = client.program?.found,
            let plan = client.state.devices.plan(of: program, environment)
        {
            return Choice(plan: plan, reason: .app, labelLength: 0)
        }
        guard let known, known.1 == .address else { return nil }
        return choice(of: known, environment)
    }

    private func choice(of known: (Device, ProfileChoice.Source), _ environment: Environment) -> Choice? {
        guard let chosen = client.state.devices.profile(of: known.0), let plan = environment.plan(named: chosen.name)
        else { return nil }
        return Choice(plan: plan, reason: chosen.isUsers ? .user : known.1, labelLength: 0)
    }

    /// The profile of the client's device; nil if it follows the active profile, or is no known device.
    var device: (Device, ProfileChoice.Source)? {
        let bytes = request.bytes
        for field in request.head.fields where field.id == .cookie {
            if let device = client.state.devices.device(inCookie: bytes.extracting(field.value)) {
                return (device, .token)
            }
        }
        return client.state.devices.device(at: client.peer).map { ($0, .address) }
    }

    /// A request that asks for another profile must not go to the active one.
    private func refuseMisspelt(_ host: String, _ environment: Environment) throws(EngineFailure) {
        let state = client.state
        let isAllowed = normalHost(host).map { host in
            state.allowedHosts.contains { $0.covers(host: host, port: 0) }
        }
        guard isAllowed != true,
            let label = environment.library.misspeltLabel(
                of: host, isOwn: { $0 == "localhost" || state.ownNames.contains($0, now: state.core.now) })
        else { return }
        throw EngineFailure(.client, .route, status: 400, label.message, advice: label.advice)
    }

    /// Browsers reuse a connection for another host of the same certificate: not across environments
    /// (RFC 9110 15.5.20).
    private func checkServerName(_ label: Int?, _ environment: Environment) throws(EngineFailure) {
        guard let serverName = client.connected.serverName else { return }
        let mine = environment.library.environmentLabel(of: serverName.span)
        guard mine?.profile != label else { return }
        func name(_ index: Int?) -> String { index.map { environment.plans[$0].profile.name } ?? "the active profile" }
        throw EngineFailure(
            .client, .route, status: 421,
            "the connection was opened for \(name(mine?.profile)), the request is for \(name(label))",
            advice: "Open a connection of its own for each host.")
    }

    /// The route of a profile that fits the request; nil where something has to be learnt first.
    func chooseRoute(_ plan: ProfilePlan) throws(EngineFailure) -> RoutePlan? {
        let selection = selection(plan)
        let index = match(selection, plan)
        if request.lookahead.isOpen { return nil }
        if !selection.off.isEmpty { notePassedMock(plan, instead: index) }
        guard let index else {
            try host.check()
            throw unrouted(plan, selection)
        }
        let route = plan.routes[index]
        if route.takesAnyHost { try host.check() }
        return route
    }

    /// Notes the mock that would have responded if it were not off.
    private func notePassedMock(_ plan: ProfilePlan, instead index: Int?) {
        let first = match(plan.profile.allRoutes, plan)
        // The body is not held for a mock that is off, so that it stays unknown whether it would have matched.
        if request.lookahead.isOpen { return request.lookahead.leaveOpen() }
        if let first, first != index, let name = plan.profile.routes[first].name { request.pass(mock: name) }
    }

    func match(_ routes: RouteSelection, _ plan: ProfilePlan) -> Int? {
        let bytes = request.bytes
        let path = request.head.targetForm == .asterisk ? 0..<0 : request.head.path
        let usual: UInt16 = client.isSecure ? 443 : 80
        func match(_ host: Span<UInt8>, _ port: UInt16?) -> Int? {
            routes.match(
                host: host, port: port ?? usual, path: bytes.extracting(path),
                method: bytes.extracting(request.head.methodRange), hasField: { hasField($0, $1) },
                meets: { meets($0, plan) })
        }
        if let meant = client.state.hosts.meant(by: request.head, bytes) { return match(meant.host.span, meant.port) }
        let host = request.head.host.lowerBound + request.labelLength..<request.head.host.upperBound
        return match(bytes.extracting(host), request.head.port)
    }

    private func meets(_ condition: RequestCondition, _ plan: ProfilePlan) -> Bool {
        if condition.needsBody {
            let isCall = request.received.isGRPC
            guard isCall == (condition.message != nil) else { return condition.test == .absent }
            guard request.lookahead.isBodyRead else {
                guard isCall ? request.head.framing != .none : mayHaveJSON else {
                    return condition.isMet(by: view(plan))
                }
                request.lookahead.wantBody(condition.message)
                return false
            }
        }
        return request.meets(condition, view(plan))
    }

    private func view(_ plan: ProfilePlan) -> RequestView {
        RequestView(client, request, scenarios: scenarios(of: plan))
    }

    func scenarios(of plan: ProfilePlan) -> Scenarios {
        request.session?.scenarios(of: plan.profile) ?? plan.scenarios
    }

    /// Whether the request may have a body that conditions can look into: many clients send JSON as a form, as text, or
    /// without a type.
    ///
    /// Others are not read ahead: the client of a gRPC call may wait for the response before it sends more.
    private var mayHaveJSON: Bool {
        guard request.head.framing != .none else { return false }
        let bytes = request.bytes
        for field in request.head.fields {
            if field.id == .contentEncoding, !bytes.extracting(field.value).spells("identity") { return false }
            let type = bytes.extracting(field.value)
            if field.id == .contentType, Self.others.contains(where: { type.begins(with: $0) }) { return false }
        }
        return true
    }

    private static let others: [StaticString] = [
        "application/grpc", "multipart/", "image/", "audio/", "video/", "font/",
    ]

    /// The routes that are on for this client.
    func selection(_ plan: ProfilePlan) -> RouteSelection {
        guard let selections = request.environment?.selections, !selections.isEmpty, let (device, _) = device,
            let own = selections[device.name]?[plan.profile.name]
        else { return plan.selection }
        return own
    }

    /// Whether the request has a field; `name` is in lower case.
    private func hasField(_ name: [UInt8], _ value: [UInt8]?) -> Bool {
        let bytes = request.bytes
        return request.head.fields.contains { field in
            guard field.isNamed(name, in: bytes) else { return false }
            guard let value else { return true }
            return field.value.count == value.count && zip(field.value, value).allSatisfy { bytes[$0] == $1 }
        }
    }

    private func unrouted(_ plan: ProfilePlan, _ selection: RouteSelection) -> EngineFailure {
        let bytes = request.bytes
        let named = request.head.authority.lowerBound + request.labelLength..<request.head.authority.upperBound
        let meant = client.state.hosts.meant(by: request.head, bytes)
        let host = meant.map { String(decoding: $0.authority, as: UTF8.self) } ?? String(bytes.extracting(named))
        let path = String(bytes.extracting(request.head.path))
        let method = String(bytes.extracting(request.head.methodRange))
        // A path alone where no host was named.
        let url = host.isEmpty ? path : (client.isSecure ? "https://" : "http://") + host + path
        // Anybody may have sent it, and people copy the command.
        let command =
            "shunt explain " + (method == "GET" ? "" : "-X \(method) ")
            + (plan.profile.name == request.environment?.active.profile.name ? "" : "--profile \(plan.profile.name) ")
            + Path.quoted(url)
        var advice = "Add a route to the profile, or see `\(command)`."
        let name = String(bytes.extracting(request.head.host))
        if meant == nil,
            SocketAddress(literal: name, port: 0)?.isLoopback == true || host.hasPrefix("localhost")
        {
            advice += " A client whose base URL is Shunt's own address needs routes for that host, or without a host."
        }
        let query = request.head.query.isEmpty ? "" : "?" + String(bytes.extracting(request.head.query))
        let near = NearRoutes(
            profile: plan.profile, url: url + query, method: method,
            headers: request.head.fields.map {
                (name: String(bytes.extracting($0.name)), value: String(bytes.extracting($0.value)))
            }, json: request.lookahead.content?.json,
            states: Dictionary(scenarios(of: plan).list) { first, _ in first },
            off: selection.off, isLong: request.isLong)
        return EngineFailure(
            .client, .route, status: 404, "profile \(plan.profile.name) has no route for \(method) \(host)\(path)",
            advice: advice, kind: .unrouted(near))
    }
}

extension EngineFailure {
    static let severalProfiles = EngineFailure(
        .client, .route, status: 400, "several Shunt-Profile fields", advice: "Send one, with one name.")

    static func unknownProfile(_ name: String, _ library: ProfileLibrary) -> EngineFailure {
        let near = library.nearestName(to: name).map { " Did you mean \"\($0)\"?" } ?? ""
        let known = library.profiles.map(\.name).joined(separator: ", ")
        return EngineFailure(
            .client, .route, status: 400, "the Shunt-Profile field names no profile: \"\(name)\"",
            advice: "There are: \(known).\(near)")
    }
}
