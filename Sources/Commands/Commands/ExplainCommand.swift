import Admin
import Engine
import Inspection
import JSON
import Platform
import Profiles

extension Command {
    static let explain = Command(
        name: "explain",
        summary: "Show the route that would respond to a request, its origin, and how the certificate is verified.",
        usage: "explain URL [options]",
        details: [
            "No request is sent: the profiles are read, and if one Shunt runs with them, which of its mocks are off and the "
                + "states of its scenarios. Without one, all mocks are on, and all scenarios at their beginning. If no route matches, the nearest ones are listed with the "
                + "reasons why they do not match, and the exit status is 1."
        ],
        options: [
            .value(
                "profile", "NAME", default: "the active one of the Shunt that runs, else as for `shunt serve`",
                "The profile to explain."),
            .value("method", short: "X", "METHOD", default: "GET", "The request's method."),
            .value(
                "header", short: "H", "'NAME: VALUE'", repeatable: true,
                "A field of the request; may be given several times."),
            .value(
                "data", short: "d", "JSON|@FILE",
                "The request's body, for routes with conditions on it, and for what its route would change in it. Another "
                    + "type than JSON has to be named: --header 'Content-Type: text/plain'."),
            .value(
                "response", "FILE",
                "A response that the origin sent, as `curl -i` prints it, or - for standard input: what Shunt would change "
                    + "in it, and what would stay."),
            .set, .running, .profiles, .json,
        ],
        operands: 1...1,
        examples: [
            ("Which route responds?", "shunt explain https://api.shop.test/v1/cart/7"),
            ("What a host label chooses", "shunt explain https://staging--api.shop.test/v1/cart/7"),
            (
                "And for a POST, in staging?",
                "shunt explain https://api.shop.test/v1/cart -X POST --profile staging"
            ),
            (
                "What would Shunt change in this page?",
                "curl -si https://staging.example/ | shunt explain --response - https://api.shop.test/"
            ),
        ],
        run: ExplainCommand.run)
}

/// What `shunt explain` does.
enum ExplainCommand {
    @Sendable
    static func run(_ arguments: Arguments) async throws -> CInt {
        let headers = try read(headers: arguments.texts("header"))
        let data = try arguments.text("data").map { text in try read(data: text) } ?? []
        let isJSON = !headers.contains { $0.name.lowercased() == "content-type" && !$0.value.contains("json") }
        let json = data.isEmpty || !isJSON ? nil : try read(json: data)
        let found = try RunningShunt.project(arguments)
        let running = arguments.has("port") ? try RunningShunt.find(arguments) : RunningShunt.only(found)
        let active = arguments.has("profile") ? nil : running.flatMap { RunningShunt.activeProfile($0) }
        let choose = { (library: ProfileLibrary) throws -> String in
            // A file may have gone since that Shunt read it.
            if let active, library[active] != nil { return active }
            return try found.choose(arguments.text("profile"), from: library)
        }
        let library = try found.setting(arguments.texts("set"), over: choose).load()
        let name = try choose(library)
        guard let profile = library[name] else { throw CommandFailure("there is no profile “\(name)”") }
        let live = running.map { LiveMocks.all(of: library, in: $0) } ?? [:]
        var explanation: Explanation
        do throws(ExplainFailure) {
            explanation = try library.explain(
                url: arguments.operands[0], method: (arguments.text("method") ?? "GET").uppercased(), headers: headers,
                json: json, profile: profile, isChosen: arguments.has("profile"), live: live)
        } catch {
            throw UsageError(error.message, advice: error.advice)
        }
        let request = TriedRequest(explanation.method, explanation.url, headers: headers, body: data)
        var edits: LineDifference?
        do {
            explanation = try await ResponseTrial.judge(explanation, library, request)
            if !data.isEmpty, let edited = try await ResponseTrial.edited(explanation, library, request) {
                edits = LineDifference(from: lines(data, isJSON), to: lines(edited, isJSON))
            }
        } catch {
            // Such as a variable with credentials, which only the shell of the Shunt that runs has.
            let failure = CommandFailure(error)
            Terminal.complain(
                "what production's guard would say is not known here: \(failure.message)", advice: failure.advice)
        }
        let shown = library[explanation.profile] ?? profile
        var response: ExplainedResponse?
        if let file = arguments.text("response") {
            response = try await ExplainedResponse(
                SentResponse(of: file), to: explanation.url, method: explanation.method, headers: headers, library,
                profile,
                isChosen: arguments.has("profile"))
        }
        if arguments.has("json") {
            Terminal.out {
                explanation.write(to: &$0) {
                    if let edits { $0.member("request_body", edits.changes) }
                    response?.write(to: &$0)
                }
            }
        } else {
            let breakpoints = running.flatMap { try? AdminClient($0).ask(API.breakpoints) }?.breakpoints ?? []
            let programs = running.flatMap { try? AdminClient($0).ask(API.status) }?.programs ?? []
            let asked = Set(explanation.programs)
            let now =
                programs.filter { asked.contains($0.origin) }.map {
                    "origin \($0.origin): \($0.text), for \($0.seconds) s"
                }
                + [live[shown.name]?.text(of: shown)].compactMap(\.self)
                + breakpoints.map { "breakpoint \($0.id) (\($0.phase)): \($0.filter)" }
            Terminal.out(
                ExplanationText(
                    explanation, shown, active: active, live: now.isEmpty ? nil : now.joined(separator: "; ")
                ).text
                    + (edits.map { "  request  the body changes\n" + $0.changes.map { "    \($0)\n" }.joined() } ?? "")
                    + (response?.text ?? ""))
        }
        if case .withResponse = explanation.outcome { return 0 }
        return 1
    }

    /// - Parameter text: a body, or `@` with a file that has it.
    private static func read(data text: String) throws -> [UInt8] {
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        do throws(FileFailure) { return try Files.read(String(text.dropFirst()), limit: 16 << 20) } catch {
            throw CommandFailure("--data \(text): \(error)")
        }
    }

    private static func lines(_ body: [UInt8], _ isJSON: Bool) -> [String] {
        var lines: [String] = []
        BodyText.render(
            body[...], contentType: Array((isJSON ? "application/json" : "text/plain").utf8), isCut: false,
            to: LineSink { lines.append($0) })
        return lines
    }

    private static func read(json bytes: [UInt8]) throws -> JSONValue {
        do throws(JSONFailure) {
            return try JSONReader.read(bytes, dialect: .strict)
        } catch {
            throw UsageError(
                "--data is no JSON: \(error)",
                advice: "Give a body like '{\"id\": 1}', or name its type: --header 'Content-Type: text/plain'.")
        }
    }

    static func read(headers: [String]) throws -> [(name: String, value: String)] {
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
