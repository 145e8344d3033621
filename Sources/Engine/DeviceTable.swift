public import Reactor
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// All devices at one moment, made for finding one.
///
/// Immutable, apart from when each was last seen.
final class DeviceTable: Sendable {
    final class Entry: Sendable {
        let device: Device
        private let lastSeen: Atomic<Int64>

        init(_ device: Device) {
            self.device = device
            lastSeen = Atomic(device.lastSeen)
        }

        /// As it is now.
        var current: Device {
            Device(
                name: device.name, address: device.address, token: device.token, profile: device.profile,
                lastSeen: lastSeen.load(ordering: .relaxed))
        }

        func touch() {
            let now = Self.now
            // Workers share the line of memory, so it is written to once a second at most.
            if lastSeen.load(ordering: .relaxed) != now { lastSeen.store(now, ordering: .relaxed) }
        }

        /// Seconds since 1970.
        static var now: Int64 { Int64(time(nil)) }
    }

    static let empty = DeviceTable([])

    let entries: [Entry]
    private let byAddress: [DeviceAddress: Entry]
    private let byToken: [TokenDigest: Entry]

    init(_ entries: [Entry]) {
        self.entries = entries
        var byAddress: [DeviceAddress: Entry] = [:]
        var byToken: [TokenDigest: Entry] = [:]
        for entry in entries {
            if let address = entry.device.address { byAddress[DeviceAddress(address)] = entry }
            if let token = entry.device.token { byToken[token] = entry }
        }
        self.byAddress = byAddress
        self.byToken = byToken
    }

    func entry(token: TokenDigest) -> Entry? { byToken[token] }

    func entry(address: SocketAddress) -> Entry? { byAddress[DeviceAddress(address)] }

    func entry(named name: String) -> Entry? { entries.first { $0.device.name == name } }
}

/// What one worker knows of the devices, brought up to date when they change.
///
/// Asking costs one relaxed load while no device is known, and never a lock unless something changed.
public struct DeviceView {
    private let devices: Devices
    private var table = DeviceTable.empty
    private var generation: UInt64 = 0

    public init(_ devices: Devices) { self.devices = devices }

    /// Whether no device is known, so that looking for a token is not worth while.
    public var isEmpty: Bool {
        mutating get {
            update()
            return table.entries.isEmpty
        }
    }

    private mutating func update() {
        let latest = devices.generation.load(ordering: .relaxed)
        guard latest != generation else { return }
        table = devices.table
        generation = latest
    }

    /// The profile that the client's device wants, and whether its token or its address told; nil where no device of
    /// its own says anything.
    ///
    /// The name may be that of a profile that is gone: then the active one answers.
    public mutating func profile(
        of address: SocketAddress?, token: Span<UInt8>?
    ) -> (name: String, source: ProfileChoice.Source)? {
        update()
        guard !table.entries.isEmpty else { return nil }
        // The token knows better: an address may have passed to another device.
        if let token, let digest = TokenDigest(of: token), let entry = table.entry(token: digest) {
            entry.touch()
            return entry.device.profile.map { ($0, .token) }
        }
        if let address, let entry = table.entry(address: address) {
            entry.touch()
            return entry.device.profile.map { ($0, .address) }
        }
        return nil
    }
}
