import HTTP
import TLS

/// A request as one for another protocol (RFC 9110 7.8), such as a WebSocket (RFC 6455 4), where the two sides of an
/// exchange may speak different versions of HTTP.
struct UpgradeRequest {
    let request: Request

    /// Whether the request may become a tunnel.
    ///
    /// Not with a body, because bytes of it that arrive after the switch would be read as the tunnel's. Not to HTTP/2
    /// (RFC 7540 3.2, obsoleted by RFC 9113), because its requests would bypass all routes.
    var isAsked: Bool {
        guard request.head.upgrade && request.head.framing == .none else { return false }
        return !request.text(request.head.upgradeRange).lowercased().contains("h2c")
    }

    /// Whether the request asks for a tunnel that this origin can provide.
    ///
    /// HTTP/2 knows no Upgrade but the WebSocket's (RFC 8441); a request for another protocol is sent without Upgrade
    /// (RFC 9110 7.8).
    func isAsked(of plan: OriginPlan) -> Bool { isAsked && (!plan.isHTTP2Known || namesWebSocket) }

    /// Whether the request asks for a WebSocket.
    var isWebSocket: Bool { isAsked && namesWebSocket }

    private var namesWebSocket: Bool {
        request.text(request.head.upgradeRange).lowercased() == "websocket"
    }

    /// The value that the client expects for its key, which an HTTP/2 origin does not get (RFC 8441 5).
    var accept: [UInt8] {
        let bytes = request.bytes
        let field = request.head.fields.first { $0.isNamed("sec-websocket-key".utf8, in: bytes) }
        return field.flatMap { WebSocketAccept.value(forKey: bytes.extracting($0.value)) } ?? []
    }

    /// Whether an origin that was sent a key of Shunt's own, for a client of HTTP/2, has understood it (RFC 6455 4.1).
    ///
    /// A client of HTTP/1.1 looks for itself.
    func isAccepted(by response: borrowing ResponseHead, _ bytes: Span<UInt8>, isStream: Bool) -> Bool {
        guard isStream, namesWebSocket else { return true }
        let field = response.fields.first { $0.isNamed("sec-websocket-accept".utf8, in: bytes) }
        return field.map { [UInt8](bytes.extracting($0.value)) == accept } ?? false
    }
}

extension Request {
    /// What it says of another protocol.
    var upgrade: UpgradeRequest { UpgradeRequest(request: self) }
}
