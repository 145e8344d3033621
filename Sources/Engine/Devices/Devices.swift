public import Reactor
import Synchronization

/// The devices that have a profile of their own, and the codes that pair new ones.
///
/// Shared by all threads; workers ask through a ``DeviceView`` of their own.
public final class Devices: Sendable {
    /// Devices in all; a new one replaces the one that was not seen for the longest time.
    public static let limit = 256
    /// Devices of one user, so that no user displaces those of others.
    public static let limitPerUser = 16

    struct State {
        var entries: [DeviceTable.Entry] = []
        /// The profiles of users, by their names.
        var choices: [String: String] = [:]
        /// The profiles of programs of this machine, by their names.
        var apps: [String: String] = [:]
        var table = DeviceTable.empty
        var codes = PairingCodes()
    }

    private let state = Mutex(State())
    private let observer = Mutex<(@Sendable () -> Void)?>(nil)
    /// Counts the changes: a worker compares one number per request and takes the lock only after a change.
    let generation = Atomic<UInt64>(0)

    /// - Parameters:
    ///   - known: devices of an earlier run.
    ///   - choices: profiles of users in that run.
    ///   - apps: profiles of programs in that run.
    public init(restoring known: [Device] = [], choices: [String: String] = [:], apps: [String: String] = [:]) {
        guard !known.isEmpty || !choices.isEmpty || !apps.isEmpty else { return }
        change { state in
            (state.choices, state.apps) = (choices, apps)
            for var device in known {
                device.name = DeviceName.unique(
                    DeviceName.cleaned(device.name), among: state.entries.map(\.device.name))
                Self.put(device, in: &state)
            }
        }
    }

    /// Calls `body` after each change of the devices, on the thread that made it.
    public func onChange(_ body: @escaping @Sendable () -> Void) { observer.withLock { $0 = body } }

    /// All devices, the one that was seen last first.
    public var list: [Device] {
        state.withLock { $0.entries.map(\.current) }.sorted { ($1.lastSeen, $0.name) < ($0.lastSeen, $1.name) }
    }

    var table: DeviceTable { state.withLock { $0.table } }

    /// The device with this token.
    public func device(token: TokenDigest) -> Device? {
        let entry = table.entry(token: token)
        entry?.touch()
        return entry?.current
    }

    /// The devices whose tokens a `Cookie` field contains, each with the key for forms that change it.
    public func shown(inCookie value: Span<UInt8>) -> [(device: Device, formKey: String)] {
        let table = table
        var shown: [(device: Device, formKey: String)] = []
        var start = 0
        while let range = DeviceToken.next(inCookie: value, from: &start) {
            let token = value.extracting(range)
            guard let digest = TokenDigest(of: token), let entry = table.entry(token: digest),
                let key = DeviceToken.formKey(of: token)
            else { continue }
            entry.touch()
            shown.append((entry.current, key))
        }
        return shown
    }

    /// The device that is known by this address.
    public func device(address: SocketAddress) -> Device? { table.entry(address: address)?.current }

    public func device(named name: String) -> Device? { table.entry(named: name)?.current }

    /// Sets the profile of a device; with nil it follows the active one.
    ///
    /// Returns nil if there is no such device, or not any more: one that is known by its address alone and has no
    /// profile is like any other client.
    ///
    /// - Parameter address: the address that the device is recognised by from now on; with nil it keeps the one that it
    ///   has.
    @discardableResult
    public func assign(_ profile: String?, to name: String, at address: SocketAddress? = nil) -> Device? {
        change { state in
            guard var device = Self.take(name, from: &state), profile != nil || device.token != nil else { return nil }
            device.profile = profile
            if let address = address.flatMap(Self.binding) { device.address = address }
            return Self.put(device, in: &state)
        }
    }

