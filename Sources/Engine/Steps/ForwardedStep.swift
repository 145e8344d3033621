import Bytes
import HTTP
import Profiles
import Reactor
import Rewriting
import Synchronization

/// Tells the origin how the client named Shunt, and its address, as proxies do: by `X-Forwarded-For`, `-Proto` and
/// `-Host`.
///
/// A client that is a proxy itself has said so already: its address is appended, the rest stays as it is.
///
/// Servers compare `Origin` with the address that they take for their own, and some go by these fields, some by `Host`.
/// Where `Origin` becomes the origin's address, all fields say the same: nothing of https and of the client's host; or,
/// to a server that wants https, https everywhere, in front of its own host.
enum ForwardedStep: RequestStep {
    static func append(
        to output: inout Buffer, for request: OutgoingRequest, replacing fields: inout FieldNameSet
    ) -> Bool {
        guard request.use.forwards else { return true }
        fields = fields.union([.xForwardedFor, .xForwardedProto, .xForwardedHost])
        let (exchange, head) = (request.exchange, request.head)
        let bytes = exchange.headBytes
        var fits = output.appendWhole("X-Forwarded-For: ")
        if head.names.contains(.xForwardedFor) {
            for field in head.fields where field.id == .xForwardedFor {
                fits = fits && output.appendWhole(bytes.extracting(field.value)) && output.appendWhole(", ")
            }
        }
        fits = fits && output.appendWhole(exchange.client.connected.forwardedFor)
        func append(_ name: StaticString, _ value: Span<UInt8>) {
            fits =
                fits && output.appendWhole(name) && output.appendWhole(value) && output.appendWhole("\r\n")
        }
        let replacesOrigin = replacesOrigin(request)
        if !replacesOrigin || namesScheme(request) {
            let told = head.names.contains(.xForwardedProto) ? head.field(.xForwardedProto)?.value : nil
            if let told {
                append("X-Forwarded-Proto: ", bytes.extracting(told))
            } else {
                fits =
                    fits
                    && output.appendWhole(
                        exchange.client.isSecure ? "X-Forwarded-Proto: https\r\n" : "X-Forwarded-Proto: http\r\n")
            }
        }
        if !replacesOrigin {
            let told = head.names.contains(.xForwardedHost) ? head.field(.xForwardedHost)?.value : nil
            append("X-Forwarded-Host: ", bytes.extracting(told ?? exchange.request.namedAuthority))
        }
        guard changesScheme(request) else { return fits }
        fields = fields.union([.origin, .referer])
        return fits && appendPages(to: &output, for: request)
    }

    /// Origin and Referer of the origin's own pages, with the client's scheme.
    private static func appendPages(to output: inout Buffer, for request: OutgoingRequest) -> Bool {
        let (exchange, bytes) = (request.exchange, request.exchange.headBytes)
        let scheme = exchange.client.isSecure ? "https" : "http"
        for field in request.head.fields where field.id == .origin || field.id == .referer {
            var line = Buffer(capacity: 4 * field.line.count + 2048)
            guard
                request.use.rules.append(
                    requestField: field, from: bytes, authority: bytes.extracting(request.head.authority),
                    client: ClientName(exchange), to: &line, changes: &exchange.metrics.changes)
            else { return false }
            let text = Array(line.unsafeBytes)
            if text == [UInt8](bytes.extracting(field.line)) {
                guard output.appendWhole(text) else { return false }
                continue
            }
            // Up to the value, then a scheme in place of its own.
            let front = field.value.lowerBound - field.line.lowerBound
            let colon = text[front...].firstIndex(of: UInt8(ascii: ":")) ?? front
            guard output.appendWhole(Array(text[..<front] + scheme.utf8 + text[colon...])) else { return false }
        }
        return true
    }

    /// Whether a request of the origin's own page says nothing of the client's scheme.
    static func hidesScheme(in exchange: ClientExchange, _ use: OriginUse) -> Bool {
        let request = OutgoingRequest(exchange: exchange, use: use, body: nil)
        return use.forwards && !namesScheme(request) && replacesOrigin(request)
    }

    /// Origin and Referer get the client's scheme, which X-Forwarded-Proto names.
    private static func changesScheme(_ request: OutgoingRequest) -> Bool {
        let (names, use) = (request.head.names, request.use)
        guard request.exchange.client.isSecure != use.origin.address.isTLS, use.rules.rewritesAddresses else {
            return false
        }
        if names.contains(.origin) { return namesScheme(request) && replacesOrigin(request) }
        return names.contains(.referer) && !names.contains(.xForwardedProto) && !names.contains(.xForwardedHost)
    }

    /// The origin is told of the client's scheme even where it is told of no other name.
    private static func namesScheme(_ request: OutgoingRequest) -> Bool {
        request.use.isForwardingAsked || request.use.findings.wantsTLS.load(ordering: .relaxed)
    }

    /// Origin becomes the origin's address, and no proxy in front has told another.
    private static func replacesOrigin(_ request: OutgoingRequest) -> Bool {
        let head = request.head
        guard head.names.contains(.origin), !head.names.contains(.xForwardedHost),
            !head.names.contains(.xForwardedProto), request.use.rules.rewritesAddresses,
            let field = head.fields.first(where: { $0.id == .origin })
        else { return false }
        let bytes = request.exchange.headBytes
        return request.use.rules.replaces(
            origin: field, from: bytes, authority: bytes.extracting(head.authority),
            client: ClientName(request.exchange))
    }
}
