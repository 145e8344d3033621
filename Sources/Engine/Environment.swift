package import Profiles
import Reactor

/// All profiles of a folder made ready for the data path, and which of them is active.
///
/// Immutable.
@dynamicMemberLookup
package final class Environment: Sendable {
    /// What stays when another profile is made active, or mocks are switched.
    package struct Compiled: Sendable {
        let library: ProfileLibrary
        /// By ``OriginPlan/index``, under which workers keep their pools; those that an earlier environment had as well
        /// are the same, and keep their index.
        package let origins: [OriginPlan?]
        let contexts: TrustContexts
        let folders: [String: Folder]
        let keptGroups: Set<KeptResponses.Group>
        let tokens: Set<TokenSettings>
        let programs: Set<OriginProgram.Key>
        /// The servers that are asked for their schemas.
        let reflections: [ReflectionPlan]
        /// Connections of some host pass through unread.
        let passesThrough: Bool
        /// A profile names programs.
        let choosesByProgram: Bool
        /// Browsers forget things when they are switched to some profile.
        let clearsOnSwitch: Bool
    }

    private let compiled: Compiled
    let active: ProfilePlan
    /// In the order of `library.profiles`.
    let plans: [ProfilePlan]
    /// By device and profile, the routes that are on for devices with a choice of their own.
    let selections: [String: [String: RouteSelection]]
    let sessions: SessionTable

    /// Compiles a library.
    ///
    /// - Parameter earlier: what its origins and folders are taken from, where nothing of them has changed.
    package convenience init(
        _ library: ProfileLibrary, active name: String, _ mocks: Mocks, after earlier: Environment? = nil
    ) throws(ProxyError) {
        var compiler = EnvironmentCompiler(library, mocks, after: earlier)
        var plans: [ProfilePlan] = []
        for profile in library.profiles { plans.append(try compiler.plan(profile)) }
        guard let active = plans.first(where: { $0.profile.name == name }) else {
            throw .noSuchProfile(name, known: library.profiles.map(\.name), nearest: library.nearestName(to: name))
        }
        let compiled = Compiled(
            library: library, origins: compiler.origins, contexts: compiler.contexts, folders: compiler.folders,
            keptGroups: compiler.keptGroups, tokens: compiler.tokens,
            programs: Set(compiler.origins.compactMap { $0?.program?.key }),
            reflections: compiler.reflections, passesThrough: library.profiles.contains { $0.passesThrough },
            choosesByProgram: library.profiles.contains { !$0.apps.isEmpty },
            clearsOnSwitch: library.profiles.contains { !$0.clearOnSwitch.isEmpty })
        self.init(compiled, plans, active: active, Self.selections(library, mocks.switches), SessionTable())
    }

    private init(
        _ compiled: Compiled, _ plans: [ProfilePlan], active: ProfilePlan,
        _ selections: [String: [String: RouteSelection]], _ sessions: SessionTable
    ) {
        (self.compiled, self.plans, self.active, self.selections) = (compiled, plans, active, selections)
        self.sessions = sessions
    }

    /// The same profiles with other sessions.
    convenience init(_ old: Environment, _ sessions: SessionTable) {
        self.init(old.compiled, old.plans, active: old.active, old.selections, sessions)
    }

    package subscript<Value>(dynamicMember key: KeyPath<Compiled, Value>) -> Value { compiled[keyPath: key] }

    /// The same profiles with another one active.
    func using(_ name: String) throws(ProxyError) -> Environment {
        guard let plan = plan(named: name) else {
            let library = compiled.library
            throw .noSuchProfile(name, known: library.profiles.map(\.name), nearest: library.nearestName(to: name))
        }
        return Environment(compiled, plans, active: plan, selections, sessions)
    }

    /// The same profiles with mocks switched.
    func switched(by switches: MockSwitches) -> Environment {
        let switched = plans.map { $0.switched(by: switches) }
        let active = switched.first { $0.profile === self.active.profile } ?? self.active
        return Environment(compiled, switched, active: active, Self.selections(compiled.library, switches), sessions)
    }

    private static func selections(
        _ library: ProfileLibrary, _ switches: MockSwitches
    ) -> [String: [String: RouteSelection]] {
        var selections: [String: [String: RouteSelection]] = [:]
        for device in switches.devices.keys {
            for profile in library.profiles {
                selections[device, default: [:]][profile.name] = switches.selection(of: profile, for: device)
            }
        }
        return selections
    }

    /// A profile or a session has conditions for networks.
    var shapesNetworks: Bool {
        plans.contains { $0.profile.network != nil } || sessions.plans.values.contains { $0.session.network != nil }
    }

    func plan(named name: String) -> ProfilePlan? { plans.first { $0.profile.name == name } }
}
