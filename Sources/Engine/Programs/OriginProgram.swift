public import Profiles
import Reactor
import Redaction
import Synchronization

/// The program that is the server of an origin: whether it runs, and what waits for it.
///
/// Shared by all threads. A ``ProgramTask`` starts it and sees to it.
final class OriginProgram: Sendable {
    /// One command in one folder, and where its server is reached.
    struct Key: Hashable, Sendable {
        let settings: ProgramSettings
        let isTLS: Bool
        let host: String
        let port: UInt16
        /// By which people name it.
        let name: String

        init?(_ address: OriginAddress) {
            guard let program = address.program else { return nil }
            (settings, isTLS, host, port) = (program, address.isTLS, address.host, address.port)
            name = address.place
        }

        /// Both cannot run at once.
        func isInTheWay(of other: Key) -> Bool {
            host == other.host && port == other.port
                || settings.command == other.settings.command && settings.directory == other.settings.directory
        }
    }

    /// What a request does next.
    enum Step {
        case ready
        /// The caller has to begin a ``ProgramTask``.
        case begin
        /// Something changes when it is done.
        case wait(Errand<Bool>)
        /// It has ended without having been ready, and is not started again before a pause is over.
        case failed
    }

    enum Phase: String, Sendable { case idle, starting, ready, paused, stopped }

    private struct State {
        var phase = Phase.idle
        /// Of the phase.
        var since: Instant = 0
        /// When the program was started.
        var startedAt: Instant = 0
        var change = Errand<Bool>()
        var process: (any RunningProgram)?
        var pid: CInt?
        /// The server ran already, and is not Shunt's.
        var isFound = false
        var starts = 0
        /// Since its last start.
        var wasReady = false
        var pause: UInt64 = 0
        var until: Instant = 0
        var isRestarting = false
        var end: (how: KeptProcess.End, after: UInt64)?
        /// Wakes the task.
        var wake: (@Sendable () -> Void)?
        /// Those whose place it takes.
        var predecessors: [OriginProgram] = []
    }

    /// Between two starts: the first pause, the longest one, and how long it has to run until the first counts again.
    private static let firstPause = Limits.second
    private static let longestPause = 30 * Limits.second
    private static let steadyTime = 60 * Limits.second

    let key: Key
    let output: ProgramOutput
    private let state = Mutex(State())

    init(_ key: Key, _ redactor: Redactor) {
        self.key = key
        output = ProgramOutput(redactor)
    }

    var settings: ProgramSettings { key.settings }

    var name: String { key.name }

    // MARK: Requests

    func next(now: Instant) -> Step {
        let (step, wake) = state.withLock { state -> (Step, (@Sendable () -> Void)?) in
            switch state.phase {
            // The end of a connection says more than that the program was stopped.
            case .ready, .stopped: return (.ready, nil)
            case .starting: return (.wait(state.change), nil)
            case .paused:
                if state.wasReady { return (.wait(state.change), nil) }
                guard isRequested(state), now >= state.until else { return (.failed, nil) }
                enter(.starting, &state, now)
                return (.wait(state.change), state.wake)
            case .idle:
                enter(.starting, &state, now)
                return (.begin, nil)
            }
        }
        wake?()
        return step
    }

    /// Its next start takes a request: one that has not been ready would end again, and again.
    private func isRequested(_ state: State) -> Bool { settings.start == .request && !state.wasReady }

    /// A request could not connect: the server has ended, or restarts itself.
    ///
    /// - Returns: whether it is worth to wait for it; false where that was found out before.
    func lose(since: Instant, now: Instant) -> Bool {
        let wake = state.withLock { state -> (@Sendable () -> Void)?? in
            guard state.phase == .ready else { return state.phase == .stopped ? .none : .some(nil) }
            // It was ready again after the attempt had begun.
            if state.since > since { return .some(nil) }
            enter(.starting, &state, now)
            return .some(state.wake)
        }
        guard let wake else { return false }
        wake?()
        return true
    }

