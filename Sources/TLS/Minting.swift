import COpenSSL

/// Making keys and certificates: P-256 and ECDSA, or RSA for old clients; with SHA-256 throughout.
enum Minting {
    /// The signer: an authority's certificate and key.
    struct Signer {
        let certificate: OpaquePointer
        let key: OpaquePointer
    }

    private static let day = 24 * 60 * 60
    /// Back-dating, since clocks of phones and virtual machines may be slow.
    private static let backDating = 1
    /// Back-dating included; CA/Browser Forum ballot SC-081 goes down to 47 days in 2029.
    private static let leafDays = 45
    private static let authorityDays = 3650

    static func makeKey(_ kind: AuthoritySettings.Key = .ec) throws(TLSFailure) -> OpaquePointer {
        ERR_clear_error()
        let key = kind == .ec ? shunt_P256_generate() : shunt_RSA_generate(2048)
        guard let key else { throw .configuration("no key could be made") }
        return key
    }

    /// A server certificate for these hosts, self-signed without a signer.
    static func leaf(
        for hosts: [HostName], key: OpaquePointer, signer: Signer?, daysAgo: Int = 0
    ) throws(TLSFailure) -> OpaquePointer {
        // No subject at all, so the names have to be critical (RFC 5280, 4.1.2.6). Common names are long dead.
        let names = hosts.map { ($0.isAddress ? "IP:" : "DNS:") + $0.text }.joined(separator: ",")
        return try certificate(
            key: key, signer: signer, commonName: nil, days: leafDays, daysAgo: daysAgo,
            extensions: [
                (NID_basic_constraints, "critical,CA:FALSE"),
                // Clients of TLS 1.2 may encrypt a secret with a key of RSA.
                (NID_key_usage, "critical,digitalSignature" + (isRSA(key) ? ",keyEncipherment" : "")),
                (NID_ext_key_usage, "serverAuth"),
                (NID_subject_alt_name, "critical," + names),
                (NID_subject_key_identifier, "hash"),
                (NID_authority_key_identifier, signer == nil ? "" : "keyid:always"),
            ])
    }

    /// An authority that may sign leaves, and the one that takes its place one day.
    static func authority(
        commonName: String, key: OpaquePointer, hosts: PermittedHosts?
    ) throws(TLSFailure) -> OpaquePointer {
        try certificate(
            key: key, signer: nil, commonName: commonName, days: authorityDays, daysAgo: 0,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:1"),
                (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_name_constraints, hosts.map { "critical," + $0.constraints } ?? ""),
                (NID_subject_key_identifier, "hash"),
            ])
    }

    /// The new authority's name and key, signed by the old one: clients that trust the old one accept its leaves.
    static func crossSigned(
        commonName: String, key: OpaquePointer, by signer: Signer
    ) throws(TLSFailure) -> OpaquePointer {
        var days: CInt = 0
        var seconds: CInt = 0
        guard ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(signer.certificate)) == 1 else {
            throw .configuration("the end of the old authority cannot be read")
        }
        return try certificate(
            key: key, signer: signer, commonName: commonName, days: Int(days) + backDating, daysAgo: 0,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
                (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
                (NID_authority_key_identifier, "keyid:always"),
            ])
    }

    private static func isRSA(_ key: OpaquePointer) -> Bool { EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA }

    private static func certificate(
        key: OpaquePointer, signer: Signer?, commonName: String?, days: Int, daysAgo: Int,
        extensions: [(CInt, String)]
    ) throws(TLSFailure) -> OpaquePointer {
        ERR_clear_error()
        guard let new = X509_new() else { throw .configuration("no certificate could be made") }
        var isGood =
            X509_set_version(new, Int(X509_VERSION_3)) == 1
            && setRandomSerial(new)
            && X509_gmtime_adj(X509_getm_notBefore(new), -(backDating + daysAgo) * day) != nil
            // The last second counts as valid (RFC 5280, 4.1.2.5), hence one less.
            && X509_gmtime_adj(X509_getm_notAfter(new), (days - backDating - daysAgo) * day - 1) != nil
            && X509_set_pubkey(new, key) == 1
        if let commonName {
            isGood =
                isGood
                && X509_NAME_add_entry_by_NID(
                    X509_get_subject_name(new), NID_commonName, MBSTRING_UTF8, Array(commonName.utf8),
                    CInt(clamping: commonName.utf8.count), -1, 0) == 1
        }
        let issuer = signer?.certificate ?? new
        isGood = isGood && X509_set_issuer_name(new, X509_get_subject_name(issuer)) == 1
        for (kind, value) in extensions where isGood && !value.isEmpty {
            isGood = add(kind, value, to: new, issuer: issuer)
        }
        guard isGood, X509_sign(new, signer?.key ?? key, EVP_sha256()) > 0 else {
            X509_free(new)
            throw .configuration("no certificate could be made")
        }
        return new
    }

    private static func add(_ kind: CInt, _ value: String, to new: OpaquePointer, issuer: OpaquePointer) -> Bool {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, new, nil, nil, 0)
        guard let made = X509V3_EXT_conf_nid(nil, &context, kind, value) else { return false }
        defer { X509_EXTENSION_free(made) }
        return X509_add_ext(new, made, -1) == 1
    }

    /// 128 random bits, positive and hence 17 octets at most (RFC 5280 allows 20).
    private static func setRandomSerial(_ new: OpaquePointer) -> Bool {
        guard let number = BN_new() else { return false }
        defer { BN_free(number) }
        return BN_rand(number, 128, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ODD) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(new)) != nil
    }
}
