import COpenSSL

/// Compares the host with the names that authorities of its chain may not certify (RFC 5280 4.2.1.10).
///
/// OpenSSL compares the certificate's names alone: an authority that may not certify `a.shop.test` can still sign
/// `*.shop.test`, which is then taken for it.
enum ExcludedHosts {
    /// Whether the host that is checked is excluded; false where no host name is checked.
    static func containHost(of context: OpaquePointer) -> Bool {
        let chain = X509_STORE_CTX_get0_chain(context)
        guard let host = X509_VERIFY_PARAM_get0_host(X509_STORE_CTX_get0_param(context), 0) else { return false }
        let name = String(cString: host).lowercased()
        return (1..<max(1, shunt_X509_stack_count(chain))).contains { index in
            shunt_X509_stack_at(chain, index).map { names(excludedBy: $0).contains { contains(name, in: $0) } } ?? false
        }
    }

    private static func contains(_ name: String, in subtree: String) -> Bool {
        // Some authorities write a dot before it, though only URIs have that.
        let top = subtree.hasPrefix(".") ? subtree : "." + subtree
        return subtree.isEmpty || name == subtree || name.hasSuffix(top)
    }

    private static func names(excludedBy authority: OpaquePointer) -> [String] {
        guard let constraints = shunt_X509_constraints(authority) else { return [] }
        defer { NAME_CONSTRAINTS_free(constraints) }
        return (0..<max(0, shunt_excluded_count(constraints))).compactMap { index in
            var count: CInt = 0
            guard let bytes = shunt_excluded_name(constraints, index, &count), count >= 0 else { return nil }
            return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self).lowercased()
        }
    }
}
