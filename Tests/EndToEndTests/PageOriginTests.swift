import Engine
import Foundation
import JSON
import Reactor
import TestSupport
import Testing

/// What scripts of a proxied page can do about the pages for devices, in a real browser.
@Suite(.serialized) struct PageOriginTests {
    enum Place: String, CaseIterable {
        case localhost
        case localhostOverTLS
        /// Where browsers take nothing for trustworthy: no `Sec-Fetch-Site`, no service workers.
        case network
        case networkOverTLS

        var isSecure: Bool { self == .localhostOverTLS || self == .networkOverTLS }

        /// The host in a URL, and the address to listen at; nil where this machine has none.
        var host: (name: String, address: String?)? {
            if self == .localhost || self == .localhostOverTLS { return ("localhost", nil) }
            let found = NetworkInterface.all().map(\.address).first { $0.isPrivate && $0.bytes.first != 0xfe }
            return found.map { ($0.family == .ipv6 ? "[\($0.host)]" : $0.host, $0.host) }
        }
    }

    private func profile(_ kind: String, redirect: String) -> String {
        func mock(_ path: String, _ type: String, _ text: String) -> String {
            #"{"path": "\#(path)", "mock": {"headers": {"Content-Type": "\#(type)"}, "text": "\#(text)"}}"#
        }
        let worker =
            "addEventListener('fetch', e => e.respondWith(new Response('<title>fake</title>', "
            + "{headers: {'Content-Type': 'text/html'}}))); addEventListener('activate', e => e.waitUntil(clients.claim()))"
        return """
            {"kind": "\(kind)", "routes": [
              \(mock("/worker.js", "text/javascript", worker)), \(mock("/*", "text/html", "<p>site</p>")),
              \(mock("/who", "text/plain", kind)), \(mock("/v1/who", "text/plain", kind)),
              {"path": "/redirect", "mock": {"status": 307, "headers": {"Location": "\(redirect)"}}}]}
            """
    }

    @Test(arguments: Circle.isWhole ? Place.allCases : Array(Place.allCases.prefix(1)))
    func `no script of a proxied page chooses for the device`(place: Place) throws {
        guard let host = place.host else { return }
        let scheme = place.isSecure ? "https" : "http"
        let pagesPort = FreePort.find()
        let pages = "\(scheme)://\(host.name):\(pagesPort)"
        let profiles = Dictionary(
            uniqueKeysWithValues: ["local", "staging", "production"].map {
                ($0, profile($0, redirect: pages + "/use"))
            })
        let shunt = try ServingShunt(
            profiles,
            ["--profile", "local", "--pages-port", "\(pagesPort)"]
                + (host.address.map { ["--host", $0] } ?? []))
        let site = "\(scheme)://\(host.name):\(shunt.port)"
        let code = try #require(try JSONReader.read(try shunt.run("pair", "--json").output)["code"]?.string)
        let task = try JSONSerialization.data(withJSONObject: [
            "driver": try program("chromedriver"), "browser": try program("chromium", "google-chrome"),
            "authority": shunt.folder.path + "/certs/ca.pem", "site": site, "pages": pages, "code": code,
        ])
        let result = try ChildProcess.run(
            "/usr/bin/env",
            ["python3", "-B", SampleApp.scripts + "/attack_pages.py", String(decoding: task, as: UTF8.self)],
            directory: shunt.folder.path, seconds: 240)
        #expect(result.status == 0, "\(result.errors)")
        let value = try JSONReader.read(result.output)
        // A finger on a button does what no script can.
        #expect(value["chosen"]?.array?.map(\.string) == ["production", "staging", "local"])
        let attacks = try #require(value["attacks"]?.array)
        #expect(attacks.count == 27)
        for attack in attacks {
            let name = "\(attack["attack"]?.string ?? "") to \(attack["target"]?.string ?? ""), \(place)"
            #expect(attack["profile"]?.string == "staging", "\(name)")
            let seen = attack["seen"]?.string ?? ""
            #expect(!seen.contains("production") && !seen.contains("Linux") && seen != "no end", "\(name): \(seen)")
        }
        let worker = attacks.first { $0["attack"]?.string == "a service worker" }?["seen"]?.string
        #expect(worker == (place == .network ? "none" : "registered"))
        // What a page has planted hides neither the token nor the pages, and the token is not among what it sees.
        #expect(value["routes"]?.array?.map(\.string) == ["staging", "staging"])
        #expect(value["shown"]?.string == "staging responds")
        #expect(value["cookies"]?.string?.contains(/shunt-device=(?!bad|0{32})/) == false, "\(value)")
        #expect(try shunt.run("devices", "--json").output.contains("\"local\""))
        try shunt.stop()
    }

    private func program(_ names: String...) throws -> String {
        let found = try ChildProcess.run("/bin/sh", ["-c", names.map { "command -v \($0)" }.joined(separator: " || ")])
        let path = found.output.split(separator: "\n").first.map(String.init)
        return try #require(path, "none of \(names) is installed: run `make setup-test`")
    }
}
