import Dispatch
import Synchronization

/// Bytes on their way from the thread that renders them to the one that writes them; a bounded number waits.
final class RenderedPart: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var result: Result<ExportSummary, ExportFailure>?
        var isCancelled = false
    }

    private static let limit = 256 << 10
    private let state = Mutex(State())
    private let hasBytes = DispatchSemaphore(value: 0)
    private let hasRoom = DispatchSemaphore(value: 0)

    /// Of all that was taken; known at the end.
    var summary: ExportSummary {
        state.withLock { state in if case .success(let summary) = state.result { summary } else { ExportSummary() } }
    }

    /// Waits while too many bytes wait; false if no more are wanted.
    func give(_ bytes: [UInt8]) -> Bool {
        while true {
            let isGiven: Bool? = state.withLock { state in
                guard !state.isCancelled else { return false }
                guard state.waiting.isEmpty || state.waiting.count + bytes.count <= Self.limit else { return nil }
                state.waiting += bytes
                return true
            }
            if isGiven == true { hasBytes.signal() }
            if let isGiven { return isGiven }
            hasRoom.wait()
        }
    }

    func end(_ result: Result<ExportSummary, ExportFailure>) {
        state.withLock { $0.result = result }
        hasBytes.signal()
    }

    /// Waits for bytes; nil at the end.
    func take() throws(ExportFailure) -> [UInt8]? {
        while true {
            let (bytes, result) = state.withLock { state in
                defer { state.waiting = [] }
                return (state.waiting, state.result)
            }
            if !bytes.isEmpty {
                hasRoom.signal()
                return bytes
            }
            switch result {
            case .success: return nil
            case .failure(let failure): throw failure
            case nil: hasBytes.wait()
            }
        }
    }

    /// Lets the thread that renders go on without being heard.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        hasRoom.signal()
    }
}
