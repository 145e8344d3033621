import Foundation
import JSON
import TestSupport
import Testing

/// Commands that work on a project's files, and those that need a Shunt that runs.
@Suite struct ProjectCommandTests {
    let shunt: Shunt
    init() throws { shunt = try Shunt() }

    @Test func `init writes profiles and certificates that validate and explain work with`() throws {
        let made = try shunt.run("init")
        #expect(made.status == 0)
        for file in [
            "Profiles/local.json", "Profiles/staging.json", "Profiles/production.json", ".data/shunt/ca/ca.pem",
        ] {
            #expect(shunt.folder.exists(file), "\(file)")
            #expect(made.output.contains(file))
        }
        #expect(!shunt.folder.exists("certs"))

        let valid = try shunt.run("validate")
        #expect(valid.status == 0, "\(valid.errors)")
        for profile in ["local", "staging", "production"] { #expect(valid.output.contains(profile)) }

        let json = try JSONReader.read(try shunt.run("validate", "--json").output)
        #expect(json["problems"]?.array?.isEmpty == true)
        #expect(json["profiles"]?.array?.count == 3)
    }

    @Test func `explain tells route, origin and trust, or what came nearest`() throws {
        _ = try shunt.run("init")
        let local = try shunt.run("explain", "https://api.shop.test/v1/cart/7")
        #expect(local.status == 0)
        for text in ["profile  local", "https://localhost:3000/v1/cart/7", "INSECURE", "Profiles/local.json:"] {
            #expect(local.output.contains(text), "\(text)")
        }
        let staging = try shunt.run(
            "explain", "https://api.shop.test/v1/cart/7", "--profile", "staging", "-X", "POST", "--json")
        let json = try JSONReader.read(staging.output)
        #expect(json["trust"]?["policy"]?.string == "default")
        #expect(json["method"]?.string == "POST")
        let nothing = try shunt.run("explain", "https://elsewhere.test/")
        #expect(nothing.status == 1)
        #expect(nothing.output.contains("nearest"))
        #expect(try shunt.run("explain", "ftp://elsewhere.test/").status == 64)
        let misspelt = try shunt.run("explain", "https://stagign--api.shop.test/v1/cart/7")
        #expect(
            misspelt.status == 1 && misspelt.output.contains("Did you mean staging--api.shop.test?"), "\(misspelt)")
    }

    @Test func `init keeps what is there`() throws {
        try shunt.folder.write("Profiles/local.json", "{ \"kind\": \"local\" }\n")
        let made = try shunt.run("init")
        #expect(made.status == 0)
        #expect(try shunt.folder.read("Profiles/local.json") == "{ \"kind\": \"local\" }\n")
        #expect(made.output.contains("kept"))
        let again = try shunt.run("init")
        #expect(again.status == 0)
        #expect(again.output.contains("shunt trust install") && !again.output.contains("NOT USED"), "\(again)")
        let other = try shunt.run("init", "--local", "http://localhost:9000", "--staging", "http://localhost:9001")
        #expect(other.output.contains("NOT USED: the URL for Profiles/local.json"), "\(other)")
        #expect(other.output.contains("NOT USED: the URL for Profiles/staging.json"), "\(other)")
        #expect(try shunt.folder.read("Profiles/local.json") == "{ \"kind\": \"local\" }\n")
    }

    @Test func `a broken profile is reported with its place`() throws {
        _ = try shunt.run("init")
        try shunt.folder.write("Profiles/broken.json", "{\n  \"kind\": \"lokal\",\n  \"routs\": [],\n}\n")
        let result = try shunt.run("validate")
        #expect(result.status == 1)
        #expect(result.errors.contains("broken.json:2:"))
        #expect(result.errors.contains("broken.json:3:"))
        let json = try JSONReader.read(try shunt.run("validate", "--json").output)
        #expect(json["problems"]?.array?.first?["line"]?.number?.int64 == 2)
        #expect(try shunt.run("serve", "--port", "0").status == 1)
    }

    @Test func `validate and explain say which routes of other profiles arrive at production`() throws {
        try shunt.folder.write(
            "Profiles/production.json", "{kind: 'production',\n routes: [{origin: 'https://a.test'}]}")
        try shunt.folder.write(
            "Profiles/local.json", "{kind: 'local', routes: [\n {origin: 'https://A.test:443/v1'}]}")
        let text =
            "https://a.test/v1 is production's, too, and read-only: https://a.test is an origin of the production "
            + "profile production (route *, "
        let result = try shunt.run("validate")
        #expect(result.status == 0)
        #expect(result.output.contains("READ-ONLY") && result.output.contains("Profiles/local.json:2: \(text)"))
        let json = try JSONReader.read(try shunt.run("validate", "--json").output)
        let shared = try #require(json["sharedWithProduction"]?.array?.first)
        #expect(shared["profile"]?.string == "local" && shared["route"]?["line"]?.number?.int64 == 2)
        #expect(shared["production"]?["route"]?["line"]?.number?.int64 == 2)
        let strict = try shunt.run("validate", "--strict")
        #expect(strict.status == 1 && strict.errors.contains(text))
        let explained = try shunt.run("explain", "http://x/users/7", "-X", "DELETE", "--profile", "local")
        #expect(explained.output.contains("refused until `shunt unlock production"))
        #expect(explained.output.contains(": DELETE can change something; ") && explained.output.contains("(route *, "))
    }

    @Test func `without a Shunt that runs, use and status say so`() throws {
        _ = try shunt.run("init")
        for arguments in [["use", "staging"], ["status"], ["status", "--json"], ["reload"]] {
            let result = try ChildProcess.run(ShuntBinary.path, arguments, directory: shunt.folder.path)
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(result.errors.contains("no Shunt runs"))
            #expect(result.errors.contains("shunt serve"))
        }
    }

    @Test func `without profiles every command names the first step`() throws {
        for command in ["serve", "status", "validate"] {
            let result = try shunt.run(command)
            #expect(result.status == 1)
            #expect(result.errors.contains("shunt init"))
        }
    }

    @Test func `a profile that is not there is named with its nearest`() throws {
        _ = try shunt.run("init")
        let result = try shunt.run("serve", "--profile", "stagin", "--port", "0")
        #expect(result.status == 1)
        #expect(result.errors.contains("Did you mean “staging”?"))
        let variable = try shunt.run("serve", "--port", "0", environment: ["SHUNT_PROFILE": "prod"])
        #expect(variable.errors.contains("SHUNT_PROFILE"))
    }
}
