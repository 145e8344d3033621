import Bytes
import Exchanges
import Filter
import Protobuf
public import Redaction
public import Store

/// A recorded request as it can be sent once more: what the client sent, without what concerned its connection.
public struct RecordedRequest: Sendable {
    /// Bytes of a body that are read to repeat a request.
    public static let bodyLimit = 64 << 20

    public let method: String
    /// Absolute, as the client meant it.
    public let url: String
    /// As in the request line: `HTTP/1.1`.
    public let version: String
    /// Path and query, or `*`.
    public let target: String
    /// Without hop-by-hop fields, Host, Content-Length and Expect; without Content-Encoding where the body has none now.
    public private(set) var fields: [HeadText.Field]
    /// The Host field, or what the URL says.
    public let host: String
    public let body: [UInt8]
    /// Those of a gRPC call as JSON; nil where they are not known.
    public internal(set) var messages: [[UInt8]]?
    /// The missing parts of a repetition, in words.
    public let gaps: [String]
    /// Changes the protocol, which cannot be repeated.
    public let isUpgrade: Bool

    /// The secrets that are not there any more: in which field, and its replacement.
    public private(set) var secrets: [(place: String, replacement: Replacement)]

    public init(_ reader: TrafficReader, _ record: TrafficRecord) throws(ExportFailure) {
        let exchange = record.summary.exchange
        let head = HeadText(record.clientRequest ?? record.originRequest ?? [])
        let words = head.startLine.split(separator: " ")
        (method, url, version) = (exchange.method, exchange.url, exchange.client.version)
        let url = URLText(exchange.url)
        let isAsterisk = words.count == 3 && words[1] == "*" || head.value(of: ":path") == "*"
        target = isAsterisk ? "*" : url?.target ?? exchange.url
        host = head.value(of: "Host") ?? head.value(of: ":authority") ?? url?.authority ?? ""
        isUpgrade = head.value(of: "Upgrade") != nil || exchange.method == "CONNECT"
        var left = head.hopByHop.union(["host", "content-length", "expect"])
        if record.requestBody.isDecoded { left.insert("content-encoding") }
        fields = head.fields.filter {
            !SentFields.isPseudo($0.name)
                && !left.contains(String(decoding: $0.name.utf8.map(ByteSearch.lowercased), as: UTF8.self))
        }
        let writer = try BodyWriter(reader, record, .request)
        let whole = try writer.whole(limit: Self.bodyLimit)
        body = whole ?? []
        var gaps: [String] = []
        let state = record.requestBody
        if whole == nil {
            gaps.append("the body is left out: it has more than \(Self.bodyLimit >> 20) MiB")
        } else if state.isUndecodable {
            gaps.append("the body was not kept: its body coding could not be undone")
        } else if state.isCut || state.isDropped {
            gaps.append("the body is incomplete: only its first \(body.count) bytes were kept")
        } else if body.isEmpty, exchange.bytes.request > 0 {
            gaps.append("the body was not kept")
        }
        if record.requestTrailers != nil { gaps.append("the trailers are left out") }
        if isUpgrade { gaps.append("it asked for another protocol, and that is left out") }
        self.gaps = gaps
        secrets = Self.secrets(fields, exchange.url, body)
    }

    /// One that was not recorded, without a body.
    ///
    /// - Parameter target: path and query.
    public init(method: String, host: String, target: String, fields: [HeadText.Field]) {
        (self.method, self.host, self.target, self.fields) = (method, host, target, fields)
        url = "http://\(host)\(target)"
        version = "HTTP/1.1"
        (body, gaps, isUpgrade, secrets) = ([], [], false, [])
    }

    /// A recorded one with changes; what is replaced as a whole has no gaps left.
    init(_ recorded: RecordedRequest, _ edit: RequestEdit, host: String, target: String) {
        (method, url) = (edit.method ?? recorded.method, edit.url ?? recorded.url)
        (self.host, self.target, version) = (host, target, recorded.version)
        (fields, body) = (edit.fields ?? recorded.fields, edit.body ?? recorded.body)
        (gaps, isUpgrade) = (edit.body == nil ? recorded.gaps : [], recorded.isUpgrade)
        secrets = Self.secrets(fields, url, body)
    }

    /// Why it cannot be sent as it was, in words; empty if it can.
    public var obstacles: [String] {
        var places: [String] = []
        for secret in secrets where !places.contains(secret.place) { places.append(secret.place) }
        return gaps + places.map { "the secret in the \($0) was not recorded" }
    }

    private static func secrets(
        _ fields: [HeadText.Field], _ url: String, _ body: [UInt8]
    ) -> [(place: String, replacement: Replacement)] {
        var found: [(place: String, replacement: Replacement)] = []
        found += Replacement.all(in: Array(url.utf8)).map { ("URL", $0) }
        for field in fields {
            found += Replacement.all(in: Array(field.value.utf8)).map { ("field \(field.name)", $0) }
        }
        found += Replacement.all(in: body).map { ("body", $0) }
        return found
    }

    /// The same with other fields in the place of recorded ones, which may lack a secret.
    public func with(_ own: [HeadText.Field]) -> RecordedRequest {
        var request = self
        request.fields.removeAll { recorded in own.contains { HeadText.isSame($0.name, recorded.name) } }
        request.fields += own
        request.secrets.removeAll { secret in own.contains { HeadText.isSame("field \($0.name)", secret.place) } }
        return request
    }

    /// It is a gRPC call.
    public var isCall: Bool {
        fields.contains { HeadText.isSame($0.name, "Content-Type") && GRPC.Form(contentType: $0.value.utf8) != nil }
    }

    /// The body as text, where it is that.
    var bodyText: String? { BodyScan.of(body).isText ? String(decoding: body, as: UTF8.self) : nil }
}

extension TrafficReader {
    /// One request, to be sent once more.
    ///
    /// - Parameter calls: by which the messages of a gRPC call are read.
    public func request(_ id: Int64, _ calls: CallSchemas = .none) throws(ExportFailure) -> RecordedRequest {
        guard let record = try stored({ () throws(StoreFailure) in try record(id) }) else { throw .noSuchExchange(id) }
        var request = try RecordedRequest(self, record)
        request.messages = try stored { () throws(StoreFailure) in try callMessages(record, .request, calls) }
        return request
    }
}

/// Names for secrets that have to be filled in: one for each different one.
struct SecretVariables {
    private(set) var all: [(name: String, place: String, replacement: Replacement)] = []

    /// - Parameter name: Makes a name of a replacement's own.
    init(_ request: RecordedRequest, name: (String) -> String) {
        var count: [String: Int] = [:]
        for (place, replacement) in request.secrets where !all.contains(where: { $0.replacement == replacement }) {
            let base = name(replacement.name)
            count[base, default: 0] += 1
            let number = count[base, default: 1]
            all.append((number > 1 ? "\(base)_\(number)" : base, place, replacement))
        }
    }

    func name(_ replacement: Replacement) -> String? { all.first { $0.replacement == replacement }?.name }
}
