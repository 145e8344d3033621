import COpenSSL

/// Where Shunt judges a chain otherwise than OpenSSL does.
enum VerifyCallback {
    /// OpenSSL calls it for each certificate that it has checked, the authorities first, and for each fault.
    static let judge: @convention(c) (CInt, OpaquePointer?) -> CInt = { isGood, context in
        VerifyCallback.decide(isGood, context, isStrict: false)
    }

    /// The same with nothing forgiven below the trust anchor.
    static let judgeStrictly: @convention(c) (CInt, OpaquePointer?) -> CInt = { isGood, context in
        VerifyCallback.decide(isGood, context, isStrict: true)
    }

    static func judging(isStrict: Bool) -> @convention(c) (CInt, OpaquePointer?) -> CInt {
        isStrict ? judgeStrictly : judge
    }

    static func decide(_ isGood: CInt, _ context: OpaquePointer?, isStrict: Bool) -> CInt {
        guard let context else { return isGood }
        if isGood == 0 {
            guard FormLeniency.forgives(context, isStrict: isStrict) else { return 0 }
            X509_STORE_CTX_set_error(context, X509_V_OK)
        } else if X509_STORE_CTX_get_error_depth(context) == 0, ExcludedHosts.containHost(of: context) {
            X509_STORE_CTX_set_error(context, X509_V_ERR_EXCLUDED_VIOLATION)
            return 0
        }
        return 1
    }
}
