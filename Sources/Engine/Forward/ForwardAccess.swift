import HTTP
import Profiles
import Reactor

extension ForwardProxy {
    /// Throws unless a client may use the proxy: it is on this machine or paired, and has the credentials, if there are
    /// any.
    func check(_ request: Request, of client: Client) throws(EngineFailure) {
        // An address that was merely given a profile is not paired.
        guard client.isLocal || client.state.devices.device(at: client.peer)?.token != nil else {
            throw EngineFailure(
                .client, .route, status: 403,
                "\(client.connected.name) may not use Shunt as a proxy: only this machine and paired devices may",
                advice: "Pair it by `shunt pair`, or use Shunt's address as the base URL of the client.")
        }
        guard let credentials, !client.proxying.hasProvenItself else { return }
        let fields = request.head.fields.filter { $0.id == .proxyAuthorization }
        guard fields.count == 1, credentials.areCarried(by: request.text(fields[0].value)) else {
            throw EngineFailure(
                .client, .route, status: 407, "the proxy requires the user and password of `--proxy-user`",
                advice: "Write them into the proxy's URL: http://USER:PASSWORD@localhost:PORT.")
        }
    }
}

extension ForwardTarget {
    /// The target's host in the spelling of profiles, without an environment's label.
    init(_ request: Request, _ environment: Environment, port: UInt16) throws(EngineFailure) {
        var name = request.head.host
        if let label = environment.library.environmentLabel(of: request.bytes.extracting(name)) {
            name = name.lowerBound + label.length..<name.upperBound
        }
        let text = request.text(name)
        guard let host = normalHost(text), !host.isEmpty, port != 0 else {
            throw EngineFailure(.client, .route, status: 400, "\(text):\(port) is no host and port to connect to")
        }
        self.init(host: host, port: port)
    }
}

extension Client {
    /// It is on this machine.
    var isLocal: Bool { peer?.isLoopback == true }

    /// Whether a target is Shunt's own address, as far as its name says.
    func isOwn(_ target: ForwardTarget) -> Bool {
        guard let own = channel.wire?.socket.localAddress, own.port == target.port else { return false }
        if target.host == "localhost" || target.host.hasSuffix(".localhost") { return true }
        guard let address = SocketAddress(literal: target.host, port: 0) else { return false }
        return address.isLoopback || address.unmapped.host == own.unmapped.host
    }
}

/// Which addresses clients of other machines reach through the proxy.
enum ForwardReach {
    /// Throws unless all addresses of a target are public ones, and none is this machine's own.
    static func check(_ addresses: [SocketAddress], of target: String) throws(EngineFailure) {
        let own = NetworkInterface.ownAddresses()
        guard let closed = addresses.first(where: { !$0.isPublic || own.contains($0.unmapped.bytes) }) else { return }
        throw EngineFailure(
            .client, .route, status: 403,
            "\(target) is at \(closed.host), which only clients of this machine reach through the proxy",
            advice: "Give the host a route, so that the profile decides what responds.")
    }
}
