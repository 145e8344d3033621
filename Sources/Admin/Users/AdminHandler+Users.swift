import Cluster
import Engine
import Platform
import Reactor
import Synchronization

// What ends with a user's token: streams under way, and devices.
extension AdminHandler {
    /// Remembers what a user reads, so that it ends with the token.
    func keep(_ response: HandledResponse, of caller: Caller) {
        guard let stream = response.stream, let token = caller.token else { return }
        streams.withLock { streams in
            streams.removeAll { $0.stream.isCancelled }
            streams.append((stream, token))
        }
        watchTokens(often: true)
    }

    /// Ends streams and attachments whose token counts no more, and forgets devices of users who have none.
    func endWhatIsOver() {
        guard let users = facts.users else { return }
        let open = streams.withLock { streams in
            streams.removeAll { $0.stream.isCancelled }
            return streams
        }
        for (stream, token) in open where users.token(id: token) == nil { stream.fail() }
        for attachment in proxy.attachments.list where users.token(id: attachment.token) == nil {
            attachment.end("the token of \(attachment.user) counts no more")
        }
        guard let names = users.names() else { return }
        for name in proxy.devices.keepUsers(names) { actions.didChangeDevice(.forgotten(name: name)) }
        departed.withLock { $0.see(names) }
    }

    /// Forgets the devices of users who have lost their last token on the other nodes of a cluster as well.
    private func forgetDeparted() async {
        guard let cluster = facts.cluster, !cluster.condition.isAway else { return }
        let gone = departed.withLock { $0.gone }
        guard !gone.isEmpty else { return }
        // While the database is away they wait.
        guard (try? await cluster.changeDevices { $0.forgetUsers { gone.contains($0) } }) != nil else { return }
        departed.withLock { $0.gone.subtract(gone) }
    }

    /// - Parameter often: the time of a token may end while what it has opened goes on.
    func watchTokens(often: Bool) {
        guard let users = facts.users else { return }
        tokenNotices?.watch([Path.directory(of: users.file.path)], often: often)
    }

    /// Checks them until it is cancelled.
    func watchUsers() async {
        guard let tokenNotices else { return }
        for await _ in tokenNotices.changes {
            endWhatIsOver()
            await forgetDeparted()
            let hasDeparted = facts.cluster != nil && !departed.withLock { $0.gone.isEmpty }
            watchTokens(often: hasDeparted || !streams.withLock { $0.isEmpty } || !proxy.attachments.list.isEmpty)
        }
    }
}

/// Users who had a token on this node and have none any more.
struct DepartedUsers {
    private var known: Set<String> = []
    /// Those whose devices other nodes still know.
    var gone: Set<String> = []

    mutating func see(_ names: Set<String>) {
        gone.formUnion(known.subtracting(names))
        known = names
    }
}
