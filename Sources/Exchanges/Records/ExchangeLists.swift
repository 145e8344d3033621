/// The facts of an exchange of which there may be several; most exchanges have none.
package struct ExchangeLists {
    var rewritten: [String] = []
    var attempts: [Exchange.Attempt] = []
    var redirectedTo: [String] = []
    var passedMocks: [String] = []
    /// The trace's number, that of the exchange's span, and that of the client's if there is one; empty without a trace.
    var trace: [String] = []
    var originSent: [String] = []
    var holds: [Exchange.Hold] = []
    var contract: [String] = []

    /// How many lists ``texts`` has.
    package static let count = 8
    /// Where among them ``trace`` is, which has digits alone.
    package static let traceIndex = 4

    var isEmpty: Bool {
        rewritten.isEmpty && attempts.isEmpty && redirectedTo.isEmpty && passedMocks.isEmpty && trace.isEmpty
            && originSent.isEmpty && holds.isEmpty && contract.isEmpty
    }

    /// A fault of the route was applied.
    package var hasFault: Bool { rewritten.contains("+fault") }

    /// All texts, list by list; origin and outcome of each attempt.
    package var texts: [[String]] {
        [
            rewritten, attempts.flatMap { [$0.origin, $0.outcome] }, redirectedTo, passedMocks, trace, originSent,
            holds.flatMap { [$0.phase, "\($0.microseconds)", $0.outcome] }, contract,
        ]
    }

    init(_ exchange: borrowing Exchange) {
        (rewritten, attempts, redirectedTo) = (exchange.rewritten, exchange.attempts, exchange.redirectedTo)
        (passedMocks, originSent, holds) = (exchange.passedMocks, exchange.originSent, exchange.holds)
        contract = exchange.contract
        if let known = exchange.trace { trace = known.texts }
    }

    /// Reads lists that ``texts`` returned; lists that are missing are empty.
    package init(texts lists: [[String]]) {
        if lists.count > 0 { rewritten = lists[0] }
        if lists.count > 1 {
            attempts = stride(from: 0, to: lists[1].count - 1, by: 2).map {
                Exchange.Attempt(origin: lists[1][$0], outcome: lists[1][$0 + 1])
            }
        }
        if lists.count > 2 { redirectedTo = lists[2] }
        if lists.count > 3 { passedMocks = lists[3] }
        if lists.count > Self.traceIndex { trace = lists[Self.traceIndex] }
        if lists.count > 5 { originSent = lists[5] }
        if lists.count > 6 {
            let texts = lists[6]
            holds = stride(from: 0, to: texts.count - 2, by: 3).map {
                Exchange.Hold(
                    phase: texts[$0], microseconds: UInt64(texts[$0 + 1]) ?? 0, outcome: texts[$0 + 2])
            }
        }
        if lists.count > 7 { contract = lists[7] }
    }

    func store(in exchange: inout Exchange) {
        (exchange.rewritten, exchange.attempts, exchange.redirectedTo) = (rewritten, attempts, redirectedTo)
        (exchange.passedMocks, exchange.originSent, exchange.holds) = (passedMocks, originSent, holds)
        exchange.contract = contract
        exchange.trace = Exchange.Trace(texts: trace)
    }
}
