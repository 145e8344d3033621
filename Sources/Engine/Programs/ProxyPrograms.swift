import Profiles
import Reactor

/// Why nothing can be done with an origin's program.
public struct ProgramFailure: Error, Sendable {
    public let message: String
    /// The next step.
    public let advice: String
}

extension Proxy {
    /// The programs that it starts for origins.
    public var programs: ProxyPrograms { ProxyPrograms(proxy: self) }
}

/// The programs that a proxy starts for origins.
public struct ProxyPrograms: Sendable {
    let proxy: Proxy

    /// The state of the programs that origins of all profiles have.
    public var list: [ProgramStatus] { plans.map { $0.program.describe(now: proxy.loopClock()) } }

    /// The last lines that a program has written.
    ///
    /// - Parameters:
    ///   - name: its origin, as host and port, as a URL, or as the port alone.
    ///   - after: a line's number; those behind it are wanted.
    public func lines(
        of name: String, after: Int = 0, limit: Int
    ) throws(ProgramFailure) -> (program: ProgramStatus, lines: [ProgramLine]) {
        let program = try plan(named: name).program
        let (first, lines) = program.output.lines(after: after, limit: limit)
        return (
            program.describe(now: proxy.loopClock()),
            zip(first..., lines).map { ProgramLine(number: $0, text: $1) }
        )
    }

    /// Ends a program and starts it again, or starts it.
    public func restart(_ name: String) async throws(ProgramFailure) -> ProgramStatus {
        let (program, plan) = try self.plan(named: name)
        guard program.restart(now: proxy.loopClock()) else {
            throw ProgramFailure(
                message: "`\(program.settings.name)` was not started by Shunt: \(program.name) responded before",
                advice: "Restart it where it was started.")
        }
        await proxy.workers.first?.start(plan)
        return program.describe(now: proxy.loopClock())
    }

    /// Starts the programs of a profile's origins, or of all profiles, that do not run.
    public func start(of profile: String? = nil) async {
        let wanted = profile.flatMap { proxy.profiles?.library[$0] }.map {
            Set($0.routes.flatMap(\.responder.addresses).compactMap { OriginProgram.Key($0) })
        }
        for (program, plan) in plans where wanted?.contains(program.key) != false {
            await proxy.workers.first?.start(plan)
        }
    }

    /// Those that begin with Shunt, in a proxy that clients can reach.
    func startOwn() async {
        if proxy.addresses.isEmpty { return }
        for (program, plan) in plans where program.settings.start == .serve { await proxy.workers.first?.start(plan) }
    }

    /// Each program once, with an origin that has it, in the order of names.
    private var plans: [(program: OriginProgram, plan: OriginPlan)] {
        guard case .profiles(let active) = proxy.source else { return [] }
        var seen: Set<OriginProgram.Key> = []
        return active.environment.origins.compactMap { plan in
            guard let plan, let program = plan.program, seen.insert(program.key).inserted else { return nil }
            return (program, plan)
        }.sorted { ($0.program.name, $0.program.settings.command) < ($1.program.name, $1.program.settings.command) }
    }

    private func plan(named name: String) throws(ProgramFailure) -> (program: OriginProgram, plan: OriginPlan) {
        let plans = self.plans
        let short = name.split(separator: "/").last.map(String.init) ?? name
        if let found = plans.first(where: { $0.program.name == short || "\($0.program.key.port)" == short }) {
            return found
        }
        throw ProgramFailure(
            message: "there is no origin \(name) that a command starts",
            advice: plans.isEmpty
                ? "Write { \"run\": …, \"url\": … } into a route, see docs/origins.md."
                : "There are: \(plans.map(\.program.name).joined(separator: ", ")).")
    }

    /// Takes over the programs of an environment that was read anew.
    func follow(_ environment: Environment) {
        let heirs = proxy.mocks.programs.keepOnly(environment.programs, now: proxy.loopClock())
        let plans = self.plans.filter { plan in
            plan.program.settings.start == .serve || heirs.contains { $0 === plan.program }
        }
        guard !plans.isEmpty, !proxy.addresses.isEmpty, let worker = proxy.workers.first else { return }
        Task { for (_, plan) in plans { await worker.start(plan) } }
    }

    /// An origin that cannot be reached since its program does not run has not failed, unless that has.
    func explained(_ result: ProbeResult) -> ProbeResult {
        guard result.failure?.hasConnectFailed == true, let key = OriginProgram.Key(result.origin),
            let program = plans.first(where: { $0.program.key == key })?.program
        else { return result }
        var explained = result
        switch program.phase {
        case .idle, .starting:
            (explained.failure, explained.note) = (nil, program.describe(now: proxy.loopClock()).text)
        case .paused: explained.failure = program.failure(result.origin, now: proxy.loopClock())
        case .ready, .stopped: break
        }
        return explained
    }
}
