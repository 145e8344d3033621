import Bytes
import HTTP
import Profiles
import Rewriting

extension OriginResponse {
    /// The HTML for the response, if it is a page; its policies are those that the client will see.
    func injection(into contentType: Span<UInt8>) -> InjectionUse? {
        guard let edits = exchange.way.edits, let injection = edits.plan.injection,
            Injection.concerns([UInt8](contentType))
        else { return nil }
        edits.injection = nil
        // It is unknown where a part of a page lies in the whole.
        guard memory.response.status != 206, let use = injection.use(below: policies(edits)) else {
            edits.refuseInjection(in: exchange)
            return nil
        }
        edits.injection = use
        return use
    }

    private func policies(_ edits: AppliedEdits) -> [String] {
        guard let first = memory.response.fields.first, let last = memory.response.fields.last else { return [] }
        let fields = [UInt8](bytes.extracting(first.line.lowerBound..<last.line.upperBound))
        return FieldLines.values(
            of: "content-security-policy", in: edits.plan.response?.headers.applied(to: fields) ?? fields)
    }
}

extension LocalResponse {
    /// A response of Shunt's own with the route's HTML, if it is a page.
    func injected(in exchange: ClientExchange) -> LocalResponse {
        guard let edits = exchange.way.edits, let injection = edits.plan.injection else { return self }
        edits.injection = nil
        let changed = edits.plan.response?.headers.applied(to: fields) ?? fields
        guard let type = FieldLines.values(of: "content-type", in: fields).first.map({ Array($0.utf8) }),
            Injection.concerns(type), Self.mayHaveBody(status)
        else { return self }
        guard status != 206, FieldLines.values(of: "content-encoding", in: fields).isEmpty,
            let use = injection.use(below: FieldLines.values(of: "content-security-policy", in: changed)),
            let page = use.applied(to: body, contentType: type)
        else {
            edits.refuseInjection(in: exchange)
            return self
        }
        guard page.count != body.count else { return self }
        edits.injection = use
        exchange.metrics.changes.insert(.injection)
        var response = self
        response.body = page
        return response
    }
}

extension AppliedEdits {
    /// A page stays as it is.
    func refuseInjection(in exchange: ClientExchange) {
        injection = nil
        exchange.metrics.changes.insert(.notInjected)
    }
}
