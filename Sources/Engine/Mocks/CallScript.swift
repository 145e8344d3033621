import Bytes
import HTTP
import JSON
import Profiles
import Protobuf

/// The response of a mock to a gRPC call, each message in its time, and then the status.
///
/// Confined to its worker.
final class CallScript: PieceSource {
    private let call: MockCall
    private let writer: CallWriter
    private var renderer: TemplateRenderer
    /// Nanoseconds that the client still waits; nil if it waits without limit.
    private var patience: UInt64?
    private var firstWait: UInt64
    private var at = 0
    private var rest: [PacedPiece] = []
    private var hasEnded = false
    /// The status that has been sent.
    private var status: UInt16?

    /// - Parameters:
    ///   - delay: before the first message.
    ///   - timeout: of the client.
    private init(
        _ call: MockCall, _ writer: CallWriter, _ renderer: TemplateRenderer, delay: UInt64, timeout: UInt64?
    ) {
        (self.call, self.writer, self.renderer) = (call, writer, renderer)
        (firstWait, patience) = (delay, timeout)
    }

    var staysOpen: Bool { false }

    /// Sends the head of a response with the messages behind it, on the way of an origin's response.
    static func send(
        _ call: MockCall, _ response: LocalResponse, _ delay: MockDelay?, _ renderer: TemplateRenderer,
        in exchange: ClientExchange, as use: OriginUse?
    ) async throws(EngineFailure) {
        guard let use, let form = exchange.request.received.callForm else { throw CallWriter.noCall }
        // A client that streams gets its one response when it has sent all.
        if call.method.streamsRequests, !call.method.streamsResponses {
            try await exchange.body.buffer(max: BodyAhead.longest, exchange.recording)
        }
        var renderer = renderer
        let wait = delay.map { renderer.chance.number(from: $0.min, through: $0.max) } ?? 0
        let writer = CallWriter(form)
        let script = CallScript(call, writer, renderer, delay: wait, timeout: exchange.request.received.callTimeout)
        exchange.effects.count(now: exchange.state.clock())
        try await MessageRelay(exchange: exchange, use: use).send(writer.head(response.fields), script)
        exchange.metrics.callStatus = script.status
    }

    func next() -> PacedPiece? {
        if !rest.isEmpty { return rest.removeFirst() }
        guard !hasEnded else { return nil }
        guard at < call.messages.count else {
            return end(UInt16(clamping: call.status), call.trailers, after: takeWait(nil))
        }
        let message = call.messages[at]
        at += 1
        let wait = takeWait(message.delay)
        if let patience {
            guard wait < patience else {
                return end(4, GRPC.trailers(status: 4, message: "Deadline Exceeded", details: []), after: patience)
            }
            self.patience = patience - wait
        }
        switch message.content {
        case .bytes(let bytes): return writer.piece(bytes, after: wait)
        case .template(let template):
            do throws(JSONFailure) {
                let json = try JSONReader.read(renderer.render(template), dialect: .strict)
                renderer.turn += 1
                return writer.piece(GRPC.frame(try call.type.bytes(of: json)), after: wait)
            } catch {
                let text = "the mock's template gives no \(call.type.name): \(error.message)"
                return end(13, GRPC.trailers(status: 13, message: text, details: []), after: wait)
            }
        }
    }

    private func takeWait(_ delay: MockDelay?) -> UInt64 {
        let own = delay.map { renderer.chance.number(from: $0.min, through: $0.max) } ?? 0
        defer { firstWait = 0 }
        return own + firstWait
    }

    private func end(_ status: UInt16, _ lines: [UInt8], after wait: UInt64) -> PacedPiece? {
        (hasEnded, self.status) = (true, status)
        rest = writer.end(lines, after: wait)
        return rest.removeFirst()
    }
}

/// The form of a response to a gRPC call, in the chunked coding.
struct CallWriter {
    let form: GRPC.Form

    init(_ form: GRPC.Form) { self.form = form }

    /// - Parameter fields: more lines.
    func head(_ fields: [UInt8] = []) -> [UInt8] {
        Array("HTTP/1.1 200 \r\nContent-Type: \(form.contentType)\r\n".utf8) + fields
            + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n".utf8
    }

    /// Bytes of a message, which may be a part of it.
    func piece(_ bytes: [UInt8], after wait: UInt64) -> PacedPiece {
        let bytes = form == .webText ? Array(Base64Encoder.text(bytes).utf8) : bytes
        return PacedPiece(wait: wait, bytes: bytes[...]).asChunk
    }

    /// The end of the response: trailers of HTTP, or of gRPC-Web.
    func end(_ lines: [UInt8], after wait: UInt64) -> [PacedPiece] {
        guard form == .http2 else { return [piece(GRPC.frame(lines, isTrailers: true), after: wait), .lastChunk] }
        return [PacedPiece(wait: wait, bytes: ("0\r\n".utf8 + lines + "\r\n".utf8)[...])]
    }

    static let noCall = EngineFailure(
        .client, .route, status: 415, "the mock is a gRPC call, and the request is none",
        advice:
            "Send it with a gRPC client; its Content-Type is application/grpc, application/grpc-web or "
            + "application/grpc-web-text.")
}

extension GRPC.Form {
    var contentType: String {
        switch self {
        case .http2: "application/grpc"
        case .web: "application/grpc-web+proto"
        case .webText: "application/grpc-web-text+proto"
        }
    }
}

extension OwnedHead {
    /// How the bodies of a gRPC call are written; nil for another request.
    var callForm: GRPC.Form? { value(of: "content-type").flatMap { GRPC.Form(contentType: $0) } }

    /// Nanoseconds for which a call's client waits.
    fileprivate var callTimeout: UInt64? { value(of: "grpc-timeout").flatMap { GRPC.timeout($0) } }

    /// The value of the first field of that lower-case name.
    func value(of name: String) -> [UInt8]? {
        head.fields.first { $0.isNamed(name.utf8, in: bytes) }.map { array($0.value) }
    }
}
