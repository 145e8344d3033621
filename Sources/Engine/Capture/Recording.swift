import Bytes
import Contracts
import Exchanges
import HTTP
import Redaction
import Store
import Synchronization

/// Gathers the bytes of the present exchange for the store, and hands them over in pieces or at the exchange's end.
///
/// Confined to its worker. It never waits: if the store has no room, the store drops bytes and counts them.
final class Recording {
    enum Side {
        case request, response
    }

    private static let counter = Atomic<UInt64>(0)
    /// An ordinary exchange is handed over as one; a long one in pieces of this size.
    private static let limit = 64 << 10
    fileprivate static let usual = 16 << 10

    private let store: TrafficStore
    /// The client of the recorded exchange; nil between two exchanges.
    private var client: Client?
    private var metrics: ExchangeMetrics?
    /// The profile's rules for secrets are set.
    private var hasRedaction = false
    private let limit: Int
    private var piece: RecordedPiece
    private var room: (request: Int, response: Int) = (0, 0)
    private var originBody = OriginBody()
    /// Cuts the messages out of a stream; nil for other exchanges.
    private(set) var cutter: MessageCutter?
    /// The response's body while it is held at a breakpoint, with its memory.
    private var heldResponse: (bytes: [UInt8], memory: HeldMemory)?

    init(_ store: TrafficStore) {
        self.store = store
        limit = store.bodyLimit
        piece = RecordedPiece(id: 0, exchange: nil, isFirst: true, isLast: false)
        piece.bytes.reserveCapacity(3072)
        piece.parts.reserveCapacity(6)
    }

    /// Begins with an exchange.
    func begin(_ client: Client, _ metrics: ExchangeMetrics) {
        (self.client, self.metrics) = (client, metrics)
        room = (limit, limit)
        originBody.begin(limit: limit)
        (cutter, heldResponse) = (nil, nil)
        piece.begin(id: Self.counter.add(1, ordering: .relaxed).newValue, isFirst: true)
        hasRedaction = false
        piece.app = client.program?.awaited
    }

    func add(_ kind: RecordedPiece.Part.Kind, _ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { piece.append(kind, $0) }
    }

    func add(_ kind: RecordedPiece.Part.Kind, _ bytes: UnsafeRawBufferPointer) { piece.append(kind, bytes) }

    /// From here on the response is recorded message by message, and readers of the store see the exchange.
    func beginMessages(_ stream: MessageStream) {
        cutter = MessageCutter(stream, limit: limit)
        handOver()
    }

    /// More of a body, of which the first bytes are kept, or of a stream of messages.
    func add(_ side: Side, _ bytes: UnsafeRawBufferPointer) {
        guard let cutter else { return addBody(side, bytes) }
        if cutter.keepsBodies { addBody(side, bytes) }
        var hasMessages = false
        cutter.read(side, bytes) {
            hasMessages = true
            add($0)
        }
        // At once, since the next bytes may come much later.
        if hasMessages, !piece.parts.isEmpty { handOver() }
    }

    /// The number under which the store knows the exchange while it runs.
    var id: UInt64 { piece.id }

    /// From here on gates hand the messages over.
    ///
    /// - Parameter isRunning: messages have passed before, so that the body as the origin sent it is not whole.
    func openGates(isRunning: Bool = false) {
        cutter?.isGated = true
        if isRunning || cutter?.keepsBodies == false { originBody.stop() }
    }

    /// A message as it was put in, or as it came to a gate.
    func record(_ message: MessageCutter.Message) {
        add(message)
        handOver()
    }

    private func add(_ message: MessageCutter.Message) {
        switch message {
        case .message(let facts, let bytes): piece.append(.message(facts), bytes)
        case .event(let facts, let event): piece.append(facts, event)
        }
        if piece.bytes.count >= Self.limit { handOver() }
    }

    /// More of the response's body as the origin has sent it, where what the client gets is added by itself.
    ///
    /// - Parameter differs: whether the bodies differ so far; the origin's is kept only where they do.
    func add(origin bytes: UnsafeRawBufferPointer, differs: Bool) {
        guard let client else { return }
        if originBody.add(bytes, differs: differs, to: &piece, client.state.held), piece.bytes.count >= Self.limit {
            handOver()
        }
    }

    /// The request's body as the origin gets it, where that is not what the client has sent.
    func add(originRequest body: [UInt8]) {
        piece.append(.originRequestBody, body.prefix(limit))
        if body.count > limit { piece.originRequestCut = true }
    }

    /// The response waits at a breakpoint, where its body may be edited.
    func holdResponse() {
        if let client { heldResponse = ([], HeldMemory(client.state.held)) }
    }

    /// The response goes on.
    ///
    /// - Parameter edited: the body that takes the place of the one that came; nil where that goes on.
    func letGo(_ edited: [UInt8]?) {
        guard let held = heldResponse.take() else { return }
        guard let edited else { return held.bytes.withUnsafeBytes { addBody(.response, $0) } }
        // Where a rewriter has changed it, the origin's is there already.
        if originBody.isUntouched {
            held.bytes.withUnsafeBytes { add(origin: $0, differs: true) }
        }
        edited.withUnsafeBytes { addBody(.response, $0) }
    }

