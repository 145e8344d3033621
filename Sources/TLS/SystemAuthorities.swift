import COpenSSL
import Platform

/// The certificate authorities the system trusts.
package enum SystemAuthorities {
    /// Makes `context` trust them, and the certificates in these PEM files.
    static func use(in context: OpaquePointer, extra files: [String]) throws(TLSFailure) {
        try use(inStore: SSL_CTX_get_cert_store(context), extra: files)
    }

    /// Makes a store trust them, and the certificates in these PEM files.
    static func use(
        inStore store: OpaquePointer?, extra files: [String], _ unwritten: [String: String] = [:]
    ) throws(TLSFailure) {
        ERR_clear_error()
        // Reading a bundle takes 15 ms; a directory with hashed names is read on demand. So the bundle is for
        // systems without such a directory, and for people who name one; and it is read on demand, too.
        X509_LOOKUP_ctrl(
            X509_STORE_add_lookup(store, X509_LOOKUP_hash_dir()), X509_L_ADD_DIR, nil, Int(X509_FILETYPE_DEFAULT), nil)
        if getenv(X509_get_default_cert_file_env()) != nil || !hasHashedDirectory { AuthorityBundle.use(in: store) }
        // Missing defaults are no failure: a handshake will say what it could not find.
        ERR_clear_error()
        try add(files, to: store, unwritten)
    }

    /// Makes a store trust the certificates in these PEM files.
    ///
    /// - Parameter unwritten: PEM texts of files that are not there yet.
    static func add(
        _ files: [String], to store: OpaquePointer?, _ unwritten: [String: String] = [:]
    ) throws(TLSFailure) {
        for file in files {
            if let text = unwritten[file] {
                for certificate in try PEM.certificates(in: Array(text.utf8), from: file) {
                    X509_STORE_add_cert(store, certificate)
                    X509_free(certificate)
                }
                continue
            }
            guard X509_STORE_load_file(store, file) == 1 else {
                throw .configuration("no certificate authority could be read from \(file)")
            }
        }
        // The profile names exactly these certificates: each is an anchor, even one that is no authority.
        if !files.isEmpty { X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN)) }
    }

    /// OpenSSL's directory holds names as `openssl rehash` makes them, such as 9b5697b0.0.
    private static let hasHashedDirectory: Bool = {
        guard let path = X509_get_default_cert_dir(), let directory = opendir(path) else { return false }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name.count == 10, name.suffix(2).elementsEqual(".0".utf8) { return true }
        }
        return false
    }()

    /// Differs once certificates were added to them or removed.
    package static var state: [UInt64] {
        let places = [X509_get_default_cert_dir(), X509_get_default_cert_file()]
        let named = [getenv(X509_get_default_cert_dir_env()), getenv(X509_get_default_cert_file_env())]
        return zip(named, places).flatMap { named, usual -> [UInt64] in
            var status = stat()
            guard let path = named.map({ UnsafePointer($0) }) ?? usual, stat(path, &status) == 0 else { return [0] }
            return [
                UInt64(status.st_ino), UInt64(bitPattern: Int64(status.st_size)), UInt64(bitPattern: status.changed),
            ]
        }
    }
}
