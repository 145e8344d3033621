import Platform
import Profiles
import TLS

extension ClientContext {
    /// The context of connections under a policy, with the files that it names as they are now.
    convenience init(_ trust: TrustPolicy) throws(TLSFailure) {
        let settings = trust.connection
        try self.init(
            policy: trust.verification, alpn: OriginPlan.protocols,
            identity: try settings.clientCertificate.map { (certificate) throws(TLSFailure) in
                try Identity.load(certificate)
            }, oldest: settings.minTLS.flatMap { TLSVersion(rawValue: $0) } ?? .tls12, ciphers: settings.ciphers,
            isStrict: settings.isStrict)
    }
}

extension TrustPolicy {
    fileprivate var verification: VerificationPolicy {
        if evaluator == .disabled { return .none }
        if evaluator == .default(Validation()) { return .standard(extraAuthorities: certificateAuthorities) }
        return .evaluated(requirements)
    }

    /// What it asks of a chain.
    var requirements: [ChainRequirement] { evaluator.requirements(.system(extra: certificateAuthorities)) }
}

extension TrustEvaluator {
    /// What it asks of a chain; a composite asks what its parts do, in their order.
    fileprivate func requirements(_ system: ChainRequirement.Anchors) -> [ChainRequirement] {
        switch self {
        case .disabled: [ChainRequirement(checksChain: false, checksHost: false, anchors: system)]
        case .default(let validation): [ChainRequirement(checksHost: validation.validateHost, anchors: system)]
        case .revocation(let validation, let options):
            [ChainRequirement(validation, system, revocation: RevocationOptions(options))]
        case .pinnedCertificates(let files, let acceptSelfSigned, let validation):
            [ChainRequirement(validation, acceptSelfSigned ? .only(files) : system, pins: .certificates(files))]
        case .publicKeys(let keys, let validation): [ChainRequirement(validation, system, pins: .publicKeys(keys))]
        case .composite(let parts): parts.flatMap { $0.requirements(system) }
        }
    }
}

extension ChainRequirement {
    fileprivate init(
        _ validation: Validation, _ anchors: Anchors, pins: Pins? = nil, revocation: RevocationOptions? = nil
    ) {
        self.init(
            checksChain: validation.performDefaultValidation, checksHost: validation.validateHost, anchors: anchors,
            pins: pins, revocation: revocation)
    }
}

extension RevocationOptions {
    fileprivate init(_ settings: RevocationSettings) {
        self.init(
            ocsp: settings.ocsp, crl: settings.crl, preferCRL: settings.preferCRL,
            networkAccessDisabled: settings.networkAccessDisabled,
            requirePositiveResponse: settings.requirePositiveResponse)
    }
}

extension Identity {
    fileprivate static func load(_ certificate: ClientCertificate) throws(TLSFailure) -> Identity {
        let passphrase = try certificate.passphrase.map { (passphrase) throws(TLSFailure) in try passphrase.bytes() }
        return switch certificate.source {
        case .pem(let file, let key): try load(certificateFile: file, keyFile: key, passphrase: passphrase)
        case .pkcs12(let file): try load(pkcs12File: file, passphrase: passphrase)
        }
    }
}

extension ClientCertificate.Passphrase {
    fileprivate func bytes() throws(TLSFailure) -> [UInt8] {
        switch self {
        case .variable(let name):
            guard let value = getenv(name) else {
                throw TLSFailure(.configuration, "the environment variable \(name) with a pass phrase is not set")
            }
            return Array(String(cString: value).utf8)
        case .file(let path):
            do throws(FileFailure) {
                // Editors end the line.
                let bytes = try Files.read(path, limit: 4096)
                return Array(bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") })
            } catch {
                throw TLSFailure(.configuration, "the pass phrase in \(path) cannot be read: \(error.reason)")
            }
        }
    }
}
