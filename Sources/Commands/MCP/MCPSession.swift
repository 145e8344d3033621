import Dispatch
import JSON
import Platform
import Synchronization

/// The requests of one client on standard input: calls of tools run each in a task, and all else at once.
final class MCPSession: Sendable {
    /// Calls that may run at the same time.
    private static let maxCalls = 16

    private struct State {
        var server: MCPServer
        var calls: [Int: (id: JSONValue?, task: Task<Void, Never>)] = [:]
        var last = 0
    }

    private let state: Mutex<State>

    init(_ server: MCPServer) { state = Mutex(State(server: server)) }

    /// Reads lines until the end of the input, on a thread of its own; returns why that failed.
    func read() async -> CommandFailure? {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "mcp").async { continuation.resume(returning: self.readLines()) }
        }
    }

    private func readLines() -> CommandFailure? {
        var lines = LineReader(0, maxLine: MCPServer.maxLine)
        while true {
            do throws(FileFailure) {
                guard let line = try lines.next() else { return nil }
                take(line)
            } catch {
                guard error.code == EFBIG else { return CommandFailure("\(error)") }
                write(state.withLock { $0.server.refuseLongLine() })
                do throws(FileFailure) { try lines.skipLine() } catch { return CommandFailure("\(error)") }
            }
        }
    }

    private func take(_ line: [UInt8]) {
        switch state.withLock({ $0.server.turn(line) }) {
        case .response(let response): write(response)
        case .call(let id, let work): start(id, work)
        case .cancel(let id):
            let calls = state.withLock { $0.calls.values.filter { id != nil && $0.id?.isSame(as: id) == true } }
            for call in calls { call.task.cancel() }
        }
    }

    private func start(_ id: JSONValue?, _ work: @escaping @Sendable () async -> [UInt8]?) {
        let isStarted = state.withLock { state in
            guard state.calls.count < Self.maxCalls else { return false }
            state.last += 1
            let number = state.last
            let task = Task {
                let response = await work()
                // A client that has cancelled a request ignores its response.
                if !Task.isCancelled { self.write(response) }
                self.state.withLock { $0.calls[number] = nil }
            }
            state.calls[number] = (id, task)
            return true
        }
        if !isStarted { write(MCPServer.refuseCall(id)) }
    }

    /// Waits for the calls that still run.
    func finish() async { for call in state.withLock({ Array($0.calls.values) }) { await call.task.value } }

    private func write(_ response: [UInt8]?) {
        guard let response else { return }
        writing.withLock { _ in
            _ = Terminal.write(response + [UInt8(ascii: "\n")], to: 1)
        }
    }

    /// A response is written as a whole.
    private let writing = Mutex(())
}

extension JSONValue {
    fileprivate func isSame(as other: JSONValue?) -> Bool {
        if let string { return string == other?.string }
        return number != nil && number?.int64 == other?.number?.int64
    }
}
