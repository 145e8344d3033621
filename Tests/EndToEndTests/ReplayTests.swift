import Exchanges
import Foundation
import JSON
import Store
import TestSupport
import Testing

@Suite struct ReplayTests {
    private static let responseHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: yesterday\r\n"

    /// A request whose response was JSON, in the store of a Shunt that runs.
    private func record(
        _ shunt: ServingShunt, method: String = "POST", fields: String = "X-Own: 1\r\n", response: String,
        sent: String = "a=1"
    ) throws {
        var exchange = Exchange(
            startedAt: 1_700_000_000_000_000, client: .init(address: "127.0.0.1:1", version: "HTTP/1.1", tls: nil),
            method: method, url: "https://api.shop.test/cart?x=1", status: 200)
        exchange.bytes.request = UInt64(sent.utf8.count)
        var settings = StoreSettings()
        settings.ageLimit = .max
        let store = try TrafficStore.open(shunt.folder.path + "/.shunt/traffic.db", settings)
        var piece = RecordedPiece(id: 1, exchange: exchange, isFirst: true, isLast: true)
        piece.append(
            .clientRequest, Array("\(method) /cart?x=1 HTTP/1.1\r\nHost: api.shop.test\r\n\(fields)\r\n".utf8))
        piece.append(.requestBody, Array(sent.utf8))
        piece.append(.clientResponse, Array((Self.responseHead + "\r\n").utf8))
        piece.append(.responseBody, Array(response.utf8))
        _ = store.offer(piece)
        store.finish()
    }

    private func origin(_ response: String, _ seen: Kept<[String]>, status: String = "200 OK") -> ScriptedOrigin {
        ScriptedOrigin { connection, _ in
            let head = try connection.readHead()
            let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length: ") }
            let body = try connection.read(count: Int(length?.dropFirst(16) ?? "0") ?? 0)
            seen.change { $0.append(head + body) }
            let fields = "Content-Type: application/json\r\nDate: today\r\n"
            let half = response.utf8.count / 2
            let (one, two) = (String(response.prefix(half)), String(response.dropFirst(half)))
            let chunks = [one, two].filter { !$0.isEmpty }.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }
                .joined()
            try connection.send(
                "HTTP/1.1 \(status)\r\n\(fields)Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n\(chunks)0\r\n\r\n"
            )
        }
    }

    private func serving(_ origin: ScriptedOrigin, kind: String = "local") throws -> ServingShunt {
        try ServingShunt([
            "local": profile("http://127.0.0.1:\(origin.port)"),
            "other": #"{"kind":"staging","routes":[{"path":"/*","mock":{"status":404,"json":{"a":[1,3]}}}]}"#,
        ])
    }

    @Test func `to a profile that is not there nothing is sent`() throws {
        let seen = Kept<[String]>([])
        let origin = origin("1", seen)
        defer { origin.stop() }
        let shunt = try serving(origin)
        try record(shunt, response: "1")
        let result = try shunt.run("replay", "1", "--profile", "otehr", "--times", "3")
        #expect(result.status == 1 && result.output.isEmpty, "\(result)")
        #expect(result.errors.contains("there is no profile “otehr”"), "\(result)")
        #expect(result.errors.contains("Did you mean “other”?"), "\(result)")
        // Not even to Shunt itself, which would have responded 400 and kept that.
        #expect(try shunt.run("logs", "--json").output.split(separator: "\n").count == 1)
        #expect(seen.value.isEmpty)
    }

    @Test func `the same request arrives, and an equal response is status 0`() throws {
        let seen = Kept<[String]>([])
        let origin = origin(#"{"b": 2, "a": [1, 2]}"#, seen)
        defer { origin.stop() }
        let shunt = try serving(origin)
        try record(shunt, response: #"{"a":[1,2],"b":2}"#)
        let result = try shunt.run("replay", "1", "--times", "3")
        #expect(result.status == 0, "\(result)")
        #expect(result.output.contains("1  200  ") && result.output.contains("~ field Date (volatile)"))
        #expect(result.output.split(separator: "\n").filter { $0.contains("equal") }.count == 3)
        #expect(seen.value.count == 3)
        let request = try #require(seen.value.first)
        #expect(request.hasPrefix("POST /cart?x=1 HTTP/1.1\r\n") && request.hasSuffix("\r\n\r\na=1"))
        #expect(request.contains("X-Own: 1\r\n") && request.contains("Accept-Encoding: identity\r\n"))
    }

    @Test func `what differs is told, also for another profile`() throws {
        let seen = Kept<[String]>([])
        let origin = origin(#"{"a":[1,2]}"#, seen)
        defer { origin.stop() }
        let shunt = try serving(origin)
        try record(shunt, response: #"{"a":[1,2]}"#)
        let text = try shunt.run("replay", "1", "--profile", "other")
        #expect(text.status == 1 && seen.value.isEmpty)
        for part in ["* status\n    - 200\n    + 404\n", "* body $.a[1]\n    - 2\n    + 3\n"] {
            #expect(text.output.contains(part), "\(text)")
        }
        let json = try JSONReader.read(try shunt.run("replay", "1", "--profile", "other", "--json").output)
        #expect(json["equal"]?.bool == false)
        let places = json["replays"]?.array?[0]["differences"]?.array?.compactMap { $0["place"]?.string }
        #expect(places?.contains("$.a[1]") == true)
    }

    @Test func `secrets that were not recorded are not sent unless one insists`() throws {
        let seen = Kept<[String]>([])
        let origin = origin("{}", seen)
        defer { origin.stop() }
        let shunt = try serving(origin)
        try record(shunt, fields: "Authorization: Bearer <redacted:bearer:0123456789>\r\n", response: "{}")
        let refused = try shunt.run("replay", "1")
        #expect(
            refused.status == 1 && refused.errors.contains("the secret in the field Authorization was not recorded"))
        #expect(seen.value.isEmpty)
        #expect(try shunt.run("replay", "1", "--force").status == 0)
        #expect(seen.value.count == 1)
    }

    @Test func `a response that is cut short is a failure, not a difference`() throws {
        let origin = ScriptedOrigin { connection, _ in
            _ = try connection.readHead()
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}")
        }
        defer { origin.stop() }
        let shunt = try serving(origin)
        try record(shunt, response: "{}")
        let result = try shunt.run("replay", "1")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors.contains("cannot be"), "\(result)")
    }
}
