import Engine
import Reactor
import Store
import Synchronization

/// Reads the store for the admin interface, on threads of its own, since a search may take seconds.
final class StoreQueries: Sendable {
    private struct State {
        var asking: [UInt64: @Sendable () -> Void] = [:]
        var last: UInt64 = 0
        var streams = 0
        var isClosed = false
    }

    /// Queries that run at the same time.
    private static let maxAsking = 8
    /// Streams that are produced at the same time; each keeps a thread.
    private static let maxStreams = 16
    private static let crowd = "the store is being read by too many"
    /// The store's file.
    let path: String
    private let proxy: Proxy
    private let state = Mutex(State())
    /// Milliseconds that a read waits for what has passed before it; a disk or machine that stalls is waited for.
    private static let patience = 10_000

    init(_ path: String, _ proxy: Proxy) { (self.path, self.proxy) = (path, proxy) }

    /// Refuses new reads and ends all waits; reads under way finish by themselves.
    func close() {
        let asking = state.withLock { state in
            state.isClosed = true
            defer { state.asking = [:] }
            return state.asking
        }
        for giveUp in asking.values { giveUp() }
    }

    /// Runs work that may take long.
    func ask<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let errand = PendingQuery<Value>()
        let result = await withCheckedContinuation { continuation in
            errand.begin(continuation)
            start(errand, body)
        }
        return try result.get()
    }

    /// Reads the store, in which all is that clients have received before.
    func read<Value: Sendable>(_ body: @escaping @Sendable (TrafficReader) throws -> Value) async throws -> Value {
        let (path, store) = (path, proxy.store)
        // A worker that has responded hands the exchange over in the same turn.
        if store != nil { _ = await proxy.status() }
        return try await ask {
            store?.write(within: Self.patience)
            return try body(try TrafficReader(path, withSegments: true))
        }
    }

    private func start<Value: Sendable>(_ errand: PendingQuery<Value>, _ body: @escaping @Sendable () throws -> Value) {
        let number = state.withLock { state -> UInt64? in
            guard !state.isClosed, state.asking.count < Self.maxAsking else { return nil }
            state.last += 1
            state.asking[state.last] = { errand.settle(.failure(AdminRefusal.busy("Shunt is ending"))) }
            return state.last
        }
        guard let number else { return errand.settle(.failure(AdminRefusal.busy(Self.crowd))) }
        let isStarted = Self.startThread { [self] in
            let result = Result { try body() }
            state.withLock { $0.asking[number] = nil }
            errand.settle(result)
        }
        if !isStarted {
            state.withLock { $0.asking[number] = nil }
            errand.settle(.failure(AdminRefusal.busy("there is no thread for it")))
        }
    }

    /// Produces a body from the store; a failure cuts it off.
    func stream(
        isEndless: Bool = false, _ body: @escaping @Sendable (TrafficReader, HandledStream) throws -> Void
    ) throws -> HandledStream {
        let isAdmitted = state.withLock { state in
            guard !state.isClosed, state.streams < Self.maxStreams else { return false }
            state.streams += 1
            return true
        }
        guard isAdmitted else { throw AdminRefusal.busy(Self.crowd) }
        let stream = HandledStream(isEndless: isEndless)
        let isStarted = Self.startThread { [self] in
            do {
                try body(try TrafficReader(path, withSegments: true), stream)
                stream.finish()
            } catch {
                stream.fail()
            }
            state.withLock { $0.streams -= 1 }
        }
        guard isStarted else {
            state.withLock { $0.streams -= 1 }
            throw AdminRefusal.busy("there is no thread for it")
        }
        return stream
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        (try? Loop.startThread(name: "store desk", body)) != nil
    }
}

/// A wait for a result; the first result counts.
private final class PendingQuery<Value: Sendable>: Sendable {
    typealias Waiting = CheckedContinuation<Result<Value, any Error>, Never>
    private let waiting = Mutex<Waiting?>(nil)

    func begin(_ continuation: Waiting) { waiting.withLock { $0 = continuation } }

    func settle(_ result: Result<Value, any Error>) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: result)
    }
}
