import Admin
import Engine
import Foundation
import Reactor
import TestSupport
import Testing

/// Devices stay paired when Shunt starts anew.
@Suite struct DeviceFileTests {
    @Test func `what was paired is paired after a restart, and no token is written down`() throws {
        let folder = try TemporaryFolder()
        let file = DeviceFile(profilesDirectory: folder.path + "/Profiles")
        #expect(file.read().isEmpty)
        let devices = Devices()
        file.follow(devices) { Issue.record("\($0)") }
        let home = try #require(SocketAddress(literal: "192.168.1.7", port: 9))
        let (_, token) = try devices.pair(
            code: devices.issueCode(for: "staging").text, from: home, userAgent: "iPhone")
        devices.assign("local", at: try #require(SocketAddress(literal: "fd00::7", port: 9)))
        file.finish()
        let text = try folder.read(".shunt/devices.json")
        #expect(!text.contains(token))
        let path = folder.path + "/.shunt/devices.json"
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        let again = Devices(restoring: DeviceFile(profilesDirectory: folder.path + "/Profiles").read())
        #expect(again.list == devices.list)
        let shown = TokenDigest(of: ContiguousArray(token.utf8).span)
        #expect(shown.flatMap { again.device(token: $0) }?.profile == "staging")
        _ = devices.forgetAll()
        file.finish()
        #expect(file.read().isEmpty)
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"devices": 1}"#, #"{"devices": [1, null, {}, {"name": "x"}]}"#,
        #"{"devices": [{"name": "x", "address": "not one", "tokenSHA256": "abc"}]}"#,
        #"{"devices": [{"name": "x", "tokenSHA256": "zz"}, {"address": "10.0.0.1"}]}"#,
    ])
    func `a broken file is as good as none`(text: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(".shunt/devices.json", text)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(DeviceFile(profilesDirectory: folder.path + "/Profiles").read().isEmpty)
    }

    @Test func `a file that others may write is not believed`() throws {
        let folder = try TemporaryFolder()
        let text = #"{"devices": [{"name": "a\u001b[2J b", "address": "10.0.0.1", "profile": "staging"}]}"#
        let path = try folder.write(".shunt/devices.json", text)
        let file = DeviceFile(profilesDirectory: folder.path + "/Profiles")
        try FileManager.default.setAttributes([.posixPermissions: 0o622], ofItemAtPath: path)
        #expect(file.read().isEmpty)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        // Names are cleaned, whoever wrote them.
        #expect(Devices(restoring: file.read()).list.map(\.name) == ["a-2J-b"])
    }
}
