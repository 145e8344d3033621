/// How an origin's certificate is judged; names and meaning are Alamofire's.
public enum TrustPolicy: Hashable, Sendable {
    /// Chain and host name, against the system's roots and these CA files (absolute or relative to the process).
    case `default`(certificateAuthorities: [String])
    /// Any certificate passes.
    case disabled

    /// The name used in profiles.
    public var name: String {
        switch self {
        case .default: "default"
        case .disabled: "disabled"
        }
    }

    /// Names of Alamofire's evaluators that this version does not have.
    static let unavailable = ["revocation", "pinnedCertificates", "publicKeys", "composite"]
}
