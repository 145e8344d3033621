import Engine
import Reactor
import TestSupport
import Testing

/// A meter that can be asked within an expectation.
private final class Metered<Key: Hashable> {
    private var meter: RateMeter<Key>

    init(_ meter: RateMeter<Key>) { self.meter = meter }

    var count: Int { meter.count }

    @discardableResult
    func admits(_ key: Key, now: Instant) -> Bool { meter.admits(key, now: now) }
}

/// A worker's view that can be asked within an expectation.
private final class Asked {
    private var view: DeviceView

    init(_ devices: Devices) { view = DeviceView(devices) }

    func device(at address: SocketAddress) -> Device? { view.device(at: address) }

    func device(_ token: String) -> Device? {
        view.device(inCookie: ContiguousArray("shunt-device=\(token)".utf8).span)
    }

    func profile(of device: Device) -> String? { view.profile(of: device).map { "\($0.name) \($0.isUsers)" } }
}

/// Limits of one client, and users' devices.
@Suite struct ClientLimitTests {
    private static let second = Limits.second

    @Test func `a second's worth may come at once, and then as it flows`() {
        let meter = Metered(RateMeter<String>(perSecond: 10))
        #expect((0..<10).allSatisfy { _ in meter.admits("a", now: 1000) })
        #expect(!meter.admits("a", now: 1000))
        // Others have buckets of their own.
        #expect(meter.admits("b", now: 1000))
        #expect(meter.admits("a", now: 1000 + Self.second / 10) && !meter.admits("a", now: 1000 + Self.second / 10))
        // A refused request costs nothing.
        for step in 0..<100 { meter.admits("a", now: 1000 + Self.second / 10 + UInt64(step)) }
        #expect((0..<10).allSatisfy { _ in meter.admits("a", now: 1000 + 2 * Self.second) })
    }

    @Test func `a flood of addresses takes bounded memory`() {
        let meter = Metered(RateMeter<Int>(interval: Self.second, size: 2, capacity: 100))
        for number in 0..<10_000 { #expect(meter.admits(number, now: 5)) }
        #expect(meter.count <= 100)
        // Full buckets go first.
        let other = Metered(RateMeter<Int>(interval: Self.second, size: 1, capacity: 100))
        for number in 0..<99 { other.admits(number, now: 0) }
        other.admits(1000, now: 2 * Self.second)
        other.admits(1001, now: 2 * Self.second)
        #expect(other.count == 2 && !other.admits(1000, now: 2 * Self.second))
    }

    @Test func `a flood of addresses gives no tokens back to one that has used up its own`() {
        let meter = Metered(RateMeter<Int>(interval: Self.second, size: 10, capacity: 100))
        #expect((0..<10).allSatisfy { _ in meter.admits(0, now: 5) } && !meter.admits(0, now: 5))
        for number in 1..<10_000 { meter.admits(number, now: 5) }
        #expect(!meter.admits(0, now: 5))
    }

    @Test(arguments: [
        ("192.168.1.7", "192.168.1.8", false), ("192.168.1.7", "::ffff:192.168.1.7", true),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
        // On one link all have the same first bits.
        ("fe80::1", "fe80::2", false), ("127.0.0.1", "::1", true),
    ])
    func `addresses of one client share a limit`(one: String, other: String, isSame: Bool) throws {
        let meter = AddressMeter(1, every: Self.second)
        let (first, second) = (
            try #require(SocketAddress(literal: one, port: 1)), try #require(SocketAddress(literal: other, port: 2))
        )
        meter.count(first, now: 1)
        #expect(!meter.hasRoom(for: first, now: 2))
        #expect(meter.hasRoom(for: second, now: 2) == !isSame)
    }

    private let home = SocketAddress(family: .ipv4, bytes: [192, 168, 1, 7], port: 4711)

    @Test func `a user's device is known by its token alone`() throws {
        let devices = Devices()
        let code = devices.issueCode(of: "ada").text
        let (device, token) = try devices.pair(code: code, from: home, userAgent: "iPhone")
        #expect(device.user == "ada" && device.address == nil)
        devices.choose("staging", for: "ada")
        let view = Asked(devices)
        // Whoever gets her phone's address is not her.
        #expect(view.device(at: home) == nil)
        #expect(view.profile(of: try #require(view.device(token))) == "staging true")
        // Its own choice comes first, and does not bind the address either.
        let assigned = devices.assign("local", to: device.name, at: home)
        #expect(assigned?.address == nil && assigned?.user == "ada")
        #expect(view.device(at: home) == nil)
        let own = try #require(assigned)
        #expect(view.profile(of: own) == "local false")
        // Restored from a file that says otherwise, too.
        let restored = Devices(
            restoring: [Device(name: "x", address: home, token: device.token, profile: nil, user: "ada", lastSeen: 1)])
        #expect(restored.device(address: home) == nil)
    }

    @Test func `no user displaces the devices of others`() throws {
        let devices = Devices()
        _ = devices.add("one", of: "ada", profile: nil)
        for number in 0..<300 { _ = devices.add("app\(number)", of: "bob", profile: nil) }
        #expect(devices.list.filter { $0.user == "bob" }.count == Devices.limitPerUser)
        #expect(devices.device(named: "one")?.user == "ada")
        // The same name again is the same device with another token; another user's is not touched.
        let first = devices.add("app", of: "bob", profile: nil).device
        let again = devices.add("app", of: "bob", profile: "staging").device
        #expect(first.name == again.name && first.token != again.token)
        #expect(devices.add("one", of: "bob", profile: nil).device.name == "one-2")
        #expect(Set(devices.keepUsers(["ada"])).count == Devices.limitPerUser)
        #expect(devices.list.map(\.name) == ["one"])
    }

    @Test func `codes of a user who is none any more are void`() throws {
        let devices = Devices()
        let (code, other) = (devices.issueCode(of: "ada").text, devices.issueCode().text)
        _ = devices.keepUsers(["bob"])
        #expect(throws: PairingFailure.wrongCode) { try devices.pair(code: code, from: home, userAgent: "") }
        #expect(try devices.pair(code: other, from: home, userAgent: "").device.user == nil)
    }
}
