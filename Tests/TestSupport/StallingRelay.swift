import Foundation
import Synchronization

/// A TCP relay on a port of its own that can stand still: connections stay open, and nothing passes.
public final class StallingRelay: Sendable {
    private final class Valve: Sendable {
        let isClosed = Atomic<Bool>(false)
        let hasEnded = Atomic<Bool>(false)
        let sent = Mutex<[UInt8]>([])
        /// It closes behind this.
        let last = Mutex<[UInt8]?>(nil)

        /// Closes if these bytes have what it is to close behind.
        func pass(_ bytes: [UInt8]) {
            last.withLock { last in
                guard let text = last, Data(bytes).range(of: Data(text)) != nil else { return }
                last = nil
                isClosed.store(true, ordering: .releasing)
            }
        }
    }

    private let valve = Valve()
    private let listener: ScriptedOrigin

    /// - Parameter target: a port of this machine.
    public init(to target: UInt16) {
        listener = ScriptedOrigin { [valve] client, _ in
            let server = try RawConnection.connect(target)
            defer { server.close() }
            var ends = [client, server].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
            while !valve.hasEnded.load(ordering: .relaxed) {
                if valve.isClosed.load(ordering: .acquiring) {
                    Thread.sleep(forTimeInterval: 0.005)
                    continue
                }
                guard poll(&ends, 2, 20) > 0 else { continue }
                for (from, to) in [(0, server), (1, client)] where ends[from].revents != 0 {
                    if valve.isClosed.load(ordering: .acquiring) { break }
                    var bytes = [UInt8](repeating: 0, count: 65536)
                    let count = recv(ends[from].fd, &bytes, bytes.count, 0)
                    guard count > 0 else { return }
                    if from == 0 { valve.sent.withLock { $0 += bytes[..<count] } }
                    try to.send(Array(bytes.prefix(count)))
                    if from == 0 { valve.pass(Array(bytes.prefix(count))) }
                }
            }
        }
    }

    deinit { stop() }

    public var port: UInt16 { listener.port }

    /// Whether the server was sent this text.
    public func hasSent(_ text: String) -> Bool {
        valve.sent.withLock { Data($0).range(of: Data(text.utf8)) != nil }
    }

    public var isStalled: Bool { valve.isClosed.load(ordering: .acquiring) }

    /// Connections that were made to it so far.
    public var connectionCount: Int { listener.connectionCount }

    /// Passes what a client sends up to and with this text, and then nothing: the server acts on it, and its reply is lost.
    public func stall(after text: String) { valve.last.withLock { $0 = Array(text.utf8) } }

    public func stall() { valve.isClosed.store(true, ordering: .releasing) }

    public func resume() { valve.isClosed.store(false, ordering: .releasing) }

    /// Ends it with its connections, soon.
    public func stop() {
        valve.hasEnded.store(true, ordering: .relaxed)
        listener.stop()
    }
}
