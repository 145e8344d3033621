import Engine
import HTTP2
import Synchronization
import TLS
import TestSupport
import Testing

/// What stands behind Shunt in the tests of HTTP/2: the same origin, reached in three ways.
enum OriginKind: String, CaseIterable, Sendable {
    /// HTTP/1.1.
    case h1
    /// HTTP/2 without TLS, known beforehand.
    case h2c
    /// HTTP/2 as agreed on by ALPN.
    case h2

    /// A proxy in front of an origin of HTTP/1.1, of which this kind is all that can be seen.
    func start(
        _ origin: ScriptedOrigin, limits: Limits = Limits(), tracing: TraceSampling? = nil
    ) async throws -> Stage {
        let behind = "http://127.0.0.1:\(origin.port)"
        if self == .h1 {
            let outer = try await Harness.start(
                profiles: ["only": Harness.origin(behind)], active: "only", limits: limits, tracing: tracing)
            return Stage(outer: outer, inner: nil)
        }
        let inner = try await Harness.start(
            profiles: ["inner": Harness.origin(behind)], active: "inner",
            identities: self == .h2 ? .development(try DevelopmentCA.ephemeral()) : nil)
        let url = self == .h2 ? "https://localhost:\(inner.port)" : "h2c://127.0.0.1:\(inner.port)"
        let outer = try await Harness.start(
            profiles: ["only": Harness.origin(url, more: #", "trust": {"@loopback": "disabled"}"#)], active: "only",
            limits: limits, tracing: tracing)
        return Stage(outer: outer, inner: inner)
    }
}

/// Up to two proxies in a row.
struct Stage {
    let outer: Harness
    let inner: Harness?

    var port: UInt16 { outer.port }

    func stop() async {
        await outer.stop()
        await inner?.stop()
    }
}

/// A response as a client of either version saw it.
struct Seen: Equatable, Sendable {
    var status = ""
    var fields: [String] = []
    var body = ""
    var trailers = ""
    /// Status lines of interim responses.
    var interim: [String] = []

    /// The value of a field, by its name in small letters.
    subscript(name: String) -> String? {
        fields.first { $0.lowercased().hasPrefix(name + ":") }.map {
            String($0.dropFirst(name.count + 1).drop { $0 == " " })
        }
    }
}

enum ClientKind: String, CaseIterable, Sendable {
    case h1, h2c

    /// Sends a request and reads the whole response.
    /// - Parameter body: nil for none; told with its length, or not.
    func ask(
        _ port: UInt16, _ method: String, _ path: String, fields: String = "", body: String? = nil,
        hasLength: Bool = true, trailers: String = ""
    ) throws -> Seen {
        var head = "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)"
        if let body, hasLength { head += "Content-Length: \(body.utf8.count)\r\n" }
        switch self {
        case .h1:
            let client = try RawConnection.connect(port)
            if body != nil, !hasLength { head += "Transfer-Encoding: chunked\r\n" }
            try client.send(head + "\r\n")
            if let body {
                try client.send(hasLength ? body : Self.chunks(body) + "0\r\n" + trailers + "\r\n")
            }
            return try Self.read(client, isHead: method == "HEAD")
        case .h2c:
            let wire = try HTTP2Wire.connect(port)
            let recorder = try wire.request(head + "\r\n", body: body, ends: false)
            if body != nil { recorder.end(trailers: trailers) }
            try wire.finish(recorder)
            var seen = Seen(
                body: recorder.text, trailers: Self.lines(recorder.trailers ?? "").joined(separator: "|"))
            for head in recorder.heads.dropLast() { seen.interim.append(String(head.prefix(12))) }
            let lines = Self.lines(recorder.heads.last ?? "")
            seen.status = String(lines.first?.prefix(12) ?? "reset: \(recorder.closeCode)")
            seen.fields = Array(lines.dropFirst())
            return seen
        }
    }

    private static func lines(_ text: String) -> [String] { text.split(separator: "\r\n").map { String($0) } }

    static func chunks(_ body: String) -> String {
        body.isEmpty ? "" : String(body.utf8.count, radix: 16) + "\r\n" + body + "\r\n"
    }

    private static func read(_ client: RawConnection, isHead: Bool) throws -> Seen {
        var seen = Seen()
        while true {
            let lines = lines(try client.readHead())
            seen.status = String(lines[0].prefix(12))
            seen.fields = Array(lines.dropFirst())
            guard seen.status.hasPrefix("HTTP/1.1 1") else { break }
            seen.interim.append(seen.status)
        }
        if isHead || ["HTTP/1.1 204", "HTTP/1.1 304"].contains(seen.status) { return seen }
        if seen["transfer-encoding"] == "chunked" {
            while true {
                let line = try client.read(until: "\r\n").dropLast()
                guard let count = Int(line, radix: 16) else { return seen }
                if count == 0 { break }
                seen.body += try client.read(count: count)
                _ = try client.read(count: 2)
            }
            var trailers: [String] = []
            while case let line = try client.read(until: "\r\n"), line != "\r\n" {
                trailers.append(line.dropLast().lowercased())
            }
            seen.trailers = trailers.joined(separator: "|")
        } else {
            seen.body = try client.read(count: Int(seen["content-length"] ?? "") ?? 0)
        }
        return seen
    }
}

/// What the suites of HTTP/2 begin with.
enum HTTP2Case {
    static let ok = "HTTP/1.1 200 OK\r\n\r\n"
    static let post = "POST / HTTP/1.1\r\nHost: a\r\n\r\n"

    static func start(
        _ origin: ScriptedOrigin, isHTTP2: Bool = true, limits: Limits = Limits(), time: VirtualClock? = nil
    ) async throws -> Harness {
        let url = "\(isHTTP2 ? "h2c" : "http")://127.0.0.1:\(origin.port)"
        return try await Harness.start(
            profiles: ["only": Harness.origin(url)], active: "only", limits: limits, time: time)
    }

    /// What an origin of HTTP/2 was asked, and on which connection.
    final class Asked: Sendable {
        private let list = Mutex<[(connection: Int, line: String)]>([])
        func add(_ connection: Int, _ recorder: HTTP2Recorder) {
            let line = recorder.heads[0].split(separator: " ")[..<2].joined(separator: " ")
            list.withLock { $0.append((connection, line)) }
        }
        var lines: [String] { list.withLock { $0.map(\.line) } }
        var connections: [Int] { list.withLock { $0.map(\.connection) } }
    }
}
