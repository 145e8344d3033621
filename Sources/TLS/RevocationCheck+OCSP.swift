import COpenSSL

// The Online Certificate Status Protocol (RFC 6960).
extension RevocationCheck {
    /// The request to a responder, DER; it has no nonce, since responders sign their responses beforehand (RFC 5019).
    public func request() -> [UInt8]? {
        guard let request = OCSP_REQUEST_new() else { return nil }
        defer { OCSP_REQUEST_free(request) }
        // Every responder knows SHA-1 for names of issuers, which is no matter of strength.
        guard let id = OCSP_cert_to_id(EVP_sha1(), certificate, issuer) else { return nil }
        guard OCSP_request_add0_id(request, id) != nil else {
            OCSP_CERTID_free(id)
            return nil
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_OCSP_REQUEST(request, &encoded)
        defer { CRYPTO_free(encoded, nil, 0) }
        guard let encoded, count > 0 else { return nil }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }

    /// What a response, DER, says about the certificate.
    ///
    /// It counts only if the issuer signed it, or a responder that the issuer made (RFC 6960 4.2.2.2), and in its time.
    public func status(inResponse bytes: [UInt8]) -> RevocationStatus {
        defer { ERR_clear_error() }
        let response = bytes.withUnsafeBufferPointer { buffer in
            var at = buffer.baseAddress
            return d2i_OCSP_RESPONSE(nil, &at, buffer.count)
        }
        guard let response else { return .unknown("what came is no OCSP response") }
        defer { OCSP_RESPONSE_free(response) }
        let result = OCSP_response_status(response)
        guard result == OCSP_RESPONSE_STATUS_SUCCESSFUL else {
            let words = OCSP_response_status_str(Int(result)).map { String(cString: $0) } ?? "error \(result)"
            return .unknown("the responder said “\(words)”")
        }
        guard let basic = OCSP_response_get1_basic(response) else { return .unknown("what came is no OCSP response") }
        defer { OCSP_BASICRESP_free(basic) }
        guard isSigned(basic) else { return .unknown("the response is not signed by the issuer or its responder") }
        return status(in: basic)
    }

    private func isSigned(_ response: OpaquePointer) -> Bool {
        guard let store = makeStore(), let signers = shunt_X509_stack_new() else { return false }
        defer {
            X509_STORE_free(store)
            shunt_X509_stack_free(signers)
        }
        X509_up_ref(issuer)
        shunt_X509_stack_push(signers, issuer)
        return OCSP_basic_verify(response, signers, store, UInt(OCSP_TRUSTOTHER | OCSP_NOEXPLICIT)) == 1
    }

    private func status(in response: OpaquePointer) -> RevocationStatus {
        for digest in [EVP_sha1(), EVP_sha256()] {
            guard let id = OCSP_cert_to_id(digest, certificate, issuer) else { continue }
            defer { OCSP_CERTID_free(id) }
            var status: CInt = 0
            var reason: CInt = 0
            var revoked: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            var this: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            var next: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
            guard OCSP_resp_find_status(response, id, &status, &reason, &revoked, &this, &next) == 1 else { continue }
            // Five minutes for clocks; one that does not say until when holds for a day.
            guard OCSP_check_validity(this, next, 300, next == nil ? 86_400 : -1) == 1 else {
                return .unknown("the response of \(timeText(this)) has expired, or is not valid yet")
            }
            switch status {
            case V_OCSP_CERTSTATUS_GOOD: return .good(until: Self.expiry(next))
            case V_OCSP_CERTSTATUS_REVOKED:
                let words = reason < 0 ? nil : OCSP_crl_reason_str(Int(reason)).map { String(cString: $0) }
                return .revoked("on \(timeText(revoked))" + (words.map { ", \($0)" } ?? ""))
            default: return .unknown("the responder does not know the certificate")
            }
        }
        return .unknown("the response is about another certificate")
    }
}
