import COpenSSL
import Platform

extension DevelopmentCA {
    /// The authority kept in `directory` (ca.pem, ca-key.pem, leaf-key.pem), made there if it does not exist.
    ///
    /// Processes that start at once agree: a lock on the directory lets one make it and the others load it. What
    /// exists is never replaced.
    /// - Parameter settings: of a new one.
    public static func loadOrCreate(
        directory: String, _ settings: AuthoritySettings = AuthoritySettings()
    ) throws(TLSFailure) -> (authority: DevelopmentCA, created: Bool) {
        try SecretFile.makeDirectory(directory)
        let lock = try DirectoryLock(directory)
        defer { lock.release() }
        try AuthorityRotation(directory).complete()
        return try loadOrCreateLocked(directory, settings)
    }

    /// - Precondition: the directory's lock is held.
    static func loadOrCreateLocked(
        _ directory: String, _ settings: AuthoritySettings
    ) throws(TLSFailure) -> (authority: DevelopmentCA, created: Bool) {
        let certificateFile = directory + "/ca.pem"
        let keyFile = directory + "/ca-key.pem"
        let leafKeyFile = directory + "/leaf-key.pem"

        let hasKey = Files.exists(keyFile)
        let hasCertificate = Files.exists(certificateFile)
        if hasCertificate && !hasKey {
            throw TLSFailure(
                .configuration,
                "\(keyFile) is missing beside \(certificateFile): restore it, or remove \(certificateFile) to have a new "
                    + "authority made, which your devices must then trust anew")
        }
        let key = try loadOrCreateKey(keyFile, settings.key)
        var kept = [key]
        do throws(TLSFailure) {
            // A key without a certificate is left by an interrupted start: its certificate was never used.
            let certificate =
                hasCertificate
                ? try PEM.certificates(in: try SecretFile.read(certificateFile), from: certificateFile)[0]
                : try Minting.authority(commonName: Owner.commonName(), key: key, hosts: settings.hosts)
            let leafKey: OpaquePointer
            var cross: OpaquePointer?
            do throws(TLSFailure) {
                cross = try AuthorityRotation(directory).cross()
                leafKey = try loadOrCreateKey(leafKeyFile, settings.key)
            } catch {
                X509_free(cross)
                X509_free(certificate)
                throw error
            }
            // The authority owns all three from here on.
            kept = []
            let authority = DevelopmentCA(certificate: certificate, key: key, leafKey: leafKey, cross: cross)
            if hasCertificate {
                try authority.check(certificateFile, keyFile)
            } else {
                try SecretFile.write(authority.certificatePEM, to: certificateFile, mode: 0o644)
            }
            return (authority, !hasCertificate)
        } catch {
            for key in kept { EVP_PKEY_free(key) }
            throw error
        }
    }

    private static func loadOrCreateKey(
        _ file: String, _ kind: AuthoritySettings.Key
    ) throws(TLSFailure) -> OpaquePointer {
        if Files.exists(file) { return try PEM.key(in: try SecretFile.readKey(file), from: file) }
        let key = try Minting.makeKey(kind)
        do throws(TLSFailure) {
            try SecretFile.write(keyText(key), to: file, mode: 0o600)
            return key
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
    }

    /// PKCS #8, unencrypted.
    private static func keyText(_ key: OpaquePointer) -> String {
        text { PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil) == 1 }
    }

    var keyPEMs: (authority: String, leaf: String) { (Self.keyText(key), Self.keyText(leafKey)) }

    private func check(_ certificateFile: String, _ keyFile: String) throws(TLSFailure) {
        guard signs else {
            throw TLSFailure(
                .configuration, "the key in \(keyFile) is not the one of the authority in \(certificateFile)")
        }
        guard X509_check_ca(certificate) > 0 else {
            throw TLSFailure(.configuration, "the certificate in \(certificateFile) is not an authority's (CA:TRUE)")
        }
        guard X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0 else {
            throw TLSFailure(
                .configuration,
                "the authority in \(certificateFile) expired on \(summary.notAfter): remove \(certificateFile) and "
                    + "\(keyFile) to have a new one made, which your devices must then trust anew")
        }
    }
}
