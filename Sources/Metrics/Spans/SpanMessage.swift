public import Exchanges
import Protobuf

/// Exchanges as a message of OTLP (opentelemetry-proto, `ExportTraceServiceRequest`): for each a span of kind server,
/// with a span of kind client for each attempt at an origin.
///
/// Names of attributes are those of OpenTelemetry's semantic conventions for HTTP, version 1.23 and later; those that
/// begin with `shunt.` are Shunt's own.
public struct SpanMessage {
    /// What the spans come from: `service.name` and the like.
    private let resource: [(name: String, value: String)]
    private let version: String

    public init(resource: [(name: String, value: String)], version: String) {
        (self.resource, self.version) = (resource, version)
    }

    /// - Parameter exchanges: without secrets; those without a trace are left out.
    public func bytes(of exchanges: [Exchange]) -> [UInt8] {
        var message = ProtobufWriter()
        message.message(1) { resourceSpans in
            resourceSpans.message(1) { resource in
                for (name, value) in self.resource { resource.attribute(1, name, .text(value)) }
            }
            resourceSpans.message(2) { scopeSpans in
                scopeSpans.message(1) { scope in
                    scope.text(1, "shunt")
                    scope.text(2, version)
                }
                for exchange in exchanges {
                    guard let trace = exchange.trace else { continue }
                    scopeSpans.message(2) { ServerSpan(exchange, trace).write(to: &$0) }
                    for index in trace.attempts.indices {
                        scopeSpans.message(2) { ClientSpan(exchange, trace, index).write(to: &$0) }
                    }
                }
            }
        }
        return message.bytes
    }

    /// How many spans that are.
    public static func count(_ exchanges: [Exchange]) -> Int {
        exchanges.reduce(0) { $0 + ($1.trace.map { 1 + $0.attempts.count } ?? 0) }
    }

    /// What a collector did not take, of its response (`ExportTraceServiceResponse`).
    public static func rejected(in response: [UInt8]) -> (spans: Int, message: String) {
        var found = (spans: 0, message: "")
        var reader = ProtobufReader(response[...])
        while let (field, value) = reader.next() {
            guard field == 1, case .bytes(let partial) = value else { continue }
            var inner = ProtobufReader(partial)
            while let (field, value) = inner.next() {
                switch (field, value) {
                case (1, .varint(let count)): found.spans = Int(clamping: Int64(bitPattern: count))
                case (2, .bytes(let text)): found.message = String(decoding: text.prefix(500), as: UTF8.self)
                default: break
                }
            }
        }
        return found
    }
}

/// The value of an attribute (`AnyValue`).
enum SpanValue {
    case text(String)
    case number(Int)
    case bool(Bool)
}

extension ProtobufWriter {
    /// A `KeyValue`.
    mutating func attribute(_ field: UInt64, _ name: String, _ value: SpanValue) {
        message(field) { pair in
            pair.text(1, name)
            pair.message(2) { any in
                switch value {
                case .text(let text): any.text(1, text)
                case .bool(let bool): any.varint(2, bool ? 1 : 0)
                case .number(let number): any.varint(3, UInt64(bitPattern: Int64(number)))
                }
            }
        }
    }
}
