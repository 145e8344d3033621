import Bytes
import HTTP
import Reactor

/// Tells the origin how the client named Shunt, and its address, as proxies do: by `X-Forwarded-For`, `-Proto` and
/// `-Host`.
///
/// A client that is a proxy itself has said so already: its address is appended, the rest stays as it is.
enum ForwardedStep: RequestStep {
    static func replacedFields(of request: OutgoingRequest) -> FieldNameSet? {
        guard request.use.forwards else { return nil }
        return [.xForwardedFor, .xForwardedProto, .xForwardedHost]
    }

    static func append(to output: inout Buffer, for request: OutgoingRequest) -> Bool {
        let (exchange, head) = (request.exchange, request.head)
        let bytes = exchange.headBytes
        var fits = output.appendWhole("X-Forwarded-For: ")
        if head.names.contains(.xForwardedFor) {
            for field in head.fields where field.id == .xForwardedFor {
                fits = fits && output.appendWhole(bytes.extracting(field.value)) && output.appendWhole(", ")
            }
        }
        fits = fits && output.appendWhole(exchange.client.forwardedFor)
        if head.names.contains(.xForwardedProto), let field = head.field(.xForwardedProto) {
            fits = fits && output.appendWhole(bytes.extracting(field.value))
        } else if exchange.client.isSecure {
            fits = fits && output.appendWhole("https")
        } else {
            fits = fits && output.appendWhole("http")
        }
        let told = head.names.contains(.xForwardedHost) ? head.field(.xForwardedHost)?.value : nil
        let name = told ?? exchange.namedAuthority
        return fits && output.appendWhole("\r\nX-Forwarded-Host: ") && output.appendWhole(bytes.extracting(name))
            && output.appendWhole("\r\n")
    }
}
