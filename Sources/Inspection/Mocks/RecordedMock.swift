import Bytes
package import Contracts
import Exchanges
import Filter
public import JSON
import Redaction
public import Store

/// A mock made of a recorded exchange, or of an operation of a contract.
public struct RecordedMock: Sendable {
    /// The exchange's number; nil for one of a contract.
    public let id: Int64?
    public let method: String
    /// Nil where the client asked an address or this machine, which says nothing of the API.
    public let host: String?
    /// Without the query.
    public let path: String
    public let status: Int
    public let fields: [HeadText.Field]
    public let body: [UInt8]
    /// Such as `json` or `html`.
    public let fileExtension: String
    /// Secrets that were replaced in the fields and the body.
    public let secretCount: Int
    /// The value that the request's field Prefer has to have; nil for any request.
    public let preference: String?
    /// The seed of a mock whose body is a schema of GraphQL, by which it responds; nil for other mocks.
    private let schemaSeed: UInt64?

    /// Why an exchange makes no mock, in words.
    public struct Obstacle: Error, Sendable {
        public let reason: String
    }

    /// Fields that belong to the exchange and not to the resource, and those that Shunt writes itself.
    private static let left: Set<String> = [
        "content-length", "content-encoding", "date", "age", "via", "alt-svc", "strict-transport-security",
        "accept-ranges", "server", "server-timing", "x-request-id", "x-runtime",
    ]

    public init(_ reader: TrafficReader, _ record: TrafficRecord) throws(Obstacle) {
        let exchange = record.summary.exchange
        guard let url = URLText(exchange.url) else { throw Obstacle(reason: "its URL has no host") }
        guard let status = exchange.status, let bytes = record.originResponse ?? record.clientResponse else {
            throw Obstacle(reason: "it has no response")
        }
        guard status >= 200 else { throw Obstacle(reason: "it became another protocol") }
        guard status != 304 else { throw Obstacle(reason: "304 has no body; ask once more without a cache") }
        guard status != 206 else { throw Obstacle(reason: "206 has a part of the body") }
        let head = HeadText(bytes)
        if record.originResponse == nil, head.value(of: "Shunt-Answered-By") != nil {
            throw Obstacle(reason: "Shunt itself responded, by a mock, a file or an error page")
        }
        // As the head, which is the origin's: the route's changes apply to a mock, too.
        let state = record.body(.response, .origin)
        if state.isCut || state.isDropped { throw Obstacle(reason: "its body was not recorded whole") }
        if state.isUndecodable { throw Obstacle(reason: "its body's coding could not be undone") }
        let whole: [UInt8]?
        do throws(ExportFailure) {
            whole = try BodyWriter(reader, record, .response, .origin).whole(limit: RecordedRequest.bodyLimit)
        } catch {
            throw Obstacle(reason: "its body cannot be read: \(error)")
        }
        guard let body = whole else { throw Obstacle(reason: "its body is too large") }
        if body.isEmpty, exchange.bytes.response > 0 { throw Obstacle(reason: "its body was not recorded") }
        let dropped = head.hopByHop.union(Self.left)
        let hasSecret: (HeadText.Field) -> Bool = { Replacement.isMentioned(in: Array($0.value.utf8)) }
        let known = head.fields.filter { field in
            let name = String(decoding: field.name.utf8.map(ByteSearch.lowercased), as: UTF8.self)
            return !SentFields.isPseudo(field.name) && !dropped.contains(name) && !name.hasPrefix("shunt-")
        }
        // A field whose secret is gone is of no use to a client, and a broken cookie does harm.
        fields = known.filter { !hasSecret($0) }
        secretCount = known.count { hasSecret($0) } + Replacement.all(in: body).count
        id = record.summary.id
        method = exchange.method
        (host, path) = url.place
        (self.status, self.body) = (status, body)
        fileExtension = Self.fileExtension(head.value(of: "Content-Type") ?? "")
        (preference, schemaSeed) = (nil, nil)
    }

    package init(_ mock: ContractMock) {
        (id, host, secretCount) = (nil, nil, 0)
        (method, path, status, body) = (mock.method, mock.path, mock.status, mock.body)
        fields = mock.mediaType.map { [HeadText.Field("Content-Type", $0)] } ?? []
        fileExtension = Self.fileExtension(mock.mediaType ?? "")
        (preference, schemaSeed) = (mock.preference, nil)
    }

    /// A mock that responds to calls of GraphQL by a schema.
    package init(schema: [UInt8], isJSON: Bool, seed: UInt64) {
        (id, host, secretCount, preference) = (nil, nil, 0, nil)
        (method, path, status, fields) = ("POST", "/graphql", 200, [])
        (body, fileExtension, schemaSeed) = (schema, isJSON ? "json" : "graphql", seed)
    }

    private static func fileExtension(_ contentType: String) -> String {
        let essence = contentType.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        let known = [
            "text/html": "html", "text/plain": "txt", "text/css": "css", "text/javascript": "js",
            "application/javascript": "js", "application/xml": "xml", "text/xml": "xml", "text/csv": "csv",
            "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/svg+xml": "svg",
            "application/pdf": "pdf", "font/woff2": "woff2",
        ]
        if let name = known[essence] { return name }
        return essence.hasSuffix("json") ? "json" : essence.hasSuffix("+xml") ? "xml" : "bin"
    }
}

extension URLText {
    /// Host and path of a route for it; no host where the client asked an address or this machine, which says nothing of
    /// the API.
    var place: (host: String?, path: String) {
        let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        let namesAPI = !isAddress && host != "localhost" && !host.hasSuffix(".localhost")
        return (namesAPI ? host : nil, String(target.prefix { $0 != "?" }))
    }
}

extension RecordedMock {
    /// `get-v1-cart-7`: what a file or a mock of it is called.
    public var name: String {
        let text = "\(method)\(path) \(preference ?? "")".lowercased()
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return String(words.joined(separator: "-").prefix(80))
    }

    /// The route, as a profile has it.
    /// - Parameter file: where the body is, from the profile; nil without a body.
    public func writeRoute(file: String?, to writer: inout JSONWriter) {
        writer.object { route in
            route.member("method", method)
            if let host { route.member("host", host) }
            route.member("path", path.isEmpty ? "/" : path)
            if let preference { route.object("match") { $0.object("headers") { $0.member("Prefer", preference) } } }
            route.object("mock") { mock in
                if status != 200 { mock.member("status", status) }
                if !fields.isEmpty {
                    mock.object("headers") { headers in
                        for (name, values) in grouped {
                            if values.count == 1 {
                                headers.member(name, values[0])
                            } else {
                                headers.array(name) { for value in values { $0.value(value) } }
                            }
                        }
                    }
                }
                guard let file else { return }
                mock.member(schemaSeed == nil ? "file" : "graphql", file)
                if let schemaSeed { mock.member("seed", schemaSeed) }
            }
        }
    }

    /// Fields of one name together, in the order in which the names come.
    private var grouped: [(name: String, values: [String])] {
        var groups: [(name: String, values: [String])] = []
        for field in fields {
            if let index = groups.firstIndex(where: { HeadText.isSame($0.name, field.name) }) {
                groups[index].values.append(field.value)
            } else {
                groups.append((field.name, [field.value]))
            }
        }
        return groups
    }
}
