import Platform
import Profiles

/// By which proxy an origin is reached.
enum OriginWay: Sendable, Equatable {
    /// As the environment says.
    case usual
    case direct
    case by(NextProxies.Server)

    /// - Throws: where the variable with its credentials is not set.
    init(_ proxy: OriginProxy?, in profile: String) throws(ProxyError) {
        switch proxy {
        case nil: self = .usual
        case .direct?: self = .direct
        case .server(let server)?:
            guard let name = server.credentialsVariable else {
                self = .by(NextProxies.Server(server, credentials: ""))
                return
            }
            guard let value = getenv(name) else {
                throw .proxy(
                    profile: profile,
                    reason:
                        "the environment variable \(name) with the credentials for \(OriginProxy.server(server)) is not set"
                )
            }
            self = .by(NextProxies.Server(server, credentials: String(cString: value)))
        }
    }

    /// The proxy for an origin; nil for none.
    func server(isTLS: Bool, host: String, port: UInt16, _ usual: NextProxies) -> NextProxies.Server? {
        switch self {
        case .usual: usual.server(isTLS: isTLS, host: host, port: port)
        case .direct: nil
        case .by(let server): server
        }
    }
}
