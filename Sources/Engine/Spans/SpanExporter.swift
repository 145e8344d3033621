import Exchanges
import Metrics
import Profiles
import Reactor
import Redaction
import Store
import TLS

/// Sends the spans of exchanges to a collector, on a thread of its own: no exchange waits for it.
actor SpanExporter {
    /// Nanoseconds: the first pause after a failure, and the longest one.
    private static let firstPause = Limits.second
    private static let longestPause = 30 * Limits.second
    /// Nanoseconds after which spans are dropped that could not be sent.
    private static let patience = 300 * Limits.second

    nonisolated let queue: SpanQueue
    private nonisolated let loop: Loop
    private let settings: SpanExport
    private var configuration: Proxy.Configuration
    private let source: Proxy.Source
    private let message: SpanMessage
    private var state: WorkerState?
    private lazy var waiter = Waiter(loop.core)
    /// When what waits is given up; nil while the proxy runs.
    private var end: Instant?
    private var hasEnded = false
    private var whenEnded: [CheckedContinuation<Void, Never>] = []
    private var isInTrouble = false
    /// It was told that the collector does not want them, and it has not taken any since.
    private var hasToldRejection = false
    private let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    private var secrets: (of: ProfileLibrary, filter: RecordingRedaction)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - proxy: says how what is outside is reached.
    ///   - source: the profiles whose secrets are not to be sent.
    init(
        _ settings: SpanExport, _ queue: SpanQueue, _ proxy: Proxy.Configuration, _ source: Proxy.Source
    ) throws(SystemError) {
        (self.settings, self.queue, self.source) = (settings, queue, source)
        configuration = Proxy.Configuration(addresses: [], limits: proxy.limits)
        (configuration.next, configuration.resolver) = (proxy.next, proxy.resolver)
        (configuration.clock, configuration.loopClock) = (proxy.clock, proxy.loopClock)
        message = SpanMessage(resource: settings.resource, version: settings.version)
        loop = try Loop(name: "spans", clock: proxy.loopClock)
    }

    private nonisolated var spawner: @Sendable () -> Void {
        { [weak self] in
            self?.assumeIsolated { exporter in _ = Task { await exporter.runNext() } }
        }
    }

    private func runNext() async { await state?.loop.tasks.runNext() }

    /// Sends what comes, until ``finish()``.
    func run() async {
        let collector: Collector
        do throws(TLSFailure) {
            let state = WorkerState(loop.core, try Proxy.Shared(configuration, source), spawner)
            self.state = state
            collector = try Collector(settings, state)
        } catch {
            settings.told(.rejected("its certificate cannot be judged: \(error.message)"))
            return didEnd()
        }
        queue.whenMany(waiter.remoteWake)
        while true {
            await gather()
            while true {
                let exchanges = queue.take()
                if exchanges.isEmpty { break }
                await send(exchanges, collector)
            }
            if end != nil { break }
        }
        collector.close()
        didEnd()
    }

    /// Waits until there are many, or the oldest have waited long enough.
    private func gather() async {
        let due = loop.core.clock().after(settings.delay)
        while end == nil, queue.count < SpanQueue.batch, loop.core.clock() < due {
            waiter.deadline = due
            await waiter.park()
        }
    }

    private func send(_ exchanges: [Exchange], _ collector: Collector) async {
        let count = SpanMessage.count(exchanges)
        var bytes = message.bytes(of: withoutSecrets(exchanges))
        if settings.isCompressed {
            guard let compressed = Gzip.compressed(bytes) else { return queue.didLose(count, .unsent) }
            bytes = compressed
        }
        let start = loop.core.clock()
        var pause = Self.firstPause
        while true {
            let now = loop.core.clock()
            switch await collector.post(bytes, waiter, until: min(now.after(settings.timeout), end ?? .never)) {
            case .taken(let response):
                endTrouble()
                let rejected = SpanMessage.rejected(in: response)
                let lost = min(max(0, rejected.spans), count)
                queue.didExport(count - lost)
                queue.didLose(lost, .rejected)
                if lost == 0 { hasToldRejection = false }
                if lost > 0 { tell(rejection: "it rejected \(lost) of \(count) spans: \(rejected.message)") }
                return
            case .refused(let reason):
                queue.didFail()
                queue.didLose(count, .rejected)
                return tell(rejection: reason)
            case .later(let reason, let seconds):
                queue.didFail()
                beginTrouble(reason)
                let wanted = seconds.map { UInt64(clamping: $0) &* Limits.second } ?? 0
                // Not all of a fleet at the same moment.
                let next = max(pause / 2 + UInt64.random(in: 0...pause / 2), min(wanted, Self.patience))
                pause = min(pause * 2, Self.longestPause)
                await rest(next)
                let isOver = loop.core.clock() >= end ?? start.after(Self.patience)
                if isOver { return queue.didLose(count, .unsent) }
            }
        }
    }

    /// Waits, though no longer than until the proxy begins to end.
    private func rest(_ time: UInt64) async {
        let wasEnding = end != nil
        let due = min(loop.core.clock().after(time), end ?? .never)
        while loop.core.clock() < due, wasEnding == (end != nil) {
            waiter.deadline = due
            await waiter.park()
        }
    }

    /// Once, not with every batch.
    private func tell(rejection reason: String) {
        guard !hasToldRejection else { return }
        hasToldRejection = true
        settings.told(.rejected(reason))
    }

    private func beginTrouble(_ reason: String) {
        guard !isInTrouble else { return }
        isInTrouble = true
        settings.told(.began(reason))
    }

    private func endTrouble() {
        guard isInTrouble else { return }
        isInTrouble = false
        settings.told(.ended)
    }

    /// Replaces secrets by the rules of all profiles, since what is sent leaves this machine.
    private func withoutSecrets(_ exchanges: [Exchange]) -> [Exchange] {
        let filter = self.filter
        return exchanges.map { exchange in
            var clean = exchange.redacted(by: filter)
            clean.trace = exchange.trace
            return clean
        }
    }

    private var filter: RecordingRedaction {
        guard case .profiles(let active) = source else {
            return RecordingRedaction(key: key, rules: RedactionRules())
        }
        let library = active.environment.library
        if let secrets, secrets.of === library { return secrets.filter }
        var rules = RedactionRules()
        for profile in library.profiles {
            guard var own = ProfileRedaction(of: profile, in: library)?.rules else { continue }
            (own.kept, own.keepJWTClaims) = ([], false)
            rules = rules.merging(own)
        }
        let filter = RecordingRedaction(key: key, rules: rules)
        secrets = (library, filter)
        return filter
    }

    /// Sends what waits, as long as the settings allow, and returns when that is done.
    func finish() async {
        guard !hasEnded else { return }
        if end == nil {
            let end = loop.core.clock().after(settings.lastTime)
            self.end = end
            // A request that is under way has no more time than that.
            waiter.deadline = min(waiter.deadline, end)
            waiter.wake()
        }
        await withCheckedContinuation { whenEnded.append($0) }
    }

    private func didEnd() {
        queue.didLose(SpanMessage.count(queue.take(.max)), .unsent)
        hasEnded = true
        waiter.retire()
        for waiting in whenEnded { waiting.resume() }
        whenEnded = []
    }

    /// Ends the thread.
    nonisolated func stop() { loop.stop() }
}
