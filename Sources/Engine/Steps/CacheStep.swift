import Bytes
import HTTP
import Profiles
import Rewriting

/// Gives the origin the conditions that are its own, without marks of an environment.
///
/// What gets HTML or edits is asked for whole, because what the client has stored may be of older ones.
enum ConditionStep: RequestStep {
    static func append(
        to output: inout Buffer, for request: OutgoingRequest, replacing fields: inout FieldNameSet
    ) -> Bool {
        let edits = request.exchange.way.edits?.plan
        let isWhole = edits?.responseBody != nil || edits?.injection != nil && request.exchange.request.wantsHTML
        if isWhole { fields = fields.union([.ifNoneMatch, .ifModifiedSince]) }
        guard let cache = request.use.cache, request.head.names.meets(CacheRules.requestNames),
            let conditions = cache.conditions(of: request.head, request.exchange.headBytes)
        else { return true }
        fields = fields.union(conditions.replaced)
        return isWhole || output.appendWhole(conditions.lines)
    }
}

/// Marks what a client may store as its environment's, and lets no permission of a preflight be stored; the ETag of a
/// body that is rewritten becomes weak, since it no longer stands for the origin's bytes.
enum CacheStep: ResponseStep {
    static func append(
        _ bytes: Span<UInt8>, to output: inout Buffer, for response: OutgoingResponse,
        replacing fields: inout FieldNameSet
    ) -> Bool {
        let (memory, method) = (response.memory, response.exchange.request.head.method)
        let cache = response.use.cache
        if method == .options {
            guard cache != nil, memory.response.names.meets(CacheRules.preflightNames) else { return true }
            fields = fields.union(CacheRules.preflightNames)
            response.exchange.metrics.changes.insert(.cache)
            return true
        }
        // Clients store responses to GET and HEAD.
        if let cache, method == .get || method == .head,
            let replaced = cache.replacedFields(of: memory.response.names, status: response.status)
        {
            fields = fields.union(replaced)
            response.exchange.metrics.changes.insert(.cache)
            let isWhole = cache.append(
                memory.response.fields, bytes, status: response.status, isRewritten: response.isBodyRewritten,
                to: &output)
            if !response.isBodyRewritten || replaced.contains(.etag) || !isWhole { return isWhole }
        }
        guard response.isBodyRewritten else { return true }
        fields.insert(.etag)
        guard let tag = memory.response.field(.etag) else { return true }
        return output.appendWhole("ETag: ") && BodyRewriter.appendWeakETag(bytes.extracting(tag.value), to: &output)
            && output.appendWhole("\r\n")
    }
}

extension CacheRules {
    /// nil where origins decide.
    ///
    /// - Parameter origin: whose validators they are; nil for Shunt's own.
    init?(_ route: Route, in profile: Profile, origin: OriginPlan? = nil) {
        let environment = profile.name + (origin.map { " " + $0.name } ?? "")
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
            var response = self
            response.fields = lines + own.unsafeBytes
            return response
        }
    }
}
