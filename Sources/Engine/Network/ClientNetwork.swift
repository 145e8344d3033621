import Profiles
import Reactor

/// The network of one client as its connection shows it: under which conditions, and what delays its bytes.
///
/// Confined to its worker.
final class ClientNetwork: ChannelNetwork {
    /// Delays its bytes; nil while its network is the one that there is.
    private(set) var shaper: ConnectionShaper?
    private(set) var refusesTLS = false
    private(set) var cutsOrigins = false
    /// What the profile of its client says about the network, as far as is known.
    private var profileNetwork: NetworkConditions?
    /// The device that its last request came from.
    private var deviceName: String?

    var isShaped: Bool { shaper != nil }

    /// That of a connection; nil as long as that is the one that there is.
    static func of(_ channel: SocketChannel) -> ClientNetwork? { channel.network as? ClientNetwork }

    /// Shapes a connection by the conditions that hold for its client now; returns them.
    /// - Parameters:
    ///   - known: what its request or its address has shown; nil for what was known last.
    ///   - isNew: it was just accepted.
    @discardableResult
    static func shape(
        _ channel: SocketChannel, as peer: SocketAddress?, _ known: (profile: NetworkConditions?, device: Device?)?,
        _ state: WorkerState, isNew: Bool
    ) -> NetworkConditions? {
        let network = of(channel) ?? ClientNetwork()
        channel.network = network
        return network.shape(channel.socket, as: peer, known, state, isNew: isNew)
    }

    private func shape(
        _ socket: Socket, as peer: SocketAddress?, _ known: (profile: NetworkConditions?, device: Device?)?,
        _ state: WorkerState, isNew: Bool
    ) -> NetworkConditions? {
        if let known { (profileNetwork, deviceName) = (known.profile, known.device?.name) }
        let names = [deviceName ?? state.devices.device(at: peer)?.name, peer?.unmapped.host].compactMap(\.self)
        let now = state.core.clock()
        let conditions = state.networks.conditions(of: names, profile: profileNetwork, now: now)
        refusesTLS = conditions?.cut == .alert
        cutsOrigins = conditions?.cut == .origins
        if cutsOrigins { state.hasCuts = true }
        // The connection itself is the one that there is.
        let shaped = cutsOrigins ? nil : conditions
        guard shaped != shaper?.conditions, !refusesTLS || shaper != nil else { return conditions }
        let link = shaped.map { state.networks.link(of: peer, $0, now: now) }
        if let shaper {
            shaper.use(link)
        } else if let link {
            if link.conditions.cut == .reset {
                socket.breakOff()
                return conditions
            }
            do throws(SystemError) {
                let made = try ConnectionShaper(socket, link, state.core, isNew: isNew)
                shaper = made
                state.loop.spawn(made)
            } catch {
                // Out of descriptors: an unshaped connection would say something wrong about the network.
                socket.breakOff()
            }
        }
        return conditions
    }
}
