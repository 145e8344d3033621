import Bytes
import HTTP
import Profiles
import Rewriting

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

extension ClientExchange {
    /// A response of Shunt's own with the route's HTML, if it is a page.
    @inline(never)
    func injected(_ response: LocalResponse) -> LocalResponse {
        guard let edits = request.edits, let injection = edits.plan.injection else { return response }
        edits.injection = nil
        let fields = edits.plan.response?.headers.applied(to: response.fields) ?? response.fields
        guard let type = FieldLines.values(of: "content-type", in: response.fields).first.map({ Array($0.utf8) }),
            Injection.concerns(type), LocalResponse.mayHaveBody(response.status)
        else { return response }
        guard response.status != 206, FieldLines.values(of: "content-encoding", in: response.fields).isEmpty,
            let use = injection.use(below: FieldLines.values(of: "content-security-policy", in: fields)),
            let page = use.applied(to: response.body, contentType: type)
        else {
            edits.refuseInjection(in: self)
            return response
        }
        guard page.count != response.body.count else { return response }
        edits.injection = use
        metrics.changes.insert(.injection)
        return LocalResponse(response, body: page)
    }
}

extension AppliedEdits {
    /// A page stays as it is.
    func refuseInjection(in exchange: ClientExchange) {
        injection = nil
        exchange.metrics.changes.insert(.notInjected)
    }
}
