import Admin
import Inspection
import JSON
import Profiles
import Redaction

extension MocksCheck {
    static let help =
        "`check` sends the requests that mocks respond to through a running Shunt to another profile, GET and HEAD only, "
        + "and compares status, media type and the shape of JSON. Exit status 0: all are equal, 1: some differ, a "
        + "response is missing, or nothing could be compared."

    static let options: [Option] = [
        .value("against", "PROFILE", default: "the one that the profile extends", "The profile to compare with.")
            .of("check"),
        .value(
            "path", "NAME=/PATH", repeatable: true,
            "The path to send, with or without a query, where that of the mock NAME is a pattern. May be given several "
                + "times."
        ).of("check"),
        .value("ignore", "PATH", repeatable: true, "Do not compare this, as for `shunt diff`.").of("check"),
        .value(
            "header", short: "H", "'NAME: VALUE'", repeatable: true,
            "Send this field, too. May be given several times."
        ).of("check"),
    ]
}

/// What `shunt mocks check` does: compares mocks with the responses of the real API.
struct MocksCheck {
    /// What came of one mock.
    enum Outcome {
        /// They are equal without differences.
        case compared(MockedRequest, mock: Int, real: Int, [ResponseDifference])
        case withoutResponse(MockedRequest, reason: String)
        case skipped(reason: String)
    }

    private let settings: MocksCheckSettings
    private let profile: Profile
    private let other: Profile
    /// Routes of the other profile that are on.
    private let selection: RouteSelection
    private let port: UInt16
    private let client: ReplayClient
    /// For the report, with a random key, as its digests are not compared with others.
    private let redactor = Redactor(key: (0..<32).map { _ in UInt8.random(in: 0...255) })

    static func run(_ names: [String], _ arguments: Arguments) throws -> CInt {
        let settings = try MocksCheckSettings(names, arguments)
        let running = try RunningShunt.find(arguments)
        let found = Project(profilesDirectory: running.profilesDirectory)
        let project = try found.setting(arguments.texts("set")) { library in
            try profile(settings, running)
        }
        let check = try MocksCheck(settings, project.load(), running)
        let mocks = try check.mocks()
        var report = MocksCheckReport(check.profile, check.other, check.port, settings)
        for index in mocks { report.add(check.profile.routes[index], try check.outcome(index)) }
        report.finish()
        return report.status
    }

    private init(_ settings: MocksCheckSettings, _ library: ProfileLibrary, _ running: AdminRecord) throws {
        let name = try Self.profile(settings, running)
        guard let profile = library[name] else { throw CommandFailure.noProfile(name, in: library) }
        guard let against = settings.against ?? profile.levels.dropFirst().first else {
            throw UsageError(
                "against which profile? \(name) extends none",
                advice: "Say it with --against: \(library.profiles.map(\.name).joined(separator: ", ")).")
        }
        guard let other = library[against] else { throw CommandFailure.noProfile(against, in: library) }
        try RunningShunt.check([against], in: running)
        let mocks = try AdminClient(running).ask(API.mocks) { $0.profile = against }
        selection = other.routes(without: LiveMocks.state(of: other, mocks).off)
        (self.settings, self.profile, self.other, port) = (settings, profile, other, running.port)
        client = ReplayClient(port: running.port, profile: against)
    }

    /// The profile whose mocks are checked.
    private static func profile(_ settings: MocksCheckSettings, _ running: AdminRecord) throws -> String {
        if let given = settings.profile { given } else { try AdminClient(running).ask(API.status).active }
    }

    /// Indices of the mocks to check.
    private func mocks() throws -> [Int] {
        let all = profile.routes.indices.filter { profile.routes[$0].mock != nil }
        let known = all.compactMap { profile.routes[$0].name }
        for name in settings.names + settings.paths.keys.sorted() where !known.contains(name) {
            if let other = profile.routes.first(where: { $0.name == name })?.localKey {
                throw CommandFailure("“\(name)” has \"\(other)\", and only mocks are checked")
            }
            throw CommandFailure(
                "no mock of profile “\(profile.name)” is called “\(name)”",
                advice: known.isEmpty ? "It has none." : Nearest.advice(name, in: known))
        }
        guard !settings.names.isEmpty else { return all }
        return all.filter { index in profile.routes[index].name.map(settings.names.contains) ?? false }
    }

    // MARK: One mock

