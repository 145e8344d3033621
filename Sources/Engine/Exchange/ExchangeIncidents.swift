import Exchanges

/// What has befallen an exchange that most exchanges are spared.
struct ExchangeIncidents {
    /// Failed attempts at candidates of a chain, before the present one.
    private(set) var attempts: [Exchange.Attempt] = []
    /// What was wrong with the origin's head, which was repaired.
    private(set) var originSent: [String] = []
    /// When it was held at breakpoints.
    private(set) var holds: [Exchange.Hold] = []
    /// The names of mocks that would have responded if they were not off.
    var passedMocks: [String] = []
    /// The production profiles to whose origins a redirect sends the client, past Shunt.
    var redirectedTo: [String] = []
    /// It may have changed production, which was unlocked.
    var isUnlocked = false

    var isEmpty: Bool { isOrdinary && !isUnlocked }

    /// A few figures tell all that is known.
    var isOrdinary: Bool {
        attempts.isEmpty && originSent.isEmpty && holds.isEmpty && passedMocks.isEmpty && redirectedTo.isEmpty
    }

    func adding(_ attempt: Exchange.Attempt) -> ExchangeIncidents {
        var more = self
        more.attempts.append(attempt)
        return more
    }

    func adding(_ hold: Exchange.Hold) -> ExchangeIncidents {
        var more = self
        more.holds.append(hold)
        return more
    }

    func adding(ofOrigin text: String) -> ExchangeIncidents {
        var more = self
        more.originSent.append(text)
        return more
    }
}
