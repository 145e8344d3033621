import JSON

/// Alamofire's policies that this version knows by name only.
private let laterPolicies = ["revocation", "pinnedCertificates", "publicKeys", "composite"]
private let policies = "\"default\" or \"disabled\""

/// Reads the trust rules of a profile.
struct TrustDecoding {
    /// Paths start here.
    let today: CalendarDay
    /// Whether what is disabled for public hosts needs a date and a reason.
    let needsDates: Bool
    let reporter: Reporter

    /// All that could be read.
    func rules(_ members: [JSONMember]) -> [TrustSource] {
        var rules: [TrustSource] = []
        for member in members {
            let pattern = reporter.attempt(member.keyPosition) { () throws(Refusal) in
                try HostPattern(parsing: member.key, allowsLoopback: true)
            }
            let policy = policy(member.value)
            guard let pattern, let policy else { continue }
            if let twin = rules.first(where: { $0.pattern == pattern }) {
                reporter.report(
                    member.keyPosition, "a second rule for \(pattern), the first is on line \(twin.place.line)",
                    expected: "one rule per host pattern")
            }
            check(policy, pattern, member.value)
            rules.append(TrustSource(pattern: pattern, policy: policy, place: member.keyPosition))
        }
        return rules
    }

    private func policy(_ value: JSONValue) -> TrustSource.Policy? {
        if case .string = value.kind { return name(value).map { TrustSource.Policy(isDisabled: $0) } }
        guard value.object != nil else {
            reporter.report(value.position, "the policy is \(value.kindName)", expected: "\(policies), or an object")
            return nil
        }
        guard let fields = Fields(value, "a trust rule", keys: ProfileKeys.trustRule, reporter) else { return nil }
        guard let name = fields["policy"] else {
            reporter.report(fields.place, "the trust rule has no \"policy\"", expected: policies)
            return nil
        }
        let authorities = decodeAuthorities(fields)
        let (until, reason) = (until(fields), reason(fields))
        guard let isDisabled = self.name(name) else { return nil }
        if isDisabled, let member = fields.member("certificateAuthorities") {
            reporter.report(
                member.keyPosition, "authorities beside the policy \"disabled\", which asks none",
                expected: "the policy \"default\"")
        }
        for key in ["until", "reason"] where !isDisabled {
            guard let member = fields.member(key) else { continue }
            reporter.report(
                member.keyPosition, "\"\(key)\" beside the policy \"default\", which is no exception",
                expected: "the policy \"disabled\"")
        }
        return TrustSource.Policy(isDisabled: isDisabled, authorities: authorities, until: until, reason: reason)
    }

    /// Whether the policy is `disabled`; nil after a report.
    private func name(_ value: JSONValue) -> Bool? {
        guard let name = value.string else {
            reporter.report(value.position, "the policy is \(value.kindName)", expected: policies)
            return nil
        }
        if name == "default" || name == "disabled" { return name == "disabled" }
        if laterPolicies.contains(name) {
            reporter.report(value.position, "the policy \"\(name)\" is not available yet", expected: policies)
        } else {
            reporter.report(
                value.position, "unknown policy \"\(name)\"", expected: policies,
                hint: didYouMean(name, among: ["default", "disabled"]))
        }
        return nil
    }

    private func until(_ fields: Fields) -> CalendarDay? {
        let expected = "a day like \"\(today.adding(days: 30))\" (UTC)"
        guard let text = fields.string("until", expected: expected), let value = fields["until"] else { return nil }
        let day = CalendarDay(text)
        if day == nil { reporter.report(value.position, "\"until\" is \"\(text)\"", expected: expected) }
        return day
    }

    private func reason(_ fields: Fields) -> String? {
        guard let reason = fields.string("reason"), let value = fields["reason"] else { return nil }
        // It is shown in one line of lists and of the log.
        guard isFieldValue(reason), !reason.isEmpty else {
            reporter.report(
                value.position, "\"reason\" says nothing that can be shown",
                expected: "a few words in one line")
            return nil
        }
        return reason
    }

    /// Exceptions end, and those that strangers could profit from say when and why.
    private func check(_ policy: TrustSource.Policy, _ pattern: HostPattern, _ value: JSONValue) {
        guard policy.isDisabled else { return }
        if let until = policy.until, until < today {
            reporter.report(
                value["until"]?.position ?? value.position,
                "the policy \"disabled\" for \(pattern) ended with \(until)",
                expected: "a day to come, or no such rule",
                hint: "name the server's CA under \"certificateAuthorities\" instead")
        }
        guard needsDates, pattern.isPublic else { return }
        // A key that is there and wrong is reported already.
        let missing = ["until", "reason"].filter { value[$0] == nil }
        guard !missing.isEmpty else { return }
        let example = "{ \"policy\": \"disabled\", \"until\": \"\(today.adding(days: 30))\", \"reason\": \"…\" }"
        reporter.report(
            value.position,
            "the policy \"disabled\" for \(pattern), which is public, has no "
                + missing.map { "\"\($0)\"" }.joined(separator: " and no "),
            expected: example, hint: "better, name the server's CA under \"certificateAuthorities\"")
    }
}
