/// How an origin's certificate is judged, and what is shown to the origin in turn.
public struct TrustPolicy: Hashable, Sendable {
    public let evaluator: TrustEvaluator
    /// PEM files (absolute paths) that are trusted beside the system's authorities.
    public let certificateAuthorities: [String]
    /// How many of them the rule itself names; they come first.
    let ownAuthorities: Int
    public let connection: TLSSettings

    init(
        _ evaluator: TrustEvaluator, certificateAuthorities: [String] = [], ownAuthorities: Int = 0,
        connection: TLSSettings = TLSSettings()
    ) {
        (self.evaluator, self.certificateAuthorities) = (evaluator, certificateAuthorities)
        (self.ownAuthorities, self.connection) = (ownAuthorities, connection)
    }

    /// Where an authority is named makes no other policy: connections are shared all the same.
    public static func == (one: TrustPolicy, other: TrustPolicy) -> Bool {
        one.evaluator == other.evaluator && one.certificateAuthorities == other.certificateAuthorities
            && one.connection == other.connection
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(evaluator)
        hasher.combine(certificateAuthorities)
        hasher.combine(connection)
    }

    /// Chain and host name are checked against the system's authorities and these PEM files beside them.
    public static func `default`(certificateAuthorities: [String]) -> TrustPolicy {
        TrustPolicy(.default(Validation()), certificateAuthorities: certificateAuthorities)
    }

    /// Nothing is checked.
    public static let disabled = TrustPolicy(.disabled)

    /// The same authorities and the same way of speaking TLS with another judgement.
    public func with(_ evaluator: TrustEvaluator) -> TrustPolicy {
        TrustPolicy(
            evaluator, certificateAuthorities: certificateAuthorities, ownAuthorities: ownAuthorities,
            connection: connection)
    }

    /// The same, trusting one more PEM file.
    public func trusting(_ file: String) -> TrustPolicy {
        TrustPolicy(
            evaluator, certificateAuthorities: [file] + certificateAuthorities, ownAuthorities: ownAuthorities + 1,
            connection: connection)
    }

    /// The same without `strict`.
    public var lenient: TrustPolicy { with { $0.isStrict = false } }

    /// The same for a server whose newest version of TLS is an old one.
    public var withOldTLS: TrustPolicy { with { $0.minTLS = TLSSettings.versions[0] } }

    private func with(_ change: (inout TLSSettings) -> Void) -> TrustPolicy {
        var connection = connection
        change(&connection)
        return TrustPolicy(
            evaluator, certificateAuthorities: certificateAuthorities, ownAuthorities: ownAuthorities,
            connection: connection)
    }

    /// The files that it is made of, and that connections depend on.
    package var files: [String] {
        certificateAuthorities + evaluator.files + (connection.clientCertificate?.files ?? [])
    }

    /// Certificates may pass that are for another host, or that are from anyone.
    public var isUnverified: Bool { evaluator.isUnverified }

    /// For logs and filters: Alamofire's name, with a mark at one that verifies nothing.
    public var name: String {
        isUnverified && evaluator != .disabled ? evaluator.name + Self.unverifiedMark : evaluator.name
    }

    /// The end of the names of policies that are unverified, apart from `disabled`.
    public static let unverifiedMark = "-unverified"
}

