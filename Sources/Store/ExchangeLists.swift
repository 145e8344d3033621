import Exchanges

/// The facts of an exchange of which there may be several; most exchanges have none.
struct ExchangeLists {
    var rewritten: [String] = []
    var attempts: [Exchange.Attempt] = []
    var redirectedTo: [String] = []
    var passedMocks: [String] = []

    var isEmpty: Bool { rewritten.isEmpty && attempts.isEmpty && redirectedTo.isEmpty && passedMocks.isEmpty }

    /// All texts, list by list; origin and outcome of each attempt.
    var texts: [[String]] { [rewritten, attempts.flatMap { [$0.origin, $0.outcome] }, redirectedTo, passedMocks] }

    init(_ exchange: borrowing Exchange) {
        (rewritten, attempts, redirectedTo) = (exchange.rewritten, exchange.attempts, exchange.redirectedTo)
        passedMocks = exchange.passedMocks
    }

    /// Reads lists that ``texts`` returned; lists that are missing are empty.
    init(texts lists: [[String]]) {
        if lists.count > 0 { rewritten = lists[0] }
        if lists.count > 1 {
            attempts = stride(from: 0, to: lists[1].count - 1, by: 2).map {
                Exchange.Attempt(origin: lists[1][$0], outcome: lists[1][$0 + 1])
            }
        }
        if lists.count > 2 { redirectedTo = lists[2] }
        if lists.count > 3 { passedMocks = lists[3] }
    }

    func store(in exchange: inout Exchange) {
        (exchange.rewritten, exchange.attempts, exchange.redirectedTo) = (rewritten, attempts, redirectedTo)
        exchange.passedMocks = passedMocks
    }
}
