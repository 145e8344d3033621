import JSON

/// A trust rule as decoded.
struct TrustSource {
    let pattern: HostPattern
    let policy: Policy
    let place: JSONPosition

    struct Policy {
        var isDisabled: Bool
        /// PEM files for this rule's hosts, as absolute paths.
        var authorities: [String] = []
        /// The last day on which it is disabled.
        var until: CalendarDay?
        var reason: String?
    }

    var isDisabled: Bool { policy.isDisabled }
}
