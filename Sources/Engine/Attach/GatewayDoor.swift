import HTTP
import JSON
import Profiles
import Reactor
public import TLS

/// Where a gateway takes the connections of attached machines, and the request that opens one.
public struct GatewayDoor: Sendable {
    let host: String
    let port: UInt16
    let context: ClientContext?
    let request: [UInt8]

    /// - Parameters:
    ///   - host: without the brackets of an IPv6 address.
    ///   - context: nil for plain HTTP.
    ///   - request: a head of HTTP/1.1 that asks for the upgrade.
    public init(host: String, port: UInt16, context: ClientContext?, request: [UInt8]) {
        (self.host, self.port, self.context, self.request) = (host, port, context, request)
    }

    private static let longestRefusal = 16 << 10

    /// Opens a connection on which the gateway sends requests.
    func connect(_ number: Int, _ state: WorkerState) async throws(GatewayFailure) -> ClientConnection {
        let waiter = Waiter(state.core)
        waiter.note("a connection to a gateway")
        defer { waiter.retire() }
        let limit = state.limits.connectTime
        waiter.deadline = state.core.clock().after(limit)
        let opened: OutgoingConnection
        do throws(EngineFailure) {
            opened = try await OutgoingConnection.open(
                to: .plain(host: host, port: port),
                by: state.next.server(isTLS: context != nil, host: host, port: port), state, waiter, limit: limit)
        } catch {
            throw GatewayFailure(reason: error.message)
        }
        opened.socket.notify(waiter)
        let channel = SocketChannel(opened.socket, state.loop.buffers)
        do throws(GatewayFailure) {
            if let context { channel.secure(with: try await shakeHands(context, opened.socket, waiter)) }
            try await ask(channel, waiter)
            return ClientConnection(channel, number, state)
        } catch {
            channel.close()
            throw error
        }
    }

    private func shakeHands(
        _ context: ClientContext, _ socket: Socket, _ waiter: Waiter
    ) async throws(GatewayFailure) -> Session {
        do {
            let session = try Session(client: context, readiness: socket.readiness, host: host, resumption: nil)
            while true {
                switch try session.handshake() {
                case .bytes: return session
                case .end: throw GatewayFailure(reason: "it closed the connection in the TLS handshake")
                case .wantRead, .wantWrite:
                    if waiter.isExpired { throw GatewayFailure(reason: "it did not finish the TLS handshake") }
                    await waiter.park()
                }
            }
        } catch let failure as TLSFailure {
            throw GatewayFailure(reason: failure.message)
        } catch {
            throw error as? GatewayFailure ?? GatewayFailure(reason: "\(error)")
        }
    }

    private func ask(_ channel: SocketChannel, _ waiter: Waiter) async throws(GatewayFailure) {
        do throws(SmallExchange.Failure) {
            var exchange = SmallExchange(channel, waiter)
            try await exchange.ask(request)
            guard exchange.head.status != 101 else { return }
            _ = try await exchange.readContent(limit: Self.longestRefusal)
            let problem = try? JSONReader.read(exchange.content, dialect: .strict)
            throw SmallExchange.Failure(
                reason: problem?["detail"]?.string ?? "responded \(exchange.head.status)",
                advice: problem?["advice"]?.string)
        } catch {
            throw GatewayFailure(reason: error.reason, advice: error.advice)
        }
    }
}

/// Why a gateway has taken no connection.
public struct GatewayFailure: Error, Sendable {
    public let reason: String
    public var advice: String?
}
