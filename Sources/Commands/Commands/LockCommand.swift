import Admin

extension Command {
    static let lock = Command.admin(
        name: "lock",
        summary: "Make a profile that was unlocked read-only again.",
        usage: "lock NAME [options]",
        examples: [("The work is done", "shunt lock production")]
    ) { shunt, arguments in
        let reply = try shunt().ask(API.lock) { $0.profile = arguments.operands[0] }
        let name = reply.profile
        if reply.isWaiting == true {
            return CommandResult(
                reply,
                "Profile \(name) is locked on this node; the other nodes of the cluster lock it as soon as the database "
                    + "is back.\n")
        }
        if let cluster = reply.cluster {
            return CommandResult(reply, "Profile \(name) is locked on \(cluster.count).\n" + cluster.misses(nil))
        }
        return CommandResult(
            reply, reply.wasUnlocked ? "Profile \(name) is locked again.\n" : "Profile \(name) was not unlocked.\n")
    }
}
