import Reactor
import TestSupport
import Testing

/// Where a Shunt can be reached.
@Suite struct ListeningTests {
    private static let lan = NetworkInterface.all().first { $0.address.family == .ipv4 && !$0.isVirtual }?.address.host

    @Test(.enabled(if: lan != nil))
    func `listening beyond loopback says where, and who may use it`() throws {
        let host = try #require(Self.lan)
        let shunt = try ServingShunt(["local": profile("http://127.0.0.1:1")], ["--host", "0.0.0.0"])
        #expect(eventually { shunt.process.errors.contains("http://\(host):\(shunt.port)") })
        #expect(shunt.process.errors.contains("every machine that reaches these can use every profile"))
        try shunt.stop()
        let near = try ServingShunt(["local": profile("http://127.0.0.1:1")])
        #expect(!near.process.errors.contains("every machine"))
        try near.stop()
    }
}
