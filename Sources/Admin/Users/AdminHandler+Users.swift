import Engine
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
    }

    /// Ends streams whose token counts no more, and forgets devices of users who have none.
    func endWhatIsOver() {
        guard let users = facts.users else { return }
        let open = streams.withLock { streams in
            streams.removeAll { $0.stream.isCancelled }
            return streams
        }
        for (stream, token) in open where users.token(id: token) == nil { stream.fail() }
        guard let names = users.names() else { return }
        for name in proxy.devices.keepUsers(names) { actions.didChangeDevice(.forgotten(name: name)) }
    }

    /// Looks after them until it is cancelled.
    func watchUsers() async {
        guard facts.users != nil else { return }
        while !Task.isCancelled {
            endWhatIsOver()
            try? await Task.sleep(for: .milliseconds(250))
        }
    }
}
