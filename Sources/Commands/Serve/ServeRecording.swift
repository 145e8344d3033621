import Admin
import Filter
import Inspection
import JSON
import Platform
import Store
import Synchronization

/// Writes what passes into a recording, as long as a Shunt serves.
///
/// The recorder's thread has it written when a batch is in the store: before the log tells of the exchanges, and before
/// the store removes any of them for others. A database elsewhere must not hold up that thread, and is asked by itself.
final class ServeRecording: Sendable {
    private let isElsewhere: Bool

    private struct State {
        let writer: RecordingWriter
        var following: RecordingFollower?
        var hasFailed = false
    }

    private let path: String
    private let store: String
    private let filter: TrafficFilter
    private let announcer: Announcer
    /// The newest exchange that the store had before; nil if it could not be asked.
    private let last: Int64?
    private let state: Mutex<State>

    /// To be made before the first exchange comes.
    init(_ name: String, _ settings: ServeSettings, _ project: Project) throws {
        announcer = settings.announcer
        if let path = settings.store.path, PostgresStores.isAddress(path), let node = settings.store.postgres.node {
            // Others write into the same store.
            filter = try StoredTraffic.own(node)
        } else {
            filter = try StoredTraffic.filter([])
        }
        let usual = AdminFile(profilesDirectory: project.profilesDirectory).directory + "/traffic.db"
        store = settings.store.path ?? usual
        isElsewhere = PostgresStores.isAddress(store)
        do throws(StoreFailure) { last = try TrafficReader(store).newest() ?? 0 } catch {
            last = error.kind == .away ? nil : 0
        }
        path = RecordCommand.path(name, project)
        state = Mutex(State(writer: try RecordingWriter(path, adds: true, version: Tool.version)))
    }

    func run() async {
        while !Task.isCancelled {
            look()
            // A file that has taken the store's place is found, too.
            try? await Task.sleep(for: .milliseconds(isElsewhere ? 100 : 1000))
        }
    }

    /// To be called when the store has written all.
    func finish() {
        look(isLast: true)
        let (text, count) = state.withLock { ($0.writer.countText, $0.writer.count) }
        announcer.tell(.recorded, "\(text) in \(Path.short(path))", ["path": path, "exchanges": count])
    }

    /// A batch is in the store; on the recorder's thread.
    func storeHasWritten() { if !isElsewhere { look() } }

    /// Writes what the store has got since the last time.
    private func look(isLast: Bool = false) {
        let failure = state.withLock { state -> RecordingWriteFailure? in
            guard !state.hasFailed else { return nil }
            do throws(RecordingWriteFailure) {
                if state.following == nil {
                    state.following = try RecordingFollower(store, filter, after: last, state.writer)
                }
                try state.following?.look(isLast: isLast)
                return nil
            } catch {
                if !isLast, case .store(let reason) = error, reason.kind == .away { return nil }
                state.hasFailed = true
                return error
            }
        }
        if let failure {
            let message = CommandFailure(failure).message
            announcer.warn(.recording, "nothing more is recorded: \(message)", ["message": message])
        }
    }
}
