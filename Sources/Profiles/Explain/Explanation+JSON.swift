import Contracts
public import JSON

extension Explanation {
    /// Writes this as one object.
    ///
    /// - Parameter more: writes more members.
    public func write(to writer: inout JSONWriter, more: (inout JSONWriter) -> Void = { _ in }) {
        writer.object {
            $0.members(["profile": profile, "method": method, "url": url, "path": path])
            if let label { $0.members(["environment": label.environment, "host": label.host]) }
            $0.member("chosenBy", chosenBy)
            switch outcome {
            case .withoutRoute(let words):
                $0.members(["matched": false, "withoutRoute": words])
            case .withResponse(let response):
                $0.member("matched", true)
                response.writeMembers(to: &$0)
            case .withoutResponse(let misses):
                $0.member("matched", false)
                $0.array("nearest") { for miss in misses { miss.write(to: &$0) } }
                if let refusal {
                    $0.object(
                        "refused", ["status": refusal.status, "reason": refusal.reason, "advice": refusal.advice])
                }
            }
            more(&$0)
        }
    }

    public func toJSON(style: JSONWriter.Style = .compact) -> [UInt8] {
        var writer = JSONWriter(style: style)
        write(to: &writer)
        return writer.bytes
    }
}

extension Explanation.Response {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.object("route", route.writeMembers)
        writer.members(["why": why, "rule": rule?.rawValue])
        writer.key("runnerUp")
        if let runnerUp { writer.object(runnerUp.writeMembers) } else { writer.null() }
        if !missed.isEmpty { writer.array("missed") { for miss in missed { miss.write(to: &$0) } } }
        writer.member("order", order.map(\.rawValue))
        writeResponder(to: &writer)
        writer.member("recorded", recorded)
        writer.key("guard")
        guarding.write(to: &writer)
        writer.member("cookieJar", profile.cookieJar)
        if let token = profile.token(of: route) {
            writer.object("token") {
                $0.members(["profile": token.profile, "source": token.sourceText, "place": token.place.description])
            }
        }
        if let contract = route.contract { writer.member("contract", contract.name) }
        writer.members(["cache": route.client.cache.rawValue, "halfClose": route.client.halfClose])
        if !profile.clearOnSwitch.isEmpty { writer.member("clearOnSwitch", profile.clearOnSwitch.map(\.rawValue)) }
        if let network = profile.network { writer.object("network", network.writeMembers) }
        if !profile.redaction.isEmpty {
            writer.object("redact") { RedactionSettings.keys.write(profile.redaction, into: &$0) }
        }
    }

    private func writeResponder(to writer: inout JSONWriter) {
        route.first?.writeMembers(to: &writer)
        switch route.responder {
        case .origin(_, let preserveHost):
            if case .origin(let candidate)? = candidates.first { candidate.writeMembers(to: &writer) }
            writer.member("preserveHost", preserveHost)
            if route.isPassthrough { writer.member("tls", "passthrough") }
        case .chain(let chain):
            writer.array("origins") { for candidate in candidates { candidate.write(to: &$0) } }
            writer.member("preserveHost", chain.preserveHost)
            writer.object("fallback") { FallbackSettings.keys.write(chain.fallback, into: &$0) }
        case .local(let local): local.writeMembers(to: &writer)
        }
        if route.rewrite != .none { writer.object("rewrite") { RewriteSettings.keys.write(route.rewrite, into: &$0) } }
        if let cors = route.cors { writer.object("cors") { CORSSettings.keys.write(cors, into: &$0) } }
        route.changes?.writeMembers(to: &writer)
        if let network = route.network { writer.object("routeNetwork", network.writeMembers) }
        if let offline = route.offline { writer.object("offline") { OfflineSettings.keys.write(offline, into: &$0) } }
        if let grpc = route.grpc { writer.member("grpc", grpc.source) }
        if !route.faults.isEmpty { writer.member("faults", route.faults.map(\.summary)) }
    }
}

extension Explanation.NearMiss {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.object("route", route.writeMembers)
            $0.members(["part": part.rawValue, "reason": reason])
        }
    }
}

extension Explanation.Candidate {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            switch self {
            case .origin(let candidate): candidate.writeMembers(to: &$0)
            case .profile(let name, let response):
                $0.members(["profile": name, "matched": response != nil])
                response?.writeMembers(to: &$0)
            case .repeated(let name):
                $0.members(["profile": name, "repeated": true])
            }
        }
    }
}

extension Explanation.OriginCandidate {
    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("origin", url)
        if let proxy = address.proxy {
            writer.members(["proxy": proxy.description, "proxyCredentials": proxy.credentialsVariable])
        }
        if let program = address.program {
            writer.object("program") {
                $0.member("command", program.name)
                $0.member("in", program.directory)
                $0.member("ready", program.ready)
                $0.member("start", program.start.rawValue)
            }
        }
        guard address.isTLS else { return }
        writer.object("trust") {
            $0.members(["policy": address.trust.name, "certificateAuthorities": address.trust.certificateAuthorities])
            $0.key("rule")
            guard let rule else { return $0.null() }
            $0.object(rule.writeMembers)
        }
    }
}

extension Explanation.Guarding {
    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .none: writer.null()
        case .passes(let why):
            writer.object(["passes": true, "why": why])
        case .refused(let reason, let profiles, let cause):
            writer.object {
                $0.members(["passes": false, "refused": reason, "locked": profiles])
                if let cause { $0.member("why", cause) }
            }
        }
    }
}

extension Route {
    /// The members that name a route, within an object.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.members([
            "label": label, "profile": place.profile, "kind": place.kind.rawValue, "file": place.file,
            "line": place.line,
        ])
    }
}

extension TrustRule {
    /// The members that name a rule, within an object.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.members([
            "pattern": pattern, "policy": policy.name, "until": until, "reason": reason, "profile": profile,
            "file": file, "line": line,
        ])
    }
}

extension SharedOrigin {
    /// Writes this as one object.
    public func write(to writer: inout JSONWriter) {
        writer.object {
            $0.member("profile", profile)
            $0.object("route", route.writeMembers)
            $0.member("origin", origin.description)
            $0.object("production") {
                $0.member("profile", use.profile)
                $0.object("route", use.route.writeMembers)
            }
        }
    }
}
