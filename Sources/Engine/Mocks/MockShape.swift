import Profiles

/// What decides which of its responses a mock gives.
struct MockShape: Equatable, Sendable {
    let statuses: [Int]
    let order: MockOrder
    let seed: UInt64?

    /// The state of a recording, whose entries take turns.
    var recording: String?

    init?(_ route: Route) {
        if let recording = route.recording {
            (statuses, order, seed) = ([], .once, nil)
            self.recording = recording.fingerprint
            return
        }
        guard case .local(let mock as Mock) = route.responder, mock.responses.count > 1 else { return nil }
        statuses = mock.responses.map(\.status)
        (order, seed) = (mock.order, mock.seed)
    }
}
