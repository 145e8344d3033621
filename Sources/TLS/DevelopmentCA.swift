import COpenSSL

/// The authority that signs the certificates for clients.
///
/// Sendable because its keys and its certificate are not changed after `init`, OpenSSL counts them atomically, and
/// the cache of leaves has a lock.
public final class DevelopmentCA: @unchecked Sendable {
    let certificate: OpaquePointer
    private let key: OpaquePointer
    /// One key for all leaves, so that a client that pins the public key outlives a restart and a renewal.
    private let leafKey: OpaquePointer
    private let leaves = LeafCache()

    /// Takes over one reference each.
    init(certificate: OpaquePointer, key: OpaquePointer, leafKey: OpaquePointer) {
        self.certificate = certificate
        self.key = key
        self.leafKey = leafKey
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
        EVP_PKEY_free(leafKey)
    }

    /// An authority that lives in memory only: for demos and tests.
    public static func ephemeral() throws(TLSFailure) -> DevelopmentCA {
        let key = try Minting.makeKey()
        do throws(TLSFailure) {
            let certificate = try Minting.authority(commonName: Owner.commonName(), key: key)
            do throws(TLSFailure) {
                return DevelopmentCA(certificate: certificate, key: key, leafKey: try Minting.makeKey())
            } catch {
                X509_free(certificate)
                throw error
            }
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
    }

    /// Whether the key is the certificate's.
    var signs: Bool {
        defer { ERR_clear_error() }
        return X509_check_private_key(certificate, key) == 1
    }

    /// The certificate that clients are to trust.
    public var certificatePEM: String { text { PEM_write_bio_X509($0, certificate) == 1 } }

    /// How many leaves are kept.
    package var cachedLeaves: Int { leaves.count }

    /// The certificate in words.
    public var summary: SeenCertificate { SeenCertificate(certificate) }

    /// A new leaf for one DNS name or IP address.
    public func mint(host: String) throws(TLSFailure) -> Identity { try mint(host: host, daysAgo: 0) }

    /// A leaf as if it was made some time ago, for tests of expiry.
    package func mint(host: String, daysAgo: Int) throws(TLSFailure) -> Identity {
        guard let name = HostName(host) else {
            throw TLSFailure(.configuration, "“\(host)” is neither a host name nor an IP address")
        }
        return try mint([name], daysAgo: daysAgo)
    }

    private func mint(_ names: [HostName], daysAgo: Int = 0) throws(TLSFailure) -> Identity {
        let leaf = try Minting.leaf(
            for: names, key: leafKey, signer: Minting.Signer(certificate: certificate, key: key),
            daysAgo: daysAgo)
        EVP_PKEY_up_ref(leafKey)
        return Identity(certificate: leaf, key: leafKey)
    }

    /// The leaf for a host asked for by name, from the cache if that has one that is valid long enough.
    func identity(for host: String) throws(TLSFailure) -> Identity {
        if let kept = leaves.find(host) { return kept }
        guard let name = HostName(host) else {
            throw TLSFailure(.handshakeFailed, "the client asked for a name that is no host name")
        }
        if name.text != host, let kept = leaves.find(name.text) { return kept }
        return leaves.keep(try mint([name]), for: name.text)
    }

    /// The leaf for a client that asked for no name: a leaf for the addresses of this machine.
    func identity(forConnection descriptor: CInt) throws(TLSFailure) -> Identity {
        let address = HostName.local(of: descriptor)
        let label = "by address " + (address?.text ?? "")
        if let kept = leaves.find(label) { return kept }
        let names = ["localhost", "127.0.0.1", "::1"].compactMap { HostName($0) } + (address.map { [$0] } ?? [])
        return leaves.keep(try mint(names), for: label)
    }
}
