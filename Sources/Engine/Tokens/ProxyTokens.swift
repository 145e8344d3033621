import Profiles
import Reactor

/// Why a login or a logout of a profile failed.
public struct LoginFailure: Error, Sendable {
    public let message: String
    /// The next step.
    public let advice: String
}

extension Proxy {
    /// The tokens that it puts into requests.
    public var tokens: ProxyTokens { ProxyTokens(proxy: self) }
}

/// The tokens that a proxy puts into requests.
public struct ProxyTokens: Sendable {
    let proxy: Proxy

    /// The tokens of all profiles, each once, without the secret text of any.
    public var list: [TokenStatus] {
        guard case .profiles(let active) = proxy.source else { return [] }
        var seen: Set<TokenSettings> = []
        return active.environment.plans.compactMap { plan in
            guard let token = plan.token?.token, seen.insert(token.settings).inserted else { return nil }
            return token.describe(now: proxy.loopClock())
        }
    }

    /// Fetches another token for a profile.
    public func logIn(_ profile: String) async throws(LoginFailure) -> TokenStatus {
        let use = try self.use(of: profile)
        use.token.logIn()
        guard let worker = proxy.workers.first, use.token.isFetched else {
            throw LoginFailure(
                message: "the token of profile \(profile) comes from \(use.token.settings.sourceText)",
                advice: "Log in with the app, through Shunt.")
        }
        do throws(EngineFailure) { try await worker.fetch(use) } catch {
            throw LoginFailure(message: error.message, advice: error.advice ?? "")
        }
        return use.token.describe(now: proxy.loopClock())
    }

    /// Forgets the token of a profile, or those of all; clients' own pass until the next login.
    ///
    /// - Returns: the profiles that were logged in.
    public func logOut(_ profile: String?) throws(LoginFailure) -> [String] {
        guard case .profiles(let active) = proxy.source else { return [] }
        let uses = if let profile { [try use(of: profile)] } else { active.environment.plans.compactMap(\.token) }
        var names: [String] = []
        for use in uses where use.token.logOut() && !names.contains(use.token.settings.profile) {
            names.append(use.token.settings.profile)
        }
        return names
    }

    private func use(of profile: String) throws(LoginFailure) -> TokenUse {
        guard case .profiles(let active) = proxy.source, let plan = active.environment.plan(named: profile) else {
            let names = proxy.profiles?.library.profiles.map(\.name).joined(separator: ", ") ?? ""
            throw LoginFailure(message: "there is no profile \(profile)", advice: "There are: \(names).")
        }
        guard let use = plan.token else {
            throw LoginFailure(
                message: "profile \(profile) has no token", advice: "Write \"token\" into it, see docs/tokens.md.")
        }
        return use
    }
}
