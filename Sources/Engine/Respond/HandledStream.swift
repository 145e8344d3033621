import Dispatch
import Synchronization

/// Content of a response on its way from the thread that makes it to the connection that sends it.
///
/// At most some bytes wait: a maker that is faster than the client is held up, and nobody else is. One thread makes, one
/// connection takes.
public final class HandledStream: Sendable {
    /// What there is to be sent.
    public enum Step: Sendable, Equatable {
        case bytes([UInt8])
        /// Nothing at present.
        case nothing
        case end
        /// What was sent is not all, and will not be.
        case broken
    }

    private enum Phase {
        case open, finished, failed, cancelled
    }

    private struct State {
        var waiting: [UInt8] = []
        var phase = Phase.open
        var isMakerHeldUp = false
        var whenChanged: (@Sendable () -> Void)?
    }

    /// Goes on until somebody ends it, as events do: it ends when the client leaves, and when the proxy drains.
    public let isEndless: Bool
    private let limit: Int
    private let state = Mutex(State())
    private let hasChanged = DispatchSemaphore(value: 0)

    /// Makes a stream that holds back its maker when more than `limit` bytes wait.
    public init(limit: Int = 128 << 10, isEndless: Bool = false) {
        self.limit = limit
        self.isEndless = isEndless
    }

    /// Hands over what comes next; blocks the maker's thread while too much waits.
    ///
    /// - Returns: false when nobody takes it any more.
    public func send(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty else { return !isCancelled }
        while true {
            var whenChanged: (@Sendable () -> Void)?
            let isSent: Bool? = state.withLock { state in
                guard state.phase == .open else { return false }
                guard state.waiting.isEmpty || state.waiting.count + bytes.count <= limit else {
                    state.isMakerHeldUp = true
                    return nil
                }
                state.waiting += bytes
                swap(&whenChanged, &state.whenChanged)
                return true
            }
            whenChanged?()
            if let isSent { return isSent }
            hasChanged.wait()
        }
    }

    /// Lets the maker's thread wait.
    ///
    /// - Returns: false when nobody takes anything any more, which ends the wait early.
    public func pause(milliseconds: Int) -> Bool {
        guard !isCancelled else { return false }
        _ = hasChanged.wait(timeout: .now() + .milliseconds(milliseconds))
        return !isCancelled
    }

    /// Says that this was all.
    public func finish() { leave(.finished) }

    /// Says that the rest cannot be made: the client is to see that something is missing.
    public func fail() { leave(.failed) }

    /// Whether nobody takes anything any more.
    public var isCancelled: Bool { state.withLock { $0.phase == .cancelled } }

    /// All that waits, or why there is nothing.
    ///
    /// - Parameter whenChanged: called once, on any thread, when there is something after ``Step/nothing``.
    public func take(whenChanged: @escaping @Sendable () -> Void) -> Step {
        let (step, isMakerHeldUp) = state.withLock { state -> (Step, Bool) in
            guard state.waiting.isEmpty else {
                var bytes: [UInt8] = []
                swap(&bytes, &state.waiting)
                defer { state.isMakerHeldUp = false }
                return (.bytes(bytes), state.isMakerHeldUp)
            }
            switch state.phase {
            case .open:
                state.whenChanged = whenChanged
                return (.nothing, false)
            case .finished: return (.end, false)
            case .failed, .cancelled: return (.broken, false)
            }
        }
        if isMakerHeldUp { hasChanged.signal() }
        return step
    }

    /// Says that nobody takes anything any more; the maker ends at its next step.
    public func cancel() {
        state.withLock { state in
            state.phase = .cancelled
            state.waiting = []
            state.whenChanged = nil
        }
        hasChanged.signal()
    }

    private func leave(_ phase: Phase) {
        let whenChanged = state.withLock { state in
            if state.phase == .open { state.phase = phase }
            defer { state.whenChanged = nil }
            return state.whenChanged
        }
        whenChanged?()
    }
}
