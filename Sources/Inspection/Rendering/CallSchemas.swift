import Exchanges
import JSON
public import Protobuf
public import Redaction
import Rewriting
public import Store

/// What the profiles know of recorded gRPC calls: the schemas of messages, and which of their fields are secret.
public struct CallSchemas: Sendable {
    public static let none = CallSchemas(GRPCCatalog(), rules: [:])

    private let catalog: GRPCCatalog
    /// Nothing is known.
    var isEmpty: Bool { catalog.isEmpty }
    private let rules: [String: RedactionRules]

    /// - Parameter rules: those of profiles, by their names.
    public init(_ catalog: GRPCCatalog, rules: [String: RedactionRules]) {
        (self.catalog, self.rules) = (catalog, rules)
    }

    /// How the messages of one side of an exchange are shown.
    func messages(
        of record: TrafficRecord, _ side: BodySide, _ end: BodyEnd, _ reader: TrafficReader
    ) throws(StoreFailure) -> CallMessages? {
        guard let contentType = record.contentType(side, end), let form = GRPC.Form(contentType: contentType) else {
            return nil
        }
        let coding = record.heads(side, end).compactMap { $0.flatMap { HeadText($0).value(of: "grpc-encoding") } }.first
        let exchange = record.summary.exchange
        let type = catalog.type(ofCall: exchange.url, profile: exchange.profile, isRequest: side == .request)
        var redactor: Redactor?
        // A store without a key has secrets in clear, as its user wants it.
        if type != nil, let key = try reader.redactionKey() {
            redactor = Redactor(key: key, rules: exchange.profile.flatMap { rules[$0] } ?? RedactionRules())
        }
        return CallMessages(form: form, type: type, coding: coding.map { Array($0.utf8) }, redactor: redactor)
    }
}

extension TrafficReader {
    /// The messages of one side of a gRPC call as JSON without secrets, each in one line; nil where no schema has them.
    package func callMessages(
        _ record: TrafficRecord, _ side: BodySide, _ calls: CallSchemas
    ) throws(StoreFailure) -> [[UInt8]]? {
        guard let call = try calls.messages(of: record, side, .client, self), call.type != nil else { return nil }
        return call.lines(of: try body(of: record, side))
    }
}

extension TrafficRecord {
    /// It is a gRPC call in Protocol Buffers.
    public var isCall: Bool { contentType(.request).flatMap { GRPC.Form(contentType: $0) } != nil }
}

/// The messages of one side of a gRPC call.
struct CallMessages {
    let form: GRPC.Form
    /// Nil where no schema has it.
    let type: ProtobufType?
    let coding: [UInt8]?
    /// Replaces secrets that only the names of fields tell; nil where they stay.
    var redactor: Redactor?

    /// A message as JSON, without secrets; nil where it is none.
    func json(of message: [UInt8], style: JSONWriter.Style) -> [UInt8]? {
        guard let text = type?.json(of: message[...], style: style) else { return nil }
        guard let redactor else { return text }
        var body = redactor.body(contentType: "application/json", contentRange: nil)
        return body.redact(text) + body.finish()
    }

    func message(_ frame: GRPCFrame) -> [UInt8]? { frame.message(coding: coding, limit: ProtobufType.maxMessage) }

    /// Each message of a body as JSON in one line, as far as they can be read.
    func lines(of body: [UInt8]) -> [[UInt8]] {
        var rest = (form == .webText ? GRPC.decodedText(body[...]) ?? [] : body)[...]
        var lines: [[UInt8]] = []
        while let frame = GRPCFrame(rest), !frame.isTrailers, let message = message(frame),
            let line = json(of: message, style: .compact)
        {
            lines.append(line)
            rest = frame.rest
        }
        return lines
    }
}
