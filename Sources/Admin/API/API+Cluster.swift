// Several nodes that are switched together.
extension API {
    package final class Cluster: Members {
        package let group = Member<String>("group")
        package let node = Member<String>("node", "This node's name.")
        package let database = Member<String>("database")
        package let revision = Member<Int>("revision", "The one that this node has taken over; 0 for none.")
        package let problem = Member<String?>("problem", "Why the database is away; null while it is there.")
        package let lostAt = Member<Int?>("lostAt", "Seconds since 1970 at which it was lost.")
        package let waitingLocks = Member<[String]>(
            "waitingLocks", "Profiles that were locked here, which other nodes do not know yet.")
        package let nodes = Member<[Record<ClusterNode>]>(
            "nodes", "All that the database knows; empty while it is away.")
    }

    package final class ClusterNode: Members {
        package let name = Member<String>("name")
        package let address = Member<String>("address", "Where apps reach it.")
        package let version = Member<String>("version")
        package let revision = Member<Int>(
            "revision", "The newest that all its workers have taken over; 0 while it starts.")
        package let active = Member<String>("active", "Its active profile.")
        package let digest = Member<String>("digest", "Of its profiles; nodes with another one have other profiles.")
        package let silence = Member<Int>("silence", "Seconds since it was heard of.")
        package let isSilent = Member<Bool>("silent")
        package let isSelf = Member<Bool>("self", "It is the node that responds.")
    }

    /// Which nodes have taken a change over.
    package final class Takeover: Members {
        package let revision = Member<Int>("revision")
        package let isKnown = Member<Bool>("known", "False where the database was lost after the change.")
        package let isComplete = Member<Bool>("complete")
        package let done = Member<Int>("done")
        package let nodes = Member<[Record<NodeProgress>]>("nodes")
    }

    package final class NodeProgress: Members {
        package let name = Member<String>("name")
        package let progress = Member<String>(
            "progress",
            "`lacking`: it has no such profile; `overtaken`: another one was made active meanwhile; `finishing`, with `wait`: requests that began before wait for their response.",
            of: ["done", "lacking", "overtaken", "behind", "finishing", "silent"])
        package let active = Member<String>("active")
        package let unanswered = Member<Int>(
            "unanswered", "Requests there that began before the change and wait for their response.")
        package let silence = Member<Int>("silence")
    }
}
