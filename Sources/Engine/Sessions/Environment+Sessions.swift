import Profiles
import Redaction

extension Environment {
    /// The same profiles with a session more, with other routes of one, or with one less.
    func changing(_ change: (inout SessionTable) throws(SessionFailure) -> Void) throws(SessionFailure) -> Environment {
        var sessions = sessions
        try change(&sessions)
        return Environment(self, sessions)
    }

    /// The sessions of an earlier environment, whose routes are judged anew.
    func keeping(_ sessions: SessionTable) -> Environment {
        if sessions.plans.isEmpty { return Environment(self, sessions) }
        var kept = sessions
        for plan in sessions.plans.values {
            do throws(SessionFailure) {
                kept.put(try self.plan(plan.session, plan.layers))
            } catch {
                kept.put(
                    SessionPlan(plan.session, plan.layers, overlay: nil, plan.scenarios, problem: error.message))
            }
        }
        return Environment(self, kept)
    }

    /// Makes a session with these routes ready for the data path.
    func plan(_ session: ClientSession, _ layers: [SessionRoutes]) throws(SessionFailure) -> SessionPlan {
        let library = self.library
        guard let base = plan(named: session.profile) else {
            throw .noSuchProfile(
                .noSuchProfile(
                    session.profile, known: library.profiles.map(\.name),
                    nearest: library.nearestName(to: session.profile)))
        }
        guard !layers.isEmpty else {
            return SessionPlan(session, [], overlay: nil, session.mocks.scenarios(of: base.profile))
        }
        let profile: Profile
        do throws(ProfileProblems) {
            profile = try library.laying(
                layers, over: base.profile, as: "session-\(session.id)", network: session.network)
        } catch {
            throw .routes(error)
        }
        let scenarios = session.mocks.scenarios(of: base.profile, and: profile)
        do throws(ProxyError) {
            var compiler = EnvironmentCompiler(library, session.mocks, after: self)
            let overlay = try compiler.plan(profile, over: base, scenarios)
            return SessionPlan(
                session, layers, overlay: overlay, scenarios,
                redaction: ProfileRedaction(of: profile, and: base, in: library))
        } catch {
            throw .proxy(error)
        }
    }
}

extension ProfileRedaction {
    /// The rules of a session's routes that ask other profiles, with those of the profile under it; nil where these are
    /// enough.
    fileprivate convenience init?(of overlay: Profile, and base: ProfilePlan, in library: ProfileLibrary) {
        guard let more = ProfileRedaction(of: overlay, in: library) else { return nil }
        self.init(base.redaction.map { $0.rules.merging(more.rules) } ?? more.rules)
    }
}
