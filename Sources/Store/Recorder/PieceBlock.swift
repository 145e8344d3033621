import Contracts
import Exchanges
import Redaction

/// Many pieces with all their bytes one behind the other, so that handing them over allocates no memory for each.
struct PieceBlock: Sendable {
    /// One piece with the places of its parts and bytes.
    struct Piece {
        var id: UInt64
        var isFirst: Bool
        var isLast: Bool
        var requestCut: Bool
        var responseCut: Bool
        var originRequestCut: Bool
        var originResponseCut: Bool
        var droppedRequest: Bool
        var droppedResponse: Bool
        var droppedOriginRequest: Bool
        var droppedOriginResponse: Bool
        /// The index in ``redactions``.
        var redaction: Int32?
        /// The index in ``apps``.
        var app: Int32?
        /// The index in ``contracts``.
        var contract: Int32?
        /// Empty without facts.
        var facts: Range<Int>
        var bytes: Range<Int>
        var parts: Range<Int>

        /// As ``RecordedPiece/cost`` was.
        var cost: Int { PieceBlock.cost(facts: facts.count, bytes: bytes.count, parts: parts.count) }
    }

    /// The cost at which a block is full; a single piece may cost more.
    private static let limit = 128 << 10

    private(set) var pieces: ContiguousArray<Piece> = []
    private(set) var parts: ContiguousArray<RecordedPiece.Part> = []
    private(set) var bytes: [UInt8] = []
    /// Consecutive pieces with the same rules share an entry.
    private var redactions: ContiguousArray<ProfileRedaction> = []
    /// Likewise those with the same program.
    private var apps: ContiguousArray<AwaitedApp> = []
    /// Likewise those with the same contract.
    private var contracts: ContiguousArray<RouteContract> = []

    var isFull: Bool { Self.cost(facts: 0, bytes: bytes.count, parts: parts.count, pieces: pieces.count) >= Self.limit }

    /// The memory that pieces take.
    static func cost(facts: Int, bytes: Int, parts: Int, pieces: Int = 1) -> Int {
        facts + bytes + parts * MemoryLayout<RecordedPiece.Part>.stride + pieces * MemoryLayout<Piece>.stride
    }

    func redaction(_ piece: Piece) -> ProfileRedaction? { piece.redaction.map { redactions[Int($0)] } }

    func contract(_ piece: Piece) -> RouteContract? { piece.contract.map { contracts[Int($0)] } }

    var hasContracts: Bool { !contracts.isEmpty }

    /// The facts of a piece; blocks as long as the client's program is looked for.
    func facts(_ piece: Piece) -> ExchangeRecord? {
        if piece.facts.isEmpty { return nil }
        let facts = ExchangeRecord(bytes, piece.facts)
        guard let app = piece.app, facts.text(.app) == nil, let name = apps[Int(app)].wait() else { return facts }
        var exchange = facts.exchange
        exchange.client.app = name
        var bytes: [UInt8] = []
        ExchangeRecord.write(exchange, to: &bytes)
        return ExchangeRecord(bytes, 0..<bytes.count)
    }

    mutating func append(_ piece: borrowing RecordedPiece) {
        let start = bytes.count
        bytes.append(contentsOf: piece.facts)
        let end = bytes.count
        bytes.append(contentsOf: piece.bytes)
        let first = parts.count
        parts.append(contentsOf: piece.parts)
        if let redaction = piece.redaction, redactions.last !== redaction { redactions.append(redaction) }
        if let app = piece.app, apps.last !== app { apps.append(app) }
        if let contract = piece.contract, contracts.last !== contract { contracts.append(contract) }
        pieces.append(
            Piece(
                id: piece.id, isFirst: piece.isFirst, isLast: piece.isLast, requestCut: piece.requestCut,
                responseCut: piece.responseCut, originRequestCut: piece.originRequestCut,
                originResponseCut: piece.originResponseCut, droppedRequest: piece.droppedRequest,
                droppedResponse: piece.droppedResponse, droppedOriginRequest: piece.droppedOriginRequest,
                droppedOriginResponse: piece.droppedOriginResponse,
                redaction: piece.redaction == nil ? nil : Int32(truncatingIfNeeded: redactions.count - 1),
                app: piece.app == nil ? nil : Int32(truncatingIfNeeded: apps.count - 1),
                contract: piece.contract == nil ? nil : Int32(truncatingIfNeeded: contracts.count - 1),
                facts: start..<end, bytes: end..<bytes.count, parts: first..<parts.count))
    }

    /// Removes all pieces and keeps the memory if it is no larger than usual.
    mutating func removeAll() {
        pieces.removeAll(keepingCapacity: true)
        parts.removeAll(keepingCapacity: parts.capacity <= Self.limit >> 4)
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.limit * 2)
        redactions.removeAll(keepingCapacity: true)
        apps.removeAll(keepingCapacity: true)
        contracts.removeAll(keepingCapacity: true)
    }
}
