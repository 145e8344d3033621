import COpenSSL

/// The authority that signs the certificates for clients.
///
/// Sendable because its keys and its certificate are not changed after `init`, OpenSSL counts them atomically, and
/// the cache of leaves has a lock.
public final class DevelopmentCA: @unchecked Sendable {
    let certificate: OpaquePointer
    let key: OpaquePointer
    /// One key for all leaves, so that a client that pins the public key outlives a restart and a renewal.
    let leafKey: OpaquePointer
    private let leaves = LeafCache()
    /// This authority as the one before it signed it, for clients that trust that one; nil if there was none.
    private let cross: OpaquePointer?
    /// nil if it may sign for any host.
    private let constraints: UnsafeMutablePointer<NAME_CONSTRAINTS>?

    /// Takes over one reference each.
    init(certificate: OpaquePointer, key: OpaquePointer, leafKey: OpaquePointer, cross: OpaquePointer? = nil) {
        self.certificate = certificate
        self.key = key
        self.leafKey = leafKey
        self.cross = cross
        constraints = shunt_X509_constraints(certificate)
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
        EVP_PKEY_free(leafKey)
        X509_free(cross)
        NAME_CONSTRAINTS_free(constraints)
    }

    /// An authority that lives in memory only: for demos and tests.
    public static func ephemeral(_ settings: AuthoritySettings = AuthoritySettings()) throws(TLSFailure)
        -> DevelopmentCA
    {
        let key = try Minting.makeKey(settings.key)
        do throws(TLSFailure) {
            let certificate = try Minting.authority(commonName: Owner.commonName(), key: key, hosts: settings.hosts)
            do throws(TLSFailure) {
                return DevelopmentCA(certificate: certificate, key: key, leafKey: try Minting.makeKey(settings.key))
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

    /// The same as DER; empty when OpenSSL is out of memory.
    public var certificateDER: [UInt8] { der(of: certificate) }

    /// The certificate as PKCS #12, without any key; empty when OpenSSL is out of memory.
    ///
    /// Only its checksum needs the password: what is public is not encrypted, so that every program can read it.
    public func pkcs12(password: String) -> [UInt8] {
        ERR_clear_error()
        let stack = shunt_X509_stack_new()
        X509_up_ref(certificate)
        shunt_X509_stack_push(stack, certificate)
        defer { shunt_X509_stack_free(stack) }
        guard let made = PKCS12_create(password, "shunt", nil, nil, stack, -1, -1, 10_000, 10_000, 0) else { return [] }
        defer { PKCS12_free(made) }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = i2d_PKCS12(made, &bytes)
        defer { shunt_free(bytes) }
        guard let bytes, count > 0 else { return [] }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }

    /// The names that it may sign for, each with those below it; nil for any host.
    public var permittedNames: [String]? {
        guard let constraints else { return nil }
        return (0..<shunt_permitted_count(constraints)).compactMap { index in
            var count: CInt = 0
            guard let bytes = shunt_permitted_name(constraints, index, &count), count >= 0 else { return nil }
            return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
        }
    }

    /// Whether clients that trust the authority before this one accept its leaves.
    public var isCrossSigned: Bool { cross != nil }

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

    /// Keeps such a leaf, as if Shunt had run since then.
    package func keepLeaf(host: String, daysAgo: Int) throws(TLSFailure) -> Identity {
        leaves.keep(try mint(host: host, daysAgo: daysAgo), for: host)
    }

    private func mint(_ names: [HostName], daysAgo: Int = 0) throws(TLSFailure) -> Identity {
        let leaf = try Minting.leaf(
            for: names, key: leafKey, signer: Minting.Signer(certificate: certificate, key: key),
            daysAgo: daysAgo)
        // OpenSSL compares the names that it has read from the certificate, which a new one has not been yet.
        if constraints != nil { X509_check_purpose(leaf, -1, 0) }
        if let constraints, NAME_CONSTRAINTS_check(leaf, constraints) != X509_V_OK {
            X509_free(leaf)
            let only = (permittedNames ?? []).joined(separator: ", ")
            throw TLSFailure(
                .handshakeFailed,
                "the development CA may not sign for \(names.map(\.text).joined(separator: ", ")): it is for \(only) "
                    + "and the names below alone (`shunt ca rotate --only-for` makes another one)")
        }
        EVP_PKEY_up_ref(leafKey)
        guard let cross else { return Identity(certificate: leaf, key: leafKey) }
        let chain = shunt_X509_stack_new()
        X509_up_ref(cross)
        shunt_X509_stack_push(chain, cross)
        return Identity(certificate: leaf, key: leafKey, chain: chain)
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
        var names = ["localhost", "127.0.0.1", "::1"].compactMap { HostName($0) } + (address.map { [$0] } ?? [])
        // One name outside the constraints would spoil the leaf for all.
        if constraints != nil { names = names.filter { (try? mint([$0])) != nil } }
        guard !names.isEmpty else {
            throw TLSFailure(
                .handshakeFailed,
                "the client asked for no name, and the development CA may not sign for addresses of this machine")
        }
        return leaves.keep(try mint(names), for: label)
    }
}
