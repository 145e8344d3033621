import Exchanges
package import Store

/// Numbers at random, always the same for a seed.
package struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// Not times the step of `next`: seeds in a row would have the same numbers but for the first ones.
    package init(seed: UInt64) { state = seed }

    /// SplitMix64.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}

/// Traffic at random, always the same for a seed: what a store is given, and what every reader has to find there.
package struct TrafficPlan {
    package enum Step {
        /// - Parameter isDropped: the queue takes the bodies away.
        case piece(RecordedPiece, isDropped: Bool)
        /// Waits until all of it is written, so that another batch begins.
        case write
    }

    package private(set) var steps: [Step] = []
    package let bodyLimit: Int
    package let segment: Int
    /// Milliseconds for which the store waits for more, unless it is told to write.
    package let gathering: Int
    private var numbers: SeededNumbers
    private var count: UInt64 = 0
    /// Pieces that exchanges which run have yet to give, the next one last.
    private var open: [[RecordedPiece]] = []
    /// Bytes of bodies and messages that may still come.
    private var room = 1 << 20

    package init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
        // What is rare by itself: one of each four plans begins with it.
        let rare: Rare? = [nil, .wideBlock, .fullSegments, .grownResponse][Int(seed % 4)]
        let limit = [0, 3000, 200_000, 1 << 20, 1 << 20][Int.random(in: 0..<5, using: &numbers)]
        bodyLimit = rare == .grownResponse ? 1 << 20 : limit
        let size = [30_000, 200_000, 4 << 20][Int.random(in: 0..<3, using: &numbers)]
        segment = rare == .fullSegments ? 30_000 : size
        let time = [1, 300][Int.random(in: 0..<2, using: &numbers)]
        gathering = rare == .wideBlock ? 300 : time
        let wanted = Int.random(in: 5...120, using: &numbers)
        if let rare { begin(rare) }
        while count < wanted || (!open.isEmpty && numbers.chance(97)) {
            if count < wanted, open.isEmpty || numbers.chance(50) { begin() } else { goOn() }
            if numbers.chance(6) { steps.append(.write) }
        }
        // What is still open never ends.
        steps.append(.write)
    }

    private mutating func begin() {
        switch Int.random(in: 0..<100, using: &numbers) {
        case ..<55: offer(ordinary())
        case 55..<65:
            var piece = ordinary()
            piece.append(.responseTrailers, Array("X-End: \(piece.id)\r\n".utf8))
            offer(piece)
        case 65..<67: begin(.wideBlock)
        case 67..<69: begin(.fullSegments)
        case 69..<71: begin(.grownResponse)
        case 71..<84: beginStream()
        default: beginLong()
        }
    }

    private enum Rare {
        case wideBlock, fullSegments, grownResponse
    }

    private mutating func begin(_ rare: Rare) {
        switch rare {
        case .wideBlock:
            // So many without a place in a block between two that have one.
            offer(ordinary())
            for _ in 0..<Int.random(in: 200...400, using: &numbers) {
                var piece = first()
                piece.append(.responseTrailers, Array("X-End: \(piece.id)\r\n".utf8))
                piece.isLast = true
                offer(piece)
            }
            offer(ordinary())
        case .fullSegments: streamAlone()
        case .grownResponse:
            // A short response that does not fit into a block once it is decoded, beside a request's body.
            var piece = first(coded: true)
            piece.append(.requestBody, Array("{\"bq\(piece.id).\": 1}".utf8))
            piece.append(.responseBody, [UInt8](repeating: 97, count: Int.random(in: 4100...6000, using: &numbers)))
            piece.isLast = true
            offer(piece)
        }
    }

    private mutating func goOn() {
        let index = Int.random(in: 0..<open.count, using: &numbers)
        if let piece = open[index].popLast() { offer(piece) }
        if open[index].isEmpty { open.remove(at: index) }
    }

    private mutating func offer(_ piece: RecordedPiece) {
        steps.append(.piece(piece, isDropped: numbers.chance(2)))
    }

    // MARK: Exchanges

    private mutating func exchange(_ id: UInt64) -> Exchange {
        let profile = numbers.chance(70) ? "staging" : "local"
        var exchange = Exchange(
            startedAt: 1_780_000_000_000_000 + Int64(id) * 1000,
            client: .init(address: "127.0.0.1:\(50_000 + id % 7)", version: "HTTP/1.1", tls: nil),
            method: numbers.chance(30) ? "POST" : "GET", url: "https://h\(id % 5).test/x\(id)", status: nil,
            profile: profile, route: "*", responder: "origin")
        exchange.timings.total = id % 9
        return exchange
    }

    /// The first piece, with heads.
    private mutating func first(coded: Bool = false, type: String = "application/json") -> RecordedPiece {
        count += 1
        var facts = exchange(count)
        facts.status = [200, 200, 404, 500][Int.random(in: 0..<4, using: &numbers)]
        var piece = RecordedPiece(id: count, exchange: facts, isFirst: true, isLast: false)
        let request = Array("GET /x\(count) HTTP/1.1\r\nHost: h.test\r\nX-Mark: q\(count).\r\n\r\n".utf8)
        let coding = coded ? "Content-Encoding: sixty-four\r\n" : ""
        let response = Array("HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\n\(coding)X-Mark: s\(count).\r\n\r\n".utf8)
        if numbers.chance(90) { piece.append(.clientRequest, request) }
        if numbers.chance(70) {
            piece.append(.originRequest, Array(request.dropLast(2)) + Array("Via: a\r\n\r\n".utf8))
        }
        if numbers.chance(70) { piece.append(.originResponse, response) }
        piece.append(.clientResponse, response)
        return piece
    }

    private mutating func body(_ mark: String, most: Int) -> [UInt8] {
        let size = min(
            room, numbers.chance(40) ? 0 : numbers.chance(50) ? 300 : Int.random(in: 0...most, using: &numbers))
        // Some are what others have, too.
        guard size > 0, numbers.chance(75) else { return size == 0 ? [] : Array("{\"same\": true}".utf8) }
        room -= size
        let byte = UInt8.random(in: 97...122, using: &numbers)
        return Array("{\"\(mark).\": \"".utf8) + [UInt8](repeating: byte, count: size) + Array("\"}".utf8)
    }

    private mutating func ordinary() -> RecordedPiece {
        let isCoded = numbers.chance(10)
        var piece = first(coded: isCoded)
        piece.append(.requestBody, body("bq\(piece.id)", most: 8000))
        piece.append(
            .responseBody,
            isCoded
                // Short, and more than a row when it is decoded.
                ? [UInt8](repeating: 97, count: Int.random(in: 0...6000, using: &numbers))
                : body("bs\(piece.id)", most: 60_000))
        addOrigin(to: &piece)
        piece.isLast = true
        return piece
    }

    /// Bodies at the origin's end, where Shunt has changed one.
    private mutating func addOrigin(to piece: inout RecordedPiece) {
        if numbers.chance(10) { piece.append(.originRequestBody, body("oq\(piece.id)", most: 8000)) }
        if numbers.chance(10) { piece.append(.originResponseBody, body("os\(piece.id)", most: 90_000)) }
        if numbers.chance(2) { piece.originResponseCut = true }
    }

    private func later(_ id: UInt64, isLast: Bool = false, _ facts: Exchange? = nil) -> RecordedPiece {
        RecordedPiece(id: id, exchange: facts, isFirst: false, isLast: isLast)
    }

    /// Ends, or never does.
    private mutating func run(_ first: RecordedPiece, _ rest: [RecordedPiece]) {
        var rest = rest
        if numbers.chance(80) {
            var facts = first.exchange
            facts?.timings.total = 77
            var piece = later(first.id, isLast: true, facts)
            if numbers.chance(30) { piece.append(.responseTrailers, Array("X-End: late\r\n".utf8)) }
            rest.append(piece)
        }
        offer(first)
        if !rest.isEmpty { open.append(rest.reversed()) }
    }

    private mutating func beginLong() {
        let first = first(coded: numbers.chance(20))
        let rest = (0..<Int.random(in: 0...6, using: &numbers)).map { _ in
            var piece = later(first.id)
            piece.append(.requestBody, body("bq\(first.id)", most: 70_000))
            if numbers.chance(80) { piece.append(.responseBody, body("bs\(first.id)", most: 200_000)) }
            if numbers.chance(5) { piece.responseCut = true }
            addOrigin(to: &piece)
            return piece
        }
        run(first, rest)
    }

    private mutating func beginStream() {
        let first = first(type: "text/event-stream")
        let isLong = numbers.chance(20)
        var rest: [RecordedPiece] = []
        for number in 0..<Int.random(in: 0...(isLong ? 60 : 6), using: &numbers) {
            var piece = later(first.id)
            if numbers.chance(30) { piece.append(.eventType, Array("tick".utf8)) }
            if numbers.chance(30) { piece.append(.eventID, Array("\(number)".utf8)) }
            let bytes = body("m\(first.id)", most: isLong ? 40_000 : 4000)
            let facts = MessageFacts(
                time: Int64(number), sender: numbers.chance(50) ? .client : .origin, kind: .event,
                length: Int64(bytes.count))
            piece.append(.message(facts), bytes)
            rest.append(piece)
        }
        run(first, rest)
    }

    /// Fills segments of a sealed store in which no exchange begins.
    private mutating func streamAlone() {
        let first = first(type: "text/event-stream")
        offer(first)
        for number in 0..<30 {
            var piece = later(first.id)
            let facts = MessageFacts(time: Int64(number), sender: .origin, kind: .event, length: 3000)
            piece.append(.message(facts), [UInt8](repeating: UInt8(65 + number), count: 3000))
            offer(piece)
            steps.append(.write)
        }
    }
}

