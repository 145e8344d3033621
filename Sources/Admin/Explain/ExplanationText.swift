import Contracts
import Engine
package import Profiles
import Protobuf

/// An explanation for people.
package struct ExplanationText {
    private let explanation: Explanation
    private let profile: Profile
    private let active: String?
    private let now: [String]
    private let namesProfile: Bool

    /// - Parameters:
    ///   - profile: the one that responds.
    ///   - active: the active one of a Shunt that runs.
    ///   - now: what else counts at present, beside mocks that are off and the states of scenarios.
    ///   - namesProfile: the request has a field for that.
    package init(
        _ explanation: Explanation, _ profile: Profile, active: String?, now: [String] = [], namesProfile: Bool = false
    ) {
        (self.namesProfile, self.explanation, self.profile, self.active) = (namesProfile, explanation, profile, active)
        self.now = [explanation.live?.text(of: profile)].compactMap(\.self) + now
    }

    package var text: String {
        let isActive = profile.name == active
        var lines = [
            "\(explanation.method) \(explanation.url)",
            "  profile  \(profile.name) (\(profile.kind.rawValue)\(isActive ? ", active now" : ""))",
        ]
        if let label = explanation.label {
            let isChoice = label.environment == profile.name
            lines.append(
                "  host     \(label.host), the label \(label.environment)-- "
                    + (isChoice ? "chose the profile" : "counts for less than --profile"))
        }
        if let choice { lines.append("  chosen   by \(choice)") }
        if !now.isEmpty { lines.append("  now      \(now.joined(separator: "; "))") }
        switch explanation.outcome {
        case .withResponse(let response):
            lines += self.lines(of: response)
        case .withoutRoute(let words):
            lines.append("  route    none is needed: \(words)")
        case .withoutResponse(let misses):
            lines.append("  route    none: the response would be \(explanation.refusal?.status ?? 404)")
            if let refusal = explanation.refusal {
                lines.append("  because  \(refusal.reason)")
                if let advice = refusal.advice { lines.append("           \(advice)") }
            }
            if !misses.isEmpty { lines.append("  nearest") }
            for miss in misses {
                lines.append("    \(miss.route.label) (\(miss.route.placeText))")
                lines.append("      \(miss.reason)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What has chosen the profile, where that is neither its being active nor an option.
    private var choice: String? {
        switch explanation.chosenBy.flatMap(ProfileChoice.Source.init) {
        case .session: "the session"
        case .token, .address, .user: "the device"
        case .app: "the program"
        case .header where namesProfile: "Shunt-Profile"
        case .header, .hostLabel, .active, nil: nil
        }
    }

    private func lines(of response: Explanation.Response) -> [String] {
        let route = response.route
        let from = route.profile == profile.name ? "" : "from \(route.profile), "
        var lines = [
            "  route    \(route.label) (\(from)\(route.placeText))",
            "  because  \(response.why)",
        ]
        for miss in response.missed {
            lines.append("  missed   \(miss.route.label) (\(miss.route.placeText)): \(miss.reason)")
        }
        if !response.order.isEmpty {
            lines.append("  order    \(response.order.map(\.rawValue).joined(separator: ", ")), then the responder")
        }
        if let first = route.first { lines.append("  first    \(first.summary)") }
        lines += responder(response)
        if let text = response.recorded { lines.append("  recorded \(text)") }
        if let cors = route.cors { lines.append("  cors     \(cors.text)") }
        if let grpc = route.grpc {
            lines.append("  grpc     \(grpc.summary(ofPath: String(GRPC.path(ofURL: explanation.url))))")
        }
        if route.relay.translatesWebCalls { lines.append("  grpcWeb  calls of gRPC-Web are translated for the origin") }
        if let text = route.changes?.request?.text { lines.append("  request  \(text)") }
        if let text = route.changes?.response?.text { lines.append("  response \(text)") }
        for change in route.changes?.messages ?? [] { lines.append("  messages \(change.text)") }
        if let text = route.changes?.injection?.text { lines.append("  inject   \(text)") }
        if let text = route.changes?.bridge?.summary { lines.append("  bridge   \(text)") }
        if let text = route.rewrite.text { lines.append("  rewrite  \(text)") }
        if let contract = route.contract {
            let count = contract.contract.operations.count
            lines.append("  contract \(contract.name), \(count) operation\(count == 1 ? "" : "s")")
        }
        if !route.isPassthrough { lines.append("  cache    \(route.client.cache.text)") }
        if route.client.halfClose { lines.append("  client   \"halfClose\": gets its response when it sends no more") }
        if !response.profile.clearOnSwitch.isEmpty {
            let data = response.profile.clearOnSwitch.map(\.rawValue).joined(separator: ", ")
            lines.append("  switch   \"clearOnSwitch\": the first page after one clears \(data)")
        }
        if let jar = response.profile.cookieJar, !response.candidates.isEmpty {
            lines.append("  cookies  in the jar \(jar), apart from others")
        }
        if let token = response.profile.token(of: route) {
            lines.append("  token    \(token.profile)'s, from \(token.sourceText), in \(token.place)")
        }
        if let text = response.profile.redaction.text { lines.append("  secrets  \(text)") }
        if let text = response.guarding.text { lines.append("  guard    \(text)") }
        return lines
    }

    private func responder(_ response: Explanation.Response) -> [String] {
        switch response.route.responder {
        case .local(let local): return ["  response \(local.summary)"]
        case .chain(let chain):
            let indent = "           "
            var lines = ExplainedCandidates.lines(response.candidates, indent: indent).enumerated().map { at, line in
                at == 0 ? "  origins  " + line.dropFirst(indent.count) : line
            }
            if chain.preserveHost { lines.append("           with the Host field that the client sent") }
            return chain.candidates.count > 1 ? lines + ["  fallback \(chain.fallback.text)"] : lines
        case .origin(_, let preserveHost):
            guard case .origin(let candidate)? = response.candidates.first else { return [] }
            var lines = ["  origin   \(candidate.url)"]
            if preserveHost { lines.append("           with the Host field that the client sent") }
            if let proxy = candidate.address.proxy { lines.append("  proxy    \(proxy.text)") }
            if let program = candidate.address.program { lines.append("  program  \(program.text)") }
            if response.route.isPassthrough {
                return lines + ["  TLS      passes through unread: the client judges the origin's certificate itself"]
            }
            guard let trust = candidate.trustText else { return lines }
            lines.append("  trust    \(trust)")
            if let authorities = candidate.authoritiesText { lines.append("           \(authorities)") }
            return lines
        }
    }
}

/// Those that are asked in turn, each with what would become of the request there.
private enum ExplainedCandidates {
    static func lines(_ candidates: [Explanation.Candidate], indent: String) -> [String] {
        candidates.enumerated().flatMap { at, candidate in
            let head = "\(indent)\(at + 1). "
            let tail = indent + "   "
            switch candidate {
            case .origin(let origin):
                return ["\(head)\(origin.url)"]
                    + [
                        origin.address.proxy.map { "proxy \($0.text)" },
                        origin.address.program.map { "program \($0.text)" }, origin.trustText.map { "trust \($0)" },
                        origin.authoritiesText,
                    ].compactMap {
                        $0.map { tail + $0 }
                    }
            case .repeated(let name): return ["\(head)profile \(name), as above"]
            case .profile(let name, nil): return ["\(head)profile \(name): nothing there responds"]
            case .profile(let name, let response?):
                let route = response.route
                let from = route.profile == name ? "" : "from \(route.profile), "
                return ["\(head)profile \(name): route \(route.label) (\(from)\(route.placeText))"]
                    + (route.first.map { ["\(tail)first \($0.summary)"] } ?? []) + inner(response, tail)
            }
        }
    }

    private static func inner(_ response: Explanation.Response, _ indent: String) -> [String] {
        var lines: [String]
        switch response.route.responder {
        case .local(let local): lines = ["\(indent)\(local.summary)"]
        case .chain: lines = Self.lines(response.candidates, indent: indent)
        case .origin:
            guard case .origin(let candidate)? = response.candidates.first else { return [] }
            lines = [candidate.url, candidate.trustText.map { "trust \($0)" }, candidate.authoritiesText].compactMap {
                $0.map { indent + $0 }
            }
        }
        if let text = response.guarding.text { lines.append("\(indent)guard \(text)") }
        return lines
    }
}
