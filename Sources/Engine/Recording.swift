import Bytes
import HTTP
import Synchronization
import Traffic

/// What of the present exchange goes to the store, gathered until there is enough of it or the exchange ends.
///
/// Confined to its worker. It never waits: what the store has no room for is the store's to drop and to count.
final class Recording {
    enum Side {
        case request, answer
    }

    private static let counter = Atomic<UInt64>(0)
    /// An ordinary exchange is handed over as one; a long one in pieces of this size.
    private static let most = 64 << 10

    private let store: TrafficStore
    private unowned let client: ClientExchange
    private let limit: Int
    private var piece: RecordedPiece
    private var room: (request: Int, answer: Int)
    private var cutter: MessageCutter?

    init(_ store: TrafficStore, _ client: ClientExchange) {
        self.store = store
        self.client = client
        limit = store.bodyLimit
        room = (limit, limit)
        piece = RecordedPiece(
            id: Self.counter.add(1, ordering: .relaxed).newValue, exchange: nil, isFirst: true, isLast: false)
        piece.bytes.reserveCapacity(4096)
        piece.parts.reserveCapacity(6)
    }

    func add(_ kind: RecordedPiece.Part.Kind, _ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { piece.append(kind, $0) }
    }

    func add(_ kind: RecordedPiece.Part.Kind, _ bytes: UnsafeRawBufferPointer) { piece.append(kind, bytes) }

    /// From here on what comes is told message by message, and the exchange is there for all to see.
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
        // At once: nobody knows when the next bytes will come.
        if hasMessages, !piece.parts.isEmpty { handOver() }
    }

    private func add(_ message: MessageCutter.Message) {
        switch message {
        case .message(let facts, let bytes): piece.append(.message(facts), bytes)
        case .event(let facts, let event): piece.append(facts, event)
        }
        if piece.bytes.count >= Self.most { handOver() }
    }

    private func addBody(_ side: Side, _ bytes: UnsafeRawBufferPointer) {
        let left = side == .request ? room.request : room.answer
        let used = min(left, bytes.count)
        switch side {
        case .request:
            room.request -= used
            if used < bytes.count { piece.requestCut = true }
        case .answer:
            room.answer -= used
            if used < bytes.count { piece.answerCut = true }
        }
        guard used > 0 else { return }
        piece.append(
            side == .request ? .requestBody : .answerBody, UnsafeRawBufferPointer(rebasing: bytes[..<used]))
        if piece.bytes.count >= Self.most { handOver() }
    }

    private func handOver() {
        if piece.isFirst { piece.exchange = client.notes.exchange(status: client.answer.status, nil, client) }
        _ = store.offer(piece)
        let (requestCut, answerCut) = (piece.requestCut, piece.answerCut)
        piece = RecordedPiece(id: piece.id, exchange: nil, isFirst: false, isLast: false)
        piece.requestCut = requestCut
        piece.answerCut = answerCut
    }

    func finish(_ exchange: Exchange) {
        cutter?.finish { add($0) }
        piece.exchange = exchange
        // Whoever ends a stream, its head was delivered.
        if cutter != nil { piece.exchange?.status = client.answer.status }
        piece.isLast = true
        _ = store.offer(piece)
    }
}
