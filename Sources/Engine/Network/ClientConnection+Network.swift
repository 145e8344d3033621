import Bytes
import Profiles
import Reactor
import Rewriting

// The conditions of a client's network, which its connection may get, change and lose at any time.
extension ClientConnection {
    /// Gives a new connection the conditions that its client has; false if there is no network.
    func applyNetwork() -> Bool {
        let environment = state.currentEnvironment
        guard state.present.shapesNetworks || state.networks.isUsed else { return true }
        let device = state.devices.device(at: peer)
        let plan = device?.profile.flatMap { environment?.plan(named: $0) } ?? environment?.active
        let known = (profile: plan?.profile.network, device: device)
        return ClientNetwork.shape(channel, as: peer, known, state, isNew: true)?.cut != .reset
    }

    /// The choice of conditions has changed.
    func networksChanged() {
        guard channel.isOpen else { return }
        ClientNetwork.shape(channel, as: peer, nil, state, isNew: false)
        guard channel.network?.cutsOrigins == true || !channel.isOpen else { return }
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
        guard let shaper = ClientNetwork.of(channel)?.shaper else { return }
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
