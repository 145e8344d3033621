import Bytes
package import Cluster
package import Engine
import Profiles
import Reactor

// What is shared, in the types of the proxy and back.
extension ClusterState {
    /// The state of a proxy; what ends is left out, since its end is not by the database's clock.
    init(_ proxy: Proxy) {
        self.init(active: proxy.profiles?.active ?? "")
        devices = proxy.devices.list.map(ClusterDevice.init).sorted { $0.name < $1.name }
        choices = proxy.devices.choices
        mocks = Self.mocks(proxy.mockSwitches)
    }

    package var deviceList: [Device] { devices.compactMap(\.device) }

    package var mockSwitches: MockSwitches {
        var switches = MockSwitches()
        for mock in mocks {
            let key = MockKey(profile: mock.profile, name: mock.name)
            if let device = mock.device {
                switches.devices[device, default: [:]][key] = mock.isOn
            } else if !mock.isOn {
                switches.off.insert(key)
            }
        }
        return switches
    }

    static func mocks(_ switches: MockSwitches) -> [ClusterMock] {
        let common = switches.off.map { ClusterMock(profile: $0.profile, name: $0.name, device: nil, isOn: false) }
        let own = switches.devices.flatMap { device, keys in
            keys.map { ClusterMock(profile: $0.key.profile, name: $0.key.name, device: device, isOn: $0.value) }
        }
        return (common + own).sorted {
            ($0.device ?? "", $0.profile, $0.name) < ($1.device ?? "", $1.profile, $1.name)
        }
    }

    /// Devices of a state that is changed.
    var deviceBoard: Devices { Devices(restoring: deviceList, choices: choices) }

    /// Takes over devices that were changed; when each was last seen is no change.
    mutating func replace(_ board: Devices) {
        choices = board.choices
        func isSame(_ left: Device, _ right: Device) -> Bool {
            left.name == right.name && left.address == right.address && left.token == right.token
                && left.profile == right.profile && left.user == right.user
        }
        let sorted = board.list.sorted { $0.name < $1.name }
        let known = deviceList.sorted { $0.name < $1.name }
        guard sorted.count != known.count || !zip(sorted, known).allSatisfy(isSame) else { return }
        self.devices = sorted.map(ClusterDevice.init)
    }
}

extension ClusterSnapshot {
    /// The choices that have not ended, each with its end by this machine's clock.
    var networkChoices: [NetworkChoice] {
        state.networks.compactMap { entry in
            let until = entry.until.map { end($0, atMost: entry.seconds ?? 0) }
            guard until ?? .never > .now() else { return nil }
            // A preset of a newer Shunt is not known here.
            guard let name = entry.network else {
                return NetworkChoice(conditions: nil, device: entry.device, until: until)
            }
            return NetworkConditions.preset(name).map {
                NetworkChoice(conditions: $0, device: entry.device, until: until)
            }
        }
    }
}

extension ClusterMember {
    /// Changes the devices of all nodes; `body` may be called several times.
    func changeDevices(_ body: @escaping @Sendable (Devices) -> Void) async throws(ClusterRefusal) -> ClusterSnapshot {
        try await change { (state, _) in
            let devices = state.deviceBoard
            body(devices)
            state.replace(devices)
        }
    }
}

extension ClusterDevice {
    init(_ device: Device) {
        self.init(
            name: device.name, address: device.address?.host, token: device.token.map { Hex.text($0.bytes) },
            profile: device.profile, user: device.user, lastSeen: device.lastSeen)
    }

    /// nil for an entry that stands for no client.
    var device: Device? {
        let token = token.flatMap { Hex.bytes($0) }.flatMap { TokenDigest(bytes: $0) }
        let address = address.flatMap { SocketAddress(literal: $0, port: 0) }
        guard token != nil || address != nil else { return nil }
        return Device(name: name, address: address, token: token, profile: profile, user: user, lastSeen: lastSeen)
    }
}