    /// Whether more of a response's body is kept.
    var keepsResponse: Bool { room.response > 0 }

    /// Says that more of the response's body went by unseen.
    func skipResponse() { piece.responseCut = true }

    private func addBody(_ side: Side, _ bytes: UnsafeRawBufferPointer) {
        if side == .response, let held = heldResponse {
            let used = held.memory.grow(by: bytes.count) ? min(bytes.count, max(0, limit - held.bytes.count)) : 0
            heldResponse?.bytes.append(contentsOf: bytes[..<used])
            if used < bytes.count { piece.responseCut = true }
            return
        }
        let left = side == .request ? room.request : room.response
        let used = min(left, bytes.count)
        switch side {
        case .request:
            room.request -= used
            if used < bytes.count { piece.requestCut = true }
        case .response:
            room.response -= used
            if used < bytes.count { piece.responseCut = true }
        }
        guard used > 0 else { return }
        piece.append(
            side == .request ? .requestBody : .responseBody, UnsafeRawBufferPointer(rebasing: bytes[..<used]))
        if piece.bytes.count >= Self.limit { handOver() }
    }

    private func handOver() {
        if piece.isFirst, let client, let metrics {
            piece.exchange = ExchangeReport(metrics: metrics, client: client).exchange
        }
        offer()
        let cut = (piece.requestCut, piece.responseCut, piece.originRequestCut, piece.originResponseCut)
        piece.begin(id: piece.id, isFirst: false)
        (piece.requestCut, piece.responseCut, piece.originRequestCut, piece.originResponseCut) = cut
    }

    private func offer() {
        // For an exchange without a profile.
        if !hasRedaction, piece.isFirst { piece.redaction = client?.state.currentEnvironment?.active.redaction }
        _ = store.offer(inPlace: &piece)
    }

    /// Sets the profile's rules for secrets.
    func use(_ redaction: ProfileRedaction?) {
        piece.redaction = redaction
        hasRedaction = true
    }

    /// Has the exchange compared with the contract of its route.
    func compare(with contract: RouteContract) { piece.contract = contract }

    /// Ends the exchange that it began with.
    func finish() {
        guard let client, let metrics else { return }
        letGo(nil)
        let report = ExchangeReport(metrics: metrics, client: client)
        if cutter == nil, report.describe(in: &piece) { return end() }
        finish(report.exchange)
    }

    func finish(_ exchange: borrowing Exchange) {
        letGo(nil)
        cutter?.finish { add($0) }
        piece.describe(exchange)
        // A client that ends a stream of messages has received the head.
        if cutter != nil, let metrics { piece.exchange?.status = metrics.status }
        end()
    }

    /// The operations of GraphQL of the exchange that has just ended, see ``RecordedPiece/operation(url:)``.
    func operation(url: String) -> String? { piece.operation(url: url) }

    /// Drops the exchange that it began with.
    func abandon() {
        piece.begin(id: piece.id, isFirst: true)
        (client, metrics, cutter) = (nil, nil, nil)
        originBody.forget()
    }

    private func end() {
        piece.isLast = true
        offer()
        (client, metrics, cutter) = (nil, nil, nil)
        originBody.forget()
    }

    /// It holds no more memory than most exchanges need.
    var isSmall: Bool { piece.bytes.capacity <= Self.usual && piece.parts.capacity <= 64 }
}

/// The response's body as the origin has sent it, which is recorded where the client gets another one.
private struct OriginBody {
    private var isKept = true
    private var limit = 0
    private var room = 0
    /// What has come as long as the client has got the same, with its memory.
    private var same: [UInt8] = []
    private var memory: HeldMemory?

    mutating func begin(limit: Int) { (isKept, self.limit, room) = (true, limit, limit) }

    /// Keeps nothing of it, since it is no whole or is recorded otherwise.
    mutating func stop() { isKept = false }

    /// Nothing of it has come.
    var isUntouched: Bool { room == limit }

    /// More of it; false where nothing is recorded yet, because both bodies are the same so far.
    mutating func add(
        _ bytes: UnsafeRawBufferPointer, differs: Bool, to piece: inout RecordedPiece, _ held: HeldBodies
    ) -> Bool {
        guard isKept else { return false }
        let used = min(room, bytes.count)
        room -= used
        let kept = UnsafeRawBufferPointer(rebasing: bytes[..<used])
        if !differs {
            guard used > 0 else { return false }
            let memory = memory ?? HeldMemory(held)
            self.memory = memory
            // Without memory only the beginning is known.
            if memory.grow(by: used) { same.append(contentsOf: kept) } else { room = 0 }
            return false
        }
        if !same.isEmpty {
            piece.append(.originResponseBody, same)
            forget()
        }
        if used > 0 { piece.append(.originResponseBody, kept) }
        if used < bytes.count { piece.originResponseCut = true }
        return true
    }

    mutating func forget() {
        same.removeAll(keepingCapacity: same.capacity <= Recording.usual)
        memory = nil
    }
}
