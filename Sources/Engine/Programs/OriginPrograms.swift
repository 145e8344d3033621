import Platform
import Profiles
package import Reactor
import Redaction
import Synchronization

/// The programs of a process: a reload of profiles keeps those whose settings stay.
package final class OriginPrograms: Sendable {
    private struct State {
        var known: [OriginProgram.Key: OriginProgram] = [:]
        /// Those that were stopped and may not have ended.
        var stopped: [OriginProgram] = []
    }

    private let state = Mutex(State())
    /// Its digests are compared with nothing.
    private let redactionKey = (0..<32).map { _ in UInt8.random(in: .min ... .max) }

    /// The program with these settings, made if there is none.
    ///
    /// - Parameter rules: what is secret in its output.
    func program(_ key: OriginProgram.Key, _ rules: RedactionRules) -> OriginProgram {
        state.withLock { state in
            if let there = state.known[key] { return there }
            let program = OriginProgram(key, Redactor(key: redactionKey, rules: rules))
            state.known[key] = program
            return program
        }
    }

    /// Stops those that no profile has any more.
    ///
    /// - Returns: those that take the place of one that was running.
    func keepOnly(_ keys: Set<OriginProgram.Key>, now: Instant) -> [OriginProgram] {
        let (gone, kept) = state.withLock { state in
            let gone = state.known.filter { !keys.contains($0.key) }.map(\.value)
            for program in gone { state.known[program.key] = nil }
            state.stopped.removeAll { !$0.isRunning }
            state.stopped += gone
            return (gone, Array(state.known.values))
        }
        var heirs: [OriginProgram] = []
        for program in gone where program.phase != .idle {
            for heir in kept where heir.phase == .idle && program.key.isInTheWay(of: heir.key) {
                heir.take(thePlaceOf: [program])
                heirs.append(heir)
            }
        }
        for program in gone { program.stop(now: now) }
        return heirs
    }

    /// Stops all; ``waitForEnd()`` returns when they are gone.
    package func stop(now: Instant) { _ = keepOnly([], now: now) }

    /// Blocks until all that were stopped are gone, for some seconds at most.
    func waitForEnd() {
        // More than a keeper needs for programs that do not end by SIGTERM.
        for _ in 0..<1200 {
            if state.withLock({ $0.stopped.allSatisfy { !$0.isRunning } }) { return }
            usleep(5000)
        }
    }
}
