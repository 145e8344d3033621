import COpenSSL

extension Identity {
    /// A certificate (leaf first, then the intermediates) and its key, both PEM files.
    public static func load(certificateFile: String, keyFile: String) throws(TLSFailure) -> Identity {
        var certificates = try PEM.certificates(in: try SecretFile.read(certificateFile), from: certificateFile)
        let certificate = certificates.removeFirst()
        let chain = certificates.isEmpty ? nil : shunt_X509_stack_new()
        for next in certificates { shunt_X509_stack_push(chain, next) }
        let key: OpaquePointer
        do throws(TLSFailure) {
            key = try PEM.key(in: try SecretFile.read(keyFile), from: keyFile)
        } catch {
            X509_free(certificate)
            shunt_X509_stack_free(chain)
            throw error
        }
        let identity = Identity(certificate: certificate, key: key, chain: chain)
        guard X509_check_private_key(certificate, key) == 1 else {
            ERR_clear_error()
            throw TLSFailure(
                .configuration, "the key in \(keyFile) is not the one of the certificate in \(certificateFile)")
        }
        let seen = identity.summary
        guard identity.secondsLeft > 0 else {
            throw TLSFailure(.configuration, "the certificate in \(certificateFile) expired on \(seen.notAfter)")
        }
        guard X509_cmp_current_time(X509_get0_notBefore(certificate)) < 0 else {
            throw TLSFailure(
                .configuration, "the certificate in \(certificateFile) is only valid from \(seen.notBefore)")
        }
        return identity
    }

    /// A certificate that vouches for itself, with a key of its own: for demos, and for origins in tests.
    public static func selfSigned(host: String) throws(TLSFailure) -> Identity {
        guard let name = HostName(host) else {
            throw TLSFailure(.configuration, "“\(host)” is neither a host name nor an IP address")
        }
        let key = try Minting.makeKey()
        do throws(TLSFailure) {
            return Identity(certificate: try Minting.leaf(for: [name], key: key, signer: nil), key: key)
        } catch {
            EVP_PKEY_free(key)
            throw error
        }
    }
}

/// Reading PEM text; what it returns belongs to the caller.
enum PEM {
    /// All certificates, at least one.
    static func certificates(in pem: [UInt8], from file: String) throws(TLSFailure) -> [OpaquePointer] {
        ERR_clear_error()
        guard let bio = BIO_new_mem_buf(pem, CInt(clamping: pem.count)) else {
            throw .configuration("\(file) cannot be read")
        }
        defer { BIO_free(bio) }
        var found: [OpaquePointer] = []
        while let next = PEM_read_bio_X509(bio, nil, nil, nil) { found.append(next) }
        guard found.isEmpty else {
            // The last attempt always fails: there was no further certificate.
            ERR_clear_error()
            return found
        }
        throw .configuration("\(file) holds no PEM certificate (-----BEGIN CERTIFICATE-----)")
    }

    /// The private key; one under a pass phrase is refused rather than asked for.
    static func key(in pem: [UInt8], from file: String) throws(TLSFailure) -> OpaquePointer {
        ERR_clear_error()
        guard let bio = BIO_new_mem_buf(pem, CInt(clamping: pem.count)) else {
            throw .configuration("\(file) cannot be read")
        }
        defer { BIO_free(bio) }
        // OpenSSL's own callback would ask on the terminal.
        if let key = PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil) { return key }
        throw .configuration("\(file) holds no PEM private key that can be read without a pass phrase")
    }
}
