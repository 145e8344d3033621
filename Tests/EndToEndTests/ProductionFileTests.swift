import Foundation
import TestSupport
import Testing

/// The guard of production while files come and go, as where another branch is checked out.
@Suite struct ProductionFileTests {
    @Test func `what was production stays so until profiles are read on request`() throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\ndone")
        }
        defer { origin.stop() }
        let url = "http://127.0.0.1:\(origin.port)"
        let production = profile(url, kind: "production")
        let shunt = try ServingShunt(
            ["staging": profile(url, kind: "staging"), "production": production], ["--profile", "staging"])
        func delete() throws -> String {
            try shunt.curl(
                "-X", "DELETE", "-o", "/dev/null", "-w", "%{http_code}", "http://localhost:\(shunt.port)/"
            ).output
        }
        let file = shunt.folder.path + "/Profiles/production.json"
        #expect(try delete() == "403")
        try FileManager.default.removeItem(atPath: file)
        #expect(eventually { shunt.process.errors.contains("stays one until `shunt reload`") })
        #expect(try delete() == "403")
        #expect(try shunt.run("status").output.contains("production   \(url) was an origin of"))
        // A file that cannot be read leaves the old ones in place.
        try shunt.folder.write("Profiles/production.json", "{ \"kind\": ")
        #expect(eventually { shunt.process.errors.contains("so the old ones stay") })
        #expect(try delete() == "403")
        try shunt.folder.write("Profiles/production.json", production)
        #expect(eventually { (try? shunt.run("status").output.contains("was an origin of")) == false })
        #expect(try delete() == "403")
        try FileManager.default.removeItem(atPath: file)
        #expect(eventually { (try? shunt.run("status").output.contains("was an origin of")) == true })
        #expect(try shunt.run("reload").output.contains("only what the files call production"))
        #expect(try delete() == "200")
        try shunt.stop()
    }
}
