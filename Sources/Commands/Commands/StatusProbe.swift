import Admin
import Engine
import JSON
import Profiles

/// What `shunt status --probe` does: every origin of every profile is asked.
enum StatusProbe {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let response = try await Progress.ticking("asking the origins") { () async throws in
            try await ask(arguments)
        }
        if arguments.has("json") {
            Terminal.out { $0.value(response) }
        } else {
            Terminal.out(ProbeText(response).text)
        }
        let origins = response["origins"]?.array ?? []
        return origins.allSatisfy { $0["failure"]?.isNull ?? true } ? 0 : 1
    }

    /// From the Shunt that runs, for it may have another network, other rights or older files; else from here.
    private static func ask(_ arguments: Arguments) async throws -> JSONValue {
        let project = try? Project.find(arguments)
        let isRunning = project.map { !AdminFile(profilesDirectory: $0.profilesDirectory).running().isEmpty } ?? true
        if isRunning || arguments.has("port") || RemoteShunt.isNamed(arguments) {
            let record = try RunningShunt.find(arguments)
            return try AdminClient(record).probe()
        }
        let library = try Project.find(arguments).load()
        guard let first = library.profiles.first else { throw CommandFailure("there is no profile to probe") }
        let proxy: Proxy
        do throws(ProxyError) {
            proxy = try await Proxy.start(Proxy.Configuration(addresses: []), profiles: library, active: first.name)
        } catch {
            throw CommandFailure.starting(error, option: "--port")
        }
        let results = await proxy.probe()
        await proxy.drain()
        proxy.stop()
        do throws(JSONFailure) {
            return try JSONReader.read(ProbeReport.json(results), dialect: .strict)
        } catch {
            throw CommandFailure("the results cannot be read: \(error)")
        }
    }
}

/// What became of asking the origins, for people: a table, and what to do about those that failed.
struct ProbeText {
    private let origins: [JSONValue]

    init(_ response: JSONValue) { origins = response["origins"]?.array ?? [] }

    var text: String {
        guard !origins.isEmpty else { return "No profile has an origin.\n" }
        let head = ["ORIGIN", "PROFILES", "DNS ms", "CONNECT", "TLS", "RESPONSE", "STATUS", "TRUST"]
        var text = TextTable([head] + origins.map(row), rightAligned: [2, 3, 4, 5, 6]).listing
        for origin in origins {
            guard let failure = origin["failure"], !failure.isNull else { continue }
            text += "\nFAILED  \(failure["message"]?.string ?? "")\n"
            for line in (failure["advice"]?.string ?? "").split(separator: "\n") { text += "        \(line)\n" }
        }
        return text
    }

    private func row(_ origin: JSONValue) -> [String] {
        let times = ["resolve", "connect", "tls", "response"].map {
            origin["milliseconds"]?[$0]?.number?.json ?? "-"
        }
        let status = origin["status"]?.number?.json
        return [origin["origin"]?.string ?? "", names(origin)] + times + [status ?? "FAILED", trust(origin)]
    }

    private func names(_ origin: JSONValue) -> String {
        (origin["profiles"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
    }

    private func trust(_ origin: JSONValue) -> String {
        guard let policy = origin["trust"]?.string else { return "no TLS" }
        if let stage = origin["failure"]?["stage"]?.string, origin["trustDecision"]?.string == nil {
            return "\(policy): failed at \(stage)"
        }
        return "\(policy): \(origin["trustDecision"]?.string ?? "")"
    }
}
