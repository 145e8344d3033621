import Bytes
import Platform
import Profiles
public import Reactor
import Synchronization

/// All devices at one moment, indexed by token and address.
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
            var device = device
            device.lastSeen = lastSeen.load(ordering: .relaxed)
            return device
        }

        func touch() {
            let now = Self.now
            // Workers share the line of memory, so it is written to once a second at most.
            if lastSeen.load(ordering: .relaxed) != now { lastSeen.store(now, ordering: .relaxed) }
        }

        /// Seconds since 1970.
        static var now: Int64 { Int64(time(nil)) }
    }

    static let empty = DeviceTable([], [:], [:])

    let entries: [Entry]
    /// The profiles of users.
    let choices: [String: String]
    /// The profiles of programs of this machine, by their names.
    let apps: [String: String]
    private let byAddress: [DeviceAddress: Entry]
    private let byToken: [TokenDigest: Entry]

    init(_ entries: [Entry], _ choices: [String: String], _ apps: [String: String]) {
        (self.entries, self.choices, self.apps) = (entries, choices, apps)
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

    /// The device that one of the tokens in a `Cookie` field belongs to.
    ///
    /// Unknown tokens are skipped: any page can set such a cookie, and it must not hide the real one.
    func entry(inCookie value: Span<UInt8>) -> Entry? {
        var start = 0
        while let range = DeviceToken.next(inCookie: value, from: &start) {
            if let digest = TokenDigest(of: value.extracting(range)), let entry = byToken[digest] { return entry }
        }
        return nil
    }
}

/// A worker's copy of the device table, updated when it changes.
///
/// A look-up costs one relaxed load while no device is known, and a lock only after a change.
public final class DeviceView {
    private let devices: Devices
    private var table = DeviceTable.empty
    private let generation = Cell<UInt64>(0)
    private let hasDevices = Cell(false)
    private let hasPrograms = Cell(false)

    public init(_ devices: Devices) { self.devices = devices }

    /// Whether no device is known, so that no token has to be looked for.
    public var isEmpty: Bool {
        update()
        return !hasDevices.value
    }

    private func update() {
        let latest = devices.generation.load(ordering: .relaxed)
        if latest != generation.value { renew(latest) }
    }

    @inline(never)
    private func renew(_ latest: UInt64) {
        table = devices.table
        (hasDevices.value, hasPrograms.value) = (!table.entries.isEmpty, !table.apps.isEmpty)
        generation.value = latest
    }

    /// The device whose token a `Cookie` field shows.
    ///
    /// Called before ``device(at:)``: an address may have passed to another device.
    public func device(inCookie value: Span<UInt8>) -> Device? {
        update()
        guard hasDevices.value, let entry = table.entry(inCookie: value) else { return nil }
        entry.touch()
        return entry.device
    }

    /// The profile of a device: its own, else its user's; nil if it follows the active one.
    public func profile(of device: Device) -> (name: String, isUsers: Bool)? {
        if let own = device.profile { return (own, false) }
        guard let user = device.user else { return nil }
        update()
        let choice = table.choices[user]
        return choice.map { ($0, true) }
    }

    /// Whether programs of this machine have profiles of their own.
    var choosesByProgram: Bool {
        update()
        return hasPrograms.value
    }

    /// The profile that was chosen for a program.
    func profile(of program: LocalProgram) -> String? {
        update()
        return !hasPrograms.value ? nil : program.names.lazy.compactMap { [apps = table.apps] in apps[$0] }.first
    }

    /// The profile of a program: the one that was chosen for it, else the one that names it.
    func plan(of program: LocalProgram, _ environment: Environment) -> ProfilePlan? {
        if let name = profile(of: program), let plan = environment.plan(named: name) { return plan }
        return environment.library.profile(of: program.names).map { environment.plans[$0] }
    }

    /// The device that is known by this address.
    public func device(at address: SocketAddress?) -> Device? {
        update()
        guard hasDevices.value, let address, let entry = table.entry(address: address) else { return nil }
        entry.touch()
        return entry.device
    }
}
