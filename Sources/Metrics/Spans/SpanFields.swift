import Exchanges
import Protobuf

/// What a span of either kind has.
private struct SpanFields {
    enum Kind: UInt64 {
        case server = 2
        case client = 3
    }

    var kind: Kind
    var trace: TraceParent.TraceID
    var span: UInt64
    var parent: UInt64?
    /// The parent is another process's, as far as that is known.
    var isParentRemote: Bool
    var name: String
    /// Microseconds since 1970.
    var start: UInt64
    var end: UInt64
    /// Missing values are left out.
    var attributes: [(name: String, value: SpanValue?)]
    /// A class of failures; nil for success.
    var error: String?
    var message: String?

    /// A message `Span` of opentelemetry-proto.
    func write(to out: inout ProtobufWriter) {
        out.number(1, trace.high, trace.low)
        out.number(2, span)
        if let parent { out.number(4, parent) }
        out.text(5, name)
        out.varint(6, kind.rawValue)
        out.fixed64(7, start &* 1000)
        out.fixed64(8, end &* 1000)
        for case (let name, let value?) in attributes { out.attribute(9, name, value) }
        if let error {
            out.attribute(9, "error.type", .text(error))
            out.message(15) { status in
                if let message { status.text(2, message) }
                status.varint(3, 2)
            }
        }
        // The flag of the trace, whether it is known where the parent is, and where that is.
        out.fixed32(16, 1 | 0x100 | (isParentRemote ? 0x200 : 0))
    }
}

/// The exchange as its client sees it.
struct ServerSpan {
    private let fields: SpanFields

    init(_ exchange: Exchange, _ trace: Exchange.Trace) {
        let url = SpanURL(exchange.url)
        let start = UInt64(clamping: exchange.startedAt)
        let client = HostAndPort(exchange.client.address)
        var attributes: [(name: String, value: SpanValue?)] = SpanMethod.attributes(exchange.method)
        attributes += [
            ("url.full", .text(exchange.url)), ("url.scheme", .text(url.scheme)), ("url.path", .text(url.path)),
            ("url.query", url.query.map(SpanValue.text)),
            ("server.address", .text(url.server.host)), ("server.port", url.server.port.map(SpanValue.number)),
            ("http.response.status_code", exchange.status.map(SpanValue.number)),
            ("http.route", exchange.route.flatMap(SpanURL.route).map(SpanValue.text)),
            ("http.request.body.size", .number(Int(clamping: exchange.bytes.request))),
            ("http.response.body.size", .number(Int(clamping: exchange.bytes.response))),
            ("client.address", .text(client.host)), ("client.port", client.port.map(SpanValue.number)),
            ("network.protocol.version", SpanURL.version(exchange.client.version).map(SpanValue.text)),
            ("tls.protocol.version", SpanURL.version(exchange.client.tls).map(SpanValue.text)),
            ("shunt.profile", exchange.profile.map(SpanValue.text)),
            ("shunt.route", exchange.route.map(SpanValue.text)),
            ("shunt.responder", exchange.responder.map(SpanValue.text)),
            ("shunt.unlocked", exchange.isUnlocked ? .bool(true) : nil),
        ]
        attributes += SpanOperation.attributes(exchange.operation)
        // A client that is wrong, or has left, is no failure of the server.
        let failure = exchange.failure.flatMap { $0.side == "client" ? nil : $0 }
        let isServerError = exchange.status.map { $0 >= 500 } ?? false
        fields = SpanFields(
            kind: .server, trace: trace.id, span: trace.span, parent: trace.parent, isParentRemote: trace.parent != nil,
            name: exchange.route.map { "\(SpanMethod.name(exchange.method)) \($0)" }
                ?? SpanMethod.name(exchange.method),
            start: start, end: start &+ exchange.timings.total, attributes: attributes,
            error: failure.map { "\($0.side).\($0.stage)" } ?? (isServerError ? exchange.status.map { "\($0)" } : nil),
            message: failure?.message)
    }

    func write(to out: inout ProtobufWriter) { fields.write(to: &out) }
}

/// One attempt at an origin, as Shunt sees it.
struct ClientSpan {
    private let fields: SpanFields

    init(_ exchange: Exchange, _ trace: Exchange.Trace, _ index: Int) {
        let attempt = trace.attempts[index]
        let isLast = index == trace.attempts.count - 1
        let url = SpanURL(exchange.url)
        let server = SpanURL(attempt.origin)
        let start = UInt64(clamping: exchange.startedAt)
        // What is known of the connection is that of the last one.
        let origin = isLast ? exchange.origin : nil
        let status = isLast && attempt.failure == nil && exchange.responder == "origin" ? exchange.status : nil
        let peer = origin?.address.map { HostAndPort($0) }
        var attributes: [(name: String, value: SpanValue?)] = SpanMethod.attributes(exchange.method)
        attributes += [
            ("url.full", .text(attempt.origin + url.target)),
            ("server.address", .text(server.server.host)),
            ("server.port", .number(server.server.port ?? (server.scheme == "https" ? 443 : 80))),
            ("http.response.status_code", status.map(SpanValue.number)),
            ("http.request.resend_count", index > 0 ? .number(index) : nil),
            ("network.peer.address", peer.map { .text($0.host) }),
            ("network.peer.port", peer?.port.map(SpanValue.number)),
            ("network.protocol.version", SpanURL.version(origin?.version).map(SpanValue.text)),
            ("tls.protocol.version", SpanURL.version(origin?.tls).map(SpanValue.text)),
            ("shunt.trust", origin?.trust.map(SpanValue.text)), ("shunt.reused", origin.map { .bool($0.isReused) }),
            ("shunt.profile", exchange.profile.map(SpanValue.text)),
            ("shunt.route", exchange.route.map(SpanValue.text)),
        ]
        let isError = status.map { $0 >= 400 } ?? false
        fields = SpanFields(
            kind: .client, trace: trace.id, span: attempt.span, parent: trace.span, isParentRemote: false,
            name: SpanMethod.name(exchange.method), start: start &+ attempt.start,
            end: start &+ max(attempt.start, attempt.end), attributes: attributes,
            error: attempt.failure ?? (isError ? status.map { "\($0)" } : nil),
            message: isLast && attempt.failure != nil ? exchange.failure?.message : nil)
    }

    func write(to out: inout ProtobufWriter) { fields.write(to: &out) }
}
