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
        let isFine = response.origins.allSatisfy { $0.failure == nil }
        return CommandResult(response, text(response.origins), status: isFine ? 0 : 1).show(arguments)
    }

    /// From the Shunt that runs, for it may have another network, other rights or older files; else from here.
    private static func ask(_ arguments: Arguments) async throws -> Record<API.Probes> {
        let project = try? Project.find(arguments)
        let isRunning = project.map { !AdminFile(profilesDirectory: $0.profilesDirectory).running().isEmpty } ?? true
        if isRunning || arguments.has("port") || RemoteShunt.isNamed(arguments) {
            return try AdminClient(try RunningShunt.find(arguments)).ask(API.probe)
        }
        let library = try Project.find(arguments).load()
        guard let first = library.profiles.first else { throw CommandFailure("there is no profile to probe") }
        let proxy = try await Proxy.start(Proxy.Configuration(addresses: []), profiles: library, active: first.name)
        let results = await proxy.probe()
        await proxy.drain()
        proxy.stop()
        return ProbeReport.record(results)
    }

    /// A table, and what to do about origins that failed.
    private static func text(_ origins: [Record<API.Probe>]) -> String {
        guard !origins.isEmpty else { return "No profile has an origin.\n" }
        let head = ["ORIGIN", "PROFILES", "DNS ms", "CONNECT", "TLS", "RESPONSE", "STATUS", "TRUST"]
        var text = TextTable([head] + origins.map(row), rightAligned: [2, 3, 4, 5, 6]).listing
        for origin in origins {
            if let note = origin.note { text += "\n\(origin.origin): \(note)\n" }
        }
        for failure in origins.compactMap(\.failure) {
            text += "\nFAILED  \(failure.message)\n"
            for line in (failure.advice ?? "").split(separator: "\n") { text += "        \(line)\n" }
        }
        return text
    }

    private static func row(_ origin: Record<API.Probe>) -> [String] {
        let times = origin.milliseconds
        return [origin.origin, origin.profiles.joined(separator: ", ")]
            + [times.resolve, times.connect, times.tls, times.response].map(text)
            + [origin.status.map { "\($0)" } ?? (origin.note == nil ? "FAILED" : "-"), trust(origin)]
    }

    private static func text(_ milliseconds: Double?) -> String {
        guard let milliseconds else { return "-" }
        return JSONWriter.text(of: milliseconds)
    }

    private static func trust(_ origin: Record<API.Probe>) -> String {
        guard let policy = origin.trust else { return "no TLS" }
        if let stage = origin.failure?.stage, origin.trustDecision == nil { return "\(policy): failed at \(stage)" }
        return "\(policy): \(origin.trustDecision ?? "")"
    }
}
