import JSON
import Profiles

extension Command {
    static let explain = Command(
        name: "explain",
        summary: "Say which route would answer a request, where it goes, how its certificate is judged, and why.",
        usage: "explain URL [options]",
        details: [
            "Nothing is sent: the answer comes from the profiles alone. When no route matches, the nearest ones are "
                + "listed with what kept them from matching, and the exit status is 1."
        ],
        options: [
            .value(
                "profile", "NAME", default: "the active one of the Shunt that runs, else as for `shunt serve`",
                "The profile to ask."),
            .value("method", short: "X", "METHOD", default: "GET", "The request's method."),
            .value("header", "'NAME: VALUE'", repeatable: true, "A field of the request; may be given several times."),
            .profiles, .json,
        ],
        operands: 1...1,
        examples: [
            ("Who answers?", "shunt explain https://api.shop.test/v1/cart/7"),
            (
                "And who for a POST, in staging?",
                "shunt explain https://api.shop.test/v1/cart -X POST --profile staging"
            ),
        ],
        run: ExplainCommand.run)
}

/// What `shunt explain` does.
enum ExplainCommand {
    @Sendable
    static func run(_ arguments: Arguments) async throws(CommandFailure) -> CInt {
        let headers: [(name: String, value: String)]
        do throws(UsageError) {
            headers = try read(headers: arguments.texts("header"))
        } catch {
            throw .usage(error)
        }
        let project = try Project.find(arguments)
        let library = try project.load()
        let active = arguments.has("profile") ? nil : RunningShunt.activeProfile(project)
        // A file may have gone since that Shunt read it.
        let running = active.flatMap { library[$0] == nil ? nil : $0 }
        let name: String
        if let running { name = running } else { name = try project.choose(arguments.text("profile"), from: library) }
        guard let profile = library[name] else { throw .failed("there is no profile “\(name)”") }
        let explanation: Explanation
        do throws(ExplainFailure) {
            explanation = try profile.explain(
                url: arguments.operands[0], method: (arguments.text("method") ?? "GET").uppercased(), headers: headers)
        } catch {
            throw .usage(UsageError(error.message, advice: "Give a URL such as https://api.shop.test/v1/cart."))
        }
        if arguments.has("json") {
            Terminal.out { explanation.write(to: &$0) }
        } else {
            Terminal.out(ExplanationText(explanation, profile, isActive: running != nil).text)
        }
        if case .answered = explanation.outcome { return 0 }
        return 1
    }

    private static func read(headers: [String]) throws(UsageError) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for header in headers {
            guard let colon = header.firstIndex(of: ":"), colon != header.startIndex else {
                throw UsageError("--header “\(header)” is no field", advice: "Write --header 'Name: value'.")
            }
            let value = header[header.index(after: colon)...].drop { $0 == " " }
            fields.append((String(header[..<colon]), String(value)))
        }
        return fields
    }
}

/// An explanation for people.
struct ExplanationText {
    private let explanation: Explanation
    private let profile: Profile
    private let isActive: Bool

    init(_ explanation: Explanation, _ profile: Profile, isActive: Bool) {
        self.explanation = explanation
        self.profile = profile
        self.isActive = isActive
    }

    var text: String {
        var lines = [
            "\(explanation.method) \(explanation.url)",
            "  profile  \(profile.name) (\(profile.kind.rawValue)\(isActive ? ", active now" : ""))",
        ]
        switch explanation.outcome {
        case .answered(let answer): lines += self.lines(of: answer)
        case .unanswered(let misses):
            lines.append("  route    none: the answer would be 404")
            if !misses.isEmpty { lines.append("  nearest") }
            for miss in misses {
                lines.append("    \(miss.route.label) (\(miss.route.file):\(miss.route.line))")
                lines.append("      \(miss.reason)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func lines(of answer: Explanation.Answer) -> [String] {
        let route = answer.route
        let from = route.profile == profile.name ? "" : "from \(route.profile), "
        var lines = [
            "  route    \(route.label) (\(from)\(route.file):\(route.line))",
            "  because  \(answer.why)",
        ]
        switch route.responder {
        case .mock(let mock): lines.append("  answer   mock: \(mock.status), \(mock.body.count) bytes")
        case .chain(let chain): lines.append("  origins  \(chain.hops)")
        case .origin(let address, let preserveHost):
            lines.append("  origin   \(answer.origin ?? address.description)")
            if preserveHost { lines.append("           with the Host field that the client sent") }
        }
        guard let policy = answer.trust else { return lines }
        let source = answer.trustRule.map { "rule \($0.pattern), \($0.file):\($0.line)" } ?? "no rule names the host"
        switch policy {
        case .disabled: lines.append("  trust    disabled: INSECURE, any certificate passes (\(source))")
        case .default(let authorities):
            lines.append("  trust    default: chain and host name are verified (\(source))")
            if !authorities.isEmpty {
                lines.append("           against the system's authorities and \(authorities.joined(separator: ", "))")
            }
        }
        return lines
    }
}
