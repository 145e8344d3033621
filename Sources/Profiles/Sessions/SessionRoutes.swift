import JSON
import Platform

/// Routes of a session, as they were posted: written as those of a profile.
///
/// Immutable.
public struct SessionRoutes: Sendable {
    /// Stands for the name of a file in messages.
    static let file = "routes"

    /// Each with a name.
    let sources: [RouteSource]
    /// The names that were given, and not made.
    public let given: Set<String>

    public var names: [String] { sources.compactMap(\.name) }

    /// Reads one route, an array of them, or an object with the array `routes`.
    ///
    /// - Parameters:
    ///   - base: the profile under the session.
    ///   - taken: names of routes that the session has.
    ///   - isTrusted: files of this machine, proxies, and origins that the profile does not have may be named.
    /// - Throws: every problem, with line and column in `bytes`.
    public init(
        reading bytes: [UInt8], over base: Profile, taken: Set<String>, isTrusted: Bool
    ) throws(ProfileProblems) {
        let problems = ProblemList()
        let reporter = Reporter(
            file: Self.file, problems: problems, profilesDirectory: Path.directory(of: Path.absolute(base.file)))
        let values = Self.values(bytes, reporter)
        let read = decodeRoutes(values, .session(over: base.name), reporter)
        for route in read { Self.check(route, over: base, isTrusted: isTrusted, reporter) }
        if !isTrusted, problems.namesFiles {
            // Nothing else is said: the other messages would tell which files there are.
            throw ProfileProblems(all: [Self.untrusted(nil, "the routes name a file of Shunt's machine")])
        }
        guard problems.all.isEmpty else { throw ProfileProblems(all: problems.sorted) }
        let given = Set(values.compactMap { $0["name"]?.string })
        let nameless = read.indices.filter { read[$0].name.map { !given.contains($0) } ?? true }
        let names = RouteNames.made(for: nameless.map { read[$0].pattern }, taken: taken.union(given))
        var named = read
        for (at, name) in zip(nameless, names) { named[at] = named[at].named(name) }
        self.init(named, given: given)
    }

    private init(_ sources: [RouteSource], given: Set<String>) { (self.sources, self.given) = (sources, given) }

    /// Those that have none of these names; nil where there are none.
    public func without(_ names: Set<String>) -> SessionRoutes? {
        let rest = sources.filter { $0.name.map { !names.contains($0) } ?? true }
        return rest.isEmpty ? nil : SessionRoutes(rest, given: given)
    }

    /// The same behind routes that were posted later, which take the place of those with the same name.
    public func replaced(by later: SessionRoutes) -> SessionRoutes? { without(later.given) }

    private static func values(_ bytes: [UInt8], _ reporter: Reporter) -> [JSONValue] {
        do throws(JSONFailure) {
            let value = try JSONReader.read(bytes)
            let list = value["routes"].map { $0.array ?? [] } ?? value.array ?? [value]
            if let member = value.object?.first(where: { $0.key != "routes" }), value["routes"] != nil {
                reporter.report(
                    member, "\"\(member.key)\" beside \"routes\"", expected: "\"routes\" alone",
                    hint: "settings of a session are given when it starts")
            }
            if list.isEmpty {
                reporter.report(
                    value, "there is no route", expected: "a route, an array of them, or \"routes\" with one")
            }
            return list
        } catch {
            reporter.report(error.position, error.message, expected: error.expected)
            return []
        }
    }

    /// Refuses what only files may have, and from users what could show them more of this machine than a profile does.
    private static func check(_ route: RouteSource, over base: Profile, isTrusted: Bool, _ reporter: Reporter) {
        if route.isPassthrough {
            reporter.report(
                route.place, "\"tls\": \"passthrough\" in a session", expected: "it in a profile",
                hint: "what passes through is not read, so that no session shows")
        }
        guard !isTrusted else { return }
        let known = Set(base.routes.flatMap(\.responder.addresses).map(\.endpoint))
        if case .local(let local) = route.response, let hook = (local as? Mock)?.then {
            if hook.secret != nil { reporter.problems.add(untrusted(route.place, "\"then\" names a secret")) }
            if !known.contains(OriginEndpoint(host: hook.host, port: hook.port)) {
                reporter.problems.add(untrusted(route.place, "\(base.name) has no origin \(hook.host):\(hook.port)"))
            }
        }
        for case .origin(let url) in route.candidates {
            if url.proxy != nil { reporter.problems.add(untrusted(route.place, "the route names a proxy")) }
            guard !known.contains(url.endpoint) else { continue }
            reporter.problems.add(untrusted(route.place, "\(base.name) has no origin \(url.host):\(url.port)"))
        }
    }

    private static func untrusted(_ place: JSONPosition?, _ message: String) -> ProfileProblem {
        ProfileProblem(
            file: file, line: place?.line ?? 0, column: place?.column ?? 0, message: message,
            expected: "mocks, faults, or origins of the profile",
            hint: "the rest is for those who may do everything (`shunt token new NAME --may admin`)")
    }
}
