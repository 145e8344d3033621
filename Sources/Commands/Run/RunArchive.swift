import Exchanges
import Inspection
import Platform
import Store

/// Writes what origins respond in one run into a recording, as it happens.
actor RunArchive {
    private static let interval = Duration.milliseconds(100)

    private let writer: RecordingWriter
    private let following: RecordingFollower?
    private var failure: RecordingWriteFailure?

    /// To be made before the first exchange comes.
    init(_ name: String, _ root: String, _ recording: RunRecording?) throws {
        let filter = if let own = recording?.own { own } else { try StoredTraffic.filter([]) }
        do throws(RecordingWriteFailure) {
            writer = try RecordingWriter("\(root)/Recordings/\(name).har", adds: false, version: Tool.version)
            following = try recording.map { [writer] recording throws(RecordingWriteFailure) in
                let path = recording.store.path
                let last = (try? TrafficReader(path).newest()) ?? 0
                // What Shunt responds itself, it responds in a replay, too.
                return try RecordingFollower(path, filter, after: last, writer) {
                    $0.route != nil && ($0.responder == "origin" || $0.failure != nil)
                }
            }
        } catch {
            guard case .isThere(let path) = error else { throw CommandFailure.recording(error) }
            throw CommandFailure(
                "there is a recording \(Path.short(path)) already",
                advice: "Remove the file to record it anew, or choose another name.")
        }
    }

    func run() async {
        while !Task.isCancelled, failure == nil {
            look()
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// To be called when the store has written all.
    func finish() throws {
        if failure == nil { look(isLast: true) }
        if let failure { throw CommandFailure.recording(failure) }
    }

    private func look(isLast: Bool = false) {
        do throws(RecordingWriteFailure) { try following?.look(isLast: isLast) } catch { failure = error }
    }
}
