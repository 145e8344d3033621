import Filter
import Inspection
import Platform
import Profiles
import Store

/// Writes what passes into a recording while a Shunt runs.
actor LiveRecording {
    private static let interval = Duration.milliseconds(100)

    private let writer: RecordingWriter
    private let store: String
    private let filter: TrafficFilter
    private let whenFailed: @Sendable (CommandFailure) -> Void
    /// The newest exchange that the store had before.
    private let last: Int64
    private var following: RecordingFollower?
    private var hasFailed = false

    /// To be made before the first exchange comes.
    ///
    /// - Parameters:
    ///   - adds: whether it may add to a recording that is there.
    ///   - store: the file that the exchanges are read from.
    ///   - whenFailed: called once, when nothing more can be recorded.
    init(
        _ path: String, adds: Bool, store: String, whenFailed: @escaping @Sendable (CommandFailure) -> Void
    ) throws(CommandFailure) {
        self.store = store
        self.whenFailed = whenFailed
        filter = try StoredTraffic.filter([])
        let reader = try? TrafficReader(store)
        last = (try? reader?.newest()) ?? 0
        do throws(RecordingWriteFailure) {
            writer = try RecordingWriter(path, adds: adds, version: Tool.version)
        } catch {
            throw .recording(error, adds: nil)
        }
    }

    func run() async {
        while !Task.isCancelled, !hasFailed {
            look()
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Writes the rest; to be called when the store has written all.
    /// - Returns: how many exchanges were recorded, and as a text.
    func finish() -> (count: Int, text: String) {
        if !hasFailed { look() }
        return (writer.count, "\(writer.countText) in \(Path.short(writer.path))")
    }

    private func look() {
        do throws(RecordingWriteFailure) {
            if following == nil { following = try RecordingFollower(store, filter, after: last, writer) }
            try following?.look()
        } catch {
            hasFailed = true
            whenFailed(.recording(error))
        }
    }
}
