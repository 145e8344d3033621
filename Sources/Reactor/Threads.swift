import Synchronization

/// Threads for work that blocks or takes long, which a loop must not do itself: a bounded number at once.
///
/// More work waits in its order. A thread ends when nothing waits.
public final class Threads: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let name: String
    private let limit: Int
    private let maxWaiting: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - name: of each thread, for tools such as top(1).
    ///   - limit: how many run at once.
    ///   - maxWaiting: how much work may wait besides.
    public init(name: String, limit: Int, maxWaiting: Int = 4096) {
        (self.name, self.limit, self.maxWaiting) = (name, limit, maxWaiting)
    }

    /// Runs `body` on a thread, soon.
    ///
    /// - Returns: false where too much work waits, or where the system has no thread.
    public func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let isNew: Bool? = state.withLock { state in
            if state.running < limit {
                state.running += 1
                return true
            }
            guard state.waiting.count < maxWaiting else { return nil }
            state.waiting.append(body)
            return false
        }
        guard let isNew else { return false }
        guard isNew else { return true }
        do throws(SystemError) {
            try Loop.startThread(name: name) { [self] in
                body()
                while let next = next() { next() }
            }
            return true
        } catch {
            state.withLock { $0.running -= 1 }
            return false
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.running -= 1
            return nil
        }
    }

    /// The result of work on a thread, for a task of a loop.
    ///
    /// - Returns: nil where the waiter's deadline came first, or where there was no thread for it.
    public func result<Value: Sendable>(
        on waiter: Waiter, of body: @escaping @Sendable () -> Value
    ) async -> Value? {
        let errand = Errand<Value>()
        guard start({ errand.finish(body()) }) else { return nil }
        return await errand.value(on: waiter)
    }
}

/// A value that is made elsewhere, once, and that tasks of any loops wait for.
public final class Errand<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [Int: @Sendable () -> Void] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// Wakes all that wait; the first value counts.
    public func finish(_ value: Value) {
        let waiting = state.withLock { state in
            if state.value == nil { state.value = value }
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for wake in waiting { wake() }
    }

    /// The value; nil where it is not there yet.
    public var present: Value? { state.withLock { $0.value } }

    /// The value, or nil once the waiter's deadline has come, or what waits has no more use for it.
    public func value(on waiter: Waiter, unless isUseless: () -> Bool = { false }) async -> Value? {
        let wake = waiter.remoteWake
        let number = state.withLock { state in
            state.last += 1
            if state.value == nil { state.waiting[state.last] = wake }
            return state.last
        }
        defer { state.withLock { $0.waiting[number] = nil } }
        while true {
            if let value = state.withLock({ $0.value }) { return value }
            if waiter.isExpired || isUseless() { return nil }
            await waiter.park()
        }
    }
}
