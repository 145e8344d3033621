import Engine
import Expectations
import Profiles
import Store
import Synchronization

/// The traffic of one run, without secrets, and what is expected of it.
struct RunRecording {
    let store: TrafficStore
    private let expectations: [Expectation]
    /// What also gets the traffic.
    private let live: LiveRecording?
    private let following: Task<Void, Never>?
    private let failure: FailureBox

    /// - Parameter recording: the file of a recording that gets the traffic, too; it must not be there yet.
    init(_ path: String, _ expectations: [Expectation], recording: String?) throws(CommandFailure) {
        self.expectations = expectations
        var settings = StoreSettings()
        settings.decode()
        settings.redact()
        // Expectations are on all exchanges: a slow disk slows the traffic down.
        settings.whenFull = .wait
        settings.sizeLimit = .max
        settings.finishing = 60_000
        do throws(StoreFailure) {
            store = try TrafficStore.open(path, settings)
        } catch {
            throw .failed("the traffic cannot be recorded: \(error)")
        }
        let failure = FailureBox()
        self.failure = failure
        live = try recording.map { file throws(CommandFailure) in
            try LiveRecording(file, adds: false, store: path) { failure.set($0) }
        }
        following = live.map { live in Task { await live.run() } }
    }

    /// Closes the store and tells what came of the expectations; to be called once.
    /// - Returns: whether all are met.
    func finish(_ profiles: ProfileLibrary, _ reports: ReportOptions) async throws(CommandFailure) -> Bool {
        store.finish()
        following?.cancel()
        _ = await live?.finish()
        if let failure = failure.value { throw failure }
        let lost = store.statistics.droppedExchanges + store.statistics.droppedBodies
        guard lost == 0 else {
            throw .failed(
                "\(lost) exchanges could not be recorded, so that the expectations cannot be checked",
                advice: "Make room on the disk, or put the store elsewhere with --store FILE.")
        }
        guard !expectations.isEmpty || !reports.isEmpty else { return true }
        let reader = try StoredTraffic.open(store.path)
        let traffic: Observations
        do throws(CheckFailure) {
            traffic = try Observations(reader, profiles: profiles)
        } catch {
            throw .failed(error.description)
        }
        let report = try ExpectCommand.check(expectations, traffic)
        try reports.tell(report, traffic, reader)
        return report.failed.isEmpty
    }
}

/// What went wrong in another task.
private final class FailureBox: Sendable {
    private let failure = Mutex<CommandFailure?>(nil)
    var value: CommandFailure? { failure.withLock { $0 } }
    func set(_ value: CommandFailure) { failure.withLock { $0 = value } }
}
