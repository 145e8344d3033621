import Bytes
import COpenSSL

/// The pins of one requirement, read from their files.
///
/// Sendable because OpenSSL's objects are counted atomically and these are not changed after `init`.
final class Pins: @unchecked Sendable {
    private let certificates: [OpaquePointer]
    private let keys: Set<[UInt8]>
    /// For messages.
    let what: String

    /// - Parameter unwritten: PEM texts of files that are not there yet.
    init(_ pins: ChainRequirement.Pins, _ unwritten: [String: String] = [:]) throws(TLSFailure) {
        switch pins {
        case .certificates(let files):
            certificates = try Self.certificates(files, unwritten)
            keys = []
            what = "certificate"
            guard !certificates.isEmpty else { throw TLSFailure(.configuration, "no certificates to pin were found") }
        case .publicKeys(let texts):
            var keys: Set<[UInt8]> = []
            for text in texts {
                if text.hasPrefix(PublicKeyPin.prefix) {
                    guard let digest = PublicKeyPin.digest(text) else {
                        throw TLSFailure(.configuration, "“\(text)” is no pin of a public key: \(PublicKeyPin.form)")
                    }
                    keys.insert(digest)
                } else {
                    let found = try Self.certificates([text], unwritten)
                    for certificate in found {
                        if let digest = PublicKeyPin.digest(of: certificate) { keys.insert(digest) }
                        X509_free(certificate)
                    }
                }
            }
            guard !keys.isEmpty else { throw TLSFailure(.configuration, "no public keys to pin were found") }
            certificates = []
            self.keys = keys
            what = "public key"
        }
    }

    deinit { for certificate in certificates { X509_free(certificate) } }

    func contains(_ certificate: OpaquePointer) -> Bool {
        if !keys.isEmpty { return PublicKeyPin.digest(of: certificate).map(keys.contains) ?? false }
        return certificates.contains { X509_cmp($0, certificate) == 0 }
    }

    private static func certificates(
        _ files: [String], _ unwritten: [String: String]
    ) throws(TLSFailure) -> [OpaquePointer] {
        var found: [OpaquePointer] = []
        do throws(TLSFailure) {
            for file in files {
                found += try PEM.certificates(ofFile: file, unwritten)
            }
        } catch {
            for certificate in found { X509_free(certificate) }
            throw error
        }
        return found
    }
}

/// A pin of a public key as HPKP (RFC 7469 2.4), OkHttp and TrustKit write it: `sha256/` and Base64.
public enum PublicKeyPin {
    public static let prefix = "sha256/"
    public static let form = "expected sha256/ and 44 characters of Base64"

    /// The digest that a pin names; nil for what is no pin.
    public static func digest(_ pin: String) -> [UInt8]? {
        guard pin.hasPrefix(prefix), let digest = Base64Decoder.bytes(String(pin.dropFirst(prefix.count))),
            digest.count == 32
        else { return nil }
        return digest
    }

    /// The pin of a digest.
    public static func text(_ digest: [UInt8]) -> String { prefix + Base64Encoder.text(digest) }

    /// SHA-256 of a certificate's SubjectPublicKeyInfo.
    static func digest(of certificate: OpaquePointer) -> [UInt8]? {
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &encoded)
        defer { CRYPTO_free(encoded, nil, 0) }
        var digest = [UInt8](repeating: 0, count: 32)
        var count: CUnsignedInt = 32
        guard length > 0, EVP_Digest(encoded, Int(length), &digest, &count, EVP_sha256(), nil) == 1 else { return nil }
        return digest
    }
}

extension SeenCertificate {
    /// The pin of its public key, as `publicKeys` takes it.
    public var pin: String { Hex.bytes(publicKeyFingerprint).map(PublicKeyPin.text) ?? "" }
}