    /// Sets the profile of clients with this address; with nil they follow the active one.
    ///
    /// An unknown address becomes a device of its own, unless `profile` is nil.
    @discardableResult
    public func assign(_ profile: String?, at address: SocketAddress) -> Device? {
        change { state in
            if var known = state.table.entry(address: address)?.current {
                _ = Self.take(known.name, from: &state)
                if profile == nil && known.token == nil { return nil }
                known.profile = profile
                return Self.put(known, in: &state)
            }
            guard profile != nil else { return nil }
            let name = DeviceName.unique(address.unmapped.host, among: state.entries.map(\.device.name))
            return Self.put(
                Device(
                    name: name, address: address.unmapped, token: nil, profile: profile,
                    lastSeen: DeviceTable.Entry.now), in: &state)
        }
    }

    /// Forgets a device, whose token becomes invalid; returns false if there is none of that name.
    public func forget(_ name: String) -> Bool { change { Self.take(name, from: &$0) != nil } }

    /// Forgets all devices and returns how many there were.
    public func forgetAll() -> Int {
        change { state in
            defer { state.entries = [] }
            return state.entries.count
        }
    }

    /// Knows exactly these devices and choices; devices that were known keep the time at which they were last seen.
    ///
    /// - Parameter choices: profiles of users, by their names.
    package func replace(with known: [Device], choices: [String: String]) {
        change { state in
            let seen = Dictionary(state.entries.map { ($0.device.name, $0.current.lastSeen) }) { $1 }
            state.entries = []
            state.choices = choices
            for var device in known {
                device.lastSeen = max(device.lastSeen, seen[device.name] ?? 0)
                Self.put(device, in: &state)
            }
        }
    }

    /// Accesses the codes, which workers do not use.
    func withCodes<R: Sendable>(_ body: (inout PairingCodes) -> R) -> R { state.withLock { body(&$0.codes) } }

    /// Changes the devices and lets the workers know.
    func change<R: Sendable>(_ body: (inout State) -> R) -> R {
        let result = state.withLock { state in
            let result = body(&state)
            state.table = DeviceTable(state.entries, state.choices, state.apps)
            // Inside the lock, so that a worker that reads the new number also finds the new table.
            generation.add(1, ordering: .releasing)
            return result
        }
        let observer = observer.withLock { $0 }
        observer?()
        return result
    }

    static func take(_ name: String, from state: inout State) -> Device? {
        guard let index = state.entries.firstIndex(where: { $0.device.name == name }) else { return nil }
        return state.entries.remove(at: index).current
    }

    /// Adds a device; an address and a token stand for one device only, the newest.
    @discardableResult
    static func put(_ device: Device, in state: inout State) -> Device {
        var device = device
        // A user's device is known by its token alone.
        if device.user != nil { device.address = nil }
        let key = device.address.map(DeviceAddress.init)
        for (index, entry) in state.entries.enumerated().reversed() {
            var other = entry.current
            if let token = device.token, other.token == token {
                state.entries.remove(at: index)
            } else if let key, other.address.map(DeviceAddress.init) == key {
                other.address = nil
                if other.token == nil {
                    state.entries.remove(at: index)
                } else {
                    state.entries[index] = DeviceTable.Entry(other)
                }
            }
        }
        func makeRoom(_ limit: Int, among isOne: (Device) -> Bool) {
            while case let those = state.entries.indices.filter({ isOne(state.entries[$0].device) }),
                those.count >= limit,
                let oldest = those.min(by: {
                    state.entries[$0].current.lastSeen < state.entries[$1].current.lastSeen
                })
            {
                state.entries.remove(at: oldest)
            }
        }
        if let user = device.user { makeRoom(limitPerUser) { $0.user == user } }
        makeRoom(limit) { _ in true }
        state.entries.append(DeviceTable.Entry(device))
        return device
    }

    /// The address that a device is recognised by: none for loopback, which all programs of this machine share.
    static func binding(_ address: SocketAddress) -> SocketAddress? {
        address.isPrivate ? address.unmapped : nil
    }
}
