import HTTP

extension EngineFailure {
    /// What a client sent cannot be read as a request.
    static func unreadable(_ failure: HTTPFailure) -> EngineFailure {
        let advice: String? =
            switch failure.kind {
            case .lengthAndCoding:
                "Let the client send one of them: Content-Length, or Transfer-Encoding where the length is not known. "
                    + "If it sends one, a proxy between it and Shunt adds the other."
            case .transferEncoding, .repeatedContentLength:
                "A server and a proxy may read such a request in two ways: mend the client."
            default: limitAdvice(failure.kind)
            }
        return EngineFailure(.client, .head, status: failure.status, failure.reason, advice: advice)
    }

    /// What to do where a head is larger than a limit; nil for other failures.
    static func limitAdvice(_ kind: HTTPFailure.Kind) -> String? {
        switch kind {
        case .headTooLong:
            "`shunt serve --head-size 64k` allows more. Heads mostly grow by cookies and tokens: see which there are."
        case .requestLineTooLong: "`shunt serve --head-size 64k` allows more. Long parameters fit better into a body."
        case .tooManyFields: "`shunt serve --fields 500` allows more."
        default: nil
        }
    }
}
