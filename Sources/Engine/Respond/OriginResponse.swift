import Bytes
import Exchanges
import HTTP
import Rewriting
import Store

/// The head of a response that an origin has sent: what is read in it, noted of it, and made from it.
struct OriginResponse {
    let exchange: ClientExchange
    /// It has the head.
    let memory: RelayMemory
    let use: OriginUse
    /// The origin's, whose input begins with the head.
    let channel: Channel

    /// Those that the head's ranges lie in.
    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { channel.inputBytes }
    }

    /// What its body has, for the sake of the exchange.
    enum Kind {
        case page, events, calls, other
    }

    var kind: Kind {
        guard let type = memory.response.field(.contentType) else { return .other }
        let value = channel.inputBytes.extracting(type.value)
        if MessageStream.isEventStream(value) { return .events }
        if value.begins(with: "application/grpc") { return .calls }
        return AddressCount.isPage(value) ? .page : .other
    }

    /// What its body is a stream of; nil for other bodies.
    var messages: MessageStream? { MessageStream(of: memory.response, channel.inputBytes) }

    func outgoing(_ status: Int, isBodyRewritten: Bool) -> OutgoingResponse {
        OutgoingResponse(
            exchange: exchange, channel: exchange.client.channel, memory: memory, use: use, status: status,
            isBodyRewritten: isBodyRewritten,
            isFromStream: channel.isStream)
    }

    /// Notes a final response.
    func describe(_ status: Int, _ kind: Kind) {
        if exchange.binding.isBound || memory.response.status == 401 || memory.response.status == 407 {
            exchange.binding.note(memory.response, channel.inputBytes, of: exchange.client)
        }
        exchange.metrics.didRespond(status, memory.response.version)
        if kind == .calls {
            exchange.metrics.callStatus = BodyPump.callStatus(memory.response.fields, channel.inputBytes)
        }
        exchange.didAnswer()
    }

    /// Begins to keep the response where its route does; false where it is not kept.
    func keep() -> Bool {
        guard let keeper = exchange.way.keeper else { return false }
        return keeper.begin(memory.response, channel.inputBytes, use, exchange)
    }

    /// Records a final head as it came and as it is sent.
    func record(_ length: Int, _ sent: UnsafeRawBufferPointer) {
        guard let recording = exchange.recording else { return }
        if exchange.way.staleAge == nil {
            recording.add(.originResponse, channel.inputBytes.extracting(0..<length))
        }
        recording.add(.clientResponse, sent)
        if let stream = messages {
            recording.beginMessages(stream)
            if exchange.gates != nil { recording.openGates() }
        }
    }

    func makeLesson(isKept: Bool) -> TokenLesson? {
        guard let teacher = use.teacher else { return nil }
        return TokenLesson(
            teacher, memory.response, channel.inputBytes, of: exchange, isKept ? exchange.way.keeper : nil)
    }

    /// A second less than the origin keeps the connection for, since it may end it while a request is on its way.
    var keepAliveTime: UInt64 {
        guard let field = memory.response.fields.first(where: { $0.id == .keepAlive }) else { return .max }
        for parameter in String(channel.inputBytes.extracting(field.value)).split(separator: ",") {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
            guard parts.count == 2, parts[0].lowercased() == "timeout", let seconds = UInt64(parts[1]) else { continue }
            return seconds == 0
                ? 0
                : (seconds - 1).multipliedReportingOverflow(by: Limits.second).overflow
                    ? .max : (seconds - 1) * Limits.second
        }
        return .max
    }
}
