import Foundation
import Reactor
import Testing

/// Which addresses lie in the public Internet.
@Suite struct ReachTests {
    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
        "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.168.1.1", "198.18.0.1",
        "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b:1::1", "2002:7f00:1::", "2002:c0a8:101::1", "2001::1", "2001:db8::1", "3fff::1", "fc00::1",
        "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "100::1", "4000::1",
    ])
    func `an address of this machine, of its networks or set aside is not public`(text: String) throws {
        #expect(try #require(SocketAddress(literal: text, port: 80)).isPublic == false)
    }

    @Test(arguments: [
        "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.1.1.1", "128.0.0.1",
        "169.253.1.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "192.167.1.1", "198.17.1.1", "198.20.1.1",
        "223.255.255.254", "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::1", "2001:200::1", "2606:4700::1111",
        "2a00:1450::1",
    ])
    func `an address of the Internet is public`(text: String) throws {
        #expect(try #require(SocketAddress(literal: text, port: 80)).isPublic)
    }

    private static let loopback = if_nametoindex("lo") != 0 ? "lo" : "lo0"

    @Test func `a link-local address may name its interface, and no other address may`() throws {
        let index = if_nametoindex(Self.loopback)
        let address = try #require(SocketAddress(literal: "fe80::1%" + Self.loopback, port: 80))
        #expect(
            address.scope == index && address.host == "fe80::1"
                && address.description == "[fe80::1%\(Self.loopback)]:80")
        for text in [
            "fe80::1%", "fe80::1%none", "::1%\(Self.loopback)", "127.0.0.1%\(Self.loopback)", "%\(Self.loopback)",
        ] {
            #expect(SocketAddress(literal: text, port: 80) == nil)
        }
        #expect(
            try Resolver.askSystem("fe80::1%" + Self.loopback).get() == [
                SocketAddress(literal: "fe80::1%" + Self.loopback, port: 0)
            ])
    }

    @Test(
        arguments: [
            // As getifaddrs(3) of BSD lists fe80::1%4, and as others do.
            ([0xFE, 0x80, 0, 4], 0, 4), ([0xFE, 0x80, 0, 4], 4, 4), ([0xFE, 0x80, 0, 0], 4, 4),
            ([0xFE, 0x80, 0, 0], 0, 0),
        ] as [([UInt8], UInt32, UInt32)])
    func `an interface within an address is taken out of it`(start: [UInt8], scope: UInt32, expected: UInt32) {
        let rest = [UInt8](repeating: 0, count: 11) + [1]
        let address = SocketAddress(kernel: start + rest, port: 0, scope: scope)
        #expect(address.host == "fe80::1" && address.scope == expected)
        let other = SocketAddress(kernel: [0xFD, 0, 0, 4] + rest, port: 0, scope: 0)
        #expect(other.host == "fd00:4::1" && other.scope == 0)
    }

    @Test func `the address at which other machines find this one comes first`() throws {
        let found = try [
            ("anpi0", "fe80::2"), ("en5", "169.254.7.1"), ("bridge100", "192.168.64.1"), ("utun3", "10.8.0.2"),
            ("en0", "fe80::1"), ("en0", "2001:db8::7"), ("en0", "192.168.1.5"), ("awdl0", "fe80::3"),
        ].map { NetworkInterface(name: $0, address: try #require(SocketAddress(literal: $1, port: 0))) }
        #expect(
            NetworkInterface.ranked(found).map(\.address.host) == [
                "192.168.1.5", "2001:db8::7", "169.254.7.1", "fe80::1", "192.168.64.1", "10.8.0.2", "fe80::2",
                "fe80::3",
            ])
    }
}
