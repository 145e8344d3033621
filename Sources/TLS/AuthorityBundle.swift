import COpenSSL
import Dispatch
import Platform
import Synchronization

/// The system's file with all authorities, read once per process, in the background.
enum AuthorityBundle {
    /// Makes a store look into the bundle for issuers it does not hold.
    static func use(in store: OpaquePointer?) {
        _ = reading
        X509_STORE_add_lookup(store, lookup.pointer)
    }

    /// Begins to read it, which takes 15 ms: neither a start nor the first handshake are to wait for all of that.
    ///
    /// At exit() the process waits for it: OpenSSL tears itself down in a handler that was registered earlier and so
    /// runs later.
    private static let reading: Void = {
        atexit { _ = AuthorityBundle.certificates }
        DispatchQueue.global().async { _ = certificates }
    }()

    /// Immutable once made, hence shareable.
    private struct Lookup: @unchecked Sendable {
        let pointer: OpaquePointer?
    }

    private static let lookup: Lookup = {
        let method = X509_LOOKUP_meth_new("shunt authority bundle")
        X509_LOOKUP_meth_set_get_by_subject(method) { lookup, kind, name, found in
            guard kind == X509_LU_X509 else { return 0 }
            let store = X509_LOOKUP_get_store(lookup)
            AuthorityBundle.fill(store, from: lookup)
            // As OpenSSL's own directory lookup does: the caller wants what it would now find in the store.
            X509_STORE_lock(store)
            defer { X509_STORE_unlock(store) }
            guard let match = X509_OBJECT_retrieve_by_subject(X509_STORE_get0_objects(store), X509_LU_X509, name)
            else { return 0 }
            return X509_OBJECT_set1_X509(found, X509_OBJECT_get0_X509(match))
        }
        return Lookup(pointer: method)
    }()

    /// Counted by OpenSSL and never changed, hence shareable.
    private struct Certificates: @unchecked Sendable {
        let pointers: [OpaquePointer]
    }

    private static let certificates: Certificates = {
        let named =
            getenv(X509_get_default_cert_file_env()) ?? UnsafeMutablePointer(mutating: X509_get_default_cert_file())
        guard let named, let bytes = try? SecretFile.read(String(cString: named)) else {
            return Certificates(pointers: [])
        }
        return Certificates(pointers: (try? PEM.certificates(in: bytes, from: "")) ?? [])
    }()

    private static let filling = Mutex(())

    private static func fill(_ store: OpaquePointer?, from lookup: OpaquePointer?) {
        filling.withLock { _ in
            guard X509_LOOKUP_get_method_data(lookup) == nil else { return }
            for certificate in certificates.pointers { X509_STORE_add_cert(store, certificate) }
            // Any pointer but nil says that it is done; it is never followed.
            X509_LOOKUP_set_method_data(lookup, UnsafeMutableRawPointer(lookup))
        }
    }
}
