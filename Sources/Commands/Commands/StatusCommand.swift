import Admin
import Bytes
import JSON
import Platform

extension Command {
    static let status = Command(
        name: "status",
        summary: "Show the state of a running Shunt.",
        usage: "status [options]",
        details: [
            "With --probe it sends every origin of every profile a GET for its base path, in parallel, with look-up, "
                + "connection, TLS and trust as for traffic. A response with any status is a success; the exit status "
                + "is 1 if an origin fails. Without a running Shunt the command sends the requests itself."
        ],
        options: [
            .flag("probe", "Check whether all origins respond, and show what to do if one does not."),
            .running, .profiles, .json,
        ],
        examples: [
            ("The name of the active profile, for a script", "shunt status --json | jq -r .active"),
            ("Do all origins respond?", "shunt status --probe"),
        ]
    ) { arguments in
        if arguments.has("probe") { return try await StatusProbe.run(arguments) }
        let record = try RunningShunt.find(arguments)
        let (status, json) = try AdminClient(record).status()
        // Of another machine the files are not here.
        let problems = record.remote == nil ? FilesOnDisk.problems(status.profilesDirectory) : []
        if arguments.has("json") {
            Terminal.out { $0.value(FilesOnDisk.adding(problems, to: json)) }
        } else {
            Terminal.out(StatusText(status).text + FilesOnDisk.text(problems))
        }
        return 0
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
            "  profiles     "
                + (status.profilesDirectory.isEmpty ? "of --origin, in no file" : Path.short(status.profilesDirectory)),
        ]
        for profile in status.profiles {
            let mark = profile.name == status.active ? "* " : "  "
            lines.append("    \(mark)\(profile.name) (\(profile.kind), \(Self.count(profile.routes, "route")))")
        }
        for entry in status.unlocked {
            lines.append(
                "  unlocked     \(entry.profile) until \(Self.clock(after: entry.seconds)), "
                    + "\(Self.span(Int64(entry.seconds))) more: \(entry.reason)")
        }
        for text in status.keptProduction { lines.append("  production   \(text)") }
        if status.mocks > 0 {
            let off = status.mocksOff.isEmpty ? "" : ", off: \(Self.names(status.mocksOff))"
            lines.append("  mocks        \(status.mocks)\(off), see `shunt mocks`")
        }
        if !status.networks.isEmpty {
            lines.append("  networks     \(Self.names(status.networks)), see `shunt network`")
        }
        if let pages = status.pages.last {
            let known = status.devices == 0 ? "" : ", \(status.devices) known, see `shunt devices`"
            lines.append("  devices      choose at \(pages)/\(known)")
        } else if status.devices > 0 {
            lines.append("  devices      \(status.devices), see `shunt devices`")
        }
        if let cluster = status.cluster { lines += ClusterText(cluster).lines }
        if let seconds = status.sealedSeconds {
            lines.append(
                "  store        sealed, "
                    + (seconds == 0
                        ? "of which the inspector shows the newest part, see `shunt keys unlock`"
                        : "unlocked for \(Self.span(Int64(seconds))) more, see `shunt keys lock`"))
        }
        if let keyLog = status.keyLog {
            lines.append(
                "  WARNING      the keys of all TLS connections are written to \(Path.short(keyLog)): "
                    + "it opens recorded traffic")
        }
        let failures = status.failures == 0 ? "" : ", \(status.failures) failed"
        lines.append(
            "  exchanges    \(status.exchanges) done\(failures), \(status.exchangesUnderWay) under way"
                + OpenExchanges(status).kinds)
        lines.append(
            "  connections  \(Self.count(status.connections, "client")), \(status.idleOriginConnections) to origins resting"
        )
        if status.heldBodies > 0 {
            lines.append(
                "  held bodies  \((status.heldBodies + (1 << 20) - 1) >> 20) of \(status.heldBodiesLimit >> 20) MiB")
        }
        if status.tunnels > 0 {
            lines.append("  tunnels      \(status.tunnels) of clients of the proxy, \(status.openTunnels) open")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The first few.
    private static func names(_ names: [String]) -> String {
        names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
    }

    static func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }

    /// The local time in so many seconds, `14:32:05`.
    static func clock(after seconds: Int) -> String {
        var moment: time_t = UntrustedNumber(time(nil)).plus(UntrustedNumber(seconds)).clamped()
        var parts = tm()
        guard localtime_r(&moment, &parts) != nil else { return "" }
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }

    /// How long ago a time was that another Shunt has named, in seconds since 1970; 0 for one to come.
    static func seconds(since time: Int64) -> Int64 {
        UntrustedNumber(Platform.time(nil)).minus(UntrustedNumber(time)).clamped(to: 0...Int64.max)
    }

    /// The two largest units: `2 h 5 min`.
    static func span(_ seconds: Int64) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        case ..<86_400: "\(seconds / 3600) h \(seconds / 60 % 60) min"
        default: "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
        }
    }
}
