import COpenSSL

/// Where Shunt judges a chain otherwise than OpenSSL does.
enum VerifyCallback {
    /// OpenSSL calls it for each certificate that it has checked, the authorities first, and for each fault.
    static let judge: @convention(c) (CInt, OpaquePointer?) -> CInt = { isGood, context in
        guard let context else { return isGood }
        if isGood == 0 {
            guard AnchorLeniency.forgives(context) else { return 0 }
            X509_STORE_CTX_set_error(context, X509_V_OK)
        } else if X509_STORE_CTX_get_error_depth(context) == 0, ExcludedHosts.containHost(of: context) {
            X509_STORE_CTX_set_error(context, X509_V_ERR_EXCLUDED_VIOLATION)
            return 0
        }
        return 1
    }
}
