import Patterns

extension FilterTerm {
    func matches(_ subject: some FilterSubject) -> Bool {
        switch self {
        case .all: true
        case .text(let text, let pattern): text.isFound(pattern, in: subject)
        case .status(let range): subject.status.map(range.contains) ?? false
        case .identifiers(let ranges): ranges.contains { $0.contains(subject.id) }
        case .slow(let duration): subject.duration.map { $0 >= duration } ?? false
        case .since(let time): subject.startedAt >= time
        case .error: subject.error != nil
        case .withResponse: subject.status != nil
        case .withoutResponse: subject.status == nil
        case .asset: subject.responseType.map(AssetTypes.contain) ?? false
        case .mock: subject.responder == "mock"
        case .bridge: subject.responder == "bridge"
        case .webSocket: subject.status == FilterTerm.switchingProtocols
        case .contract: subject.differsFromContract
        case .changed(let name): subject.changes.contains(name)
        case .field(let sides, let pattern): sides.contains { Self.isFieldFound(pattern, in: subject, $0) }
        case .body(let sides, let pattern): sides.contains { Self.isBodyFound(pattern, in: subject, $0) }
        case .callStatus(let range): subject.grpcStatus.map(range.contains) ?? false
        case .call(let pattern): FilterCall.method(of: subject).map { pattern.isFound(in: String($0)) } ?? false
        case .operation(let pattern):
            FilterOperation.labels(subject.operation).contains { pattern.isFound(in: $0) }
        case .graphQLError: subject.graphQLErrors.map { $0 > 0 } ?? false
        case .reason(let pattern): FilterPush.reason(subject).map(pattern.isFound) ?? false
        }
    }

    /// The response to the one upgrade that Shunt lets through: to WebSocket over HTTP/1.1 (RFC 6455 section 4.2.2).
    static let switchingProtocols = 101

    private static func isFieldFound(_ pattern: Pattern, in subject: some FilterSubject, _ side: FilterSide) -> Bool {
        var isFound = false
        subject.heads(of: side) { head in
            isFound = FieldLines.contain(pattern, in: head)
            return !isFound
        }
        return isFound
    }

    private static func isBodyFound(_ pattern: Pattern, in subject: some FilterSubject, _ side: FilterSide) -> Bool {
        var isFound = false
        for atOrigin in [false, true] {
            var search = pattern.search()
            var hasBody = false
            subject.body(of: side, atOrigin: atOrigin) { piece in
                hasBody = true
                isFound = search.feed(piece)
                return !isFound
            }
            // A pattern that is found in nothing is still not found where there is nothing.
            if isFound || hasBody && search.finish() { return true }
        }
        subject.messages(of: side) { message in
            isFound = pattern.isFound(in: message)
            return !isFound
        }
        return isFound
    }
}

extension FilterText {
    fileprivate func isFound(_ pattern: Pattern, in subject: some FilterSubject) -> Bool {
        switch self {
        case .method: pattern.isFound(in: subject.method)
        case .url: pattern.isFound(in: subject.url)
        case .host: pattern.isFound(in: subject.host)
        case .client: pattern.isFound(in: subject.clientAddress) || pattern.isFound(in: Self.client(of: subject))
        case .destination: Self.isFound(pattern, subject.origin, subject.originAddress)
        case .requestType: Self.isFound(pattern, subject.requestType)
        case .responseType: Self.isFound(pattern, subject.responseType)
        case .anyType: Self.isFound(pattern, subject.requestType, subject.responseType)
        case .profile: Self.isFound(pattern, subject.profile)
        case .route: Self.isFound(pattern, subject.route)
        case .trust: Self.isFound(pattern, subject.trust)
        case .node: Self.isFound(pattern, subject.node)
        case .app: Self.isFound(pattern, subject.app)
        case .session: Self.isFound(pattern, subject.session)
        }
    }

    private static func isFound(_ pattern: Pattern, _ first: String?, _ second: String? = nil) -> Bool {
        first.map(pattern.isFound) ?? false || second.map(pattern.isFound) ?? false
    }

    private static func client(of subject: some FilterSubject) -> String {
        let address = subject.clientAddress
        return (address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address) + ":\(subject.clientPort)"
    }
}
