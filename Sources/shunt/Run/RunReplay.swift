import Engine
import Profiles
import Recordings

/// What came of the recording that responded during a run.
enum RunReplay {
    private static let maxListed = 10

    /// Tells which of its entries did not respond.
    /// - Returns: whether that is in order.
    static func report(_ options: RunOptions, _ profile: Profile?, _ proxy: Proxy) -> Bool {
        guard let name = options.replay, options.unused != .ignore,
            let route = profile?.routes.first(where: { $0.recording?.name == name }),
            let file = route.recording?.index.file
        else { return true }
        let used = proxy.respondedEntries(of: route)
        let unused = (0..<file.count).filter { file.hasResponse($0) && !used.contains($0) }
        guard !unused.isEmpty else { return true }
        let list = unused.prefix(maxListed).map { "\n  entry \($0 + 1): \(file.requestText($0))" }.joined()
        let rest = unused.count > maxListed ? "\n  and \(unused.count - maxListed) more" : ""
        Terminal.complain(
            "\(unused.count) of \(file.count) entries of the recording \(name) did not respond to any request:"
                + list + rest,
            advice: "Record it anew, or let it pass with --unused ignore.")
        return options.unused == .warn
    }
}
