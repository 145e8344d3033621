import Bytes
import HTTP
import Profiles
import Rewriting

/// Gives the origin the conditions that are its own, without marks of an environment.
///
/// A page that gets HTML is asked for whole, because the client's stored page may contain older HTML.
enum ConditionStep: RequestStep {
    static func replacedFields(of request: OutgoingRequest) -> FieldNameSet? {
        var replaced = conditions(of: request)?.replaced
        if isWhole(request) { replaced = (replaced ?? []).union([.ifNoneMatch, .ifModifiedSince]) }
        return replaced
    }

    static func append(to output: inout Buffer, for request: OutgoingRequest) -> Bool {
        guard !isWhole(request), let lines = conditions(of: request)?.lines else { return true }
        return output.appendWhole(lines)
    }

    private static func conditions(of request: OutgoingRequest) -> CacheRules.Conditions? {
        guard let cache = request.use.cache, request.head.names.meets(CacheRules.requestNames) else { return nil }
        return cache.conditions(of: request.head, request.exchange.headBytes)
    }

    private static func isWhole(_ request: OutgoingRequest) -> Bool {
        request.exchange.request.edits?.plan.injection != nil && request.exchange.request.wantsHTML
    }
}

/// Marks what a client may store as its environment's, and lets no permission of a preflight be stored; the ETag of a body that is rewritten becomes weak, since it no
/// longer stands for the origin's bytes.
enum CacheStep: ResponseStep {
    static func replacedFields(of response: OutgoingResponse) -> FieldNameSet? {
        let names = response.exchange.relayMemory.response.names
        if response.exchange.request.head.method == .options {
            return response.use.cache != nil && names.meets(CacheRules.preflightNames) ? CacheRules.preflightNames : nil
        }
        if let cache = cache(for: response) {
            return cache.replacedFields(of: names, status: response.status)
                ?? (response.isBodyRewritten ? [.etag] : nil)
        }
        return response.isBodyRewritten ? [.etag] : nil
    }

    static func append(_ bytes: Span<UInt8>, to output: inout Buffer, for response: OutgoingResponse) -> Bool {
        let head = response.exchange.relayMemory.response
        if response.exchange.request.head.method == .options {
            response.exchange.metrics.changes.insert(.cache)
            return true
        }
        if let cache = cache(for: response),
            let replaced = cache.replacedFields(of: head.names, status: response.status)
        {
            response.exchange.metrics.changes.insert(.cache)
            let isWhole = cache.append(
                head.fields, bytes, status: response.status, isRewritten: response.isBodyRewritten, to: &output)
            if !response.isBodyRewritten || replaced.contains(.etag) { return isWhole }
            guard isWhole else { return false }
        }
        guard response.isBodyRewritten, let tag = head.field(.etag) else { return true }
        return output.appendWhole("ETag: ") && BodyRewriter.appendWeakETag(bytes.extracting(tag.value), to: &output)
            && output.appendWhole("\r\n")
    }

    /// Clients store responses to GET and HEAD.
    private static func cache(for response: OutgoingResponse) -> CacheRules? {
        let method = response.exchange.request.head.method
        return method == .get || method == .head ? response.use.cache : nil
    }
}

extension CacheRules {
    /// nil where origins decide.
    ///
    /// - Parameter origin: whose validators they are; nil for Shunt's own.
    init?(_ route: Route, in profile: Profile, origin: OriginAddress? = nil) {
        let environment = profile.name + (origin.map { " \($0)" } ?? "")
        switch route.client.cache {
        case .apart: self.init(.apart, environment: environment)
        case .none: self.init(.never, environment: environment)
        case .asIs: return nil
        }
    }
}

extension LocalResponse {
    /// The same with what its client may store marked as its environment's.
    func marked(by cache: CacheRules?) -> LocalResponse {
        guard let cache else { return self }
        let text = "HTTP/1.1 200 OK\r\n".utf8 + fields + "\r\n".utf8
        var head = ResponseHead()
        return text.withSpan { bytes in
            guard (try? head.parse(bytes, to: .get, limits: HeadLimits(bytes: bytes.count, fields: 10_000))) != nil,
                let replaced = cache.replacedFields(of: head.names, status: status)
            else { return self }
            var lines: [UInt8] = []
            for field in head.fields where !replaced.contains(field.id) {
                lines.append(bytes, field.line)
            }
            var own = Buffer(capacity: bytes.count + 256)
            guard cache.append(head.fields, bytes, status: status, isRewritten: false, to: &own) else { return self }
            return LocalResponse(self, fields: lines + own.unsafeBytes)
        }
    }
}
