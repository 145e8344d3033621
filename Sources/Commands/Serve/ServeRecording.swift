import Admin
import Filter
import Inspection
import JSON
import Platform
import Store

/// Writes what passes into a recording, as long as a Shunt serves.
actor ServeRecording {
    private static let interval = Duration.milliseconds(100)

    private let writer: RecordingWriter
    private let store: String
    private let filter: TrafficFilter
    private let announcer: Announcer
    /// The newest exchange that the store had before; nil if it could not be asked.
    private let last: Int64?
    private var following: RecordingFollower?
    private var hasFailed = false

    /// To be made before the first exchange comes.
    init(_ name: String, _ settings: ServeSettings, _ project: Project) throws(CommandFailure) {
        announcer = settings.announcer
        if let path = settings.store.path, PostgresStores.isAddress(path), let node = settings.store.postgres.node {
            // Others write into the same store.
            filter = try StoredTraffic.own(node)
        } else {
            filter = try StoredTraffic.filter([])
        }
        let usual = AdminFile(profilesDirectory: project.profilesDirectory).directory + "/traffic.db"
        store = settings.store.path ?? usual
        do throws(StoreFailure) {
            last = try TrafficReader(store).newest() ?? 0
        } catch {
            last = error.kind == .away ? nil : 0
        }
        do throws(RecordingWriteFailure) {
            writer = try RecordingWriter(
                RecordCommand.path(name, project), adds: true, version: Tool.version)
        } catch {
            throw .recording(error)
        }
    }

    func run() async {
        while !Task.isCancelled, !hasFailed {
            look()
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// To be called when the store has written all.
    func finish() {
        if !hasFailed { look(isLast: true) }
        announcer.tell("recorded", "\(writer.countText) in \(Path.short(writer.path))") {
            $0.member("path", writer.path)
            $0.member("exchanges", writer.count)
        }
    }

    private func look(isLast: Bool = false) {
        do throws(RecordingWriteFailure) {
            if following == nil { following = try RecordingFollower(store, filter, after: last, writer) }
            try following?.look(isLast: isLast)
        } catch {
            if !isLast, case .store(let reason) = error, reason.kind == .away { return }
            hasFailed = true
            guard case .failed(let message, _) = CommandFailure.recording(error) else { return }
            announcer.warn("recording", "nothing more is recorded: \(message)") { $0.member("message", message) }
        }
    }
}
