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
            "The request goes the way of every other, but is not sent: the profiles are read, and if a Shunt runs with "
                + "them (of several -p says which), which of its mocks are off and the states of its scenarios. Without "
                + "one, all mocks are on, and all scenarios at their beginning. If it gets no route, the reason is told, "
                + "with the nearest routes and why they do not match, and the exit status is 1."
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
                "device", "NAME|ADDRESS",
                "The device that the request comes from, one of `shunt devices`: its profile and its mocks."),
            .value(
                "response", "FILE",
                "A response that the origin sent, as `curl -i` prints it, or - for standard input: what Shunt would change "
                    + "in it, and what would stay."),
            .set, .running, .profiles, .json,
        ],
        examples: [
            ("Which route responds?", "shunt explain https://api.shop.test/v1/cart/7"),
            ("What a host label chooses", "shunt explain https://staging--api.shop.test/v1/cart/7"),
            ("And for a POST, in staging?", "shunt explain https://api.shop.test/v1/cart -X POST --profile staging"),
            (
                "What would Shunt change in this page?",
                "curl -si https://staging.example/ | shunt explain --response - https://api.shop.test/"
            ),
        ],
        run: ExplainCommand.run)
}

/// What `shunt explain` does.
enum ExplainCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let headers = try read(headers: arguments.texts("header"))
        let data = try arguments.text("data").map { text in try read(data: text) } ?? []
        let isJSON = !headers.contains { $0.name.lowercased() == "content-type" && !$0.value.contains("json") }
        let json = data.isEmpty || !isJSON ? nil : try read(json: data)
        if let remote = try RemoteShunt.find(arguments) { return try ask(AdminClient(remote), arguments) }
        let found = try RunningShunt.project(arguments)
        let running = arguments.has("port") ? try RunningShunt.find(arguments) : try RunningShunt.only(found)
        let client = running.map { AdminClient($0) }
        if let client, !found.hasFiles { return try ask(client, arguments) }
        let status = client.flatMap { try? $0.ask(API.status) }
        let active = arguments.has("profile") ? nil : status?.active
        let choose = { (library: ProfileLibrary) throws -> String in
            // A file may have gone since that Shunt read it.
            if let active, library[active] != nil { return active }
            return try found.choose(arguments.text("profile"), from: library)
        }
        let library = try found.setting(arguments.texts("set"), over: choose).load()
        let name = try choose(library)
        guard let profile = library[name] else { throw CommandFailure("there is no profile “\(name)”") }
        let target = try UsageError.of(advice: "Give a URL such as https://api.shop.test/v1/cart.") {
            try RequestTarget(parsing: arguments.operands[0])
        }
        let method = (arguments.text("method") ?? "GET").uppercased()
        let device = try arguments.text("device").map { try self.device($0, client) }
        let live = running.map { LiveMocks.all(of: library, in: $0, for: device?.name) } ?? [:]
        let explanation: Explanation
        var edits: LineDifference?
        var shunt: TriedShunt?
        do throws(ProxyError) {
            let hosts = (status?.allowedHosts ?? []).compactMap { try? ClientHostPattern($0) }
            shunt = try TriedShunt(library, active: name, live: live, allowedHosts: hosts)
        } catch {
            // Such as a variable with credentials, which only the shell of the Shunt that runs has.
            Terminal.complain(
                "what production's guard would say is not known here: \(CommandFailure(error).message)",
                advice: CommandFailure(error).advice)
        }
        if client != nil, headers.contains(where: { $0.name.lowercased() == "shunt-session" }) {
            Terminal.complain("the sessions of the Shunt that runs are not known here")
        }
        if let device { shunt = shunt?.serving(device.name, profile: device.profile) }
        if let shunt {
            let request = TriedRequest(
                method, target.url, headers: headers, body: data, profile: arguments.text("profile"))
            guard let result = try await ResponseTrial.explain(target, request, by: shunt) else {
                throw UsageError(
                    "\(method) \(target.url) is no request that Shunt reads",
                    advice: "Look at --method and each --header.")
            }
            explanation = result.explanation
            if !data.isEmpty, let body = result.body {
                edits = LineDifference(from: lines(data, isJSON), to: lines(body, isJSON))
            }
        } else {
            let label = library.environmentLabel(of: ContiguousArray(target.host.utf8).span)
            explanation = library.explanation(
                of: target, method: method, headers: headers, json: json,
                in: arguments.has("profile") ? profile : label.map { library.profiles[$0.profile] } ?? profile,
                routes: nil, live: live)
        }
        let shown = library[explanation.profile] ?? profile
        var response: ExplainedResponse?
        if let file = arguments.text("response") {
            response = try await ExplainedResponse(
                SentResponse(of: file), to: explanation.url, method: method, headers: headers,
                profile: arguments.text("profile"), by: shunt ?? TriedShunt(library, active: name))
        }
        if arguments.has("json") {
            Terminal.out {
                explanation.write(to: &$0) {
                    if let edits { $0.member("request_body", edits.changes) }
                    response?.write(to: &$0)
                }
            }
        } else {
            let breakpoints = client.flatMap { try? $0.ask(API.breakpoints) }?.breakpoints ?? []
            let programs = status?.programs ?? []
            let asked = Set(explanation.programs)
            let now =
                programs.filter { asked.contains($0.origin) }.map {
                    "origin \($0.origin): \($0.text), for \($0.seconds) s"
                }
                + breakpoints.map { "breakpoint \($0.id) (\($0.phase)): \($0.filter)" }
            Terminal.out(
                ExplanationText(
                    explanation, shown, active: active, now: now,
                    namesProfile: headers.contains { $0.name.lowercased() == "shunt-profile" }
                ).text
                    + (edits.map { "  request  the body changes\n" + $0.changes.map { "    \($0)\n" }.joined() } ?? "")
                    + (response?.text ?? ""))
        }
        if case .withoutResponse = explanation.outcome { return 1 }
        return 0
    }

    /// Lets a Shunt explain that is elsewhere, or has no files that could be read here.
    private static func ask(_ client: AdminClient, _ arguments: Arguments) throws -> CInt {
        let files = ["header", "data", "response", "set"]
        if let option = files.first(where: arguments.has) {
            throw UsageError(
                "--\(option) needs the files of the profiles, and that Shunt has none here",
                advice: "It explains a URL by --method, --profile and --device.")
        }
        let found = try client.ask(API.explain) {
            ($0.url, $0.method) = (arguments.operands[0], arguments.text("method"))
            ($0.profile, $0.device) = (arguments.text("profile"), arguments.text("device"))
        }
        return CommandResult(found, found.text, status: found.isMatched ? 0 : 1).show(arguments)
    }

    /// A device of the Shunt that runs, with the profile that it has chosen.
    private static func device(_ text: String, _ client: AdminClient?) throws -> (name: String, profile: String?) {
        guard let client else {
            throw UsageError(
                "--device is for a Shunt that runs", advice: "Start one with `shunt serve`, or name it with -p PORT.")
        }
        let known = try client.ask(API.devices)
        guard let device = known.devices.first(where: { $0.name == text || $0.address == text }) else {
            throw CommandFailure("there is no device “\(text)”", advice: "`shunt devices` lists them.")
        }
        return (device.name, device.profile ?? known.users.first { $0.user == device.user }?.profile)
    }

    /// - Parameter text: a body, or `@` with a file that has it.
    private static func read(data text: String) throws -> [UInt8] {
        guard text.hasPrefix("@") else { return Array(text.utf8) }
        return try CommandFailure.of("--data \(text)") { try Files.read(String(text.dropFirst()), limit: 16 << 20) }
    }

    private static func lines(_ body: [UInt8], _ isJSON: Bool) -> [String] {
        var lines: [String] = []
        BodyText.render(
            body[...], contentType: Array((isJSON ? "application/json" : "text/plain").utf8), isCut: false,
            to: LineSink { lines.append($0) })
        return lines
    }

    private static func read(json bytes: [UInt8]) throws -> JSONValue {
        do throws(JSONFailure) { return try JSONReader.read(bytes, dialect: .strict) } catch {
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
