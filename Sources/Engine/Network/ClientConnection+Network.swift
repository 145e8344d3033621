import Bytes
import Profiles
import Reactor
import Rewriting

// The conditions of a client's network, which its connection may get, change and lose at any time.
extension ClientConnection {
    /// Gives a new connection the conditions that its client has; false if there is no network.
    func applyNetwork() -> Bool {
        let environment = state.currentEnvironment
        guard state.shapesNetworks else { return true }
        let device = state.devices.device(at: peer)
        let plan = device?.profile.flatMap { environment?.plan(named: $0) } ?? environment?.active
        let known = (profile: plan?.profile.network, device: device)
        return channel.shape(as: peer, known, state, isNew: true)?.cut != .reset
    }

    /// The choice of conditions has changed.
    func networksChanged() {
        guard channel.isOpen else { return }
        channel.shape(as: peer, nil, state, isNew: false)
        guard channel.cutsOrigins || !channel.isOpen else { return }
        // What waits for an origin would wait on.
        if let shared { shared.wakeStreams() } else { wake() }
    }

    /// Responds to the first message of a handshake with a fatal alert, handshake_failure (RFC 8446 6.2).
    func refuseTLS() {
        channel.reserveOutput()
        _ = channel.output.appendWhole([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28])
        _ = try? channel.flush()
    }

    /// Returns when the client has all bytes, which can be later than when Shunt has written them.
    func settle() async {
        guard let shaper = channel.shaper else { return }
        let waiter = Waiter(state.core)
        shaper.owner = waiter
        while !shaper.isOver {
            if state.isAborting || isCancelled { shaper.cancel() } else { await waiter.park() }
        }
    }
}

extension EngineFailure {
    static func cutOff(_ origin: OriginAddress) -> EngineFailure {
        EngineFailure(
            .origin, .connect, status: 502, "origin \(origin) cannot be reached: the network is cut",
            advice: "`shunt network` says for whom; `shunt offline off` restores it.", kind: .cutOff)
    }
}

extension SocketChannel {
    /// Shapes the connection by the conditions that hold for its client now; returns them.
    /// - Parameters:
    ///   - known: what its request or its address has shown; nil for what was known last.
    ///   - isNew: it was just accepted.
    @discardableResult
    func shape(
        as peer: SocketAddress?, _ known: (profile: NetworkConditions?, device: Device?)?, _ state: WorkerState,
        isNew: Bool
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
                state.spawn(made)
            } catch {
                // Out of descriptors: an unshaped connection would say something wrong about the network.
                socket.breakOff()
            }
        }
        return conditions
    }
}
