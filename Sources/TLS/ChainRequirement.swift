/// A condition that an origin's chain has to meet; a policy may have several, and then all of them count.
public struct ChainRequirement: Sendable, Hashable {
    /// What a chain has to lead to.
    public enum Anchors: Sendable, Hashable {
        /// The system's authorities, and the certificates in these PEM files.
        case system(extra: [String])
        /// The certificates in these PEM files alone.
        case only([String])
    }

    /// Certificates or keys of which the chain must contain one.
    public enum Pins: Sendable, Hashable {
        /// PEM files.
        case certificates([String])
        /// `sha256/` and the Base64 form of a SubjectPublicKeyInfo's digest, or PEM files with certificates.
        case publicKeys([String])
    }

    /// The chain leads to an anchor and conforms to RFC 5280.
    public var checksChain: Bool
    /// The certificate is for the host; this checks the chain, too.
    public var checksHost: Bool
    public var anchors: Anchors
    public var pins: Pins?
    /// No certificate of the chain has been revoked; checked once the handshake is done.
    public var revocation: RevocationOptions?

    public init(
        checksChain: Bool = true, checksHost: Bool = true, anchors: Anchors = .system(extra: []), pins: Pins? = nil,
        revocation: RevocationOptions? = nil
    ) {
        self.checksChain = checksChain || checksHost
        self.checksHost = checksHost
        self.anchors = anchors
        self.pins = pins
        self.revocation = revocation
    }
}

/// How revocation is checked, with the names of Alamofire's options.
public struct RevocationOptions: Sendable, Hashable {
    public var ocsp: Bool
    public var crl: Bool
    public var preferCRL: Bool
    /// Only what the origin sends and what is cached counts.
    public var networkAccessDisabled: Bool
    /// A certificate of which nothing could be learnt is refused.
    public var requirePositiveResponse: Bool

    public init(
        ocsp: Bool = true, crl: Bool = true, preferCRL: Bool = false, networkAccessDisabled: Bool = false,
        requirePositiveResponse: Bool = false
    ) {
        self.ocsp = ocsp
        self.crl = crl
        self.preferCRL = preferCRL
        self.networkAccessDisabled = networkAccessDisabled
        self.requirePositiveResponse = requirePositiveResponse
    }

    /// What meets both.
    func and(_ other: RevocationOptions) -> RevocationOptions {
        RevocationOptions(
            ocsp: ocsp || other.ocsp, crl: crl || other.crl, preferCRL: preferCRL && other.preferCRL,
            networkAccessDisabled: networkAccessDisabled && other.networkAccessDisabled,
            requirePositiveResponse: requirePositiveResponse || other.requirePositiveResponse)
    }
}
