import HTTP
import Profiles
import Reactor

/// Starts an origin's program, finds out when it is ready, and starts it again when it has ended, until it is stopped.
final class ProgramTask: LoopTask {
    /// How long one look at the server may take.
    private static let lookTime = 2 * Limits.second
    /// Between two looks at a server that Shunt has not started, whose end nothing tells.
    private static let distance = 2 * Limits.second

    private let program: OriginProgram
    private let plan: OriginPlan
    private let launcher: any ProgramLauncher
    private let state: WorkerState
    private let waiter: Waiter

    init(_ program: OriginProgram, _ plan: OriginPlan, _ launcher: any ProgramLauncher, _ state: WorkerState) {
        (self.program, self.plan, self.launcher, self.state) = (program, plan, launcher, state)
        waiter = Waiter(state.core)
    }

    private var now: Instant { state.core.now }
    private var isStopped: Bool { program.phase == .stopped }

    func run() async {
        waiter.note("the program of an origin")
        program.follow(waiter.remoteWake)
        while !isStopped, !program.isFree { await rest(Limits.second / 50) }
        while !isStopped {
            if await responds() {
                guard await followFound() else { break }
            } else if !isStopped {
                launch()
                await followOwn()
                await pause()
            }
        }
        waiter.retire()
    }

    private func rest(_ time: UInt64) async {
        waiter.deadline = time == .max ? .never : now.after(time)
        await waiter.park()
    }

    private func tell() { state.shared.configuration.didChangeProgram?(program.describe(now: now)) }

    // MARK: A program of Shunt's

    private func launch() {
        let (program, output) = (program, program.output)
        let listener = KeptProcess.Listener(
            started: { program.didStart($0) }, wrote: { output.add($0) }, ended: { program.didEnd($0) })
        program.start(now: now) { () throws(SystemError) in
            try launcher.start(
                program.settings.command, in: program.settings.directory, port: plan.address.port, listener)
        }
        tell()
    }

    private func followOwn() async {
        let begin = now
        while program.isRunning, !isStopped {
            if program.phase == .ready {
                await rest(.max)
            } else if await responds(), program.isRunning {
                program.didBecomeReady(now: now)
                tell()
            } else if program.isRunning {
                // A server that takes long is asked less often.
                await rest(min(max(Limits.second / 20, (now - begin) / 10), Limits.second / 2))
            }
        }
    }

    private func pause() async {
        guard !isStopped, let end = program.pause(now: now) else { return }
        tell()
        while program.phase == .paused, now < end {
            waiter.deadline = end
            await waiter.park()
        }
        program.endPause(now: now)
    }

    // MARK: A server that was there

    /// - Returns: whether its place is to be taken.
    private func followFound() async -> Bool {
        program.didFind(now: now)
        tell()
        while program.phase == .ready {
            await rest(Self.distance)
            if program.phase == .ready, await !responds(toRequest: false) { break }
        }
        return program.didVanish(now: now)
    }

    // MARK: Looks

    /// - Parameter asks: also for the path that says whether it is ready.
    private func responds(toRequest asks: Bool = true) async -> Bool {
        let pool = OriginPool(plan, limit: 0)
        defer { pool.close() }
        let end = now.after(Self.lookTime)
        let opened: OriginConnection
        do throws(EngineFailure) {
            opened = try await state.connector.connect(pool, state, waiter, within: Self.lookTime, alpn: nil)
        } catch {
            // Requests say what is wrong with its certificate.
            return error.rejection != nil
        }
        guard asks, let path = program.settings.ready else {
            opened.close()
            return true
        }
        guard let connection = try? pool.adopt(opened, state) else { return false }
        defer { connection.close() }
        connection.channel.notify(waiter)
        waiter.deadline = end
        var lines = Array("GET \(path) HTTP/1.1\r\n".utf8) + plan.hostLine
        lines += "User-Agent: shunt\r\nAccept: */*\r\nConnection: close\r\n\r\n".utf8
        var exchange = SmallExchange(connection.channel, waiter)
        do throws(SmallExchange.Failure) { try await exchange.ask(lines) } catch { return false }
        return (200..<400).contains(exchange.head.status)
    }
}
