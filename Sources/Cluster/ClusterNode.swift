/// A node of a cluster, as it has last told the database of itself.
public struct ClusterNode: Sendable, Equatable {
    public let id: String
    public let name: String
    /// Where apps reach it.
    public let address: String
    public let version: String
    /// The newest revision that all its workers have taken over; 0 while it starts.
    public let revision: Int64
    /// The profile that is active there.
    public let active: String
    /// Of its profiles, as it reads them.
    public let digest: String
    /// Requests there that began before that revision and wait for their response.
    public let unanswered: Int
    /// Milliseconds since it was heard of, by the database's clock.
    public let silence: Int64

    public init(
        id: String, name: String, address: String, version: String, revision: Int64, active: String, digest: String,
        unanswered: Int = 0, silence: Int64
    ) {
        (self.id, self.name, self.address, self.version) = (id, name, address, version)
        (self.revision, self.active, self.digest) = (revision, active, digest)
        (self.unanswered, self.silence) = (unanswered, silence)
    }

    /// Three heartbeats were missed: it has ended, or has lost the database.
    public var isSilent: Bool { silence > ClusterTimes.silence }
}

/// All nodes at one moment, and the state of the cluster at that moment.
struct ClusterRoster: Sendable {
    let nodes: [ClusterNode]
    let revision: Int64
    let active: String
}

/// Which nodes have taken a revision over.
public struct ClusterTakeover: Sendable {
    public enum Progress: String, Sendable {
        case done
        /// It has taken the revision over, but has no profile of that name.
        case lacking
        /// Another profile was made active meanwhile.
        case overtaken
        case behind
        /// Requests that began before wait for their response.
        case finishing
        case silent
    }

    public let revision: Int64
    public let nodes: [(node: ClusterNode, progress: Progress)]

    /// - Parameters:
    ///   - active: the profile that has to be active; nil for any.
    ///   - isStrict: requests that began before count as well.
    ///   - latest: the state of the cluster when the nodes were read.
    public init(
        _ nodes: [ClusterNode], revision: Int64, active: String?, isStrict: Bool = false,
        latest: (revision: Int64, active: String)
    ) {
        self.revision = revision
        self.nodes = nodes.map { node in
            let progress: Progress =
                if node.revision < revision {
                    node.isSilent ? .silent : .behind
                } else if active == nil || node.active == active {
                    isStrict && node.unanswered > 0 ? (node.isSilent ? .silent : .finishing) : .done
                } else if latest.active != active {
                    .overtaken
                } else if node.revision < latest.revision {
                    node.isSilent ? .silent : .behind
                } else {
                    .lacking
                }
            return (node, progress)
        }
    }

    public var done: Int { nodes.count { $0.progress == .done } }

    /// Every node has taken it over.
    public var isComplete: Bool { done == nodes.count }

    /// Waiting longer may change something.
    /// - Parameter forAll: also for nodes that are silent.
    func isOpen(forAll: Bool) -> Bool {
        nodes.contains { node in
            switch node.progress {
            case .behind, .finishing: true
            case .silent: forAll
            case .done, .lacking, .overtaken: false
            }
        }
    }
}