    // MARK: Its task

    var phase: Phase { state.withLock { $0.phase } }

    func follow(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

    var isFound: Bool { state.withLock { $0.isFound } }

    var isRunning: Bool { state.withLock { $0.process != nil } }

    /// All those whose place it takes have ended.
    var isFree: Bool {
        let predecessors = state.withLock { $0.predecessors }
        guard predecessors.allSatisfy({ !$0.isRunning }) else { return false }
        state.withLock { $0.predecessors = [] }
        return true
    }

    func take(thePlaceOf others: [OriginProgram]) { state.withLock { $0.predecessors += others } }

    /// The server runs already.
    func didFind(now: Instant) {
        state.withLock { state in
            guard state.phase == .starting else { return }
            (state.isFound, state.isRestarting, state.startedAt) = (true, false, now)
            enter(.ready, &state, now)
        }
    }

    /// Starts it, and remembers what was started before its end can be told.
    func start(now: Instant, _ launch: () throws(SystemError) -> any RunningProgram) {
        let failure = state.withLock { state -> SystemError? in
            if state.phase == .stopped { return nil }
            (state.isFound, state.isRestarting, state.startedAt, state.pid) = (false, false, now, nil)
            state.wasReady = false
            state.starts += 1
            do throws(SystemError) { state.process = try launch() } catch { return error }
            return nil
        }
        if let failure { didEnd(.failed(failure.code)) }
    }

    func didStart(_ pid: CInt) { state.withLock { $0.pid = pid } }

    /// Called on any thread.
    func didEnd(_ how: KeptProcess.End) {
        output.finish()
        let wake = state.withLock { state in
            (state.process, state.pid) = (nil, nil)
            state.end = (how, 0)
            return state.wake
        }
        wake?()
    }

    func didBecomeReady(now: Instant) {
        state.withLock { state in
            guard state.phase == .starting else { return }
            state.wasReady = true
            enter(.ready, &state, now)
        }
    }

    /// The server that was found does not respond any more.
    ///
    /// - Returns: whether Shunt's own takes its place now; else a request begins anew.
    func didVanish(now: Instant) -> Bool {
        state.withLock { state in
            state.isFound = false
            guard state.phase == .ready else { return true }
            let isNeeded = settings.start == .serve
            enter(isNeeded ? .starting : .idle, &state, now)
            return isNeeded
        }
    }

    /// Its end is known.
    ///
    /// - Returns: when it is to be started again: nil for at once, never for when a request needs it.
    func pause(now: Instant) -> Instant? {
        state.withLock { state in
            guard state.phase != .stopped else { return nil }
            let time = now - min(now, state.startedAt)
            state.end?.after = time
            if state.isRestarting {
                (state.pause, state.isRestarting) = (0, false)
                if state.phase != .starting { enter(.starting, &state, now) }
                return nil
            }
            state.pause =
                time >= Self.steadyTime
                ? Self.firstPause : min(max(2 * state.pause, Self.firstPause), Self.longestPause)
            state.until = now.after(state.pause)
            enter(.paused, &state, now)
            return isRequested(state) ? .never : state.until
        }
    }

    func endPause(now: Instant) {
        state.withLock { state in if state.phase == .paused { enter(.starting, &state, now) } }
    }

    private func enter(_ phase: Phase, _ state: inout State, _ now: Instant) {
        (state.phase, state.since) = (phase, now)
        state.change.finish(true)
        state.change = Errand()
    }

    // MARK: Its end

    /// Ends the program, and starts it again without a pause.
    ///
    /// - Returns: whether it is Shunt's to restart; one that was never started is, too.
    func restart(now: Instant) -> Bool {
        let found: (process: (any RunningProgram)?, wake: (@Sendable () -> Void)?)? = state.withLock { state in
            guard !state.isFound, state.phase != .stopped else { return nil }
            if let process = state.process {
                state.isRestarting = true
                if state.phase == .ready { enter(.starting, &state, now) }
                return (process, nil)
            }
            if state.phase == .paused { enter(.starting, &state, now) }
            state.pause = 0
            return (nil, state.wake)
        }
        guard let found else { return false }
        found.process?.stop()
        found.wake?()
        return true
    }

    /// Ends the program for ever; ``isRunning`` says when it is gone.
    func stop(now: Instant) {
        let (process, wake) = state.withLock { state in
            enter(.stopped, &state, now)
            // Its task is woken for the last time, and is let go of.
            return (state.process, state.wake.take())
        }
        process?.stop()
        wake?()
    }

    // MARK: What is said of it

    func describe(now: Instant) -> ProgramStatus {
        state.withLock { state in
            func seconds(_ time: UInt64) -> Double { Double(time / (Limits.second / 10)) / 10 }
            return ProgramStatus(
                origin: name, command: settings.name, directory: settings.directory, start: settings.start,
                phase: state.phase.rawValue, isFound: state.isFound, pid: state.pid, starts: state.starts,
                seconds: seconds(now - min(now, state.since)),
                runningSeconds: state.process == nil ? nil : seconds(now - min(now, state.startedAt)),
                startTime: seconds(state.since - min(state.since, state.startedAt)),
                end: state.end.map {
                    Self.text($0.how) + ($0.after >= Limits.second / 10 ? " after \(seconds($0.after)) s" : "")
                },
                pause: state.phase == .paused ? seconds(state.until - min(now, state.until)) : nil,
                isRequested: isRequested(state))
        }
    }

    private static func text(_ end: KeptProcess.End) -> String {
        switch end {
        case .exited(let status): "exited with status \(status)"
        case .signalled(let signal): "was ended by signal \(signal)"
        case .failed(let code): "could not be started: \(SystemError("spawn", code: code).reason)"
        }
    }
}

/// The state of an origin's program, without its arguments.
public struct ProgramStatus: Sendable {
    /// Host and port.
    public let origin: String
    /// Its first word.
    public let command: String
    public let directory: String
    public let start: ProgramSettings.Start
    /// `idle`, `starting`, `ready`, `paused` or `stopped`.
    public let phase: String
    /// The server ran already, and Shunt has not started it.
    public let isFound: Bool
    public let pid: Int32?
    /// How often it was started.
    public let starts: Int
    /// Of the phase.
    public let seconds: Double
    /// nil where it does not run.
    public let runningSeconds: Double?
    /// From the last start until it was ready.
    let startTime: Double
    /// How it has ended the last time.
    public let end: String?
    /// Seconds until it is started again, or may be.
    public let pause: Double?
    /// A request starts it again.
    let isRequested: Bool

    /// In words, as what follows the origin's name.
    public var text: String {
        switch phase {
        case "idle": "`\(command)` is started " + (start == .serve ? "with Shunt" : "by the first request")
        case "starting":
            runningSeconds.map { "`\(command)` starts, for \($0) s\(process)" } ?? "`\(command)` is to be started"
        case "ready":
            isFound ? "responds already, so that `\(command)` is not started" : "`\(command)` runs\(process)"
        case "paused": "`\(command)` \(end ?? "has ended") and \(nextStart)"
        default: "`\(command)` was stopped"
        }
    }

    /// The same as news.
    public var news: String {
        switch phase {
        case "starting": "`\(command)` is started in \(directory)"
        case "ready" where !isFound: "`\(command)` is ready after \(startTime) s\(process)"
        default: text
        }
    }

    private var nextStart: String {
        guard isRequested else { return "starts again in \(pause ?? 0) s" }
        return "starts again with the next request" + (pause ?? 0 > 0 ? ", in \(pause ?? 0) s at the earliest" : "")
    }

    private var process: String { pid.map { " (pid \($0))" } ?? "" }
}
