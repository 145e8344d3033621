package import Profiles
import TLS

/// All profiles of a folder made ready for the data path, and which of them is active.
///
/// Immutable.
package final class Environment: Sendable {
    let library: ProfileLibrary
    let active: ProfilePlan
    /// In the order of `library.profiles`.
    let plans: [ProfilePlan]
    /// What routes refer to by index; workers keep one pool for each.
    package let origins: [OriginPlan]

    /// Compiles a library.
    ///
    /// TLS contexts are made anew, so that a changed CA file counts.
    package init(_ library: ProfileLibrary, active name: String) throws(ProxyError) {
        var compiler = EnvironmentCompiler(library)
        var plans: [ProfilePlan] = []
        for profile in library.profiles { plans.append(try compiler.plan(profile)) }
        guard let active = plans.first(where: { $0.profile.name == name }) else {
            throw .noSuchProfile(name, known: library.profiles.map(\.name), nearest: library.nearestName(to: name))
        }
        self.library = library
        origins = compiler.origins
        self.plans = plans
        self.active = active
    }

    private init(_ other: Environment, active: ProfilePlan) {
        library = other.library
        origins = other.origins
        plans = other.plans
        self.active = active
    }

    /// The same profiles with another one active.
    func using(_ name: String) throws(ProxyError) -> Environment {
        guard let plan = plan(named: name) else {
            throw .noSuchProfile(name, known: library.profiles.map(\.name), nearest: library.nearestName(to: name))
        }
        return Environment(self, active: plan)
    }

    func plan(named name: String) -> ProfilePlan? { plans.first { $0.profile.name == name } }

    /// Whether both have the same origins under the same indexes, so that pools can stay.
    func sharesOrigins(with other: Environment) -> Bool {
        origins.count == other.origins.count && zip(origins, other.origins).allSatisfy { $0 === $1 }
    }
}
