import JSON

/// A trust rule as decoded.
struct TrustSource {
    let pattern: HostPattern
    let policy: Policy
    let place: JSONPosition

    struct Policy {
        var evaluator: TrustEvaluator
        /// PEM files for this rule's hosts, as absolute paths.
        var authorities: [String] = []
        var connection = TLSSettings()
        /// The last day on which an exception holds.
        var until: CalendarDay?
        var reason: String?

        /// For messages.
        var name: String {
            evaluator == .disabled || !evaluator.isUnverified
                ? "the policy \"\(evaluator.name)\"" : "the policy \"\(evaluator.name)\" without a check of the host"
        }

        /// The files that it names.
        var files: [String] { authorities + evaluator.files + (connection.clientCertificate?.files ?? []) }
    }

    var isUnverified: Bool { policy.evaluator.isUnverified }
}
