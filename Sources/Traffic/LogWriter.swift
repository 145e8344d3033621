import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Writes exchanges as lines to a descriptor, on a thread of its own.
///
/// Workers hand lines over and never wait for the descriptor: what a slow reader leaves no room for is dropped, counted
/// and told once there is room again.
public final class LogWriter: ExchangeObserver {
    private struct State {
        var waiting: [UInt8] = []
        var dropped = 0
        var isEnding = false
    }

    /// Bytes that may wait for a slow reader.
    private static let most = 4 << 20
    private let state = Mutex(State())
    private let hasLines = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)
    private let descriptor: CInt
    private let format: LogFormat

    /// Starts the thread; ``finish()`` ends it.
    public init(descriptor: CInt, format: LogFormat) {
        self.descriptor = descriptor
        self.format = format
        DispatchQueue(label: "log").async { self.work() }
    }

    public func exchangeEnded(_ exchange: Exchange) {
        var line: [UInt8] = []
        line.reserveCapacity(512)
        format.append(exchange, to: &line)
        let isFirst = state.withLock { state in
            guard state.waiting.count + line.count <= Self.most else {
                state.dropped += 1
                return false
            }
            state.waiting.append(contentsOf: line)
            return state.waiting.count == line.count
        }
        if isFirst { hasLines.signal() }
    }

    /// Writes what is left, and ends the thread.
    public func finish() {
        state.withLock { $0.isEnding = true }
        hasLines.signal()
        hasEnded.wait()
    }

    private func work() {
        while true {
            hasLines.wait()
            let isEnding = state.withLock { $0.isEnding }
            // Under load one wake-up then serves many lines.
            if !isEnding { usleep(2000) }
            var batch: [UInt8] = []
            let dropped = state.withLock { state in
                swap(&batch, &state.waiting)
                defer { state.dropped = 0 }
                return state.dropped
            }
            if dropped > 0 {
                batch.append(contentsOf: format.gap(dropped).utf8)
            }
            write(batch)
            if isEnding {
                hasEnded.signal()
                return
            }
        }
    }

    private func write(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                #if canImport(Glibc)
                Glibc.write(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent)
                #else
                Darwin.write(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent)
                #endif
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                // Whoever gave us the descriptor, or shares it, has made it one that does not block.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            } else if errno != EINTR {
                // Nobody reads any more; the proxy goes on without a log.
                return
            }
        }
    }
}
