import Admin
import Engine
import Exchanges
import Foundation
import JSON
import Profiles
import Reactor
import Store
import TestSupport
import Testing

/// An admin interface with a store that a test fills.
final class AskedAdmin: Sendable {
    let folder: TemporaryFolder
    let proxy: Proxy
    let server: AdminServer
    let store: TrafficStore

    /// - Parameters:
    ///   - isRecording: false for a Shunt that keeps nothing.
    ///   - gathering: how long the store waits for more before it writes, in milliseconds.
    init(
        _ profiles: ProfileLibrary? = nil, isRecording: Bool = true, hasInspector: Bool = false, hasUsers: Bool = false,
        gathering: Int = 1
    ) async throws {
        folder = try TemporaryFolder()
        var settings = StoreSettings()
        settings.gathering = gathering
        settings.ageLimit = .max
        settings.finishing = 30_000
        store = try TrafficStore.open(folder.path + "/traffic.db", settings)
        var configuration = Proxy.Configuration(addresses: [.loopback(.ipv4, port: 0)])
        if isRecording { configuration.store = store }
        proxy = try await Proxy.start(configuration, profiles: profiles ?? environments(), active: "local")
        var facts = AdminFacts(
            pid: 1, version: "1.2.3", startedAt: 0, urls: [], profilesDirectory: "/p",
            store: isRecording ? store.path : nil, inspector: hasInspector ? InspectorSecrets() : nil)
        if hasUsers {
            facts.users = Users(profilesDirectory: folder.path + "/Profiles")
            facts.audit = AuditLog(profilesDirectory: folder.path + "/Profiles")
        }
        server = try await AdminServer(
            port: 0, token: AdminToken(text: "secret"), for: proxy, facts: facts,
            actions: AdminActions(
                reload: { ReloadReport(changes: [], problems: ["a.json:1:1: wrong"]) }, didUse: { _, _ in }))
    }

    func stop() async {
        await server.stop()
        await proxy.abort()
        await proxy.drain()
        proxy.stop()
        store.finish()
    }

    static func exchange(_ path: String, status: Int? = 200, method: String = "GET") -> Exchange {
        Exchange(
            startedAt: 1_700_000_000_000_000, client: .init(address: "127.0.0.1:5000", version: "HTTP/1.1", tls: nil),
            method: method, url: "https://api.shop.test\(path)", status: status)
    }

    /// Hands over all of an exchange, or its beginning.
    func offer(
        _ id: UInt64, _ exchange: Exchange, isFirst: Bool = true, isLast: Bool = true,
        _ parts: [(RecordedPiece.Part.Kind, String)] = []
    ) {
        var piece = RecordedPiece(id: id, exchange: exchange, isFirst: isFirst, isLast: isLast)
        for (kind, text) in parts { piece.append(kind, Array(text.utf8)) }
        _ = store.offer(piece)
    }

    /// Waits until so many exchanges are in the store.
    func waitForCount(_ count: Int64) async throws {
        let path = store.path
        let isThere = try await blocking {
            let reader = try TrafficReader(path)
            return try eventually { try reader.count() == count }
        }
        guard isThere else { throw ChildProcess.Overdue(description: "the store has not got \(count) exchanges") }
    }

    func connect(
        _ method: String, _ target: String, _ fields: String = "", body: String = "", token: String? = "secret",
        host: String? = nil
    ) throws -> RawConnection {
        let client = try RawConnection.connect(server.port)
        let token = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try client.send(
            "\(method) \(target) HTTP/1.1\r\nHost: \(host ?? server.address)\r\n\(token)"
                + "\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return client
    }

    struct Response: Sendable {
        let status: Int
        let head: String
        let body: String
        var json: JSONValue { get throws { try JSONReader.read(body) } }
    }

    func ask(
        _ method: String, _ target: String, _ fields: String = "", body: String = "", token: String? = "secret",
        host: String? = nil
    ) async throws -> Response {
        let response = try await blocking {
            let client = try self.connect(
                method, target, fields + "Connection: close\r\n", body: body, token: token, host: host)
            let text = try client.readToEnd()
            let end = text.range(of: "\r\n\r\n")
            let head = String(text[..<(end?.lowerBound ?? text.endIndex)])
            var body = end.map { String(text[$0.upperBound...]) } ?? ""
            if head.contains("chunked") { body = Self.body(ofChunks: body) }
            return Response(status: Int(head.dropFirst(9).prefix(3)) ?? 0, head: head, body: body)
        }
        let fault = ResponseSchema.fault(method, target, response.status, response.body)
        #expect(fault == nil, "\(method) \(target) is not as docs/openapi.json says: \(fault ?? "")")
        return response
    }

    func get(_ target: String, _ fields: String = "") async throws -> Response { try await ask("GET", target, fields) }

    /// What comes without its last chunk is told by a line more.
    private static func body(ofChunks text: String) -> String {
        var body: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let end = rest.firstIndex(of: 0x0D),
            let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16)
        {
            if size == 0 { return String(decoding: body, as: UTF8.self) }
            body += rest[(end + 2)...].prefix(size)
            rest = rest[(end + 2)...].dropFirst(size + 2)
        }
        return String(decoding: body, as: UTF8.self) + "\n[cut off]"
    }
}
