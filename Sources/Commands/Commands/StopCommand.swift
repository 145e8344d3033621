import Admin
import JSON
import Platform

extension Command {
    static let stop = Command(
        name: "stop",
        summary: "End a running Shunt, once its exchanges have finished.",
        usage: "stop [options]",
        details: [
            "Waits until the Shunt has ended, and prints what it waits for. Exchanges in progress, including "
                + "WebSockets and tunnels, may finish within the --drain-time of `shunt serve`. Ctrl-C ends the "
                + "waiting, not the drain."
        ],
        options: [.running, .profiles, .quiet, .json],
        examples: [("The one of this project", "shunt stop"), ("Another one", "shunt stop -p 8443")],
        run: StopCommand.run)
}

/// What `shunt stop` does.
enum StopCommand {
    static func run(_ arguments: Arguments) async throws -> CInt {
        let record = try RunningShunt.find(arguments)
        // The number of a process may be another program's by now: only what responds with the token is ended.
        guard try AdminClient(record).ask(API.status).pid == Int(record.pid) else {
            throw AdminClientFailure.garbled(port: record.adminPort)
        }
        guard kill(record.pid, SIGTERM) == 0 else {
            throw CommandFailure(
                "the Shunt on port \(record.port) (pid \(record.pid)) cannot be ended: "
                    + String(cString: strerror(errno)))
        }
        await wait(for: record, isQuiet: arguments.has("quiet"))
        return CommandResult("The Shunt on port \(record.port) (pid \(record.pid)) has ended.\n") {
            $0.members(["port": record.port, "pid": record.pid])
        }.show(arguments)
    }

    /// Until its file is gone, the last thing that an orderly end removes, or the process is.
    private static func wait(for record: AdminRecord, isQuiet: Bool) async {
        let file = AdminFile(profilesDirectory: record.profilesDirectory)
        var told = ""
        while file.contains(record), kill(record.pid, 0) == 0 || errno == EPERM {
            // At the end the admin interface responds no more.
            if !isQuiet, let open = try? OpenExchanges(AdminClient(record).ask(API.status)), open.text != told,
                open.count > 0
            {
                told = open.text
                Terminal.error("waiting for \(told) to finish\n")
            }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }
}

/// What a running Shunt has to finish, for people.
struct OpenExchanges {
    let count: Int
    /// ` (1 WebSocket and 2 tunnels)`; empty where all are requests with their responses.
    let kinds: String

    init(_ status: Record<API.Status>) {
        count = status.exchangesUnderWay
        let lasting = [(status.webSockets, "WebSocket"), (status.openTunnels, "tunnel")].filter { $0.0 > 0 }
            .map { Words.count($0.0, $0.1) }
        kinds = lasting.isEmpty ? "" : " (\(lasting.joined(separator: " and ")))"
    }

    var text: String { Words.count(count, "exchange") + kinds }
}
