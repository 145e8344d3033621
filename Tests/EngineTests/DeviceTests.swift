import Engine
import Reactor
import Synchronization
import Testing

private func address(_ literal: String) throws -> SocketAddress {
    try #require(SocketAddress(literal: literal, port: 4711))
}

private func digest(_ token: String) -> TokenDigest? { TokenDigest(of: ContiguousArray(token.utf8).span) }

/// What a worker would be told.
private func asked(_ view: DeviceView, _ address: SocketAddress?, _ token: String?) -> String? {
    if let token, let device = view.device(inCookie: ContiguousArray("shunt-device=\(token)".utf8).span) {
        return device.profile.map { "\($0) by token" }
    }
    return view.device(at: address)?.profile.map { "\($0) by address" }
}

/// Which profile a client's device wants.
@Suite struct DeviceTests {
    private let phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15"

    @Test func `nobody has a profile of their own until somebody is given one`() throws {
        let devices = Devices()
        let view = DeviceView(devices)
        let client = try address("192.168.1.7")
        #expect(asked(view, client, String(repeating: "0", count: 32)) == nil)
        let isEmpty = view.isEmpty
        #expect(isEmpty)
        devices.assign("staging", at: client)
        let isEmptyNow = view.isEmpty
        #expect(!isEmptyNow)
        #expect(asked(view, client, nil) == "staging by address")
        #expect(asked(view, try address("192.168.1.8"), nil) == nil)
        #expect(asked(view, nil, nil) == nil)
        // The same client where IPv6 sockets take IPv4, too.
        #expect(asked(view, try address("::ffff:192.168.1.7"), nil) == "staging by address")
        devices.assign(nil, at: client)
        #expect(asked(view, client, nil) == nil && devices.list.isEmpty)
    }

