import Bytes
import Engine
import Exchanges
import Inspection
import JSON
import Platform
import Profiles

/// What `shunt explain --response` shows: a response as its origin sent it, and as a client would get it.
struct ExplainedResponse {
    /// Lines of the head, with `- ` or `+ ` in front.
    let head: [String]
    /// Lines of the body likewise; empty for one that stays.
    let body: [String]
    /// Shunt's own response, where the origin is not asked.
    let own: String?
    let changes: [String]
    let notes: [String]

    /// Lines of a difference that are shown.
    private static let maxLines = 40
    private static let ofConnections = [
        "connection", "transfer-encoding", "content-length", "keep-alive", "shunt-answered-by",
    ]

    init(
        _ sent: SentResponse, to url: String, method: String, headers: [(name: String, value: String)],
        profile: String?, by shunt: TriedShunt
    ) async throws {
        let request = TriedRequest(method, url, version: "1.0", headers: headers, profile: profile)
        let found = try await ResponseTrial.run(shunt, request, response: sent.bytes)
        guard let found else { throw CommandFailure("\(method) \(url) is no request that Shunt reads") }
        let got = SentResponse.split(found.response)
        let exchange = found.exchange
        changes = exchange.rewritten
        if let failure = exchange.failure {
            own = "\(exchange.status.map { "\($0), " } ?? "")by Shunt: \(failure.message)"
        } else {
            own = found.hasAskedOrigin ? nil : "\(exchange.status ?? 0), by Shunt itself"
        }
        notes = exchange.originSent
        guard own == nil else {
            (head, body) = ([], [])
            return
        }
        func lines(_ head: [UInt8]) -> [String] {
            LineDifference.lines(head).dropFirst().filter { line in
                !Self.ofConnections.contains(line.prefix { $0 != ":" }.lowercased())
            }
        }
        head = LineDifference(from: lines(sent.head), to: lines(got.head)).changes
        body =
            sent.isText
            ? LineDifference(from: LineDifference.lines(sent.body), to: LineDifference.lines(got.body)).changes : []
    }

    var text: String {
        if let own { return "  response \(own)\n" }
        var lines = ["  response " + (head.isEmpty && body.isEmpty ? "stays as it is" : "changes")]
        for line in head + body.prefix(Self.maxLines) { lines.append("    " + line.prefix(400)) }
        if body.count > Self.maxLines { lines.append("    … and \(body.count - Self.maxLines) more lines of the body") }
        for note in notes { lines.append("  note     the origin sent \(note)") }
        return lines.joined(separator: "\n") + "\n"
    }

    func write(to writer: inout JSONWriter) {
        writer.object("response") {
            if let own { $0.member("own", own) }
            $0.members(["head": head, "body": body, "changes": changes, "notes": notes])
        }
    }
}

/// A response as `curl -i` prints it.
struct SentResponse {
    let head: [UInt8]
    let body: [UInt8]
    /// The body is text in UTF-8.
    let isText: Bool

    private static let limit = 16 << 20

    /// - Parameter file: `-` for standard input.
    init(of file: String) throws {
        let name = file == "-" ? "standard input" : file
        guard let read = try file == "-" ? Terminal.input(limit: Self.limit) : Files.read(file, limit: Self.limit)
        else { throw CommandFailure("\(name) cannot be read: \(String(cString: strerror(errno)))") }
        guard read.starts(with: "HTTP/".utf8) else {
            throw UsageError("\(name) has no response", advice: "`curl -i URL` prints one.")
        }
        let (head, body) = Self.split(read)
        // curl has undone the framing, and with --compressed the coding, too.
        self.body = body
        isText = String(validating: body, as: UTF8.self) != nil
        let dropped = ["transfer-encoding", "content-length"] + (isText ? ["content-encoding"] : [])
        let lines = LineDifference.lines(head)
        let first = lines[0].split(separator: " ", maxSplits: 1).dropFirst().first.map(String.init) ?? "200"
        let fields = lines.dropFirst().filter { line in !dropped.contains(line.prefix { $0 != ":" }.lowercased()) }
        self.head = Array(
            (["HTTP/1.1 \(first)"] + fields + ["Content-Length: \(body.count)"]).joined(separator: "\r\n").utf8)
    }

    var bytes: [UInt8] { head + "\r\n\r\n".utf8 + body }

    /// A head without its empty line, and what follows.
    static func split(_ bytes: [UInt8]) -> (head: [UInt8], body: [UInt8]) {
        var end = 0
        while end < bytes.count {
            let line = bytes[end...].firstIndex(of: 0x0A) ?? bytes.count
            let isEmpty = line == end || line == end + 1 && bytes[end] == 0x0D
            if isEmpty { return (Array(bytes[..<end]), Array(bytes[min(bytes.count, line + 1)...])) }
            end = line + 1
        }
        return (bytes, [])
    }
}
