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
}
