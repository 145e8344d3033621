import Contracts
import Exchanges
import Redaction

/// Exchanges of routes with a contract, since the store was opened.
public struct ContractCounts: Equatable, Sendable {
    public var checked: UInt64 = 0
    /// Of these, those that are not as the contract says.
    public var differing: UInt64 = 0
    /// More came than could be compared, or they are there in part only.
    public var leftOut: UInt64 = 0
    /// Bodies of those that were compared, of media types whose values OpenAPI does not describe.
    public var uncomparedBodies: UInt64 = 0

    public init() {}
}

/// What a contract is compared with of an exchange that runs: its bodies without secrets, and its heads.
final class ContractWork {
    private let contract: RouteContract
    private var clientRequest: [UInt8] = []
    private var originRequest: [UInt8] = []
    private var response: [UInt8] = []
    private var hasClientResponse = false
    private(set) var bodies: (request: [UInt8], response: [UInt8]) = ([], [])
    /// Its first piece came before its route was chosen, or there was no memory for all of it.
    var isPartial = false

    init(_ contract: RouteContract) { self.contract = contract }

    var size: Int { bodies.request.count + bodies.response.count }

    func add(_ side: BodySide, _ bytes: ArraySlice<UInt8>) {
        if side == .request { bodies.request += bytes } else { bodies.response += bytes }
    }

    func dropBodies() {
        bodies = ([], [])
        isPartial = true
    }

    func addHeads(_ piece: PieceBlock.Piece, _ block: borrowing PieceBlock) {
        var at = piece.bytes.lowerBound
        for part in block.parts[piece.parts] {
            let place = PieceParts.next(piece, part, &at)
            switch part.kind {
            case .clientRequest: clientRequest = Array(block.bytes[place])
            case .originRequest: originRequest = Array(block.bytes[place])
            case .originResponse where !hasClientResponse: response = Array(block.bytes[place])
            case .clientResponse: (response, hasClientResponse) = (Array(block.bytes[place]), true)
            default: continue
            }
        }
    }

    /// What is wrong with the exchange, which has ended, and how many bodies could not be compared; nil where nothing
    /// can be told.
    func findings(
        _ facts: ExchangeRecord, _ request: BodyTrack, _ response: BodyTrack, _ secrets: RecordingRedaction?
    ) -> (texts: [String], uncompared: Int)? {
        guard !isPartial, let method = facts.string(.method), method != "CONNECT", method != "-" else { return nil }
        var verdict = verdict(facts, method, request, response)
        if let secrets, !verdict.failures.isEmpty {
            // Findings quote values of heads, and most exchanges have none.
            clientRequest = Self.redacted(clientRequest, secrets)
            originRequest = Self.redacted(originRequest, secrets)
            self.response = Self.redacted(self.response, secrets)
            verdict = self.verdict(facts, method, request, response)
        }
        let findings = contract.findings(in: verdict)
        return findings.isEmpty && !verdict.partial.isEmpty ? nil : (findings, verdict.uncompared.count)
    }

    private static func redacted(_ head: [UInt8], _ secrets: RecordingRedaction) -> [UInt8] {
        var redacted: [UInt8] = []
        secrets.redact(head: head.span, into: &redacted)
        return redacted
    }

    private func verdict(
        _ facts: ExchangeRecord, _ method: String, _ request: BodyTrack, _ response: BodyTrack
    ) -> ContractVerdict {
        // What Shunt responds where an origin fails is not the API's, and a fault is none of it.
        let isOfAPI = facts.text(.failure) == nil && !facts.hasFault
        let exchange = ContractExchange(
            method: method, target: ContractExchange.target(of: facts.string(.url) ?? ""),
            request: message(clientRequest.isEmpty ? originRequest : clientRequest, bodies.request, request),
            status: isOfAPI ? facts.number(.status).map { Int(clamping: $0) } : nil,
            response: message(self.response, bodies.response, response))
        return contract.contract.check(exchange, orAt: ContractHead(originRequest).target, mask: "<redacted:")
    }

    private func message(_ head: [UInt8], _ body: [UInt8], _ track: BodyTrack) -> ContractExchange.Message {
        ContractExchange.Message(
            ContractHead(head), body: body,
            isWhole: track.flags.isDisjoint(with: [.cut, .dropped, .undecodable]) && track.kept == body.count)
    }
}

extension PieceReader {
    /// Bodies that are held for contracts at once; an exchange whose body is beyond it is left out.
    private static let maxContractBytes = 32 << 20

    /// Takes what a contract needs of a piece, whose bodies were taken before.
    mutating func readContract(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ state: inout RunningExchange
    ) {
        guard let work = state.contractWork else { return }
        work.addHeads(piece, block)
        guard !work.isPartial else { return }
        let added = work.size - state.contractBytes
        state.contractBytes = work.size
        contractBytes += added
        guard contractBytes > Self.maxContractBytes, !piece.isLast else { return }
        release(&state)
        work.dropBodies()
    }

    private mutating func release(_ state: inout RunningExchange) {
        contractBytes -= state.contractBytes
        state.contractBytes = 0
    }

    /// Begins to gather an exchange for its contract, unless more comes than can be compared.
    mutating func beginContract(
        _ piece: PieceBlock.Piece, _ block: borrowing PieceBlock, _ state: inout RunningExchange
    ) {
        guard let contract = block.contract(piece), !state.hasContract else { return }
        state.hasContract = true
        guard !leavesOutContracts else { return contractCounts.leftOut += 1 }
        let work = ContractWork(contract)
        work.isPartial = !piece.isFirst
        state.contractWork = work
    }

    /// Compares an exchange that has ended.
    mutating func endContract(_ state: inout RunningExchange) {
        guard let work = state.contractWork.take() else { return }
        release(&state)
        guard
            let (findings, uncompared) = work.findings(state.facts, state.request, state.response, state.secrets)
        else { return contractCounts.leftOut += 1 }
        contractCounts.checked += 1
        contractCounts.uncomparedBodies += UInt64(uncompared)
        guard !findings.isEmpty else { return }
        contractCounts.differing += 1
        state.note(findings)
    }
}