/// How chains are judged, under Alamofire's names and with its defaults.
public indirect enum TrustEvaluator: Hashable, Sendable {
    case `default`(Validation)
    case revocation(Validation, RevocationSettings)
    /// PEM files; with `acceptSelfSigned` they are the only anchors.
    case pinnedCertificates([String], acceptSelfSigned: Bool, Validation)
    /// `sha256/…=` and PEM files.
    case publicKeys([String], Validation)
    /// All of them, at least one.
    case composite([TrustEvaluator])
    /// Nothing is checked.
    case disabled

    static let names = ["default", "revocation", "pinnedCertificates", "publicKeys", "composite", "disabled"]

    public var name: String {
        switch self {
        case .default: "default"
        case .revocation: "revocation"
        case .pinnedCertificates: "pinnedCertificates"
        case .publicKeys: "publicKeys"
        case .composite: "composite"
        case .disabled: "disabled"
        }
    }

    /// Does not check that the certificate is for the host.
    ///
    /// Guards ask this, since such an origin may be anyone; of a composite one part that checks it is enough.
    public var isUnverified: Bool {
        switch self {
        case .default(let validation), .revocation(let validation, _), .publicKeys(_, let validation),
            .pinnedCertificates(_, _, let validation):
            !validation.validateHost
        case .composite(let parts): parts.allSatisfy(\.isUnverified)
        case .disabled: true
        }
    }

    /// The files that it names.
    var files: [String] {
        switch self {
        case .default, .revocation, .disabled: []
        case .pinnedCertificates(let files, _, _): files
        case .publicKeys(let pins, _): pins.filter { !$0.hasPrefix(TrustEvaluator.pinPrefix) }
        case .composite(let parts): parts.flatMap(\.files)
        }
    }

    /// Whether the system's authorities count, so that others can stand beside them.
    public var asksSystem: Bool {
        switch self {
        case .default: true
        case .revocation(let validation, _), .publicKeys(_, let validation):
            validation.performDefaultValidation || validation.validateHost
        case .pinnedCertificates(_, let acceptSelfSigned, let validation):
            !acceptSelfSigned && (validation.performDefaultValidation || validation.validateHost)
        case .composite(let parts): parts.contains { $0.asksSystem }
        case .disabled: false
        }
    }

    /// The same with one more pin wherever there are any: a key, or a certificate by its file.
    public func pinning(key: String, certificate: String) -> TrustEvaluator {
        switch self {
        case .default, .revocation, .disabled: self
        case .pinnedCertificates(let files, let acceptSelfSigned, let validation):
            .pinnedCertificates(files + [certificate], acceptSelfSigned: acceptSelfSigned, validation)
        case .publicKeys(let keys, let validation): .publicKeys(keys + [key], validation)
        case .composite(let parts): .composite(parts.map { $0.pinning(key: key, certificate: certificate) })
        }
    }

    static let pinPrefix = "sha256/"
}

/// What is checked beside that which an evaluator is for.
public struct Validation: Hashable, Sendable {
    /// The chain leads to an anchor.
    public internal(set) var performDefaultValidation: Bool
    /// The same, and the certificate is for the host.
    public internal(set) var validateHost: Bool

    public init(performDefaultValidation: Bool = true, validateHost: Bool = true) {
        (self.performDefaultValidation, self.validateHost) = (performDefaultValidation, validateHost)
    }
}

/// How revocation is checked, under the names of Alamofire's options.
public struct RevocationSettings: Hashable, Sendable {
    public var ocsp = true
    public var crl = true
    public var preferCRL = false
    public var networkAccessDisabled = false
    public var requirePositiveResponse = false

    static let options = ["any", "ocsp", "crl", "preferCRL", "networkAccessDisabled", "requirePositiveResponse"]
}

/// How TLS is spoken with an origin, beside the judgement of its certificate.
public struct TLSSettings: Hashable, Sendable {
    public var clientCertificate: ClientCertificate?
    /// `1.0` to `1.3`; nil for 1.2.
    public var minTLS: String?
    /// OpenSSL's names; none for the usual suites.
    public var ciphers: [String] = []
    /// Chains have to be whole in form (RFC 5280), also where browsers forgive faults.
    public var isStrict = false

    static let versions = ["1.0", "1.1", "1.2", "1.3"]
}

/// A certificate that is shown to an origin which asks for one; all paths are absolute.
public struct ClientCertificate: Hashable, Sendable {
    public enum Source: Hashable, Sendable {
        case pem(certificate: String, key: String)
        case pkcs12(String)
    }

    public enum Passphrase: Hashable, Sendable {
        case file(String)
        case variable(String)
    }

    public let source: Source
    public let passphrase: Passphrase?

    var files: [String] {
        var files: [String]
        switch source {
        case .pem(let certificate, let key): files = [certificate, key]
        case .pkcs12(let file): files = [file]
        }
        if case .file(let file)? = passphrase { files.append(file) }
        return files
    }
}

/// One line of a profile's `trust`, for listings and explanations.
public struct TrustRule: Hashable, Sendable {
    let hosts: HostPattern
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
