public import JSON

extension Explanation {
    /// Writes this as one object.
    public func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("profile", profile)
            $0.member("method", method)
            $0.member("url", url)
            $0.member("path", path)
            switch outcome {
            case .answered(let answer):
                $0.member("matched", true)
                answer.writeMembers(to: &$0)
            case .unanswered(let misses):
                $0.member("matched", false)
                $0.array("nearest") {
                    for miss in misses {
                        $0.object {
                            $0.object("route", miss.route.writeMembers)
                            $0.member("part", miss.part.rawValue)
                            $0.member("reason", miss.reason)
                        }
                    }
                }
            }
        }
    }

    public func toJSON(style: JSONWriter.Style = .compact) -> [UInt8] {
        var writer = JSONWriter(style: style)
        write(to: &writer)
        return writer.bytes
    }
}

extension Explanation.Answer {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.object("route", route.writeMembers)
        writer.member("why", why)
        writer.member("rule", rule?.rawValue)
        writer.key("runnerUp")
        if let runnerUp { writer.object(runnerUp.writeMembers) } else { writer.null() }
        switch route.responder {
        case .origin(_, let preserveHost):
            writer.member("origin", origin)
            writer.member("preserveHost", preserveHost)
        case .chain(let chain):
            writer.array("origins") { for hop in chain.hops { $0.value("\(hop)") } }
        case .mock(let mock):
            writer.object("mock") {
                $0.member("status", mock.status)
                $0.member("bytes", mock.body.count)
            }
        }
        guard let trust else { return }
        writer.object("trust") {
            $0.member("policy", trust.name)
            $0.member("certificateAuthorities", trust.certificateAuthorities)
            $0.key("rule")
            guard let trustRule else { return $0.null() }
            $0.object(trustRule.writeMembers)
        }
    }
}

extension Route {
    /// The members that name a route, within an object.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("label", label)
        writer.member("profile", profile)
        writer.member("kind", kind.rawValue)
        writer.member("file", file)
        writer.member("line", line)
    }
}

extension TrustRule {
    /// The members that name a rule, within an object.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("pattern", pattern)
        writer.member("policy", policy.name)
        writer.member("profile", profile)
        writer.member("file", file)
        writer.member("line", line)
    }
}
