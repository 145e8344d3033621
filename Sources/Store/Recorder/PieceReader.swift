import Exchanges
import Redaction

/// Turns pieces into rows and frames.
struct PieceReader {
    private(set) var running: [UInt64: RunningExchange] = [:]
    private var begun: [UInt64] = []
    var heads = HeadsWriter()
    var memo = BodyCache()
    var tools: BodyTrack.Tools
    var operations = OperationReader()
    private var filter: RecordingRedaction?
    /// For a store that keeps all other secrets.
    private lazy var ownFilter = RecordingRedaction(ownSecretsBy: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
    /// Of ``OwnSecrets`` when ``memo`` was empty.
    private var ownNumber = 0
    private let tellsEnds: Bool
    /// More comes than can be compared with contracts.
    var leavesOutContracts = false
    var contractCounts = ContractCounts()
    /// Bytes of bodies that are held for contracts.
    var contractBytes = 0

    init(_ settings: StoreSettings, _ filter: RecordingRedaction?) {
        tools = BodyTrack.Tools(limit: settings.bodyLimit, makeDecoder: settings.decoder)
        self.filter = filter
        tellsEnds = settings.committed != nil
    }

    mutating func read(_ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, to batch: inout WriteBatch) {
        let facts = block.facts(piece)
        if ownNumber != OwnSecrets.number { (ownNumber, memo) = (OwnSecrets.number, BodyCache()) }
        if piece.isFirst {
            guard let facts else { return }
            let filter = filter ?? (OwnSecrets.number == 0 ? nil : ownFilter)
            var state = RunningExchange(facts, block.redaction(piece), batch.newIdentity(), filter)
            read(piece, block, &state, hasFacts: true, to: &batch)
            guard !piece.isLast else { return }
            state.detach()
            running[piece.id] = state
            begun.append(piece.id)
        } else if var state = running.removeValue(forKey: piece.id) {
            if let facts { state.update(facts) }
            read(piece, block, &state, hasFacts: facts != nil, to: &batch)
            guard !piece.isLast else { return }
            state.detach()
            running[piece.id] = state
        }
    }

    /// A piece of that exchange was lost, perhaps the last one.
    mutating func lose(_ id: UInt64, isLast: Bool, to batch: inout WriteBatch) {
        guard var state = running.removeValue(forKey: id) else { return }
        state.request.close(.dropped)
        state.response.close(.dropped)
        for index in state.originBodies.indices { state.originBodies[index].drop() }
        if isLast {
            state.lose()
            var block = PieceBlock()
            block.append(RecordedPiece(id: id, exchange: nil, isFirst: false, isLast: true))
            read(block.pieces[0], block, &state, hasFacts: true, to: &batch)
        } else {
            running[id] = state
        }
    }

    /// The batch is on disk, its new exchanges with numbers from `first` on.
    mutating func written(_ first: Int64) {
        for id in begun {
            if case .new(let index) = running[id]?.identity { running[id]?.identity = .stored(first + index) }
        }
        begun.removeAll(keepingCapacity: true)
    }

    /// The batch will never be written.
    mutating func abandoned() {
        for id in begun { contractBytes -= running.removeValue(forKey: id)?.contractBytes ?? 0 }
        begun.removeAll(keepingCapacity: true)
    }

    /// The store's file was replaced by one with another key and without the running exchanges.
    mutating func moved(to filter: RecordingRedaction?) {
        self.filter = filter
        memo = BodyCache()
    }

    /// Notes that messages were removed.
    mutating func removed(_ id: UInt64, messagesBelow number: Int64) { running[id]?.firstMessage = number }

    private mutating func read(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ state: inout RunningExchange, hasFacts: Bool,
        to batch: inout WriteBatch
    ) {
        if piece.requestCut { state.request.flags.insert(.cut) }
        if piece.responseCut { state.response.flags.insert(.cut) }
        beginContract(piece, block, &state)
        readContent(piece, block, &state, to: &batch.frames)
        readContract(piece, block, &state)
        let isDescribed = state.describeOperations()
        guard hasFacts || piece.isLast || isDescribed else { return }
        if piece.isLast { endContract(&state) }
        batch.add(state, isNew: piece.isFirst, isEnded: piece.isLast)
        state.hasContext = true
        guard piece.isLast else { return }
        batch.endedCount += 1
        if tellsEnds { batch.ended.append((state.written, state.identity)) }
    }

    private mutating func readContent(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ state: inout RunningExchange,
        to frames: inout FrameWriter
    ) {
        let parts = PieceParts(piece, block)
        frames.begin(state.identity, isFirst: piece.isFirst, message: state.nextMessage)
        readHeads(piece, block, parts, &state, to: &frames)
        let (secrets, work) = (state.secrets, state.contractWork)
        if piece.isFirst, OperationReader.mayAsk(state) {
            let isReadable = parts.requestBodyIsWhole && state.request.head?.isEncoded != true
            let isFound = isReadable && operations.readRequest(block.bytes[parts.requestBody], &state)
            if !isFound, !piece.isLast || !isReadable { state.request.collected = [] }
            if isFound || state.request.collected != nil { state.response.collected = [] }
        }
        readBody(piece, block, parts, .request, &state.request, secrets, work, to: &frames)
        if piece.isLast { operations.readCollected(&state) }
        readBody(piece, block, parts, .response, &state.response, secrets, work, to: &frames)
        if piece.isLast { operations.readResponse(&state) }
        readOriginBodies(piece, block, parts, &state, to: &frames)
        if parts.hasMessages { readMessages(piece, block, &state, to: &frames) }
        let bodies = FrameSection.State { body in
            switch body {
            case .request: state.request.state
            case .response: state.response.state
            case .originRequest: state.originBodies.first?.state ?? FrameSection.BodyState()
            case .originResponse: state.originBodies.last?.state ?? FrameSection.BodyState()
            }
        }
        frames.end(bodies == state.bodies ? nil : bodies, isLast: piece.isLast)
        state.bodies = bodies
    }
}
