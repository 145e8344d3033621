/// App Transport Security in an Info.plist.
enum InfoPlistRules {
    static func findings(_ plist: PropertyList, _ place: String) -> [LintFinding] {
        guard let transport = plist["NSAppTransportSecurity"] else { return [] }
        var findings: [LintFinding] = []
        func add(_ rule: LintFinding.Rule, _ message: String) {
            findings.append(LintFinding(rule: rule, place: place, line: nil, message: message))
        }
        for key in ["NSAllowsArbitraryLoads", "NSAllowsArbitraryLoadsInWebContent", "NSAllowsArbitraryLoadsForMedia"]
        where transport[key]?.isTrue == true {
            add(.arbitraryLoads, "\(key) is on")
        }
        guard case .dictionary(let domains) = transport["NSExceptionDomains"] else { return findings }
        for (domain, settings) in domains {
            for prefix in [
                "NSException", "NSTemporaryException", "NSTemporaryThirdPartyException", "NSThirdPartyException",
            ] {
                if settings[prefix + "AllowsInsecureHTTPLoads"]?.isTrue == true {
                    add(.exceptionDomain, "\(domain) has \(prefix)AllowsInsecureHTTPLoads")
                }
                if case .string(let version) = settings[prefix + "MinimumTLSVersion"],
                    !["TLSv1.2", "TLSv1.3"].contains(version)
                {
                    add(.exceptionDomain, "\(domain) accepts \(version)")
                }
                if let secrecy = settings[prefix + "RequiresForwardSecrecy"], !secrecy.isTrue {
                    add(.exceptionDomain, "\(domain) needs no forward secrecy")
                }
            }
        }
        return findings
    }
}
