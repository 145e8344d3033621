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
            default: limits.advice(on: failure.kind)
            }
        return EngineFailure(.client, .head, status: failure.status, failure.reason, advice: advice)
    }
}

extension Limits {
    /// Of the heads of requests.
    var ofRequests: HeadLimits { HeadLimits(bytes: headBytes, fields: fields) }

    /// Of the heads of responses: at least what browsers take.
    var ofResponses: HeadLimits {
        HeadLimits(bytes: max(headBytes, Limits.responseHeadBytes), fields: max(fields, Limits.responseFields))
    }

    /// What to do where a head is larger than a limit; nil for other failures.
    func advice(on kind: HTTPFailure.Kind, ofResponse isResponse: Bool = false) -> String? {
        let most = Limits.bufferSize
        let more =
            isResponse || headBytes >= most
            ? "That is the most that Shunt takes. " : "`shunt serve --head-size \(most >> 10)k` allows more. "
        switch kind {
        case .headTooLong: return more + "Heads mostly grow by cookies and tokens: see which there are."
        case .requestLineTooLong: return isResponse ? nil : more + "Long parameters fit better into a body."
        case .tooManyFields:
            let fields = isResponse ? ofResponses.fields : self.fields
            return fields < 10_000 ? "`shunt serve --fields \(min(max(500, 2 * fields), 10_000))` allows more." : nil
        default: return nil
        }
    }
}
