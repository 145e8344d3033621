import COpenSSL

extension Identity {
    /// A certificate with its key and its intermediates from a PKCS #12 file (`.p12`, `.pfx`).
    ///
    /// - Parameter passphrase: opens the file; nil is the same as an empty one.
    public static func load(pkcs12File file: String, passphrase: [UInt8]?) throws(TLSFailure) -> Identity {
        let bytes = try SecretFile.read(file)
        ERR_clear_error()
        let archive = bytes.withUnsafeBufferPointer { buffer in
            var at = buffer.baseAddress
            return d2i_PKCS12(nil, &at, buffer.count)
        }
        guard let archive else { throw .configuration("\(file) is no PKCS #12 file") }
        defer { PKCS12_free(archive) }
        guard !(passphrase ?? []).contains(0) else {
            throw TLSFailure(.configuration, "the pass phrase of \(file) has a zero byte")
        }
        let secret = ((passphrase ?? []) + [0]).map { CChar(bitPattern: $0) }
        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var chain: OpaquePointer?
        guard PKCS12_parse(archive, secret, &key, &certificate, &chain) == 1 else {
            // Files made before 2022 are encrypted with RC2, which OpenSSL 3 does not read.
            throw .configuration(
                "\(file) cannot be opened: either the pass phrase is wrong, or the file is encrypted in an old way and "
                    + "has to be made again (`openssl pkcs12 -legacy -in OLD -nodes | openssl pkcs12 -export -out NEW`)"
            )
        }
        guard let key, let certificate else {
            EVP_PKEY_free(key)
            X509_free(certificate)
            if let chain { shunt_X509_stack_free(chain) }
            throw TLSFailure(.configuration, "\(file) does not hold both a certificate and its key")
        }
        let identity = Identity(certificate: certificate, key: key, chain: chain)
        try identity.checkDates(file)
        return identity
    }
}
