import Admin
import Engine
import Foundation
import JSON
import Profiles
import TestSupport
import Testing

/// `/v1/mocks`, and the file that keeps what is off.
@Suite struct MockRouteTests {
    @Test func `what is kept is read again, for all and for one device`() throws {
        let folder = try TemporaryFolder()
        let file = MockSwitchFile(profilesDirectory: folder.path + "/Profiles")
        #expect(file.read() == MockSwitches())
        var switches = MockSwitches()
        let key = MockKey(profile: "local", name: "promo")
        switches.off = [key, MockKey(profile: "staging", name: "a")]
        switches.devices = ["phone": [key: true]]
        try file.write(switches)
        #expect(file.read() == switches)
        let path = folder.path + "/.shunt/mocks.json"
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        #expect(file.read() == MockSwitches())
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"mocks": 1}"#, #"{"mocks": [1, {}, {"profile": "a"}, {"profile": "a", "name": 1}]}"#,
    ])
    func `a broken file switches nothing off`(text: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(".shunt/mocks.json", text)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(MockSwitchFile(profilesDirectory: folder.path + "/Profiles").read() == MockSwitches())
    }

    @Test func `a mock that is off does not respond, also where it is only explained`() async throws {
        let profile = #"""
            {"kind": "local", "routes": [{"name": "promo", "path": "/promo", "mock": {}}, {"origin": "http://127.0.0.1:9"}]}
            """#
        let admin = try await AskedAdmin(
            try ProfileLibrary.load(files: [(path: "Profiles/local.json", bytes: Array(profile.utf8))]))
        func route() async throws -> String? {
            try await admin.get("/v1/explain?url=https://localhost/promo").json["route"]?["label"]?.string
        }
        #expect(try await route() == "*/promo")
        let json = "Content-Type: application/json\r\n"
        #expect(
            try await admin.ask("POST", "/v1/mocks", json, body: #"{"state": "off", "names": ["promo"]}"#).status == 200
        )
        #expect(try await route() == "*")
        let text = try await admin.get("/v1/explain?url=https://localhost/promo").json["text"]?.string
        #expect(text?.contains("  now      off: promo\n") == true, "\(text ?? "")")
        #expect(try await admin.ask("GET", "/v1/explain?url=https://localhost/&device=none").status == 404)
        await admin.stop()
    }
}