    private func outcome(_ index: Int) throws -> Outcome {
        let route = profile.routes[index]
        let path = route.name.flatMap { settings.paths[$0] }
        let request: MockedRequest
        do throws(MockedRequest.Obstacle) { request = try self.request(index, path) } catch {
            let hint = path == nil && error.isOfPath ? ": give one with --path \(route.name ?? "NAME")=/PATH" : ""
            return .skipped(reason: error.reason + hint)
        }
        if let reason = obstacle(of: request) { return .skipped(reason: reason) }
        let response = try client.send(
            RecordedRequest(
                method: request.method, host: request.authority, target: request.target,
                fields: request.fields.map { HeadText.Field($0.name, $0.value) }))
        if let reason = response.failure ?? response.obstacle {
            return .withoutResponse(request, reason: redactor.redact(text: reason))
        }
        return try compared(route, request, response)
    }

    /// For a mock of any host, a host for which the other profile has a route.
    private func request(_ index: Int, _ path: String?) throws(MockedRequest.Obstacle) -> MockedRequest {
        func request(_ authority: String) throws(MockedRequest.Obstacle) -> MockedRequest {
            try MockedRequest(
                routeAt: index, of: profile,
                MockedRequest.Values(
                    path: path, fields: settings.fields.map { ($0.name, $0.value) }, authority: authority))
        }
        let usual = try request("127.0.0.1:\(port)")
        guard profile.routes[index].pattern.host.scope == .any else { return usual }
        let named = other.routes.compactMap { route in
            if case .exact(let host) = route.pattern.host.scope { host } else { nil }
        }
        let candidates = [usual] + named.lazy.compactMap { try? request($0) }
        return candidates.first { isResponded(to: $0) } ?? usual
    }

    private func isResponded(to request: MockedRequest) -> Bool {
        if case .withResponse? = try? request.explained(by: other, among: selection).outcome { true } else { false }
    }

    /// Why the request is not sent to the other profile.
    private func obstacle(of request: MockedRequest) -> String? {
        guard case .withResponse(let response)? = try? request.explained(by: other, among: selection).outcome else {
            return nil
        }
        let route = response.route
        if request.isGraphQL(at: route) { return "its query may be a GraphQL mutation" }
        return route.localKey.map { "\(other.name) responds itself: \($0) \(route.name ?? route.label)" }
    }

    private func compared(_ route: Route, _ request: MockedRequest, _ response: ReplayedResponse) throws -> Outcome {
        var samples: [MockedResponse] = []
        for response in route.mock?.responses ?? [] {
            do throws(MockedResponse.Failure) { samples.append(try MockedResponse(response, of: route)) } catch {
                throw CommandFailure("the file of mock \(route.name ?? route.label) \(error.reason)")
            }
        }
        // Of several responses the one for the status that came.
        guard let mock = samples.first(where: { $0.status == response.status }) ?? samples.first else {
            return .skipped(reason: "it has no response")
        }
        let comparison = MockComparison(
            status: mock.status, contentType: mock.contentType, body: request.method == "HEAD" ? [] : mock.body)
        let found = comparison.differences(
            status: response.status, contentType: HeadText(response.head).value(of: "Content-Type"),
            body: response.body)
        return .compared(
            request, mock: mock.status, real: response.status,
            found.filter { difference in !settings.ignored.contains { $0.covers(difference) } }
                .map { $0.redacted(redactor) })
    }
}

extension Route {
    fileprivate var mock: Mock? { if case .local(let local) = responder { local as? Mock } else { nil } }

    /// By which key of its own Shunt responds to requests of the route; nil where an origin does.
    fileprivate var localKey: String? {
        if let first = settings.first { return type(of: first).key }
        if case .local(let local) = responder { return type(of: local).key }
        return nil
    }
}

extension ReplayedResponse {
    /// Why its body cannot be compared.
    fileprivate var obstacle: String? {
        if isCut { return "the body is longer than what is compared" }
        let coding = HeadText(head).value(of: "Content-Encoding") ?? "identity"
        return coding.lowercased() == "identity"
            ? nil : "the body has the Content-Encoding \(coding), though none was asked for"
    }
}

extension ResponseDifference {
    /// Names in JSON and media types are the origin's bytes, and can hold a token.
    fileprivate func redacted(_ redactor: Redactor) -> ResponseDifference {
        ResponseDifference(
            part: part, place: redactor.redact(text: place), old: old, new: new.map { redactor.redact(text: $0) })
    }
}
