import Profiles

/// What decides which of its responses a mock gives.
struct MockShape: Equatable, Sendable {
    let statuses: [Int]
    let order: MockOrder
    let seed: UInt64?

    init?(_ route: Route) {
        guard case .local(let mock as Mock) = route.responder, mock.responses.count > 1 else { return nil }
        statuses = mock.responses.map(\.status)
        (order, seed) = (mock.order, mock.seed)
    }
}
