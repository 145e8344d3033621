import Dispatch
import Synchronization

/// A response's body on its way from the thread that produces it to the connection that sends it.
///
/// A bounded number of bytes waits: a producer that is faster than the client blocks, and no other thread does. One
/// thread produces, one connection consumes.
public final class HandledStream: Sendable {
    /// The next thing to be sent.
    public enum Step: Sendable, Equatable {
        case bytes([UInt8])
        /// Nothing at present.
        case nothing
        case end
        /// The body is incomplete and stays so.
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

    /// It has no end of its own, as server-sent events: it ends when the client leaves, and when the proxy drains.
    public let isEndless: Bool
    private let limit: Int
    private let state = Mutex(State())
    private let hasChanged = DispatchSemaphore(value: 0)

    /// Makes a stream that blocks its producer while more than `limit` bytes wait.
    public init(limit: Int = 128 << 10, isEndless: Bool = false) {
        self.limit = limit
        self.isEndless = isEndless
    }

    /// Hands over the next bytes; blocks the producer's thread while too many wait.
    ///
    /// - Returns: false if the client has left.
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

    /// Lets the producer's thread wait.
    ///
    /// - Returns: false if the client has left, which ends the wait early.
    public func pause(milliseconds: Int) -> Bool {
        guard !isCancelled else { return false }
        _ = hasChanged.wait(timeout: .now() + .milliseconds(milliseconds))
        return !isCancelled
    }

    /// Ends the body.
    public func finish() { leave(.finished) }

    /// Ends the body as incomplete: the client sees that a part is missing.
    public func fail() { leave(.failed) }

    /// Bytes that wait for the client to take them.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Whether the client has left.
    public var isCancelled: Bool { state.withLock { $0.phase == .cancelled } }

    /// All waiting bytes, or why there are none.
    ///
    /// - Parameter whenChanged: called once, on any thread, when there are bytes after ``Step/nothing``.
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

    /// The client has left; the producer ends at its next step.
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
