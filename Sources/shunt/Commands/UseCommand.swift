import Admin
import JSON

extension Command {
    static let use = Command(
        name: "use",
        summary: "Make another profile of a running Shunt active.",
        usage: "use NAME [options]",
        details: ["Requests under way finish where they began; not one fails. The next ones go by the new profile."],
        options: [.running, .profiles, .json],
        operands: 1...1,
        examples: [("From now on staging answers", "shunt use staging")]
    ) { (arguments) async throws(CommandFailure) in
        let project = try Project.find(arguments)
        let record = try RunningShunt.find(arguments, project)
        let answer: JSONValue
        do throws(AdminClientFailure) {
            answer = try AdminClient(record).use(arguments.operands[0])
        } catch {
            throw .asking(error)
        }
        if arguments.has("json") {
            Terminal.out { $0.value(answer) }
        } else {
            let (active, previous) = (answer["active"]?.string ?? "", answer["previous"]?.string ?? "")
            let before = active == previous ? "it was before, too" : "before it was \(previous)"
            Terminal.out("Profile \(active) is active on port \(record.port); \(before).\n")
        }
        return 0
    }
}
