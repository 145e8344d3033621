import Admin
import Foundation
import JSON
import Profiles
import TestSupport
import Testing

/// `/v1/sessions`: who may do what, and what is said of what is wrong.
@Suite struct SessionRouteTests {
    private static let json = "Content-Type: application/json\r\n"

    private static func admin(hasUsers: Bool = false) async throws -> AskedAdmin {
        let profile = #"{"kind": "local", "routes": [{"path": "/*", "mock": {"text": "profile"}}]}"#
        return try await AskedAdmin(
            try ProfileLibrary.load(files: [(path: "Profiles/local.json", bytes: Array(profile.utf8))]),
            hasUsers: hasUsers)
    }

    @Test func `a session is started, filled, looked at and ended`() async throws {
        let admin = try await Self.admin()
        let started = try await admin.ask(
            "POST", "/v1/sessions", Self.json, body: #"{"name": "checkout", "port": true, "idleSeconds": 60}"#)
        #expect(started.status == 200)
        let session = try started.json
        let id = try #require(session["id"]?.string)
        #expect(id.utf8.count == 16 && session["profile"]?.string == "local" && session["name"]?.string == "checkout")
        #expect(session["header"]?.string == "Shunt-Session: \(id)")
        #expect(session["cookie"]?.string == "shunt-session=\(id)")
        let path = "/v1/sessions/\(id)"
        let added = try await admin.ask(
            "POST", path + "/routes", Self.json, body: #"{"name": "cart", "path": "/cart", "mock": {"text": "mine"}}"#)
        #expect(try added.json["routes"]?.array?.map { $0["name"]?.string } == ["cart"])
        // By its own port, without the identifier.
        let port = try #require(session["url"]?.string?.split(separator: ":").last.flatMap { UInt16($0) })
        let response = try await blocking {
            let client = try RawConnection.connect(port)
            try client.send("GET /cart HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return try client.readToEnd()
        }
        #expect(response.hasSuffix("\r\n\r\nmine"), "\(response)")
        let routes = try await admin.get(path + "/routes").json["routes"]?.array
        #expect(routes?.first?["hits"]?.number?.int64 == 1 && routes?.first?["responder"]?.string == "mock")
        #expect(try await admin.get(path).json["requests"]?.number?.int64 == 1)
        #expect(try await admin.get("/v1/sessions").json["sessions"]?.array?.map { $0["id"]?.string } == [id])
        #expect(try await admin.ask("DELETE", path + "/routes?name=none").status == 404)
        #expect(try await admin.ask("DELETE", path + "/routes?name=cart").json["routes"]?.array?.isEmpty == true)
        #expect(try await admin.ask("DELETE", path).json["ended"]?.string == id)
        let gone = try await admin.get(path)
        #expect(gone.status == 404)
        #expect(try gone.json["detail"]?.string?.contains("has ended") == true)
        await admin.stop()
    }

    @Test(arguments: [
        ("POST", "/v1/sessions", #"{"profile": "lokal"}"#, 404, "Did you mean “local”?"),
        ("POST", "/v1/sessions", #"{"network": "4g"}"#, 400, "there is no network"),
        ("POST", "/v1/sessions", #"{"idleSeconds": 90000}"#, 400, "idleSeconds"),
        ("POST", "/v1/sessions", #"{"idle": 1}"#, 400, "unknown member"),
        ("GET", "/v1/sessions/0", "", 404, "there is no session"),
        ("DELETE", "/v1/sessions/0", "", 404, "there is no session"),
        ("POST", "/v1/sessions/0/routes", "{}", 404, "there is no session"),
    ])
    func `what is wrong is named`(
        method: String, target: String, body: String, status: Int, message: String
    ) async throws {
        let admin = try await Self.admin()
        let response = try await admin.ask(method, target, Self.json, body: body)
        let text = "\(try response.json["detail"]?.string ?? "") \(try response.json["advice"]?.string ?? "")"
        #expect(response.status == status && text.contains(message), "\(text)")
        await admin.stop()
    }

    @Test func `a wrong route has its line and column in what was posted`() async throws {
        let admin = try await Self.admin()
        let id = try #require(try await admin.ask("POST", "/v1/sessions", Self.json, body: "{}").json["id"]?.string)
        let response = try await admin.ask(
            "POST", "/v1/sessions/\(id)/routes", Self.json, body: "[\n  {\"path\": \"/a\", \"mok\": {}}\n]")
        let problem = try response.json
        #expect(response.status == 400)
        #expect(problem["line"]?.number?.int64 == 2 && problem["column"]?.number?.int64 == 3)
        #expect(problem["detail"]?.string?.contains("unknown key \"mok\" in a route") == true)
        await admin.stop()
    }
}
