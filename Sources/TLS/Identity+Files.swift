import COpenSSL

extension Identity {
    /// A certificate (leaf first, then the intermediates) and its key, both PEM files.
    ///
    /// - Parameter passphrase: decrypts the key; nil for a key that is not encrypted.
    public static func load(
        certificateFile: String, keyFile: String, passphrase: [UInt8]? = nil
    ) throws(TLSFailure) -> Identity {
        var certificates = try PEM.certificates(in: try SecretFile.read(certificateFile), from: certificateFile)
        let certificate = certificates.removeFirst()
        let chain = certificates.isEmpty ? nil : shunt_X509_stack_new()
        for next in certificates { shunt_X509_stack_push(chain, next) }
        let key: OpaquePointer
        do throws(TLSFailure) {
            key = try PEM.key(in: try SecretFile.read(keyFile), from: keyFile, passphrase)
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
        try identity.checkDates(certificateFile)
        return identity
    }

    /// Refuses a certificate that is expired or not valid yet.
    func checkDates(_ file: String) throws(TLSFailure) {
        guard secondsLeft > 0 else {
            throw TLSFailure(.configuration, "the certificate in \(file) expired on \(summary.notAfter)")
        }
        guard X509_cmp_current_time(X509_get0_notBefore(certificate)) < 0 else {
            throw TLSFailure(.configuration, "the certificate in \(file) is only valid from \(summary.notBefore)")
        }
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

    /// - Parameter unwritten: PEM texts of files that are not there yet.
    static func certificates(
        ofFile file: String, _ unwritten: [String: String]
    ) throws(TLSFailure) -> [OpaquePointer] {
        if let text = unwritten[file] { return try certificates(in: Array(text.utf8), from: file) }
        return try certificates(in: try SecretFile.read(file), from: file)
    }

    /// The private key; without a pass phrase an encrypted one is refused.
    static func key(
        in pem: [UInt8], from file: String, _ passphrase: [UInt8]? = nil
    ) throws(TLSFailure) -> OpaquePointer {
        ERR_clear_error()
        if let key = P256Key.read(pem) { return key }
        guard let bio = BIO_new_mem_buf(pem, CInt(clamping: pem.count)) else {
            throw .configuration("\(file) cannot be read")
        }
        defer { BIO_free(bio) }
        var secret = passphrase.map { Passphrase(bytes: $0) }
        let key = withUnsafeMutablePointer(to: &secret) { secret in
            // OpenSSL's own callback would ask on the terminal.
            PEM_read_bio_PrivateKey(
                bio, nil,
                { room, size, _, secret in
                    guard let room, let secret = secret?.assumingMemoryBound(to: Passphrase?.self).pointee else {
                        return -1
                    }
                    return secret.copy(to: room, size)
                }, secret)
        }
        if let key { return key }
        guard passphrase == nil else {
            throw .configuration("\(file) holds no PEM private key that the pass phrase opens")
        }
        throw .configuration("\(file) holds no PEM private key that can be read without a pass phrase")
    }

    private struct Passphrase {
        let bytes: [UInt8]

        func copy(to room: UnsafeMutablePointer<CChar>, _ size: CInt) -> CInt {
            guard bytes.count <= Int(size) else { return -1 }
            for (index, byte) in bytes.enumerated() { room[index] = CChar(bitPattern: byte) }
            return CInt(bytes.count)
        }
    }
}
