import Bytes
import HTTP
import Profiles
import Rewriting
import TLS

/// What a route changes, made ready for the data path.
final class RouteEdits: Sendable {
    let request: RequestChanges?
    let response: ResponseChanges?
    let injection: Injection?
    /// Locations and cookies of origins lead back to the paths that clients know.
    let mapsAddresses: Bool
    let mapsCookies: Bool

    init(_ changes: RouteChanges, of route: Route) {
        request = changes.request
        response = changes.response
        injection = changes.injects ? Self.injection(of: changes) : nil
        let mapsPaths = request.map { !$0.path.isEmpty } ?? false
        mapsAddresses = mapsPaths && route.rewrite.addresses
        mapsCookies = mapsPaths && route.rewrite.cookies
    }

    private static func injection(of changes: RouteChanges) -> Injection {
        let (head, body) = (changes.injection?.head ?? [], changes.injection?.body ?? [])
        return Injection(
            start: changes.bridge.map { BridgeScript.html(for: $0) } ?? [], head: head.flatMap(\.html),
            body: body.flatMap(\.html), connects: changes.bridge != nil
        ) { bytes in
            sha256(ContiguousArray(bytes).span).map { Base64Encoder.text($0) }
        }
    }

    /// What clients get for a status of the route's responder.
    func status(for status: Int) -> Int { response?.status?.status(for: status) ?? status }
}

/// What is changed in the present exchange.
final class AppliedEdits {
    let plan: RouteEdits
    /// The request as it arrives at an origin; nil where it arrives as it came.
    let request: OwnedHead?
    /// The HTML for the page that responds; nil if the response is no page, or must stay unchanged.
    var injection: InjectionUse?

    init(_ plan: RouteEdits, _ request: OwnedHead?) {
        self.plan = plan
        self.request = request
    }
}

extension AppliedEdits {
    /// Changes the fields of a request that lie in `output` from `mark` on; false if they do not fit.
    func changeRequest(_ output: inout Buffer, from mark: Int) -> Bool {
        guard let headers = plan.request?.headers, !headers.isEmpty else { return true }
        return replace(&output, from: mark) { headers.applied(to: $0) }
    }

    /// Puts other text for that from `mark` on.
    func replace(_ output: inout Buffer, from mark: Int, _ change: ([UInt8]) -> [UInt8]) -> Bool {
        let text = change(Array(output.unsafeBytes[mark...]))
        output.truncate(to: mark)
        // A stream's output is small at first, and framing follows.
        let wanted = text.count + 512
        if output.room < wanted, output.count + wanted <= Limits.bufferSize { output.grow(by: wanted) }
        return output.appendWhole(text)
    }
}
