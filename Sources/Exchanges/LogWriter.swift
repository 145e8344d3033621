import Bytes
import Dispatch
import Platform
package import Reactor
import Synchronization

/// Writes exchanges and other lines to a descriptor, on a thread of its own.
///
/// Workers hand exchanges over and never wait for the descriptor: if a reader is slow, lines are dropped and counted,
/// and the number is written once there is room again. What else is written to the descriptor meanwhile has to go
/// through ``write(line:)``, since a slow reader takes a part of a line, and the rest later. Secrets are replaced on
/// that thread.
public final class LogWriter: ExchangeObserver {
    private struct State {
        /// Lines.
        var waiting: [UInt8] = []
        /// Facts of exchanges with their secrets, each behind its length, and lines behind theirs as a negative number.
        ///
        /// ``running`` is added to the length of one that is not over.
        var told: [UInt8] = []
        /// Each is signalled when a line has been written.
        var writing: [DispatchSemaphore] = []
        /// The reader took nothing while a line waited for it, and nothing since.
        var isStalled = false
        var dropped = 0
        /// Dropped since the start.
        var lost: UInt64 = 0
        var isEnding = false
        var isHeld: Bool
    }

    /// Bytes that may wait for a slow reader.
    private static let limit = 4 << 20
    /// More than ``limit``.
    private static let running: Int32 = 1 << 30
    /// How long a caller waits for a reader that takes nothing.
    private static let patience = DispatchTimeInterval.seconds(1)
    private let state: Mutex<State>
    private let hasLines = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)
    /// Bytes that the reader took.
    private let written = Atomic<UInt64>(0)
    private let descriptor: CInt
    private let format: LogFormat
    /// Makes, for the thread, what takes secrets out of records; nil keeps them.
    private let makeFilter: (@Sendable () -> (ExchangeRecord) -> ExchangeRecord)?

    /// Starts the thread; ``finish()`` ends it.
    ///
    /// - Parameter isHeld: nothing is written before ``release()``.
    /// - Parameter makeFilter: called on the thread; gives what takes secrets out of records; nil keeps them.
    package init(
        descriptor: CInt, format: LogFormat, isHeld: Bool,
        makeFilter: (@Sendable () -> (ExchangeRecord) -> ExchangeRecord)?
    ) throws(SystemError) {
        state = Mutex(State(isHeld: isHeld))
        self.descriptor = descriptor
        self.format = format
        self.makeFilter = makeFilter
        try Loop.startThread(name: "log") { self.work() }
    }

    /// Takes an exchange with all its secrets.
    public func exchangeEnded(_ exchange: Exchange) {
        take(exchange, isRunning: false)
    }

    /// Takes an exchange that is not over, with all its secrets.
    public func exchangeStalled(_ exchange: Exchange) { take(exchange, isRunning: true) }

    private func take(_ exchange: Exchange, isRunning: Bool) {
        var record: [UInt8] = []
        record.reserveCapacity(512)
        ExchangeRecord.write(exchange, to: &record)
        let length = Int32(truncatingIfNeeded: record.count)
        add(record.count + 4) { state in
            withUnsafeBytes(of: isRunning ? length | Self.running : length) { state.told.append(contentsOf: $0) }
            state.told.append(contentsOf: record)
        }
    }

    /// Takes exchanges as a store has written them, without secrets.
    public func exchangesWritten(_ exchanges: [WrittenExchange]) {
        var line: [UInt8] = []
        line.reserveCapacity(1024)
        for exchange in exchanges {
            line.removeAll(keepingCapacity: true)
            format.append(exchange, isRunning: false, to: &line)
            add(line.count) { $0.waiting.append(contentsOf: line) }
        }
    }

    /// Takes a whole line, behind all that was taken before, and waits for a moment until it is written.
    ///
    /// - Returns: false if the thread has ended: the caller may write by itself.
    public func write(line: [UInt8]) -> Bool {
        let isWritten = DispatchSemaphore(value: 0)
        let (isEnding, isStalled) = state.withLock { ($0.isEnding, $0.isStalled) }
        if isEnding { return isStalled }
        let isTaken = add(line.count + 4) { state in
            withUnsafeBytes(of: Int32(truncatingIfNeeded: -line.count)) { state.told.append(contentsOf: $0) }
            state.told.append(contentsOf: line)
            if !isStalled { state.writing.append(isWritten) }
        }
        if isTaken, !isStalled, isWritten.wait(timeout: .now() + Self.patience) != .success {
            state.withLock { $0.isStalled = true }
        }
        return true
    }

    /// - Returns: false if too much is waiting.
    @discardableResult
    private func add(_ count: Int, _ append: (inout State) -> Void) -> Bool {
        let isFirst: Bool? = state.withLock { state in
            let waiting = state.waiting.count + state.told.count
            guard waiting + count <= Self.limit else {
                state.dropped += 1
                state.lost += 1
                return nil
            }
            append(&state)
            return waiting == 0 && !state.isHeld
        }
        if isFirst == true { hasLines.signal() }
        return isFirst != nil
    }

    /// Writes what was held back, and each line from now on.
    public func release() {
        state.withLock { $0.isHeld = false }
        hasLines.signal()
    }

    /// Lines that were dropped since the start.
    public var lost: UInt64 { state.withLock { $0.lost } }

    /// Writes the waiting lines, and ends the thread.
    /// - Parameter seconds: leaves the thread behind if the reader takes nothing for so long; nil waits for ever.
    public func finish(seconds: Int? = nil) {
        state.withLock { $0.isEnding = true }
        hasLines.signal()
        var last: UInt64 = 0
        while hasEnded.wait(timeout: seconds.map { DispatchTime.now() + .seconds($0) } ?? .distantFuture) != .success {
            let count = written.load(ordering: .relaxed)
            if count == last { return state.withLock { $0.isStalled = true } }
            last = count
        }
    }

    private func work() {
        let filter = makeFilter?()
        while true {
            hasLines.wait()
            let isEnding = state.withLock { $0.isEnding }
            // Under load one wake-up then serves many lines.
            if !isEnding { usleep(2000) }
            var (batch, told, writing): ([UInt8], [UInt8], [DispatchSemaphore]) = ([], [], [])
            let dropped = state.withLock { state in
                swap(&batch, &state.waiting)
                swap(&told, &state.told)
                swap(&writing, &state.writing)
                defer { state.dropped = 0 }
                return state.dropped
            }
            append(told, filter, to: &batch)
            if dropped > 0 {
                batch.append(contentsOf: format.gap(dropped).utf8)
            }
            write(batch)
            for waiting in writing { waiting.signal() }
            if isEnding {
                hasEnded.signal()
                return
            }
        }
    }

    /// Makes lines of the exchanges that were handed over.
    private func append(
        _ told: [UInt8], _ filter: ((ExchangeRecord) -> ExchangeRecord)?, to lines: inout [UInt8]
    ) {
        var at = 0
        while at < told.count {
            let count = told.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: Int32.self) }
            guard count > 0 else {
                let end = at + 4 - Int(count)
                lines += told[(at + 4)..<end]
                at = end
                continue
            }
            let isRunning = count & Self.running != 0
            let record = ExchangeRecord(told, (at + 4)..<(at + 4 + Int(count & ~Self.running)))
            format.append(WrittenExchange(filter?(record) ?? record, id: nil), isRunning: isRunning, to: &lines)
            at = record.place.upperBound
        }
    }

    private func write(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Platform.write(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent)
            }
            if count > 0 {
                sent += count
                written.add(UInt64(count), ordering: .relaxed)
                state.withLock { $0.isStalled = false }
            } else if errno == EAGAIN {
                // The process that opened or shares the descriptor has made it non-blocking.
                var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wanted, 1, -1)
            } else if errno != EINTR {
                // The reader has closed; the proxy goes on without a log.
                return
            }
        }
    }
}
