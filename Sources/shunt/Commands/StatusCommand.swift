import Admin
import JSON

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

extension Command {
    static let status = Command(
        name: "status",
        summary: "Show what a running Shunt does.",
        usage: "status [options]",
        options: [.running, .profiles, .json],
        examples: [("The name of the active profile, for a script", "shunt status --json | jq -r .active")]
    ) { (arguments) async throws(CommandFailure) in
        let record = try RunningShunt.find(arguments, try Project.find(arguments))
        do throws(AdminClientFailure) {
            let (status, json) = try AdminClient(record).status()
            if arguments.has("json") { Terminal.out { $0.value(json) } } else { Terminal.out(StatusText(status).text) }
            return 0
        } catch {
            throw .asking(error)
        }
    }
}

/// What a running Shunt says of itself, for people.
struct StatusText {
    private let status: AdminStatus

    init(_ status: AdminStatus) { self.status = status }

    var text: String {
        var lines = [
            "shunt \(status.version) at \(status.urls.joined(separator: " and "))",
            "  running      \(Self.span(max(0, Int64(time(nil)) - status.startedAt))) (pid \(status.pid))",
            "  profiles     \(Path.short(status.profilesDirectory))",
        ]
        for profile in status.profiles {
            let mark = profile.name == status.active ? "* " : "  "
            lines.append("    \(mark)\(profile.name) (\(profile.kind), \(Self.count(profile.routes, "route")))")
        }
        let failures = status.failures == 0 ? "" : ", \(status.failures) failed"
        lines.append(
            "  exchanges    \(status.exchanges) done\(failures), \(status.exchangesUnderWay) under way")
        lines.append(
            "  connections  \(Self.count(status.connections, "client")), \(status.idleOriginConnections) to origins resting"
        )
        return lines.joined(separator: "\n") + "\n"
    }

    private static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }

    /// The two largest units: `2 h 5 min`.
    private static func span(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        case ..<86_400: "\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
        }
    }
}
