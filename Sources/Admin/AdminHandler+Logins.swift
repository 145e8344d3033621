import Engine
import Profiles

// The tokens that Shunt puts into requests of profiles: never their text.
extension AdminHandler {
    func logIn(_ body: Record<API.ProfileLogin>, _ call: AdminCall) async throws -> Record<API.Login> {
        let profile = try profile(named: body.profile)
        call.note.add(target: profile.name, after: "logged in")
        return Self.login(try await proxy.tokens.logIn(profile.name))
    }

    func logOut(_ body: Record<API.ProfileLogout>, _ call: AdminCall) throws -> Record<API.LoggedOut> {
        let name = try body.profile.map { name in try profile(named: name).name }
        call.note.add(target: name ?? "all profiles", after: "logged out")
        let profiles = try proxy.tokens.logOut(name)
        return Record { $0.profiles = profiles }
    }

    /// The tokens of all profiles.
    var logins: [Record<API.Login>] { proxy.tokens.list.map(Self.login) }

    private static func login(_ token: TokenStatus) -> Record<API.Login> {
        Record {
            $0.profile = token.profile
            $0.source = token.source
            $0.age = token.age
            $0.expiresIn = token.secondsLeft
            $0.loggedOut = token.isLoggedOut
            $0.problem = token.trouble
        }
    }
}
