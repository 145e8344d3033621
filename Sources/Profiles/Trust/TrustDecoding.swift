import JSON

/// Reads the trust rules of a profile.
struct TrustDecoding {
    static let policies = TrustEvaluator.names.map { "\"\($0)\"" }.joined(separator: ", ")

    /// Paths start here.
    let today: CalendarDay
    /// Whether what is unverified for public hosts needs a date and a reason.
    let needsDates: Bool
    let reporter: Reporter

    /// All that could be read.
    func rules(_ members: [JSONMember]) -> [TrustSource] {
        var rules: [TrustSource] = []
        // By pattern, since there may be thousands.
        var lines: [HostPattern: Int] = [:]
        for member in members {
            let pattern = reporter.attempt(member.keyPosition) { () throws(Refusal) in
                try HostPattern(parsing: member.key, allowsLoopback: true)
            }
            let policy = policy(member.value)
            guard let pattern, let policy else { continue }
            if let line = lines[pattern] {
                reporter.report(
                    member, "a second rule for \(pattern), the first is on line \(line)",
                    expected: "one rule per host pattern")
            } else {
                lines[pattern] = member.keyPosition.line
            }
            check(policy, pattern, member.value)
            rules.append(TrustSource(pattern: pattern, policy: policy, place: member.keyPosition))
        }
        return rules
    }

    private func policy(_ value: JSONValue) -> TrustSource.Policy? {
        if value.string != nil {
            return EvaluatorDecoding(reporter: reporter).evaluator(named: value).map {
                TrustSource.Policy(evaluator: $0)
            }
        }
        guard value.object != nil else {
            return reporter.refuse(value, "the policy is \(value.kindName)", expected: "\(Self.policies), or an object")
        }
        guard let fields = Fields(value, TrustSource.Policy.keys, reporter) else { return nil }
        var policy = TrustSource.Policy(evaluator: .disabled)
        TrustSource.Policy.keys.read(fields, into: &policy)
        policy.until = until(fields)
        guard let evaluator = EvaluatorDecoding(reporter: reporter).evaluator(fields) else { return nil }
        policy.evaluator = evaluator
        if let member = fields.member("certificateAuthorities"), !evaluator.asksSystem {
            reporter.report(
                member, "authorities beside the policy \"\(evaluator.name)\", which asks none",
                expected: "the policy \"default\"")
        }
        if let member = fields.member("strict"), evaluator == .disabled {
            reporter.report(
                member, "\"strict\" beside the policy \"disabled\", which checks nothing", expected: "another policy")
        }
        for key in ["until", "reason"] where !evaluator.isUnverified {
            guard let member = fields.member(key) else { continue }
            reporter.report(
                member, "\"\(key)\" beside the policy \"\(evaluator.name)\", which is no exception",
                expected: "the policy \"disabled\"")
        }
        return policy
    }

    private func until(_ fields: Fields) -> CalendarDay? {
        guard let value = fields["until"] else { return nil }
        let day = value.string.flatMap { CalendarDay($0) }
        if day == nil {
            reporter.report(
                value, "\"until\" is \(spelling(value))", expected: "a day like \"\(today.adding(days: 30))\" (UTC)")
        }
        return day
    }

    /// Exceptions end, and those that strangers could profit from say when and why.
    private func check(_ policy: TrustSource.Policy, _ pattern: HostPattern, _ value: JSONValue) {
        guard policy.evaluator.isUnverified else { return }
        if let until = policy.until, until < today {
            reporter.report(
                value["until"]?.position ?? value.position, "\(policy.name) for \(pattern) ended with \(until)",
                expected: "a day to come, or no such rule",
                hint: "name the server's CA under \"certificateAuthorities\" instead")
        }
        guard needsDates, pattern.isPublic else { return }
        // A key that is there and wrong is reported already.
        let missing = ["until", "reason"].filter { value[$0] == nil }
        guard !missing.isEmpty else { return }
        let example =
            "{ \"policy\": \"\(policy.evaluator.name)\", \"until\": \"\(today.adding(days: 30))\", \"reason\": \"…\" }"
        reporter.report(
            value.position,
            "\(policy.name) for \(pattern), which is public, has no "
                + missing.map { "\"\($0)\"" }.joined(separator: " and no "),
            expected: example, hint: "better, name the server's CA under \"certificateAuthorities\"")
    }
}
