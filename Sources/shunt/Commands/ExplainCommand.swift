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
        do throws(ExplanationError) {
            explanation = try profile.explain(
                url: arguments.operands[0], method: (arguments.text("method") ?? "GET").uppercased(), headers: headers)
        } catch {
            throw .usage(UsageError(error.message, advice: "Give a URL such as https://api.shop.test/v1/cart."))
        }
        if arguments.has("json") {
            Terminal.out { explanation.write(to: &$0) }
        } else {
            Terminal.out(ExplanationText(explanation, isActive: running != nil).text)
        }
        return explanation.route == nil ? 1 : 0
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
    private let isActive: Bool

    init(_ explanation: Explanation, isActive: Bool) {
        self.explanation = explanation
        self.isActive = isActive
    }

    var text: String {
        var lines = [
            "\(explanation.method) \(explanation.url)",
            "  profile  \(explanation.profile) (\(explanation.kind.rawValue)\(isActive ? ", active now" : ""))",
        ]
        guard let route = explanation.route else {
            lines.append("  route    none: the answer would be 404")
            if !explanation.nearMisses.isEmpty { lines.append("  nearest") }
            for miss in explanation.nearMisses {
                lines.append("    \(miss.label) (\(miss.place))")
                lines.append("      \(miss.reason)")
            }
            return lines.joined(separator: "\n") + "\n"
        }
        let from = route.profile == explanation.profile ? "" : "from \(route.profile), "
        lines.append("  route    \(route.label) (\(from)\(route.place))")
        lines.append("  because  \(explanation.reason)")
        switch route.responder {
        case .mock(let mock): lines.append("  answer   mock: \(mock.status), \(mock.body.count) bytes")
        case .origin(let address, let preserveHost):
            lines.append("  origin   \(explanation.target ?? address.description)")
            if preserveHost { lines.append("           with the Host field that the client sent") }
        }
        lines += trustLines
        return lines.joined(separator: "\n") + "\n"
    }

    private var trustLines: [String] {
        guard let policy = explanation.policy else { return [] }
        let source = explanation.trust.map { "rule \($0.pattern), \($0.place)" } ?? "no rule names the host"
        switch policy {
        case .disabled: return ["  trust    disabled: INSECURE, any certificate passes (\(source))"]
        case .default(let authorities):
            var lines = ["  trust    default: chain and host name are verified (\(source))"]
            if !authorities.isEmpty {
                lines.append("           against the system's authorities and \(authorities.joined(separator: ", "))")
            }
            return lines
        }
    }
}
