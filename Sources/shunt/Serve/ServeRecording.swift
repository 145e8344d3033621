import Admin
import JSON

/// The recording of `shunt serve --record`.
struct ServeRecording {
    private let live: LiveRecording
    private let announcer: Announcer
    private let path: String

    init(_ name: String, _ settings: ServeSettings, _ project: Project) throws(CommandFailure) {
        let announcer = settings.announcer
        self.announcer = announcer
        path = RecordCommand.path(name, project)
        let usual = AdminFile(profilesDirectory: project.profilesDirectory).directory + "/traffic.db"
        live = try LiveRecording(path, adds: true, store: settings.store.path ?? usual) { failure in
            guard case .failed(let message, _) = failure else { return }
            announcer.warn("recording", "nothing more is recorded: \(message)") { $0.member("message", message) }
        }
    }

    func run() async { await live.run() }

    /// To be called when the store has written all.
    func finish() async {
        let (count, text) = await live.finish()
        announcer.tell("recorded", text) {
            $0.member("path", path)
            $0.member("exchanges", count)
        }
    }
}
