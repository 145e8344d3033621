import Admin
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
        ], canBeRemote: true
    ) { arguments in
        if arguments.has("probe") { return try await StatusProbe.run(arguments) }
        let record = try RunningShunt.find(arguments)
        let status = try AdminClient(record).ask(API.status)
        // Of another machine the files are not here.
        let problems = record.remote == nil ? FilesOnDisk.problems(status.profilesDirectory) : []
        return CommandResult(StatusText(status: status).text + FilesOnDisk.text(problems)) {
            status.writeMembers(to: &$0)
            $0.member("problems", problems)
        }.show(arguments)
    }
}

/// What a running Shunt says of itself, for people.
struct StatusText {
    let status: Record<API.Status>

    var text: String {
        var lines = [
            "shunt \(status.version) at \(status.urls.joined(separator: " and "))",
            "  running      \(Words.span(Words.seconds(since: status.startedAt))) (pid \(status.pid))",
            "  profiles     "
                + (status.profilesDirectory.isEmpty ? "of --origin, in no file" : Path.short(status.profilesDirectory)),
        ]
        for profile in status.profiles {
            let mark = profile.name == status.active ? "* " : "  "
            lines.append("    \(mark)\(profile.name) (\(profile.kind), \(Words.count(profile.routes, "route")))")
        }
        for entry in status.unlocked {
            lines.append(
                "  unlocked     \(entry.profile) until \(Words.clock(after: entry.seconds)), "
                    + "\(Words.span(entry.seconds)) more: \(entry.reason)")
        }
        for entry in status.attachments { lines.append("  attached     \(AttachmentText(entry).text)") }
        for login in status.logins { lines.append("  token        \(LoginText(login).text)") }
        for program in status.programs { lines.append("  program      \(program.origin): \(program.text)") }
        for entry in status.reflections { lines.append("  grpc         \(Self.text(of: entry))") }
        for text in status.keptProduction { lines.append("  production   \(text)") }
        if status.mocks > 0 {
            let off = status.mocksOff.isEmpty ? "" : ", off: \(Words.names(status.mocksOff))"
            lines.append("  mocks        \(status.mocks)\(off), see `shunt mocks`")
        }
        if !status.networks.isEmpty {
            lines.append("  networks     \(Words.names(status.networks)), see `shunt network`")
        }
        if let pages = status.pages.last {
            let known = status.devices == 0 ? "" : ", \(status.devices) known, see `shunt devices`"
            lines.append("  devices      choose at \(pages)/\(known)")
        } else if status.devices > 0 {
            lines.append("  devices      \(status.devices), see `shunt devices`")
        }
        if !status.apps.isEmpty {
            let apps = status.apps.map { "\($0.app) by \($0.profile ?? status.active)" }
            lines.append("  apps         \(Words.names(apps)), see `shunt devices`")
        }
        if let cluster = status.cluster { lines += ClusterText(cluster).lines }
        if let seconds = status.sealedSeconds {
            lines.append(
                "  store        sealed, "
                    + (seconds == 0
                        ? "of which the inspector shows the newest part, see `shunt keys unlock`"
                        : "unlocked for \(Words.span(seconds)) more, see `shunt keys lock`"))
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
            "  connections  \(Words.count(status.connections, "client")), \(status.idleOriginConnections) to origins resting"
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

    private static func text(of reflection: Record<API.Reflection>) -> String {
        if let problem = reflection.problem {
            return "\(problem) (\(reflection.profile))" + (reflection.advice.map { ". \($0)" } ?? "")
        }
        guard let services = reflection.services else { return "\(reflection.origin) has not been asked yet" }
        return "\(reflection.origin) describes \(Words.count(services, "service")) with "
            + Words.count(reflection.methods ?? 0, "method")
    }
}
