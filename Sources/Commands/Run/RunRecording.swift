import Engine
import Expectations
import Filter
import Platform
import Profiles
import Store

/// The traffic of one run, without secrets, and what is expected of it.
struct RunRecording {
    let store: TrafficStore
    private let expectations: [Expectation]
    private let contracts: [ContractExpectation]
    /// What this run alone has recorded, where the store has others' exchanges; nil for all of the store.
    let own: TrafficFilter?

    /// - Parameter isWhole: bodies are kept as a recording needs them, without the store's limit.
    init(
        _ path: String, _ postgres: PostgresSettings, _ expectations: [Expectation],
        _ contracts: [ContractExpectation], isWhole: Bool
    ) throws {
        (self.expectations, self.contracts) = (expectations, contracts)
        var settings = StoreSettings()
        settings.decode()
        settings.redact()
        // Expectations are on all exchanges: a slow disk slows the traffic down.
        settings.whenFull = .wait
        settings.sizeLimit = .max
        settings.finishing = 60_000
        settings.postgres = postgres
        settings.setAside = { Terminal.error("shunt: \($0.words)\n") }
        if PostgresStores.isAddress(path) {
            // Others' exchanges are not for a run to remove.
            settings.ageLimit = .max
            let node = postgres.node ?? NodeName.usual("-run-\(getpid())")
            settings.postgres.node = node
            own = try StoredTraffic.own(node)
        } else {
            own = ((try? TrafficReader(path).newest()) ?? nil).map { .after($0) }
        }
        if isWhole { settings.bodyLimit = 128 << 20 }
        do throws(StoreFailure) { store = try TrafficStore.open(path, settings) } catch {
            if PostgresStores.isAddress(path) { throw CommandFailure.postgres(error) }
            throw CommandFailure("the traffic cannot be recorded: \(error)")
        }
    }

    /// Tells what came of the expectations; to be called once, when the store is closed.
    /// - Returns: whether all are met.
    func finish(_ profiles: ProfileLibrary, _ reports: ReportOptions) throws -> Bool {
        let lost = store.statistics.droppedExchanges + store.statistics.droppedBodies
        guard lost == 0 else {
            throw CommandFailure(
                "\(lost) exchanges could not be recorded, so that the expectations cannot be checked",
                advice: "Make room on the disk, or put the store elsewhere with --store FILE.")
        }
        guard !expectations.isEmpty || !contracts.isEmpty || !reports.isEmpty else { return true }
        let reader = try StoredTraffic.open(store.path)
        let traffic = try Observations(reader, profiles: profiles, within: own)
        let report = try ExpectCommand.check(expectations, traffic, contracts)
        try reports.tell(report, traffic, reader)
        return report.failed.isEmpty
    }
}
