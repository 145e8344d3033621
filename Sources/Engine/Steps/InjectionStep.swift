import Bytes
import HTTP
import Profiles
import Rewriting

/// Asks the origin for the whole page, because the client's stored page may contain older injected HTML.
enum ConditionalStep: RequestStep {
    static func replacedFields(of request: OutgoingRequest) -> FieldNameSet? {
        guard request.exchange.request.edits?.plan.injection != nil, request.exchange.wantsHTML else { return nil }
        return [.ifNoneMatch, .ifModifiedSince]
    }

    static func append(to output: inout Buffer, for request: OutgoingRequest) -> Bool { true }
}

extension OriginRelay {
    /// The HTML for the response, if it is a page; its policies are those that the client will see.
    func injection(into bytes: Span<UInt8>, _ contentType: Span<UInt8>) -> InjectionUse? {
        guard let edits = exchange.request.edits, let injection = edits.plan.injection,
            Injection.concerns([UInt8](contentType))
        else { return nil }
        edits.injection = nil
        // It is unknown where a part of a page lies in the whole.
        guard memory.response.status != 206, let use = injection.use(below: policies(from: bytes, edits)) else {
            edits.refuseInjection(in: exchange)
            return nil
        }
        edits.injection = use
        return use
    }

    private func policies(from bytes: Span<UInt8>, _ edits: AppliedEdits) -> [String] {
        guard let first = memory.response.fields.first, let last = memory.response.fields.last else { return [] }
        let fields = [UInt8](bytes.extracting(first.line.lowerBound..<last.line.upperBound))
        return FieldLines.values(
            of: "content-security-policy", in: edits.plan.response?.headers.applied(to: fields) ?? fields)
    }
}

extension AppliedEdits {
    /// A page stays as it is.
    func refuseInjection(in exchange: ClientExchange) {
        injection = nil
        exchange.metrics.changes.insert(.notInjected)
    }
}