    @Test(arguments: [
        // From where, and whether the address is bound beside the token.
        ("127.0.0.1", true, false), ("::1", true, false), ("192.168.1.7", true, true), ("10.9.8.7", true, true),
        ("172.16.0.1", true, true), ("172.31.255.255", true, true), ("169.254.3.4", true, true),
        ("fd12::1", true, true), ("fe80::1", true, true), ("::ffff:192.168.1.7", true, true),
        ("172.32.0.1", false, false), ("172.15.0.1", false, false), ("192.169.1.1", false, false),
        ("11.0.0.1", false, false), ("8.8.8.8", false, false), ("2001:db8::1", false, false),
        ("fec0::1", false, false), ("::ffff:8.8.8.8", false, false), ("::a00:1", false, false),
    ])
    func `pairing binds the token, and the address where it is one device's own`(
        from: String, isAllowed: Bool, isBound: Bool
    ) throws {
        let devices = Devices()
        let code = devices.issueCode(for: "staging")
        let client = try address(from)
        guard isAllowed else {
            #expect(throws: PairingFailure.foreign) {
                try devices.pair(code: code.text, from: client, userAgent: phone)
            }
            return
        }
        let (device, token) = try devices.pair(code: code.text, from: client, userAgent: phone)
        #expect(device.name == "iPhone")
        let view = DeviceView(devices)
        #expect(asked(view, nil, token) == "staging by token")
        #expect(asked(view, client, nil) == (isBound ? "staging by address" : nil))
        #expect(asked(view, nil, String(token.dropLast()) + "x") == nil)
        #expect(devices.device(token: try #require(digest(token))) == device)
    }

    @Test func `a code is good once, in whatever letters, and not after its time`() throws {
        let devices = Devices()
        let here = SocketAddress.loopback(.ipv4, port: 1)
        let code = devices.issueCode(now: 0).text
        #expect(code.count == 8)
        let typed = " \(code.prefix(4).lowercased())-\(code.dropFirst(4)) "
        #expect(throws: PairingFailure.wrongCode) {
            try devices.pair(code: code, from: here, userAgent: phone, now: PairingCode.validity)
        }
        let again = devices.issueCode(now: 0).text
        #expect(throws: PairingFailure.wrongCode) {
            try devices.pair(code: typed, from: here, userAgent: phone, now: PairingCode.validity - 1)
        }
        _ = try devices.pair(
            code: again.prefix(3) + " " + again.dropFirst(3).lowercased(), from: here, userAgent: phone,
            now: PairingCode.validity - 1)
        #expect(throws: PairingFailure.wrongCode) {
            try devices.pair(code: again, from: here, userAgent: phone, now: 1)
        }
        #expect(devices.list.count == 1)
    }

    @Test func `five wrong codes make all codes void, until a new one is asked for`() throws {
        let devices = Devices()
        let here = SocketAddress.loopback(.ipv6, port: 1)
        let codes = [devices.issueCode().text, devices.issueCode().text]
        // The lengths differ, too.
        for wrong in ["", "2", "AAAAAAAA", String(repeating: "A", count: 9000)] {
            #expect(throws: PairingFailure.wrongCode) {
                try devices.pair(code: wrong, from: here, userAgent: phone)
            }
        }
        #expect(throws: PairingFailure.allVoid) { try devices.pair(code: "BBBBBBBB", from: here, userAgent: phone) }
        for code in codes {
            #expect(throws: PairingFailure.wrongCode) { try devices.pair(code: code, from: here, userAgent: phone) }
        }
        _ = try devices.pair(code: devices.issueCode().text, from: here, userAgent: phone)
    }

    @Test func `codes do not repeat and have no letters that look alike`() {
        let devices = Devices()
        let codes = (0..<500).map { _ in devices.issueCode().text }
        #expect(Set(codes).count == codes.count)
        #expect(codes.allSatisfy { $0.allSatisfy { !"01ILO".contains($0) } })
    }

    @Test func `a token counts before an address, also when it says to go with the active one`() throws {
        let devices = Devices()
        let home = try address("192.168.1.7")
        let (mine, token) = try devices.pair(code: devices.issueCode().text, from: home, userAgent: phone)
        let view = DeviceView(devices)
        #expect(asked(view, home, token) == nil)
        let elsewhere = try address("192.168.1.99")
        devices.assign("local", at: elsewhere)
        // The address has passed to another device; the one with the token goes with the active one.
        #expect(asked(view, elsewhere, nil) == "local by address")
        #expect(asked(view, elsewhere, token) == nil)
        devices.assign("staging", to: mine.name, at: elsewhere)
        #expect(asked(view, elsewhere, nil) == "staging by address")
        #expect(asked(view, home, nil) == nil)
        #expect(devices.list.map(\.name) == ["iPhone"])
    }

    @Test func `a newly paired device takes the place of what was known of it`() throws {
        let devices = Devices()
        let home = try address("10.0.0.5")
        devices.assign("staging", at: home)
        let (first, token) = try devices.pair(code: devices.issueCode().text, from: home, userAgent: phone)
        #expect(devices.list == [first])
        let (second, _) = try devices.pair(
            code: devices.issueCode().text, from: home, userAgent: phone, replacing: digest(token))
        #expect(devices.list == [second] && second.name == "iPhone" && second.token != first.token)
        // Another browser of the same phone: both tokens hold, the address is the newer one's.
        let (third, _) = try devices.pair(code: devices.issueCode().text, from: home, userAgent: phone)
        #expect(third.name == "iPhone-2")
        #expect(Set(devices.list.map { "\($0.name) \($0.address?.host ?? "-")" }) == ["iPhone -", "iPhone-2 10.0.0.5"])
    }

    @Test(arguments: [
        ("Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36", "Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "Mac"),
        ("curl/8.5.0", "curl"), ("My App\u{7}\u{1b}[31m/1.0", "My-App-31m"), ("", "device"), ("all/1", "device"),
        (String(repeating: "x", count: 60), String(repeating: "x", count: 32)), ("日本", "device"),
    ])
    func `a name says what the device is, and nothing that a terminal acts on`(userAgent: String, name: String) throws {
        let devices = Devices()
        let (device, _) = try devices.pair(
            code: devices.issueCode().text, from: .loopback(.ipv4, port: 1), userAgent: userAgent)
        #expect(device.name == name)
    }

    @Test func `what is forgotten is worth nothing any more`() throws {
        let devices = Devices()
        let home = try address("10.0.0.5")
        let (device, token) = try devices.pair(
            code: devices.issueCode(for: "staging").text, from: home, userAgent: phone)
        let view = DeviceView(devices)
        #expect(asked(view, home, token) == "staging by token")
        #expect(devices.forget(device.name))
        #expect(!devices.forget(device.name))
        #expect(asked(view, home, token) == nil && asked(view, home, nil) == nil)
        devices.assign("staging", at: home)
        #expect(devices.forgetAll() == 1)
        #expect(asked(view, home, nil) == nil)
    }

    @Test func `there are so many at most, and the one that was not seen for longest makes room`() throws {
        let known = (0..<Devices.limit).map { (number: Int) -> Device in
            let address = SocketAddress(family: .ipv4, bytes: [10, 0, 1, UInt8(number)], port: 9)
            let lastSeen: Int64 = number == 3 ? 1 : 1000 + Int64(number)
            return Device(name: "d\(number)", address: address, token: nil, profile: "staging", lastSeen: lastSeen)
        }
        let devices = Devices(restoring: known)
        let view = DeviceView(devices)
        #expect(asked(view, try address("10.0.1.3"), nil) == "staging by address")
        // Being asked for is being seen.
        devices.assign("local", at: try address("10.0.2.1"))
        #expect(devices.list.count == Devices.limit)
        #expect(asked(view, try address("10.0.1.3"), nil) == "staging by address")
        #expect(asked(view, try address("10.0.1.0"), nil) == nil)
        #expect(asked(view, try address("10.0.2.1"), nil) == "local by address")
    }

    @Test(arguments: [
        ("shunt-device=abc", "abc"), ("a=b; shunt-device=abc; c=d", "abc"), ("a=b;\tshunt-device=abc", "abc"),
        ("xshunt-device=abc", nil), ("a=shunt-device=abc", nil), ("shunt-device", nil), ("shunt-device=", ""),
        ("", nil), (";;; shunt-device=a=b ", "a=b "), ("SHUNT-DEVICE=abc", nil),
        ("shunt-device=a; shunt-device=b;shunt-device=", "a|b|"), ("x=1; shunt-device=a; y=2; shunt-device=b", "a|b"),
    ])
    func `tokens are found among the cookies`(cookie: String, expected: String?) {
        let bytes = ContiguousArray(cookie.utf8)
        var start = 0
        var found: [String] = []
        while let range = DeviceToken.next(inCookie: bytes.span, from: &start) {
            found.append(String(decoding: bytes[range], as: UTF8.self))
        }
        #expect((found.isEmpty ? nil : found.joined(separator: "|")) == expected)
    }

    @Test func `a cookie of the same name that a page has set does not hide the real one`() throws {
        let devices = Devices()
        let code = devices.issueCode(for: "staging").text
        let (_, token) = try devices.pair(code: code, from: .loopback(.ipv4, port: 1), userAgent: phone)
        let strange = String(repeating: "0", count: 32)
        for cookie in [
            "shunt-device=bad; shunt-device=\(token)", "shunt-device=\(strange); shunt-device=\(token)",
            "shunt-device=\(token); shunt-device=\(strange)", "shunt-device; =shunt-device=x; shunt-device=\(token)",
            String(repeating: "shunt-device=\(strange); ", count: 500) + "shunt-device=\(token)",
        ] {
            let view = DeviceView(devices)
            let bytes = ContiguousArray(cookie.utf8)
            #expect(view.device(inCookie: bytes.span)?.profile == "staging", "\(cookie.prefix(80))")
            #expect(devices.shown(inCookie: bytes.span).map(\.device.profile) == ["staging"])
        }
    }

    @Test func `what a form carries follows from the token and does not tell it`() throws {
        let devices = Devices()
        let address = try address("127.0.0.1")
        let tokens = try (0..<2).map { _ in
            try devices.pair(code: devices.issueCode().text, from: address, userAgent: phone).token
        }
        let cookie = ContiguousArray("shunt-device=\(tokens[0]); shunt-device=\(tokens[1])".utf8)
        let keys = devices.shown(inCookie: cookie.span).map(\.formKey)
        #expect(Set(keys).count == 2 && keys.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil })
        #expect(keys == devices.shown(inCookie: cookie.span).map(\.formKey))
        #expect(Set(keys).isDisjoint(with: tokens))
    }

    @Test func `digests survive being written down`() throws {
        let original = try #require(digest(String(repeating: "7", count: 32)))
        #expect(TokenDigest(bytes: original.bytes) == original)
        #expect(TokenDigest(bytes: original.bytes.dropLast()) == nil)
        #expect(TokenDigest(bytes: original.bytes.reversed()) != original)
    }

    private final class Writer: Sendable {
        let isOver = Atomic<Bool>(false)
    }

    @Test func `views of many threads follow the changes`() async throws {
        let devices = Devices()
        let home = try address("10.0.0.5")
        let writer = Writer()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let view = DeviceView(devices)
                    var last = 0
                    while last < 200 {
                        let isLast = writer.isOver.load(ordering: .acquiring)
                        let now = asked(view, home, nil).flatMap { Int($0.dropFirst().prefix { $0 != " " }) } ?? 0
                        // Nothing older than what was seen before may come back.
                        if now < last || (isLast && now < 200) { return false }
                        last = now
                        await Task.yield()
                    }
                    return true
                }
            }
            group.addTask {
                for number in 1...200 {
                    devices.assign("p\(number)", at: home)
                    await Task.yield()
                }
                writer.isOver.store(true, ordering: .releasing)
                return true
            }
            for await isFine in group { #expect(isFine) }
        }
    }
}
