import JSON

/// Alamofire's policies that this version knows by name only.
private let laterPolicies = ["revocation", "pinnedCertificates", "publicKeys", "composite"]
private let policies = "\"default\" or \"disabled\""

/// All trust rules of a profile that could be read.
func decodeTrust(_ fields: Fields, directory: String) -> [TrustSource] {
    var rules: [TrustSource] = []
    for member in fields.object("trust", expected: "an object like { \"localhost\": \"disabled\" }") {
        let pattern = fields.reporter.attempt(member.keyPosition) { () throws(Refusal) in
            try HostPattern(parsing: member.key, allowsLoopback: true)
        }
        let policy = decodePolicy(member.value, directory, fields.reporter)
        guard let pattern, let policy else { continue }
        if let twin = rules.first(where: { $0.pattern == pattern }) {
            fields.reporter.report(
                member.keyPosition, "a second rule for \(pattern), the first is on line \(twin.place.line)",
                expected: "one rule per host pattern")
        }
        rules.append(
            TrustSource(
                pattern: pattern, isDisabled: policy.isDisabled, authorities: policy.authorities,
                place: member.keyPosition))
    }
    return rules
}

private func decodePolicy(
    _ value: JSONValue, _ directory: String, _ reporter: Reporter
) -> (isDisabled: Bool, authorities: [String])? {
    if case .string = value.kind { return decodeName(value, reporter).map { ($0, []) } }
    guard value.object != nil else {
        reporter.report(value.position, "the policy is \(value.kindName)", expected: "\(policies), or an object")
        return nil
    }
    guard let fields = Fields(value, "a trust rule", keys: ProfileKeys.trustRule, reporter) else { return nil }
    guard let name = fields["policy"] else {
        reporter.report(fields.place, "the trust rule has no \"policy\"", expected: policies)
        return nil
    }
    let authorities = decodeAuthorities(fields, directory: directory)
    guard let isDisabled = decodeName(name, reporter) else { return nil }
    if isDisabled, let member = fields.member("certificateAuthorities") {
        reporter.report(
            member.keyPosition, "authorities beside the policy \"disabled\", which asks none",
            expected: "the policy \"default\"")
    }
    return (isDisabled, authorities)
}

/// Whether the policy is `disabled`; nil after a report.
private func decodeName(_ value: JSONValue, _ reporter: Reporter) -> Bool? {
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

/// The PEM files under `certificateAuthorities`, as absolute paths; one that is not there is reported.
func decodeAuthorities(_ fields: Fields, directory: String) -> [String] {
    var authorities: [String] = []
    for item in fields.array("certificateAuthorities", expected: "an array of paths to PEM files") {
        guard let path = item.string, !path.isEmpty else {
            fields.reporter.report(item.position, "an authority is \(item.kindName)", expected: "a path to a PEM file")
            continue
        }
        let absolute = Files.absolute(path.hasPrefix("/") ? path : "\(directory)/\(path)")
        guard Files.isReadableFile(absolute) else {
            fields.reporter.report(
                item.position, "cannot read the certificate authority \"\(path)\"",
                expected: "a PEM file at \(absolute)",
                hint: "paths start at the profile's own directory")
            continue
        }
        if !authorities.contains(absolute) { authorities.append(absolute) }
    }
    return authorities
}
