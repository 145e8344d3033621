public import Profiles
public import TLS

/// The result of probing one origin.
public struct ProbeResult: Sendable {
    /// How long each part took, in nanoseconds; nil for parts that were not reached or not needed.
    public struct Timings: Sendable {
        public var resolve: UInt64?
        public var connect: UInt64?
        public var tls: UInt64?
        /// From the request to the end of the response's head.
        public var response: UInt64?
        /// The whole probe, successful or not.
        public var total: UInt64 = 0
    }

    public let origin: OriginAddress
    /// The names of the profiles that have a route to it, sorted.
    public let profiles: [String]
    public internal(set) var timings = Timings()
    /// The address that it was reached at, with its port.
    public internal(set) var address: String?
    /// How the origin's certificate was judged, in words; nil without TLS.
    public internal(set) var decision: String?
    public internal(set) var status: Int?
    /// Seconds by which its clock, as its `Date` says, is ahead of this one's; nil without that field.
    public internal(set) var clockOffset: Int64?
    /// What was seen of its certificate; nil without TLS, and where only a response was asked for.
    public internal(set) var sight: CertificateSight?
    /// The failure and the next step; nil if a response came, with any status.
    public internal(set) var failure: EngineFailure?
    /// Why it does not respond though nothing is wrong, in words: nothing has started it yet.
    public internal(set) var note: String?

    init(_ target: ProbeTarget) {
        origin = target.address
        profiles = target.profiles
    }
}

/// A chain that an origin has sent, and the connection on which it did.
public struct CertificateSight: Sendable {
    /// The origin's own certificate first.
    public let chain: [SeenCertificate]
    /// The same as PEM text.
    public let pem: [String]
    /// Protocol version and cipher suite.
    public let version: String
    public let cipher: String
    /// The origin has asked for a client certificate, and the policy names none.
    public let lacksClientCertificate: Bool
}

/// An origin to be probed.
struct ProbeTarget: Sendable {
    let address: OriginAddress
    fileprivate(set) var profiles: [String]
    /// A request is sent; otherwise the connection alone is looked at.
    var sendsRequest = true

    /// Every origin of every profile once, including those of chains, in the order of the profiles and their routes.
    static func list(_ library: ProfileLibrary) -> [ProbeTarget] {
        var targets: [ProbeTarget] = []
        var indexes: [OriginAddress: Int] = [:]
        for profile in library.profiles {
            for address in profile.routes.flatMap(\.probed) {
                if let index = indexes[address] {
                    if !targets[index].profiles.contains(profile.name) { targets[index].profiles.append(profile.name) }
                } else {
                    indexes[address] = targets.count
                    targets.append(ProbeTarget(address: address, profiles: [profile.name]))
                }
            }
        }
        return targets
    }
}

extension Route {
    /// Its origins as they are probed: clients themselves judge the certificates of those that are passed through.
    fileprivate var probed: [OriginAddress] {
        guard settings.isPassthrough else { return responder.addresses }
        return responder.addresses.map {
            OriginAddress(
                isTLS: $0.isTLS, host: $0.host, port: $0.port, basePath: $0.basePath, trust: .disabled, proxy: $0.proxy)
        }
    }
}
