public import Profiles

/// Which profile responds to a client, and how it was chosen.
public struct ProfileChoice: Sendable {
    /// In the order of precedence.
    public enum Source: String, Sendable {
        /// The request's session.
        case session
        /// The request's `Shunt-Profile` field.
        case header
        /// A label in the request's host, as in `staging--api.shop.test`.
        case hostLabel = "host-label"
        /// The token of a paired device.
        case token
        /// The program of this machine that the connection comes from.
        case app
        /// The client's address, which a device is known by.
        case address
        /// The user whose device it is has chosen it for all of them.
        case user
        /// None of the others: the active profile.
        case active
    }

    public let profile: String
    public let source: Source
    public let library: ProfileLibrary
    /// The active profile's name.
    public let active: String
    /// Why a request that names no profile, or several, is refused; the others count as if it had named none.
    public var refusal: EngineFailure?

    public init(profile: String, source: Source, library: ProfileLibrary, active: String) {
        self.profile = profile
        self.source = source
        self.library = library
        self.active = active
    }
}
