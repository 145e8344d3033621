import Bytes
import Push
import Reactor

/// Who is at the other end of a client's connection, and what is kept for it as long as that lasts.
///
/// All streams of the connection share it. Confined to its worker.
final class ConnectedClient {
    let peer: SocketAddress?
    /// Its address in words, made with the first exchange that is recorded.
    private(set) lazy var name = peer?.description ?? ""
    /// Its address for `X-Forwarded-For`, with the end of the line, made once.
    private(set) lazy var forwardedFor = Array("\(peer?.host ?? "unknown")\r\n".utf8)
    /// The host name that the client sent in the TLS handshake (SNI).
    var serverName: ContiguousArray<UInt8>?
    /// The host for which the connection was intercepted; nil for a connection to Shunt itself.
    var entry: ClientEntry?
    /// The connection is one more than a client may have, see ``ClientLimits``.
    var isOverLimit = false
    /// Connections to origins that are its own; nil for none.
    private(set) var bound: BoundOrigins?
    /// The program of this machine that it is; nil where that was not looked for yet.
    var program: ClientProgram?
    /// The session whose port it came to; nil for other ports.
    var sessionID: String?
    /// The exchanges whose responses come from a handler.
    var handled = 0
    /// Set once it has taken Shunt for APNs.
    var provider: ProviderSession?

    init(_ peer: SocketAddress?) { self.peer = peer }

    /// Connections to origins that are its own, for one more.
    var boundOrigins: BoundOrigins {
        if let bound { return bound }
        let new = BoundOrigins()
        bound = new
        return new
    }
}
