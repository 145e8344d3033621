import HTTP

extension EngineFailure {
    /// What a client sent cannot be read as a request.
    static func unreadable(_ failure: HTTPFailure, _ limits: Limits) -> EngineFailure {
        let advice: String? =
            switch failure.kind {
            case .lengthAndCoding:
                "Let the client send one of them: Content-Length, or Transfer-Encoding where the length is not known. "
                    + "If it sends one, a proxy between it and Shunt adds the other."
            case .transferEncoding, .repeatedContentLength:
                "A server and a proxy may read such a request in two ways: mend the client."
            default: limitAdvice(failure.kind, limits)
            }
        return EngineFailure(.client, .head, status: failure.status, failure.reason, advice: advice)
    }

    /// What to do where a head is larger than a limit; nil for other failures.
    static func limitAdvice(
        _ kind: HTTPFailure.Kind, ofResponse isResponse: Bool = false, _ limits: Limits
    ) -> String? {
        let most = Limits.bufferSize
        let more =
            isResponse || limits.headBytes >= most
            ? "That is the most that Shunt takes. " : "`shunt serve --head-size \(most >> 10)k` allows more. "
        switch kind {
        case .headTooLong: return more + "Heads mostly grow by cookies and tokens: see which there are."
        case .requestLineTooLong: return isResponse ? nil : more + "Long parameters fit better into a body."
        case .tooManyFields:
            let fields = isResponse ? limits.ofResponses.fields : limits.fields
            return fields < 10_000 ? "`shunt serve --fields \(min(max(500, 2 * fields), 10_000))` allows more." : nil
        default: return nil
        }
    }
}

extension Limits {
    /// Of the heads of requests.
    var ofRequests: HeadLimits { HeadLimits(bytes: headBytes, fields: fields) }

    /// Of the heads of responses: at least what browsers take.
    var ofResponses: HeadLimits {
        HeadLimits(bytes: max(headBytes, Limits.responseHeadBytes), fields: max(fields, Limits.responseFields))
    }
}
