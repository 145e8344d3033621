import Foundation
import JSON
import TestSupport
import Testing

/// `shunt network`, `shunt offline` and `serve --network`.
@Suite struct NetworkCommandTests {
    private static let mock = #"{"kind": "local", "routes": [{"mock": {"text": "here"}}]}"#

    @Test func `two devices have different networks at once`() throws {
        let shunt = try ServingShunt(["local": Self.mock], ["--no-store", "--network", "lte"])
        #expect(try shunt.run("network", "offline", "--device", "127.0.0.2").status == 0)
        let chosen = try shunt.run("network", "3g", "--device", "127.0.0.3", "--for", "5m")
        #expect(chosen.output.contains("Device 127.0.0.2: offline (connections are reset)\n"), "\(chosen)")
        #expect(chosen.output.contains("Device 127.0.0.3: 3g (300ms ± 60ms (normal), 1.6Mbit/s down"), "\(chosen)")
        #expect(chosen.output.contains("This run: lte ("), "\(chosen)")
        #expect(try shunt.run("status").output.contains("networks     lte, offline for 127.0.0.2, 3g for 127.0.0.3,"))
        let url = "http://127.0.0.1:\(shunt.port)/"
        func get(_ address: String) throws -> ChildProcess.Result {
            try shunt.curl("-i", "--interface", address, "-w", "\n%{time_starttransfer}", url)
        }
        // Whether curl has connected before the reset comes is a matter of chance.
        let reset = try get("127.0.0.2")
        #expect([7, 52, 55, 56].contains(reset.status), "\(reset)")
        let third = try get("127.0.0.3").output
        #expect(third.contains("network=3g"), "\(third)")
        #expect(try #require(third.split(separator: "\n").last.flatMap { Double($0) }) > 0.3)
        #expect(try get("127.0.0.4").output.contains("network=lte"))
        #expect(try shunt.run("offline", "off", "--device", "127.0.0.2").status == 0)
        #expect(try get("127.0.0.2").output.contains("network=lte"))
        #expect(try shunt.run("network", "off").status == 0)
        #expect(try !get("127.0.0.4").output.contains("network="))
        let json = try JSONReader.read(try shunt.run("network", "--json").output)
        #expect(json["run"]?["name"]?.string == "lte" && json["presets"]?.array?.count == 10)
        #expect(json["choices"]?.array?.first?["network"]?.isNull == true)
        let log = try shunt.stop().errors
        #expect(log.contains("the network of device 127.0.0.3 is 3g (300ms"), "\(log)")
        #expect(log.contains("→ mock network\n"), "\(log)")
    }

    @Test func `a black hole lets clients wait, and a refused handshake is an alert`() throws {
        let shunt = try ServingShunt(["local": Self.mock], ["--no-store"])
        let (plain, sealed) = ("http://localhost:\(shunt.port)/", "https://localhost:\(shunt.port)/")
        #expect(try shunt.run("network", "tls-alert").status == 0)
        let refused = try shunt.curl(sealed)
        #expect(refused.status == 35 && refused.errors.contains("handshake failure"), "\(refused)")
        #expect(try shunt.curl(plain).output == "here")
        #expect(try shunt.run("network", "blackhole").status == 0)
        for url in [plain, sealed] { #expect(try shunt.curl("--max-time", "1", url).status == 28) }
        #expect(try shunt.run("network", "default").status == 0)
        for url in [plain, sealed] { #expect(try shunt.curl(url).output == "here") }
        try shunt.stop()
    }

    @Test(arguments: [
        (["network", "lte-weka"], 1, "there is no network “lte-weka”"),
        (["network", "lte-weka"], 1, "Did you mean \"lte-weak\"?"),
        (["network", "lte", "--for", "2d"], 64, "--for “2d” is no possible time"),
        (["network", "lte", "--for", "30h"], 64, "Give a time of at most 24h."),
        (["network", "default", "--for", "1m"], 64, "--for needs a network"),
        (["network", "--device", "127.0.0.1"], 64, "--device needs NAME"),
        (["network", "lte", "--device", "phone"], 1, "phone"),
        (["offline", "maybe"], 64, "unknown action “maybe”"),
        (["offline"], 64, "lacks an argument"),
        (["serve", "--network", "4g"], 64, "--network “4g” is not known"),
    ])
    func `a wrong command says what is possible`(words: [String], status: Int32, message: String) throws {
        let shunt = try ServingShunt(["local": Self.mock], ["--no-store"])
        let result = try ChildProcess.run(ShuntBinary.path, words, directory: shunt.folder.path)
        #expect(result.status == status && result.errors.contains(message), "\(result)")
        try shunt.stop()
    }
}
