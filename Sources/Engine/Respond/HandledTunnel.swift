import HTTP
import Platform
import Reactor
import Synchronization

/// One end of a pair of sockets, which takes over a connection after a request to a ``Handler``.
public final class HandledTunnel: Sendable {
    private let descriptor: Mutex<CInt>

    /// - Parameter descriptor: is closed with the tunnel.
    public init(_ descriptor: CInt) { self.descriptor = Mutex(descriptor) }

    deinit { descriptor.withLock { if $0 >= 0 { close($0) } } }

    /// Sends the response, and carries bytes both ways until one side ends.
    func carry(_ exchange: ClientExchange, _ response: HandledResponse) async throws(EngineFailure) {
        let client = exchange.client
        guard !client.channel.isStream, exchange.request.head.version == .http11 else {
            throw EngineFailure(
                .client, .route, status: 501, "a connection is taken over with HTTP/1.1 alone (RFC 9110 7.8)")
        }
        let descriptor = self.descriptor.withLock { descriptor in
            defer { descriptor = -1 }
            return descriptor
        }
        let far: SocketChannel
        do throws(SystemError) {
            far = SocketChannel(try Socket(descriptor, exchange.state.core), exchange.state.loop.buffers)
        } catch {
            throw EngineFailure(.proxy, .route, status: 503, "no connection can be taken over: \(error.reason)")
        }
        defer { far.close() }
        client.mustClose = true
        exchange.metrics.didRespond(response.status)
        exchange.didAnswer()
        let head = Array("HTTP/1.1 101 Switching Protocols\r\n".utf8) + response.fieldLines + [0x0D, 0x0A]
        guard await client.say(head) else { throw .clientLeft("it closed the connection") }
        var tunnel = Tunnel(exchange, far, nil)
        try await tunnel.run()
    }
}