extension TrafficPlan {
    /// Settings with which each step does what the plan expects.
    package func set(_ settings: inout StoreSettings) {
        settings.gathering = gathering
        settings.ageLimit = .max
        settings.whenFull = .wait
        settings.queueLimit = 256 << 20
        settings.bodyLimit = bodyLimit
        settings.postgres.node = "sweep"
        settings.decoder = { $0.elementsEqual("sixty-four".utf8) ? SixtyFour() : nil }
    }

    package func offer(to store: TrafficStore) {
        for step in steps {
            switch step {
            case .write: store.write(within: 60_000)
            case .piece(var piece, let isDropped):
                if isDropped { _ = piece.dropBodies() }
                _ = store.offer(piece)
            }
        }
    }
}

/// A content coding: each byte stands for so many.
package struct SixtyFour: BodyDecoding {
    package static let count = 64

    package mutating func decode(
        _ input: ArraySlice<UInt8>, isLast: Bool, into room: inout [UInt8]
    ) -> (taken: Int, given: Int)? {
        let taken = min(input.count, room.count / Self.count)
        for (index, byte) in input.prefix(taken).enumerated() {
            for place in index * Self.count..<(index + 1) * Self.count { room[place] = byte }
        }
        return (taken, taken * Self.count)
    }
}
