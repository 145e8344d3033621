import Engine
import Exchanges
import Filter
import Inspection
import JSON
import Platform
import Profiles
import Recordings
import Store

/// Adds the responses of origins to recordings that lacked them, for routes with `"miss": "record"`.
actor ServeMisses {
    private let proxy: Proxy
    private let announcer: Announcer
    private let path: String
    private let filter: TrafficFilter
    /// Only while a route asks for it: others' traffic is not read.
    private var follower: TrafficFollower?
    private var reader: TrafficReader
    private var writers: [String: RecordingWriter] = [:]
    /// Those that cannot be written, each told of once.
    private var broken: Set<String> = []

    /// nil where traffic is not recorded, or cannot be read.
    init?(_ server: Server) {
        guard let store = server.store, let filter = try? TrafficFilter("~all"),
            let reader = try? TrafficReader(store.path)
        else { return nil }
        (proxy, announcer, path) = (server.proxy, server.announcer, store.path)
        (self.reader, self.filter) = (reader, filter)
        if Self.isWanted(by: proxy.profiles?.library) { follower = try? TrafficFollower(path, filter) }
    }

    /// Whether a route asks for it.
    private static func isWanted(by library: ProfileLibrary?) -> Bool {
        library?.profiles.contains { $0.routes.contains { $0.recording?.miss == .record } } ?? false
    }

    /// - Parameter wakes: an element whenever the store has written, and when profiles were read again.
    func run(_ wakes: AsyncStream<Void>) async { for await _ in wakes { look() } }

    /// To be called when the store has written all.
    func finish() { look() }

    private func look() {
        guard let library = proxy.profiles?.library, Self.isWanted(by: library) else {
            follower = nil
            return
        }
        if follower == nil { follower = try? TrafficFollower(path, filter) }
        if reader.hasMoved, let moved = try? TrafficReader(path) { reader = moved }
        try? follower?.look { summary, _ in
            guard summary.isEnded else { return true }
            follower?.forget(summary.id)
            if let path = recording(of: summary.exchange, library) { add(summary.id, to: path) }
            return true
        }
    }

    /// The file of the recording that lacked a response.
    private func recording(of exchange: Exchange, _ library: ProfileLibrary) -> String? {
        guard exchange.responder == "origin", exchange.status != nil, exchange.failure == nil,
            let profile = exchange.profile, let label = exchange.route
        else { return nil }
        return library[profile]?.routes.first { $0.label == label && $0.recording?.miss == .record }?.recording?.index
            .file.path
    }

    private func add(_ id: Int64, to path: String) {
        guard !broken.contains(path) else { return }
        do throws(RecordingWriteFailure) {
            if writers[path] == nil { writers[path] = try RecordingWriter(path, adds: true, version: Tool.version) }
            try writers[path]?.add([id], from: reader, onlyWhole: true)
        } catch {
            broken.insert(path)
            writers[path] = nil
            let message = CommandFailure(error).message
            announcer.warn(
                .recording, "nothing is added to \(Path.short(path)): \(message)",
                ["path": path, "message": message])
        }
    }
}
