import Admin
import JSON

/// What `shunt logs --origin` does: the output of the program that is an origin's server.
enum LogsOfOrigin {
    static func run(_ arguments: Arguments, _ origin: String, count: Int) async throws -> CInt {
        guard arguments.operands.isEmpty else {
            throw UsageError(
                "--origin shows what a program writes, and filters are for exchanges",
                advice: "For the exchanges with that origin: shunt logs '~origin \(origin)'")
        }
        let client = AdminClient(try RunningShunt.find(arguments))
        var last = 0
        var isFirst = true
        repeat {
            let output = try client.ask(API.programOutput) {
                $0.origin = origin
                $0.after = last
                $0.limit = isFirst ? max(1, min(count, 1000)) : 1000
            }
            // A program of another reading of the profiles has lines of its own.
            if output.lines.isEmpty, isFirst, !arguments.has("json") { Terminal.complain(output.program.text) }
            if !isFirst || count > 0 { show(output, arguments.has("json")) }
            last = output.lines.last?.number ?? last
            isFirst = false
            if arguments.has("follow") { try await Task.sleep(for: .milliseconds(300)) }
        } while arguments.has("follow")
        return 0
    }

    private static func show(_ output: Record<API.ProgramOutput>, _ isJSON: Bool) {
        var text = ""
        for line in output.lines {
            if isJSON {
                var writer = JSONWriter()
                writer.object {
                    $0.member("origin", output.program.origin)
                    line.writeMembers(to: &$0)
                }
                text += writer.text + "\n"
            } else {
                text += "\(output.program.origin) | \(line.text)\n"
            }
        }
        if !text.isEmpty { Terminal.out(text) }
    }
}
