public import Reactor

/// Why a proxy could not start, or refused a change.
public enum ProxyError: Error, Sendable {
    case cannotListen(SocketAddress, SystemError)
    case noSuchProfile(String, known: [String], nearest: String?)
    /// A trust policy cannot be used, mostly for a CA file.
    case trust(profile: String, reason: String)
    /// A route's proxy cannot be used, for its credentials are not there.
    case proxy(profile: String, reason: String)
    /// The certificates towards clients cannot be used.
    case certificates(String)
    /// The system refused threads or descriptors.
    case system(SystemError)
}
