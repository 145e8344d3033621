public import Contracts
public import Exchanges
public import Redaction

/// A piece of one exchange for the store: all of an ordinary one, or the new part of a long one.
public struct RecordedPiece: Sendable {
    /// Which exchange; unique within the process.
    public var id: UInt64
    /// The facts as far as they are known: in the first piece and in the last one.
    public var exchange: Exchange? {
        get { facts.isEmpty ? nil : ExchangeRecord(facts, 0..<facts.count).exchange }
        set {
            if let newValue { ExchangeRecord.write(newValue, to: &facts) } else { facts.removeAll() }
        }
    }
    /// In the form of ``ExchangeRecord``; empty without any.
    private(set) var facts: [UInt8] = []
    /// The rules for secrets of the exchange's profile; read from the first piece only.
    public var redaction: ProfileRedaction?
    /// The client's program, which the facts may lack.
    public var app: AwaitedApp?
    /// What the exchange is compared with, once it has ended; of several the first counts.
    public var contract: RouteContract?
    public var isFirst: Bool
    public var isLast: Bool
    /// The bytes of `parts`, one behind the other.
    public var bytes: [UInt8]
    public var parts: [Part]
    /// The producer has left out bytes of the request's body, now or before.
    public var requestCut: Bool
    /// The producer has left out bytes of the response's body, now or before.
    public var responseCut: Bool
    /// The same for the bodies at the origin's end.
    public var originRequestCut = false
    public var originResponseCut = false
    /// Set by the queue when it has taken bytes of that body away.
    var droppedRequest = false
    /// Set by the queue when it has taken bytes of that body away.
    var droppedResponse = false
    var (droppedOriginRequest, droppedOriginResponse) = (false, false)

    public init(
        id: UInt64, exchange: Exchange?, isFirst: Bool, isLast: Bool, bytes: [UInt8] = [], parts: [Part] = [],
        requestCut: Bool = false, responseCut: Bool = false
    ) {
        (self.id, self.isFirst, self.isLast, self.bytes) = (id, isFirst, isLast, bytes)
        (self.parts, self.requestCut, self.responseCut) = (parts, requestCut, responseCut)
        if let exchange { ExchangeRecord.write(exchange, to: &facts) }
    }

    /// Sets the facts, without a copy of them.
    public mutating func describe(_ exchange: borrowing Exchange) { ExchangeRecord.write(exchange, to: &facts) }

    /// Sets the facts of a successful exchange, most of which it shares with others.
    public mutating func describe(
        _ figures: borrowing ExchangeFigures, client: String, url: String, _ context: ExchangeContext
    ) { ExchangeRecord.write(figures, client: client, url: url, nil, context, to: &facts) }

    /// Begins another piece in the same memory.
    public mutating func begin(id: UInt64, isFirst: Bool) {
        self.id = id
        (self.isFirst, isLast, requestCut, responseCut) = (isFirst, false, false, false)
        (originRequestCut, originResponseCut) = (false, false)
        (droppedRequest, droppedResponse) = (false, false)
        (droppedOriginRequest, droppedOriginResponse) = (false, false)
        (redaction, contract) = (nil, nil)
        facts.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        parts.removeAll(keepingCapacity: true)
    }

    /// Adds bytes of some kind behind those that are there.
    public mutating func append(_ kind: Part.Kind, _ body: some Collection<UInt8>) {
        parts.append(Part(kind, length: body.count))
        bytes.append(contentsOf: body)
    }

    /// The kind of the next bytes.
    public struct Part: Sendable {
        public enum Kind: Sendable {
            /// The head as the client sent it.
            case clientRequest
            /// The head as the origin got it.
            case originRequest
            /// The head as the origin sent it.
            case originResponse
            /// The head as the client got it.
            case clientResponse
            /// More of the body as the client sent it, without chunk framing, with its content codings.
            ///
            /// The last head of its side describes it, as all bodies.
            case requestBody
            /// More of the body as the client got it, likewise.
            case responseBody
            /// More of the body as the origin got it, where that is not what the client sent.
            case originRequestBody
            /// More of the body as the origin sent it, where that is not what the client got.
            case originResponseBody
            /// Field lines.
            case requestTrailers
            /// Field lines.
            case responseTrailers
            /// The type of the event that the next message is.
            case eventType
            /// The last event ID with the event that the next message is.
            case eventID
            /// A WebSocket message, or an event of a stream.
            case message(MessageFacts)
        }

        public var kind: Kind
        public var length: Int

        public init(_ kind: Kind, length: Int) { (self.kind, self.length) = (kind, length) }
    }

    /// The approximate memory that it takes.
    var cost: Int { PieceBlock.cost(facts: facts.count, bytes: bytes.count, parts: parts.count) }

    /// Takes the bodies out and leaves heads and facts; gives the number of bytes taken out.
    package mutating func dropBodies() -> Int {
        var kept: [UInt8] = []
        var keptParts: [Part] = []
        var at = 0
        for var part in parts {
            let end = min(bytes.count, at + max(0, part.length))
            switch part.kind {
            case .requestBody: droppedRequest = true
            case .responseBody: droppedResponse = true
            case .originRequestBody: droppedOriginRequest = true
            case .originResponseBody: droppedOriginResponse = true
            case .message:
                part.length = 0
                keptParts.append(part)
            default:
                kept.append(contentsOf: bytes[at..<end])
                keptParts.append(part)
            }
            at = end
        }
        let dropped = bytes.count - kept.count
        bytes = kept
        parts = keptParts
        return dropped
    }
}
