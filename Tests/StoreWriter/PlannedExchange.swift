package import Exchanges
import Store

/// What a reader has to find of an exchange of a ``TrafficPlan``, without regard to how a store keeps it.
package struct PlannedExchange {
    package struct Body: Equatable {
        package var bytes: [UInt8] = []
        package var isCut = false
        package var isDecoded = false
        package var isDropped = false
        private var isClosed = false

        package init() {}

        mutating func add(_ part: ArraySlice<UInt8>, isCoded: Bool, limit: Int) {
            guard !isClosed, !part.isEmpty else { return }
            if isCoded { isDecoded = true }
            let more = isCoded ? part.flatMap { [UInt8](repeating: $0, count: SixtyFour.count) } : Array(part)
            let room = limit - bytes.count
            bytes += more.prefix(room)
            if more.count > room { (isCut, isClosed) = (true, true) }
        }

        mutating func drop() { (isDropped, isClosed) = (true, true) }
    }

    package struct Message: Equatable {
        package var facts: MessageFacts
        package var bytes: [UInt8]?
        package var isDropped = false
        package var event: String?
        package var eventID: String?

        package init(
            facts: MessageFacts, bytes: [UInt8]?, isDropped: Bool, event: String?, eventID: String?
        ) {
            (self.facts, self.bytes, self.isDropped) = (facts, bytes, isDropped)
            (self.event, self.eventID) = (event, eventID)
        }
    }

    package private(set) var facts: Exchange
    package private(set) var isEnded = false
    /// By their sections, in the order of ``TrafficRecord``.
    package private(set) var heads: [[UInt8]?] = Array(repeating: nil, count: 6)
    package private(set) var request = Body()
    package private(set) var response = Body()
    /// At the origin's end; empty where they are the same.
    package private(set) var originRequest = Body()
    package private(set) var originResponse = Body()
    package private(set) var messages: [Message] = []
    private var isCoded = false

    private mutating func take(_ piece: RecordedPiece, isDropped: Bool, limit: Int) {
        if let facts = piece.exchange { self.facts = facts }
        isEnded = piece.isLast
        if piece.responseCut { response.isCut = true }
        if piece.originResponseCut { originResponse.isCut = true }
        var at = 0
        var (event, eventID): (String?, String?)
        for part in piece.parts {
            let bytes = piece.bytes[at..<at + part.length]
            at += part.length
            switch part.kind {
            case .clientRequest: heads[0] = Array(bytes)
            case .originRequest: heads[1] = Array(bytes)
            case .originResponse: heads[2] = Array(bytes)
            case .clientResponse:
                heads[3] = Array(bytes)
                isCoded = String(decoding: bytes, as: UTF8.self).contains("sixty-four")
            case .requestTrailers: heads[4] = Array(bytes)
            case .responseTrailers: heads[5] = Array(bytes)
            case .requestBody: if isDropped { request.drop() } else { request.add(bytes, isCoded: false, limit: limit) }
            case .responseBody:
                if isDropped { response.drop() } else { response.add(bytes, isCoded: isCoded, limit: limit) }
            case .originRequestBody:
                if isDropped { originRequest.drop() } else { originRequest.add(bytes, isCoded: false, limit: limit) }
            case .originResponseBody:
                if isDropped {
                    originResponse.drop()
                } else {
                    originResponse.add(bytes, isCoded: isCoded, limit: limit)
                }
            case .eventType: event = String(decoding: bytes, as: UTF8.self)
            case .eventID: eventID = String(decoding: bytes, as: UTF8.self)
            case .message(var facts):
                let isLost = isDropped && facts.length > 0
                if !isLost, bytes.count > limit { facts.isCut = true }
                messages.append(
                    Message(
                        facts: facts, bytes: isLost ? nil : Array(bytes.prefix(limit)), isDropped: isLost && limit > 0,
                        event: event, eventID: eventID))
                (event, eventID) = (nil, nil)
            }
        }
    }

    /// All exchanges of a plan, in the order of their numbers.
    package static func all(of plan: TrafficPlan) -> [PlannedExchange] {
        var found: [PlannedExchange] = []
        for case .piece(let piece, let isDropped) in plan.steps {
            if piece.isFirst, let facts = piece.exchange { found.append(PlannedExchange(facts: facts)) }
            found[Int(piece.id) - 1].take(piece, isDropped: isDropped, limit: plan.bodyLimit)
        }
        return found
    }

    private init(facts: Exchange) { self.facts = facts }
}
