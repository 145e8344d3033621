import Admin
import JSON

extension Command {
    static let lock = Command(
        name: "lock",
        summary: "Make a profile that was unlocked read-only again.",
        usage: "lock NAME [options]",
        options: [.running, .profiles, .json],
        operands: 1...1,
        examples: [("The work is done", "shunt lock production")]
    ) { arguments in
        let record = try RunningShunt.find(arguments)
        let response = try AdminClient(record).lock(arguments.operands[0])
        if arguments.has("json") {
            Terminal.out { $0.value(response) }
        } else {
            let name = response["profile"]?.string ?? ""
            let was = response["wasUnlocked"]?.bool == true
            if response["isWaiting"]?.bool == true {
                Terminal.out(
                    "Profile \(name) is locked on this node; the other nodes of the cluster lock it as soon as the "
                        + "database is back.\n")
                return 0
            }
            if let takeover = TakeoverText(response) {
                Terminal.out("Profile \(name) is locked on \(takeover.count).\n" + takeover.misses(nil))
                return 0
            }
            Terminal.out(was ? "Profile \(name) is locked again.\n" : "Profile \(name) was not unlocked.\n")
        }
        return 0
    }
}
