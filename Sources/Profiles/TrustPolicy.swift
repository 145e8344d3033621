/// How an origin's certificate is judged, under Alamofire's names.
public enum TrustPolicy: Hashable, Sendable {
    /// Chain and host name are checked against the system's authorities and these PEM files (absolute paths) beside them.
    case `default`(certificateAuthorities: [String])
    /// Nothing is checked.
    case disabled

    public var name: String {
        switch self {
        case .default: "default"
        case .disabled: "disabled"
        }
    }

    public var certificateAuthorities: [String] {
        switch self {
        case .default(let authorities): authorities
        case .disabled: []
        }
    }
}

/// One line of a profile's `trust`, for listings and explanations.
public struct TrustRule: Hashable, Sendable {
    /// The host pattern, normalised.
    public let pattern: String
    public let policy: TrustPolicy
    /// The last day on which an exception holds, `2026-12-31` in UTC; public hosts need one.
    public let until: String?
    /// Why the exception is there.
    public let reason: String?
    /// The profile that wrote the rule, which may be one that is extended.
    public let profile: String
    public let file: String
    public let line: Int
}
