import JSON

extension ProfileReader {
    mutating func readTrust(_ rule: JSONMember) {
        let host: HostPattern
        do throws(PatternError) {
            host = try HostPattern(reading: rule.key, allowsLoopback: true)
        } catch {
            report(rule.keyPosition, error)
            return
        }
        guard host.port == nil else {
            report(
                rule.keyPosition, "the trust rule \"\(rule.key)\" names a port", "expected a host: ports do not count")
            return
        }
        if draft.trust.contains(where: { $0.host == host }) {
            report(rule.keyPosition, "there is another trust rule for \(host.text)", "expected one per host pattern")
            return
        }
        switch rule.value.kind {
        case .string(let name): add(host, name, rule.value.position, at: rule.keyPosition, [])
        case .object:
            guard let members = members(of: rule.value, "a trust rule", Self.trustKeys) else { return }
            var name = "default"
            var position = rule.value.position
            var authorities: [String] = []
            for member in members {
                if member.key == "policy" {
                    name = text(member.value, "policy") ?? name
                    position = member.value.position
                } else {
                    authorities = files(member.value, "certificateAuthorities")
                    if authorities.isEmpty { continue }
                }
            }
            if name == "disabled", !authorities.isEmpty {
                report(position, "the policy is disabled, so the CAs would not be looked at", "expected \"default\"")
                return
            }
            add(host, name, position, at: rule.keyPosition, authorities)
        default: wrongType(rule.value, "the trust rule for \(rule.key)", "a policy's name or an object")
        }
    }

    private mutating func add(
        _ host: HostPattern, _ name: String, _ position: JSONPosition, at keyPosition: JSONPosition,
        _ authorities: [String]
    ) {
        switch name {
        case "default": draft.trust.append((host, .default(certificateAuthorities: authorities), keyPosition))
        case "disabled": draft.trust.append((host, .disabled, keyPosition))
        case _ where TrustPolicy.unavailable.contains(name):
            report(
                position, "the trust policy \"\(name)\" is not available yet", "expected \"default\" or \"disabled\"")
        default: report(position, "unknown trust policy \"\(name)\"", Self.expected(["default", "disabled"], name))
        }
    }
}
